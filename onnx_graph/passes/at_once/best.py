"""The best of what turns read, the first or the last of equals, and what goes with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.at_once.kept import picked
from onnx_graph.passes.at_once.planned import Planned, is_small, once
from onnx_graph.passes.at_once.turns import Turns
from onnx_graph.passes.editing import original
from onnx_graph.values import const_array, rank_of, shape_or_none

__all__ = ["best"]

_SIGNS = {"Greater": 1, "GreaterOrEqual": 1, "Less": -1, "LessOrEqual": -1}
"""Whether the larger one is kept if the new one stands on the left."""

_FLOATS = frozenset({ir.DataType.FLOAT, ir.DataType.DOUBLE})
_NUMBERS = _FLOATS | {ir.DataType.INT32, ir.DataType.INT64}


@dataclass(frozen=True)
class _Search:
    """A comparison with the best so far.

    Attributes:
        new: What is compared.
        number: Which carried value the best one is, or the place of the best one.
        read: What reads the best one by its place, off an array; None where it is carried.
        largest: Whether the larger one is kept.
        last: Whether the last one of equals is kept.
        tests: What else a turn asks for.
    """

    new: Value
    number: int
    read: ir.Node | None
    largest: bool
    last: bool
    tests: tuple[Planned, ...]


def best(turns: Turns, number: int) -> Planned | None:
    """Plan a result that a turn replaces where what it read is better than the best so far."""
    node = original(turns.body, turns.body.outputs[1 + number]).producer()
    search = None if node is None or node.op_type != "If" else _search(turns, node)
    given = None if node is None or search is None else _given(turns, node, number)
    made = None if given is None else turns.plan(given)
    place = None if search is None else _place(turns, search)
    begin = turns.of_start(number)
    if place is None or begin is None or made is None or begin.rank or made.rank:
        return None
    return Planned(turns.depth - 1, 0, once(lambda: picked(turns, begin, made, place())))


def _search(turns: Turns, node: ir.Node) -> _Search | None:
    """Return what an If asks for, if it keeps the better one."""
    condition = node.inputs[0]
    if condition is None or turns.enter(node) is None:
        return None
    asked = _asked(turns, condition)
    if asked is None:
        return None
    test, tests = asked
    for place, new in enumerate(test.inputs):
        old = test.inputs[1 - place]
        if new is None or old is None or new.dtype not in _NUMBERS or not is_small(new):
            continue
        found = _compared(turns, node, new, old)
        if found is not None:
            largest = _SIGNS[test.op_type] == (-1 if place else 1)
            return _Search(new, *found, largest, test.op_type.endswith("Equal"), tests)
    return None


def _asked(turns: Turns, condition: Value) -> tuple[ir.Node, tuple[Planned, ...]] | None:
    """Return the comparison that a condition is, and what else has to hold."""
    node = condition.producer()
    if node is None:
        return None
    if node.op_type in _SIGNS:
        return node, ()
    sides: list[tuple[Value, Planned | None]] = []
    if node.op_type == "And" and None not in node.inputs:
        left, right = (value for value in node.inputs if value is not None)
        sides = [(left, turns.plan(right)), (right, turns.plan(left))]
    elif node.op_type == "If" and node.inputs[0] is not None:
        branches, test = turns.enter(node), turns.plan(node.inputs[0])
        if branches is None or test is None:
            return None
        one, other = (
            original(branch, branch.outputs[condition.index() or 0]) for branch in branches
        )
        sides = [(one, test)] if _is_false(other) else []
        sides += [(other, turns.negated(test))] if _is_false(one) else []
    for side, test in sides:
        found = None if test is None else _asked(turns, side)
        if found is not None and test is not None:
            return found[0], (*found[1], test)
    return None


def _is_false(value: Value) -> bool:
    array = const_array(value)
    return array is not None and not array.any()


def _compared(
    turns: Turns, node: ir.Node, new: Value, old: Value
) -> tuple[int, ir.Node | None] | None:
    """Return what is compared with: a carried value, or what reads an array at a carried place."""
    inputs = list(turns.body.inputs)[2:]
    if old in inputs:
        given = _given(turns, node, inputs.index(old))
        fits = given is not None and alike(given, new)
        return (inputs.index(old), None) if fits else None
    reads = [None if value is None else value.producer() for value in (old, new)]
    if any(read is None or read.op_type != "Gather" for read in reads):
        return None
    (data, at), (other, index) = (read.inputs for read in reads if read is not None)
    if data is None or data is not other or rank_of(data) != 1 or at not in inputs or index is None:
        return None
    given = _given(turns, node, inputs.index(at))
    return (inputs.index(at), reads[0]) if given is not None and alike(given, index) else None


def _given(turns: Turns, node: ir.Node, number: int) -> Value | None:
    """Return what an If puts in the place of a carried value where it holds."""
    result = original(turns.body, turns.body.outputs[1 + number])
    if result.producer() is not node:
        return None
    then, other = (node.attributes[name].as_graph() for name in ("then_branch", "else_branch"))
    index = result.index() or 0
    kept = original(other, other.outputs[index])
    return then.outputs[index] if kept is turns.body.inputs[2 + number] else None


def _first(turns: Turns, search: _Search) -> Planned | None:
    """Plan what the turns compare with at first: anything where there is no turn."""
    begin, read, g = turns.of_start(search.number), search.read, turns.graph
    if read is None or begin is None or read.inputs[0] is None:
        return begin
    data = read.inputs[0]
    start, dims = turns.loop.inputs[2 + search.number], shape_or_none(data)
    whole = turns.plan(data)
    if whole is None or whole.depth or begin.rank or start is None or dims is None:
        return None
    if not turns.integers.is_within(start, dims[0], turns.body[0]):
        return None
    turns.planned.add(read)  # of the first place there is one, and of the others that are read

    def emit() -> Value:
        none = g.constant(np.zeros(1, search.new.dtype.numpy() if search.new.dtype else None))
        longer = g.Concat(whole.emit(), none, axis=0)
        place = g.Where(g.Less(0, turns.count()), begin.emit(), 0)
        return g.Gather(longer, place, axis=0)

    return Planned(begin.depth, 0, once(emit))


def _place(turns: Turns, search: _Search) -> Callable[[], Value] | None:
    """Return what emits which turn is the best, from 1 on; 0 where none is."""
    begin, made = _first(turns, search), turns.plan(search.new)
    dtype, g, axis = search.new.dtype, turns.graph, turns.depth - 1
    if begin is None or made is None or begin.rank or made.rank or dtype is None:
        return None
    true = Planned(0, 0, lambda: g.constant(np.array(True)))
    is_float = dtype in _FLOATS

    def emit() -> Value:
        first = turns.column(begin)
        whole = g.Concat(first, turns.full(made), axis=axis)
        asked = turns.every_truth(reduce(turns.both, search.tests, true))
        fits = g.Concat(turns.column(true), asked, axis=axis)
        if is_float:
            fits = g.And(fits, g.Not(g.IsNaN(whole)))  # nan is never better
        known = g.Where(fits, whole, g.constant(_worst(dtype.numpy(), largest=search.largest)))
        name = "Max" if search.largest else "Min"
        if search.last:
            top = g.emit(f"Reduce{name}", [known, g.constant([axis])], {"keepdims": 1})
            equal = g.Cast(g.And(g.Equal(whole, top), fits), to=np.int32)
            found = g.ArgMax(equal, axis=axis, keepdims=0, select_last_index=1)
        else:
            found = g.emit(f"Arg{name}", [known], {"axis": axis, "keepdims": 0})
        if not is_float:
            return found
        return g.Where(g.Squeeze(g.IsNaN(first), [axis]), g.constant(0), found)  # nor than nan

    return turns.shared(("place", search.new, search.number, search.largest, search.last), emit)


def _worst(dtype: np.dtype[Any], *, largest: bool) -> np.ndarray[Any, Any]:
    """Return the number that no other one is worse than."""
    if dtype.kind == "f":
        return np.array(-np.inf if largest else np.inf, dtype)
    bounds = np.iinfo(dtype)
    return np.array(bounds.min if largest else bounds.max, dtype)


def alike(one: Value, other: Value) -> bool:
    """Tell whether two values are computed alike from the same ones."""
    if one is other:
        return True
    left, right = one.producer(), other.producer()
    if left is not None and left.op_type == "Identity" and left.inputs[0] is not None:
        return alike(left.inputs[0], other)
    if right is not None and right.op_type == "Identity" and right.inputs[0] is not None:
        return alike(one, right.inputs[0])
    if left is None or right is None:
        return False
    same = left.op_type == right.op_type and one.index() == other.index()
    if not same or left.op_type in ("If", "Loop") or not left.inputs:
        return False
    attributes = [{name: a.value for name, a in node.attributes.items()} for node in (left, right)]
    if attributes[0] != attributes[1] or len(left.inputs) != len(right.inputs):
        return False
    pairs = zip(left.inputs, right.inputs, strict=True)
    return all(a is b or (a is not None and b is not None and alike(a, b)) for a, b in pairs)
