"""What a loop has carried to its end, for all turns at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import same
from onnx_graph.passes.at_once.best import best
from onnx_graph.passes.at_once.filled import appended
from onnx_graph.passes.at_once.kept import kept
from onnx_graph.passes.at_once.planned import Planned, is_small, once
from onnx_graph.passes.at_once.tallied import tallied
from onnx_graph.passes.at_once.turns import Turns
from onnx_graph.passes.at_once.written import written
from onnx_graph.passes.editing import original
from onnx_graph.signed_zeros import chosen
from onnx_graph.values import const_array, dims_of, rank_of

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

__all__ = ["found", "result"]


@dataclass(frozen=True)
class Step:
    """What is put to a carried value.

    Attributes:
        turns: In the turns of its loop, or of one within it.
        put: What.
        test: In which of them; None for all.
    """

    turns: Turns
    put: Planned
    test: Planned | None = None

    def is_small(self) -> bool:
        """Tell whether a sum of it is exact in a double, in which onnxruntime sums integers up."""
        number = None if self.put.depth or self.put.rank else const_array(self.put.emit())
        return number is not None and bool(abs(number) < _SMALL)

    def every(self, nothing: Any) -> Value:
        """Emit what all turns put, and what changes nothing where there is no turn."""
        turns, test, g = self.turns, self.test, self.turns.graph
        if test is None:
            return turns.every(self.put, nothing)
        truths = turns.every_truth(test)
        if self.put.rank:
            axes = list(range(turns.depth, turns.depth + self.put.rank))
            truths = g.Unsqueeze(truths, axes)
        value = self.put.aligned(g, turns.depth, self.put.rank)
        one = const_array(value)
        if one is not None and one.dtype.kind == "i" and not one.ndim and one == 1:
            return g.Cast(truths, to=one.dtype)
        return chosen(g, truths, value, g.constant(nothing))


_INTEGERS = frozenset({ir.DataType.INT32, ir.DataType.INT64})
_SMALL = 1 << 20
_FLOATS = frozenset({ir.DataType.FLOAT, ir.DataType.DOUBLE})


def result(turns: Turns, number: int) -> Planned | None:
    """Plan a result of a loop at the turns around it; None if turns depend on one another."""
    loop, body = turns.loop, turns.body
    if number >= len(loop.inputs) - 2:
        scanned = turns.plan(body.outputs[1 + number])
        if scanned is None or turns.depth > 1 or turns.ends is not None:
            return None
        return Planned(0, scanned.rank + 1, once(lambda: turns.full(scanned)))
    inner, end = body.inputs[2 + number], body.outputs[1 + number]
    begin = turns.of_start(number)
    if begin is not None and inner in turns.written:
        return written(turns, number) if turns.ends is None else None
    columns = tallied(turns, number) or appended(turns, number)
    if columns is not None:
        return columns
    if begin is None or not is_small(inner) or not is_small(end):
        return None
    return (
        _combined(turns, begin, inner, end)
        or _last(turns, begin, inner, end)
        or kept(turns, number)
        or best(turns, number)
    )


def found(turns: Turns, number: int) -> Planned | None:
    """Plan what each turn finds of what is carried, if that is a sum of what was put to it."""
    inner, end = turns.body.inputs[2 + number], turns.body.outputs[1 + number]
    begin, operator = turns.of_start(number), _Sum(inner.dtype)
    if begin is None or not operator.fits or not is_small(inner) or not is_small(end):
        return None
    steps = _steps(turns, end, inner, operator)
    sums = None if steps is None else [step for step in steps if not step.put.is_token]
    if sums is None or steps is None or len(sums) < len(steps):
        return None
    return operator.before(turns, begin, sums) if sums else begin


def _combined(turns: Turns, begin: Planned, inner: Value, end: Value) -> Planned | None:
    """Plan what turns put to a carried value alone."""
    if inner.dtype is ir.DataType.BOOL:
        return _truth(turns, begin, inner, end)
    operator = _Sum(inner.dtype)
    steps = _steps(turns, end, inner, operator) if operator.fits else None
    if not steps:
        return None if steps is None else begin
    return operator.of(turns, begin, steps)


def _steps(turns: Turns, value: Value, inner: Value, operator: _Operator) -> list[Step] | None:
    """Return what is put to a carried value in a turn; None if something else happens to it."""
    if value is inner:
        return []
    node = value.producer()
    if node is None or value.graph is None:
        return None
    if node.op_type == "Identity" and node.inputs[0] is not None:
        return _steps(turns, node.inputs[0], inner, operator)
    if node.op_type in operator.names and len(node.inputs) == 2 and is_small(value):
        for one, other in (tuple(node.inputs), tuple(node.inputs)[::-1]):
            before = None if one is None else _steps(turns, one, inner, operator)
            put = None if before is None or other is None else turns.plan(other)
            if before is not None and put is not None:
                return [*before, Step(turns, put)]
        return None
    if node.op_type == "Sub" and operator.names == ("Add",) and is_small(value):
        one, other = node.inputs
        before = None if one is None else _steps(turns, one, inner, operator)
        put = None if before is None or other is None else turns.plan(other)
        if before is None or put is None:
            return None
        return [*before, Step(turns, turns.opposite(put))]
    if node.op_type == "If":
        return _branched(turns, node, value.index() or 0, inner, operator)
    within = turns.inner(node)
    if within is None:
        return None
    number = value.index() or 0
    start = node.inputs[2 + number] if number < len(node.inputs) - 2 else None
    before = None if start is None else _steps(turns, start, inner, operator)
    body = within.body
    put_within = _steps(within, body.outputs[1 + number], body.inputs[2 + number], operator)
    if before is None or put_within is None:
        return None
    turns.planned.add(node)
    made = turns.made
    if made is not None:  # a turn that is not made has none within it
        put_within = [replace(step, test=turns.both(made, step.test)) for step in put_within]
    return [*before, *put_within]


def _branched(
    turns: Turns, node: ir.Node, number: int, inner: Value, operator: _Operator
) -> list[Step] | None:
    """Return what one of two branches puts to a value: nothing changes it where none does."""
    branches, condition = turns.enter(node), node.inputs[0]
    if branches is not None and condition is inner:
        return _lazy(turns, branches, number, operator)
    test = None if condition is None else turns.plan(condition)
    if branches is None or test is None:
        return None
    outer = (original(branch, branch.outputs[number]) for branch in branches)
    begin = next((value for value in outer if value.graph not in branches), inner)
    earlier = _steps(turns, begin, inner, operator)
    one, other = (_steps(turns, branch.outputs[number], begin, operator) for branch in branches)
    if earlier is None or one is None or other is None:
        return None
    tokens = [step for step in (*one, *other) if step.put.is_token]
    one, other = ([step for step in steps if not step.put.is_token] for steps in (one, other))
    if any(step.turns is not turns for step in (*one, *other)):
        return None
    if len(one) == len(other) == 1:
        puts = [_always(turns, step, operator, inner.dtype) for (step,) in (one, other)]
        if puts[0] is None or puts[1] is None:
            return None
        chosen = turns.where(test, puts[0], puts[1], inner.dtype)
        return None if chosen is None else [*earlier, *tokens, Step(turns, chosen)]
    sides = ((test, one), (turns.negated(test), other))
    taken = [
        Step(turns, step.put, turns.both(truth, step.test))
        for truth, side in sides
        for step in side
    ]
    return [*earlier, *tokens, *taken]


def _always(
    turns: Turns, step: Step, operator: _Operator, dtype: ir.DataType | None
) -> Planned | None:
    """Plan what a step puts in all turns: what changes nothing where it is not taken."""
    if step.test is None:
        return step.put
    nothing = Planned(0, 0, lambda: turns.graph.constant(operator.neutral))
    return turns.where(step.test, step.put, nothing, dtype)


def _lazy(
    turns: Turns, branches: tuple[ir.Graph, ir.Graph], number: int, operator: _Operator
) -> list[Step] | None:
    """Return what a turn puts to a truth, looked at only while that does not decide already."""
    if operator.names not in (_Any.names, _All.names):
        return None
    decided, asked = branches if operator.names == _Any.names else branches[::-1]
    known = const_array(original(decided, decided.outputs[number]))
    put = turns.plan(asked.outputs[number])
    if put is None or known is None or bool(known) is operator.neutral:
        return None
    return [Step(turns, put)]


class _Operator:
    """What puts something to a carried value.

    Attributes:
        names: The operators of the graph that do.
        neutral: What changes nothing.
    """

    names: tuple[str, ...]
    neutral: Any


class _Sum(_Operator):
    """Numbers, one after the other: rounding shows the order, and large integers wrap around."""

    names = ("Add",)

    def __init__(self, dtype: ir.DataType | None) -> None:
        self.fits = dtype in _INTEGERS or dtype in _FLOATS
        self._exact = dtype in _INTEGERS
        # -0.0 + -0.0 is -0.0
        number = 0 if self._exact else -0.0
        self.neutral = np.array(number, dtype.numpy()) if self.fits and dtype is not None else None

    def of(self, turns: Turns, begin: Planned, steps: list[Step]) -> Planned | None:
        """Plan the sum."""
        several = len(steps) > 1 and not self._exact
        if several or begin.rank or any(step.put.rank for step in steps):
            return None
        total = begin
        for step in steps:
            total = self._put(turns, total, step)
        return total

    def before(self, turns: Turns, begin: Planned, steps: list[Step]) -> Planned | None:
        """Plan the sum that each turn finds."""
        g, axis = turns.graph, turns.depth - 1
        several = len(steps) > 1 or turns.depth > 1 or any(s.turns is not turns for s in steps)
        if begin.rank or any(s.put.rank for s in steps) or (several and not self._exact):
            return None

        def grown(step: Step) -> Value:
            """Emit what a turn adds, all turns of a loop within it together."""
            every = step.every(self.neutral)
            if step.turns is turns:
                return every
            none = g.Expand(g.constant(self.neutral), _sizes(g, [*turns.counts(), g.constant(1)]))
            sums = g.CumSum(g.Concat(none, every, axis=turns.depth), g.constant(turns.depth))
            return g.Gather(sums, g.constant(-1), axis=turns.depth)

        def emit() -> Value:
            first = begin.aligned(g, turns.depth, 0)
            if not self._exact:
                whole = g.Concat(g.Unsqueeze(first, [0]), steps[0].every(self.neutral), axis=0)
                return g.Slice(g.CumSum(whole, g.constant(0)), [0], [-1])
            total = g.CumSum(reduce(g.Add, map(grown, steps)), g.constant(axis), exclusive=1)
            return g.Add(first, total)

        return Planned(turns.depth, 0, once(emit))

    def _put(self, turns: Turns, begin: Planned, step: Step) -> Planned:
        g, depth = turns.graph, turns.depth - 1
        if step.put.is_token:
            return Planned(begin.depth, 0, once(lambda: g.Add(begin.emit(), step.put.emit())))

        def emit() -> Value:
            every = step.every(self.neutral)
            if self._exact and step.is_small():
                axes = list(range(depth, step.turns.depth))
                return g.Add(begin.emit(), g.ReduceSum(every, axes, keepdims=0))
            if step.turns.depth - depth == 2:
                every = g.Reshape(every, [-1])
            whole = g.Concat(turns.column(begin), every, axis=depth)
            return g.Gather(g.CumSum(whole, g.constant(depth)), g.constant(-1), axis=depth)

        return Planned(depth, 0, once(emit))


class _Any(_Operator):
    names, neutral = ("Or",), False


class _All(_Operator):
    names, neutral = ("And",), True


def _truth(turns: Turns, begin: Planned, inner: Value, end: Value) -> Planned | None:
    """Plan a truth that turns make true alone, or false alone."""
    for operator in (_Any(), _All()):
        steps = _steps(turns, end, inner, operator)
        if steps == []:
            return begin
        if steps and not begin.rank and all(not step.put.rank for step in steps):
            return _reduced(turns, begin, steps, is_any=operator.names == _Any.names)
    return None


def _reduced(turns: Turns, begin: Planned, steps: list[Step], *, is_any: bool) -> Planned:
    g, depth = turns.graph, turns.depth - 1

    def emit() -> Value:
        total = begin.aligned(g, depth, 0)
        for step in steps:
            put, where = step.put, step.turns
            decides = where.both(put if is_any else where.negated(put), step.test)
            axes = list(range(depth, where.depth))
            count = g.ReduceSum(Step(where, _one(g), decides).every(0), axes, keepdims=0)
            none = g.Equal(count, 0)
            total = g.Or(total, g.Not(none)) if is_any else g.And(total, none)
        return total

    return Planned(depth, 0, once(emit))


def _one(g: ONNXGraph) -> Planned:
    return Planned(0, 0, lambda: g.constant(1))


def _last(turns: Turns, begin: Planned, inner: Value, end: Value) -> Planned | None:
    """Plan what each turn makes anew: what the last one made, or the start."""
    made = turns.plan(end)
    if (
        made is None
        or turns.depth > 1
        or turns.ends is not None
        or rank_of(inner) != made.rank
        or begin.rank != made.rank
    ):
        return None
    start = turns.loop.inputs[2 + list(turns.body.inputs)[2:].index(inner)]
    assert start is not None
    if not is_small(start) or not all(map(same, dims_of(start), dims_of(end))):
        return None
    g = turns.graph

    def emit() -> Value:
        whole = g.Concat(g.Unsqueeze(begin.emit(), [0]), turns.full(made), axis=0)
        return g.Gather(whole, g.constant(-1), axis=0)

    return Planned(0, made.rank, once(emit))


def _sizes(g: ONNXGraph, counts: Sequence[Value]) -> Value:
    return g.Concat(*(g.Unsqueeze(count, [0]) for count in counts), axis=0)
