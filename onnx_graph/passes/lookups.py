"""Asks whether a key is among some before asking where, if the place matters in branches alone.

    grown = Concat(keys, Unsqueeze(key))             # keys: int64[n]
    place = ArgMax(Cast<to=int32>(Equal(grown, key)))
    y = If(Less(place, n)) { … place … } { Slice(grown, 0, Max(n, Add(place, 1))) }

    same = Cast<to=int32>(Equal(keys, key))
    y = If(Cast<to=bool>(ReduceSum(same))) { … ArgMax(same) … } { Concat(keys, Unsqueeze(key)) }

That is how dicts and sets look up a key: in one that is not there it stands behind all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.failing import surely
from onnx_graph.passes.editing import before, made_by, nested, owners, surely_replace
from onnx_graph.passes.sizes import counted
from onnx_graph.values import const_array, rank_of

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {
    "settled": "what a branch knows of the key is no question any more",
    "duplicates": "a key is looked up once",
}

BRANCHES = {
    "Less": ("then_branch", "else_branch"),
    "GreaterOrEqual": ("else_branch", "then_branch"),
}
"""In which branch a key is there, and in which it is not."""


@dataclass(frozen=True)
class _Lookup:
    """The question whether a key is there.

    Attributes:
        node: The comparison of its place with how many there are.
        columns: The keys, those with it behind them, and the key: a pair for each part of it.
        found: By branch, what reads the place where the key is there.
        missing: By branch, what reads it where the key is not there.
    """

    node: ir.Node
    columns: tuple[tuple[Value, Value, Value], ...]
    found: Mapping[ir.Graph, list[tuple[ir.Node, int]]]
    missing: Mapping[ir.Graph, list[tuple[ir.Node, int]]]


_Owners = Mapping[int, tuple[ir.Node, str]]


def run(graph: ONNXGraph) -> int:
    """Rewrite such questions; return how many."""
    changed = 0
    held = owners(graph.main.graph)
    for scope in list(nested(graph.main.graph)):
        for node in list(scope):
            lookup = _lookup(node, held)
            if lookup is not None:
                _rewrite(graph, lookup)
                changed += 1
    return changed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No place of a key is asked for that only branches read."""
    held = owners(graph.main.graph)
    for scope in nested(graph.main.graph):
        for node in scope:
            if _lookup(node, held) is not None:
                yield f"whether a key is there: this {node.op_type}"


def _lookup(node: ir.Node, held: _Owners) -> _Lookup | None:
    if node.op_type not in BRANCHES or len(node.inputs) != 2:
        return None
    place, count = node.inputs
    if place is None or count is None or place.is_graph_output():
        return None
    columns = tuple(columns_of(place))
    if not columns or not any(counted(count) is keys for keys, _, _ in columns):
        return None
    sides: dict[str, dict[ir.Graph, list[tuple[ir.Node, int]]]] = {
        name: {} for name in BRANCHES[node.op_type]
    }
    for use in place.uses():
        if use.node is not node:
            branch, name = _branch(use.node, node.outputs[0], held)
            if branch is None:
                return None
            sides[name].setdefault(branch, []).append((use.node, use.idx))
    return _Lookup(node, columns, *sides.values())


def _branch(user: ir.Node, truth: Value, held: _Owners) -> tuple[ir.Graph | None, str]:
    """Return the branch of an If that goes by a truth in which a node is, and as what."""
    scope = user.graph
    while scope is not None and id(scope) in held:
        owner, name = held[id(scope)]
        if owner.op_type == "If" and owner.inputs[0] is truth:
            return scope, name
        scope = owner.graph
    return None, ""


def columns_of(place: Value) -> Iterator[tuple[Value, Value, Value]]:
    """Yield keys, those with one more, and that one, where a place is that of the first such."""
    argmax = made_by(place, "ArgMax")
    if argmax is None or _attributes(argmax) != {"axis": 0, "keepdims": 0}:
        return
    cast = made_by(argmax.inputs[0], "Cast")
    if cast is None or cast.outputs[0].dtype is not ir.DataType.INT32:
        return
    found = list(_compared(cast.inputs[0]))
    if None not in found:
        yield from (one for one in found if one is not None)


def _compared(same: Value | None) -> Iterator[tuple[Value, Value, Value] | None]:
    """Yield what is compared in each of some comparisons that must all hold; None of others."""
    both = made_by(same, "And")
    if both is not None:
        for side in both.inputs:
            yield from _compared(side)
        return
    equal = made_by(same, "Equal")
    sides = [] if equal is None else [one for one in equal.inputs if one is not None]
    for grown, key in zip(sides, sides[::-1], strict=True):
        concat = made_by(grown, "Concat")
        if concat is None or len(concat.inputs) != 2 or not _is_whole(key) or rank_of(key) != 0:
            continue
        keys, last = concat.inputs
        if keys is not None and last is not None and rank_of(keys) == 1 and is_one(last, key):
            yield keys, grown, key
            return
    yield None


def _is_whole(value: Value) -> bool:
    """Tell whether numbers are equal to themselves: whole ones and bools are, nan is not."""
    return value.dtype is not None and (value.dtype.is_integer() or value.dtype is ir.DataType.BOOL)


def is_one(vector: Value, number: Value) -> bool:
    """Tell whether a vector is a number, and nothing else."""
    made = made_by(vector, "Unsqueeze")
    if made is not None and made.inputs[0] is number:
        return True
    one, other = const_array(vector), const_array(number)
    return one is not None and other is not None and one.shape == (1,) and one[0] == other


def _attributes(node: ir.Node) -> dict[str, Any]:
    kept = {name: one.value for name, one in node.attributes.items()}
    return kept if kept.pop("select_last_index", 0) == 0 else {}


def _rewrite(graph: ONNXGraph, lookup: _Lookup) -> None:
    node, count = lookup.node, lookup.node.inputs[1]
    assert count is not None and node.graph is not None
    with before(graph, node):
        same: Any = None
        for keys, _, key in lookup.columns:
            here = graph.Equal(keys, key)
            same = here if same is None else graph.And(same, here)
        marks = graph.Cast(same, to=np.int32)
        truth = graph.Cast(graph.ReduceSum(marks, None, keepdims=0), to=np.bool_)
        if node.op_type == "GreaterOrEqual":
            truth = graph.Not(truth)
    surely_replace(graph, node.outputs[0], truth)
    node.graph.remove(node, safe=True)
    for branch, users in lookup.found.items():
        with before(graph, branch[0]):
            place = surely(graph.ArgMax(marks, axis=0, keepdims=0))
        for user, index in users:
            user.replace_input_with(index, place)
    for user, index in (use for users in lookup.missing.values() for use in users):
        user.replace_input_with(index, count)
