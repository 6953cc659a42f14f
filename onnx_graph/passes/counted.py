"""Lets a Loop count its turns by itself where its condition does nothing else.

    Loop("", Less(0, n), x) { … Less(Add(iteration, 1), n) }       # becomes
    Loop(n, True, x) { … True }

    Loop("", Less(k, n), x, k) { … Less(Add(carried, 1), n) … Add(carried, 1) }
    Loop(Sub(Max(n, k), k), True, x, k) { … True … Add(carried, 1) }

    Loop("", c, x, k) { … If(Less(Add(carried, 1), n)) { d } { False } … Add(carried, 1) }
    Loop(Sub(Max(n, k), k), c, x, k) { … the same … }               # where c asks for Less(k, n)

    Loop("", c, x, k) { … And(d, Less(Add(carried, 1), n)) … Add(carried, 1) }
    Loop(Sub(Max(n, k), k), c, x, k) { … d … Add(carried, 1) }      # as well

A loop over the items of a list is written with a condition; where the list became a tensor, nothing
but the count is left of it. So is a `while` with a number that each turn adds 1 to; what reads that
number reads it off the turn's then. On a GPU the condition costs a copy in each turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.control import may_be_result
from onnx_graph.integers import Integers
from onnx_graph.intervals import Intervals
from onnx_graph.marks import SOURCE
from onnx_graph.passes.editing import before, bodies, made_by, nested, original, replace
from onnx_graph.values import const_array, rank_of

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


#: How many turns a bound may allow beside a condition: all of them may be computed at once.
FEW = 4096
AFTER: Mapping[str, str] = {"invariants": "a bound that changes in no turn is outside of the loop"}


@dataclass
class _Counted:
    """A Loop whose condition only counts.

    Attributes:
        loop: The Loop.
        limit: What the count has to stay below.
        number: Which carried value counts; None for the number of the turn.
        is_all: Whether its conditions ask for nothing else.
        asked: What asks in a turn whether there is another one.
        first: What asks for the first one, None where that surely holds.
    """

    loop: ir.Node
    limit: Value
    number: int | None
    is_all: bool
    asked: Value
    first: Value | None = None


def run(graph: ONNXGraph) -> int:
    """Give Loops their number of turns; return how many."""
    found = list(_found(graph))
    for counted in found:
        _count(graph, counted)
    return len(found)


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No Loop has a condition that only counts."""
    for counted in _found(graph):
        yield f"a Loop that counts by its condition: {counted.loop.outputs[0].name}"


def _found(graph: ONNXGraph) -> Iterator[_Counted]:
    integers, intervals = Integers(graph.main.graph), None
    for scope in nested(graph.main.graph):
        for node in scope:
            turns = _turns(node)
            start = None if turns is None or turns.number is None else node.inputs[2 + turns.number]
            # the difference of two numbers may be none of 64 bits
            natural = turns is not None and (start is None or integers.is_natural(start, node))
            if turns is not None and not natural:
                intervals = intervals or Intervals(graph.main.graph)
                natural = intervals.of(start).low >= 0
            if turns is not None and natural:
                yield turns


def _count(graph: ONNXGraph, counted: _Counted) -> None:
    loop, limit, (body,) = counted.loop, counted.limit, bodies(counted.loop)
    if not counted.is_all:
        loop.replace_input_with(0, _by_turn(graph, counted, body))
        _leave_out(counted.asked, body)
        both = made_by(loop.inputs[1], "And")
        if both is not None and counted.first in both.inputs:
            loop.replace_input_with(1, both.inputs[both.inputs[0] is counted.first])
        return
    true = graph.constant(np.array(True))
    identity = ir.node("Identity", [true])
    result = identity.outputs[0]
    result.type, result.shape = true.type, true.shape
    body.append(identity)
    body.outputs[0] = result
    if counted.number is not None:
        limit = _by_turn(graph, counted, body)
    loop.replace_input_with(0, limit)
    loop.replace_input_with(1, true)


def _leave_out(asked: Value, body: ir.Graph) -> None:
    """Let a turn not ask for what the number of turns tells, where it asks for something else."""
    for use in list(asked.uses()):
        node, end = use.node, body.outputs[0]
        if node.op_type != "And" or node.graph is not body:
            continue
        other = node.inputs[1 - use.idx]
        if node.outputs[0] is not end or end.uses() or list(body.outputs).count(end) > 1:
            continue
        fits = other is not None and other.graph is body and not other.is_graph_output()
        if fits and other is not None and may_be_result(body, other):
            body.outputs[0] = other
            body.remove(node, safe=True)
            return


