"""What turns read of arrays, for all turns at once."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import same
from onnx_graph.marks import MAY_FAIL
from onnx_graph.passes.at_once.checked import comes_to
from onnx_graph.passes.at_once.planned import Planned, is_small
from onnx_graph.passes.recurrences.turns import linear
from onnx_graph.passes.safety import cannot_fail
from onnx_graph.values import rank_of, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.passes.at_once.turns import Turns

__all__ = ["read"]


def read(turns: Turns, node: ir.Node) -> Planned | None:
    """Plan what a Gather reads."""
    data, index = node.inputs
    assert data is not None and index is not None
    rank = rank_of(data)
    whole, number = _whole(turns, data, index), turns.plan(index)
    if whole is None or number is None or not rank:
        return None
    axis, g = (
        (node.attributes["axis"].as_int() if "axis" in node.attributes else 0) % rank,
        turns.graph,
    )
    own = number.rank + rank - 1
    alike = not number.depth and (cannot_fail(node) or _is_within(turns, data, index, turns.first))
    if not whole.depth and not axis and not alike:
        counted = _counted(turns, index, data)
        if counted is not None:
            if counted == 1:
                return Planned(1, own, whole.emit)
            return Planned(counted, own, lambda: g.Unsqueeze(whole.emit(), [0]))
        sure = turns.may_end or node.graph is not turns.body
        if sure and not _is_within(turns, data, index, turns.body[0]):
            # in a branch that not all turns take, or after the last turn
            taken = None if number.rank else _taken(turns, node)
            if taken is None:
                return None
            return Planned(turns.depth, own, lambda: _rows(turns, node, whole, number, taken))
        return Planned(turns.depth, own, lambda: _rows(turns, node, whole, number))
    if not alike or not is_small(node.outputs[0]):
        return None

    def emit() -> Value:
        return g.Gather(whole.emit(), number.emit(), axis=axis + whole.depth)

    return Planned(whole.depth, own, emit)


def _taken(turns: Turns, node: ir.Node) -> Planned | None:
    """Plan which turns come to a branch where a row is surely there; None where it may not be."""
    data, index = node.inputs
    dims = None if data is None else shape_or_none(data)
    some = dims is not None and turns.integers.is_some(dims[0], turns.body[0])
    if data is None or index is None or not some or not _is_within(turns, data, index, node):
        return None
    tests = comes_to(turns, node)
    return reduce(turns.both, tests) if tests else None


def _rows(
    turns: Turns, node: ir.Node, whole: Planned, number: Planned, taken: Planned | None = None
) -> Value:
    """Emit the rows that there are turns for, and no other one: that may not be there."""
    g, numbers = turns.graph, turns.full(number)
    if taken is not None:  # the first row stands for the others, which nobody asks for
        numbers = g.Where(taken.aligned(g, turns.depth, 0), numbers, 0)
    if turns.is_ragged:
        there = turns.there()
        if number.rank:
            there = g.Unsqueeze(there, list(range(turns.depth, turns.depth + number.rank)))
        numbers = g.Where(there, numbers, 0)
    rows: Value = g.Gather(whole.emit(), numbers, axis=0)
    made = rows.producer()
    assert made is not None
    if MAY_FAIL in node.meta:
        made.meta[MAY_FAIL] = node.meta[MAY_FAIL]
    return rows


def _is_within(turns: Turns, data: Value, index: Value, node: ir.Node) -> bool:
    """Tell whether an index is that of a row where a node runs, whatever branch turns take."""
    dims = shape_or_none(data)
    return dims is not None and turns.integers.is_within(index, dims[0], node)


def _whole(turns: Turns, data: Value, index: Value) -> Planned | None:
    """Plan an array that turns read; of one that they write, no element written before."""
    written = turns.written.get(data)
    if written is None:
        return turns.plan(data)
    start, place = written
    apart = dict(linear(place))
    for key, factor in linear(index).items():
        apart[key] = apart.get(key, 0) - factor
    step, number = apart.pop(turns.body.inputs[0], 0), apart.pop(None, 0)
    if any(apart.values()):
        return None
    later = (step == 1 and number > 0) or (step == -1 and number < 0)
    # an index from the end on may mean another one's element
    if later and not turns.integers.is_natural(index, turns.body[0]):
        return None
    return turns.of_outer(start) if later or (step, number) == (0, 0) else None


def _counted(turns: Turns, index: Value, data: Value) -> int | None:
    """Return the depth of the loop that reads row after row of all rows, if one does."""
    if index is not turns.body.inputs[0]:
        return None if turns.outer is None else _counted(turns.outer, index, data)
    dims = shape_or_none(data)
    if dims is None or turns.size is None or turns.is_ragged:
        return None
    return turns.depth if same(turns.size, dims[0]) else None
