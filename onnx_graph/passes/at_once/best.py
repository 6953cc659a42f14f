"""The first of the largest or smallest of what turns read, and what goes with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.at_once.planned import Planned, is_small, once
from onnx_graph.passes.at_once.turns import Turns
from onnx_graph.passes.editing import original
from onnx_graph.values import const_array

__all__ = ["best"]

_LARGEST = {("Greater", 0): True, ("Less", 0): False, ("Greater", 1): False, ("Less", 1): True}
"""Whether the larger one is kept, by the comparison and where the new one stands in it."""

_NUMBERS = frozenset({ir.DataType.FLOAT, ir.DataType.DOUBLE})


@dataclass(frozen=True)
class _Search:
    """A comparison with the best so far.

    Attributes:
        new: What is compared.
        number: Which carried value the best one is.
        largest: Whether the larger one is kept.
    """

    new: Value
    number: int
    largest: bool


def best(turns: Turns, number: int) -> Planned | None:
    """Plan a result that a turn replaces where what it read is better than the best so far."""
    if turns.depth > 1 or turns.ends is not None:
        return None
    node = original(turns.body, turns.body.outputs[1 + number]).producer()
    search = None if node is None or node.op_type != "If" else _search(turns, node)
    if node is None or search is None:
        return None
    given = _given(turns, node, number)
    place = _place(turns, search)
    start = turns.loop.inputs[2 + number]
    begin = None if start is None else turns.of_outer(start)
    made = None if given is None else turns.plan(given)
    if place is None or begin is None or made is None or begin.rank or made.rank:
        return None
    g = turns.graph

    def emit() -> Value:
        whole = g.Concat(g.Unsqueeze(begin.emit(), [0]), turns.full(made), axis=0)
        return g.Gather(whole, place(), axis=0)

    return Planned(0, 0, once(emit))


def _search(turns: Turns, node: ir.Node) -> _Search | None:
    """Return what an If asks for, if it keeps the better one."""
    inputs = list(turns.body.inputs)[2:]
    condition = node.inputs[0]
    test = None if condition is None else condition.producer()
    if test is None or (test.op_type, 0) not in _LARGEST or turns.enter(node) is None:
        return None
    for place, new in enumerate(test.inputs):
        largest, old = _LARGEST.get((test.op_type, place)), test.inputs[1 - place]
        if largest is None or new is None or new.dtype not in _NUMBERS or old not in inputs:
            continue
        number = inputs.index(old)
        given = _given(turns, node, number)
        if given is not None and alike(given, new):
            return _Search(new, number, largest)
    return None


def _given(turns: Turns, node: ir.Node, number: int) -> Value | None:
    """Return what an If puts in the place of a carried value where it holds."""
    result = original(turns.body, turns.body.outputs[1 + number])
    if result.producer() is not node:
        return None
    then, other = (node.attributes[name].as_graph() for name in ("then_branch", "else_branch"))
    index = result.index() or 0
    kept = original(other, other.outputs[index])
    return then.outputs[index] if kept is turns.body.inputs[2 + number] else None


def _place(turns: Turns, search: _Search) -> Callable[[], Value] | None:
    """Return what emits which turn is the best, from 1 on; 0 where none is."""
    start = turns.loop.inputs[2 + search.number]
    begin = None if start is None else turns.of_outer(start)
    made = turns.plan(search.new)
    if begin is None or made is None or begin.rank or made.rank or not is_small(search.new):
        return None
    g, array = turns.graph, None if start is None else const_array(start)
    dtype = search.new.dtype
    assert dtype is not None
    worst = np.array(-np.inf if search.largest else np.inf, dtype.numpy())

    def emit() -> Value:
        first = begin.emit()
        whole = g.Concat(g.Unsqueeze(first, [0]), turns.full(made), axis=0)
        known = g.Where(g.IsNaN(whole), worst, whole)  # nan is never better
        operator = "ArgMax" if search.largest else "ArgMin"
        found = g.emit(operator, [known], {"axis": 0, "keepdims": 0})
        if array is not None and not np.isnan(array).any():
            return found
        return g.Where(g.IsNaN(first), g.constant(0), found)  # nor is anything better than nan

    return turns.shared(("place", search.new, search.number), emit)


def alike(one: Value, other: Value) -> bool:
    """Tell whether two values are computed alike from the same ones."""
    if one is other:
        return True
    left, right = one.producer(), other.producer()
    if left is None or right is None:
        return False
    if left.op_type == "Identity" and left.inputs[0] is not None:
        return alike(left.inputs[0], other)
    if right.op_type == "Identity" and right.inputs[0] is not None:
        return alike(one, right.inputs[0])
    same = left.op_type == right.op_type and one.index() == other.index()
    if not same or left.op_type in ("If", "Loop") or not left.inputs:
        return False
    attributes = [{name: a.value for name, a in node.attributes.items()} for node in (left, right)]
    if attributes[0] != attributes[1] or len(left.inputs) != len(right.inputs):
        return False
    pairs = zip(left.inputs, right.inputs, strict=True)
    return all(a is b or (a is not None and b is not None and alike(a, b)) for a, b in pairs)