def _by_turn(graph: ONNXGraph, counted: _Counted, body: ir.Graph) -> Value:
    """Read a carried count off the number of the turn; return how many turns there are."""
    assert counted.number is not None
    loop, place = counted.loop, 2 + counted.number
    start, inner = loop.inputs[place], body.inputs[place]
    assert start is not None
    number = body.inputs[0]
    if not _is(start, 0):
        node = ir.Node("", "Add", [number, start])
        number = node.outputs[0]
        number.type, number.shape = inner.type, ir.Shape(())
        node.meta.update({SOURCE: loop.meta[SOURCE]} if SOURCE in loop.meta else {})
        body.insert_before(body[0], node)
    for use in list(inner.uses()):  # as a result of the turn it stays what is carried
        use.node.replace_input_with(use.idx, number)
    with before(graph, loop):
        end = graph.Max(counted.limit, start)
        turns: Value = end if _is(start, 0) else graph.Sub(end, start)
    if counted.is_all:
        replace(graph, loop.outputs[counted.number], end)
    return turns


def _turns(node: ir.Node) -> _Counted | None:
    """Return how a Loop counts by its condition."""
    begin = node.inputs[1] if node.op_type == "Loop" and node.inputs[0] is None else None
    if begin is None:
        return None
    (body,) = bodies(node)
    end = body.outputs[0]
    for value in _asked(end):  # one that surely holds at first is not asked for there
        asked = _bound(value, body) if value is not end else None
        start = None if asked is None or asked[1] is None else node.inputs[2 + asked[1]]
        if asked is not None and start is not None and not body.inputs[1].uses():
            low, high = const_array(start), const_array(asked[0])
            if low is not None and high is not None and 0 < int(high) - int(low) <= FEW:
                return _Counted(node, asked[0], asked[1], is_all=False, asked=value)
    for value, first in [(one, other) for one in _asked(end) for other in _asked(begin)]:
        asked, sides = _bound(value, body), _sides(first)
        if asked is None or sides is None or body.inputs[1].uses() or sides[1] is not asked[0]:
            continue
        limit, number = asked
        start = None if number is None else node.inputs[2 + number]
        is_all = value is end and first is begin
        if number is None and is_all and _is(sides[0], 0):
            return _Counted(node, limit, None, is_all, value)
        if start is not None and _are_same(start, sides[0]):
            return _Counted(node, limit, number, is_all, value, first)
    return None


def _asked(condition: Value) -> Iterator[Value]:
    """Yield what a condition asks for, all of it together."""
    yield condition
    node = condition.producer()
    if node is None:
        return
    asked = list(node.inputs) if node.op_type == "And" else []
    if node.op_type == "If":
        other = node.attributes["else_branch"].as_graph()
        rest = const_array(original(other, other.outputs[condition.index() or 0]))
        asked = [node.inputs[0]] if rest is not None and not rest.any() else []
    for value in asked:
        if value is not None:
            yield from _asked(value)


def _sides(condition: Value) -> tuple[Value, Value] | None:
    """Return what has to be less, and than what."""
    node = condition.producer()
    if node is None or node.op_type not in ("Less", "Greater") or None in node.inputs:
        return None
    left, right = node.inputs if node.op_type == "Less" else node.inputs[::-1]
    assert left is not None and right is not None
    return left, right


def _bound(condition: Value, body: ir.Graph) -> tuple[Value, int | None] | None:
    """Return what the next count has to be less than, and which carried value that is."""
    sides = _sides(condition) if condition.graph is body else None
    step = None if sides is None else sides[0].producer()
    if sides is None or step is None or step.op_type != "Add" or step.graph is not body:
        return None
    following, limit = sides
    one = next((k for k, value in enumerate(step.inputs) if value and _is(value, 1)), None)
    count = None if one is None else step.inputs[1 - one]
    if count is None or rank_of(count) != 0 or count.type != body.inputs[0].type:
        return None
    if rank_of(limit) != 0 or limit.graph is body:
        return None
    if count is body.inputs[0]:
        return limit, None
    carried = zip(list(body.inputs)[2:], list(body.outputs)[1:], strict=False)
    number = next((k for k, pair in enumerate(carried) if pair == (count, following)), None)
    return None if number is None else (limit, number)


def _are_same(one: Value, other: Value) -> bool:
    left, right = const_array(one), const_array(other)
    if left is None or right is None:
        return one is other
    return left.dtype == right.dtype and np.array_equal(left, right)


def _is(value: Value, number: int) -> bool:
    array = const_array(value)
    return array is not None and array.ndim == 0 and int(array) == number
