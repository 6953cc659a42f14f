"""Arrays of which each turn writes another element."""

from __future__ import annotations

from onnx_ir import Value

from onnx_graph.passes.at_once.planned import Planned, once
from onnx_graph.passes.at_once.turns import Turns
from onnx_graph.passes.editing import original
from onnx_graph.passes.recurrences.turns import linear
from onnx_graph.values import const_array, rank_of

__all__ = ["find_written", "written"]


def find_written(turns: Turns) -> None:
    """Note which arrays turns write, each turn another element, and read no other way."""
    loop, body = turns.loop, turns.body
    for number in range(len(loop.inputs) - 2):
        start, inner = loop.inputs[2 + number], body.inputs[2 + number]
        write = _write(turns, number)
        if start is None or write is None or write[0] is not inner:
            continue
        place = write[1]
        if abs(linear(place).get(body.inputs[0], 0)) == 1 and turns.integers.is_natural(
            place, body[0]
        ):
            turns.written[inner] = (start, place)


def _write(turns: Turns, number: int) -> tuple[Value, Value, Value, Value | None] | None:
    """Return the array, the place, the element and the condition of the only write in a turn."""
    body = turns.body
    value, condition = original(body, body.outputs[1 + number]), None
    node = value.producer()
    if node is not None and node.op_type == "If":
        then, other = (node.attributes[name].as_graph() for name in ("then_branch", "else_branch"))
        index = value.index() or 0
        if original(other, other.outputs[index]) is not body.inputs[2 + number]:
            return None
        value, condition = original(then, then.outputs[index]), node.inputs[0]
        node = value.producer()
        if node is not None and node.graph is not then:
            return None
    if node is None or node.op_type != "ScatterElements" or "reduction" in node.attributes:
        return None
    data, place, element = node.inputs
    places = [_alone(one) for one in (place, element)]
    if data is None or rank_of(data) != 1 or places[0] is None or places[1] is None:
        return None
    return data, places[0], places[1], condition


def _alone(value: Value | None) -> Value | None:
    """Return the number that a list of one number has; None of another list."""
    node = None if value is None else value.producer()
    if node is None or node.op_type != "Unsqueeze":
        return value if value is not None and _is_one(value) else None
    number = node.inputs[0]
    return number if number is not None and rank_of(number) == 0 else None


def _is_one(value: Value) -> bool:
    array = const_array(value)
    return array is not None and array.shape == (1,)


def written(turns: Turns, number: int) -> Planned | None:
    """Plan an array after all turns have written to it."""
    found = _write(turns, number)
    start = turns.loop.inputs[2 + number]
    begin = None if start is None else turns.of_outer(start)
    if found is None or begin is None or turns.depth > 1:
        return None
    _, place, element, condition = found
    result = original(turns.body, turns.body.outputs[1 + number])
    node = result.producer()
    if condition is not None and (node is None or turns.enter(node) is None):
        return None
    places, elements = turns.plan(place), turns.plan(element)
    test = None if condition is None else turns.plan(condition)
    if places is None or elements is None or (condition is not None and test is None):
        return None
    write = result.producer() if condition is None else None
    if write is not None:
        turns.planned.add(write)
    g = turns.graph

    def emit() -> Value:
        rows = turns.full(places)
        made = turns.flat(elements)
        if test is not None:
            taken = g.Squeeze(g.NonZero(turns.full(test)), [0])
            rows, made = g.Gather(rows, taken, axis=0), g.Gather(made, taken, axis=0)
        return g.ScatterElements(begin.emit(), rows, made, axis=0)

    return Planned(0, 1, once(emit))
