"""Lets a number of turns bound a list of numbers that each turn makes longer by one.

    Loop("", And(c, Less(Size(l), 9)), l) { k = Concat(l, [v]) … And(d, Less(Size(k), 9)) … k }
    Loop(Sub(Max(9, Size(l)), Size(l)), c, l) { k = Concat(l, [v]) … d … k }

Calls that wait stand on such a list, and there are at most a thousand of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.control import may_be_result
from onnx_graph.passes.editing import before, bodies, made_by, nested
from onnx_graph.values import const_array, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {"duplicates": "a list has one length"}
#: No list is that long.
MOST = 2**40


@dataclass(frozen=True)
class _Counted:
    """A Loop that asks how long a list is.

    Attributes:
        loop: The Loop.
        limit: What the length has to stay below.
        start: The list before the first turn.
        begin: What else lets the first turn begin.
        both: What asks for this and something else in a turn.
        rest: What else lets the next turn begin.
    """

    loop: ir.Node
    limit: int
    start: Value
    begin: Value
    both: ir.Node
    rest: Value


def run(graph: ONNXGraph) -> int:
    """Give Loops their number of turns; return how many."""
    found = list(_found(graph))
    for one in found:
        (body,) = bodies(one.loop)
        with before(graph, one.loop):
            size = graph.Size(one.start)
            most = graph.constant(np.array(one.limit, np.int64))
            turns = graph.Sub(graph.Max(most, size), size)
        one.loop.replace_input_with(0, turns)
        one.loop.replace_input_with(1, one.begin)
        body.outputs[0] = one.rest
        body.remove(one.both, safe=True)
    return len(found)


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No Loop asks how long a list is that grows in each turn."""
    for one in _found(graph):
        yield f"a Loop that asks for the length of a list: {one.loop.outputs[0].name}"


def _found(graph: ONNXGraph) -> Iterator[_Counted]:
    for scope in nested(graph.main.graph):
        for node in scope:
            found = _of(node) if node.op_type == "Loop" and node.inputs[0] is None else None
            if found is not None:
                yield found


def _of(loop: ir.Node) -> _Counted | None:
    """Return how a Loop asks for the length of a list."""
    (body,) = bodies(loop)
    begin, end = loop.inputs[1], body.outputs[0]
    both = made_by(end, "And")
    if begin is None or both is None or both.graph is not body or body.inputs[1].uses():
        return None
    if end.uses() or sum(one is end for one in body.outputs) > 1:
        return None
    for place, asked in enumerate(both.inputs):
        rest = both.inputs[1 - place]
        if rest is None or rest.graph is not body or rest.is_graph_output():
            continue
        held, limit = _length(asked)
        start = None if held is None else _start(loop, body, held)
        if limit is None or start is None or not may_be_result(body, rest):
            continue
        first = _begin(begin, start, limit)
        if first is not None:
            return _Counted(loop, limit, start, first, both, rest)
    return None


def _length(asked: Value | None) -> tuple[Value | None, int | None]:
    """Return the list whose length is to be below a number, and that."""
    less = made_by(asked, "Less") or made_by(asked, "LessOrEqual")
    size = None if less is None else made_by(less.inputs[0], "Size")
    limit = None if less is None or less.inputs[1] is None else const_array(less.inputs[1])
    if less is None or size is None or limit is None or limit.ndim or int(limit) >= MOST:
        return None, None
    return size.inputs[0], int(limit) + (less.op_type == "LessOrEqual")


def _start(loop: ir.Node, body: ir.Graph, held: Value) -> Value | None:
    """Return what a list is before the first turn, if each makes it longer by one."""
    longer = made_by(held, "Concat")
    if longer is None or longer.graph is not body or len(longer.inputs) != 2:
        return None
    shorter, added = longer.inputs
    if added is None or shape_or_none(added) != (1,):
        return None
    ends = list(body.outputs)[1:]
    for head, end, start in zip(list(body.inputs)[2:], ends, loop.inputs[2:], strict=False):
        if head is shorter and end is held:
            return start
    return None


def _begin(begin: Value, start: Value, limit: int) -> Value | None:
    """Return what else than the length of the list lets the first turn begin."""
    sizes = shape_or_none(start)
    if sizes is not None and len(sizes) == 1 and type(sizes[0]) is int and sizes[0] < limit:
        return begin
    both = made_by(begin, "And")
    for place, asked in enumerate(both.inputs if both is not None else ()):
        if both is not None and _length(asked) == (start, limit):
            return both.inputs[1 - place]
    return None
