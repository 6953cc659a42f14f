"""Sets that turns fill, and vectors that grow by a number in some turns.

    for other in near:
        if other not in seen:
            seen.add(other)
            found.append(other)

A key is not there yet in the turn in which it stands first among those from before the loop and all
that turns look up, if each turn leaves it there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.at_once.planned import Planned, once
from onnx_graph.passes.at_once.tallied import by_answer, grown_column, looked_up
from onnx_graph.passes.editing import made_by, original
from onnx_graph.passes.lookups import is_one
from onnx_graph.values import rank_of, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph
    from onnx_graph.passes.at_once.turns import Turns

__all__ = ["appended", "asked"]

_FEW = 1 << 16
"""How many pairs of keys are compared with one another."""


def asked(turns: Turns, node: ir.Node) -> Planned | None:
    """Plan whether a key is there that turns look up in a set that they fill."""
    found = looked_up(node)
    held = list(turns.body.inputs)[2:]
    if found is None or turns.depth > 1:
        return None
    keys, _, key = found[1]
    if keys not in held or keys.dtype is not ir.DataType.INT64:
        return None
    number = held.index(keys)
    begin, every = turns.of_start(number), turns.plan(key)
    if begin is None or every is None or begin.rank != 1 or begin.depth:
        return None
    if not _fills(turns, number, keys, key):
        return None
    g = turns.graph

    def first() -> Value:
        """Emit which turns are the first with their key."""
        before, numbers = begin.emit(), turns.flat(every)
        place = g.Add(turns.iteration(), g.size(before, 0))
        return g.Equal(_first(g, before, numbers), place)

    is_first = turns.shared(("first", keys, key), first)
    missing = Planned(1, 0, is_first)
    return turns.negated(missing) if node.op_type == "Less" else missing


def _first(g: ONNXGraph, before: Value, numbers: Value) -> Value:
    """Emit for each number where it stands first among others and all of them.

    For few numbers a table of what equals what takes less time than an order of them.
    """
    whole = g.Concat(before, numbers, axis=0)
    few, many = g.body("few"), g.body("many")
    with few:
        same = g.Equal(g.Unsqueeze(numbers, [1]), g.Unsqueeze(whole, [0]))
        found = g.ArgMax(g.Cast(same, to=np.int32), axis=1, keepdims=0)
    with many:
        _, first, number, _ = g.Unique(whole, sorted=0, outputs=4)
        after = g.Slice(number, g.Shape(before), [2**63 - 1], [0])
        ordered = g.Gather(first, after, axis=0)
    size = g.Mul(g.Size(numbers), g.Size(whole))
    place: Value = g.If(g.LessOrEqual(size, _FEW), few, [found], many, [ordered])[0]
    return place


def _fills(turns: Turns, number: int, keys: Value, key: Value) -> bool:
    """Tell whether each turn leaves the key there that it looks up, and nothing else is new."""
    end = original(turns.body, turns.body.outputs[1 + number])
    node = end.producer()
    found = None if node is None or node.op_type != "If" else node.inputs[0]
    if node is None or found is None:
        return grown_column(end, keys) == (keys, key, None)
    question = looked_up(found.producer())
    if question is None or question[1][0] is not keys or question[1][2] is not key:
        return False
    names = ("then_branch", "else_branch")
    sides = [node.attributes[name].as_graph() for name in names]
    ends = [original(side, side.outputs[end.index() or 0]) for side in sides]
    there, missing = by_answer(found, ends)
    row = _row(missing, keys)
    return there is keys and row is not None and is_one(row, key)


def appended(turns: Turns, number: int) -> Planned | None:
    """Plan a vector to which turns append a number, all of them or some."""
    inner, begin = turns.body.inputs[2 + number], turns.of_start(number)
    if turns.depth > 1 or turns.ends is not None or rank_of(inner) != 1:
        return None
    end, test = original(turns.body, turns.body.outputs[1 + number]), None
    node, row = end.producer(), _row(end, inner)
    if node is not None and node.op_type == "If" and node.inputs[0] is not None:
        sides, test = turns.enter(node), turns.plan(node.inputs[0])
        if sides is None or test is None:
            return None
        ends = [original(side, side.outputs[end.index() or 0]) for side in sides]
        if inner not in ends:
            return None
        kept = ends.index(inner)
        row, test = _row(ends[1 - kept], inner), test if kept else turns.negated(test)
    made = None if row is None else turns.plan(_number_of(row))
    if begin is None or begin.rank != 1 or begin.depth or made is None:
        return None
    g, truths = turns.graph, test

    def emit() -> Value:
        rows = turns.flat(made)
        if truths is not None:
            rows = g.Compress(rows, turns.full(truths), axis=0)
        return g.Concat(begin.emit(), rows, axis=0)

    return Planned(0, 1, once(emit))


def _row(end: Value, inner: Value) -> Value | None:
    """Return the number, as a vector, that stands behind those of another vector."""
    node = made_by(end, "Concat")
    if node is None or len(node.inputs) != 2:
        return None
    held, row = node.inputs
    is_longer = held is inner and row is not None and row is not inner
    return row if is_longer and row is not None and shape_or_none(row) == (1,) else None


def _number_of(row: Value) -> Value:
    """Return the number of which a vector is made, or a vector that is made otherwise."""
    node = made_by(row, "Unsqueeze")
    number = None if node is None else node.inputs[0]
    return number if number is not None and rank_of(number) == 0 else row
