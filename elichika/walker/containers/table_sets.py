"""What the operators of sets give where the keys are known only when the model runs.

{3, 8, 5} & {5, 3, 9}      which of the one equal which of the other, pair by pair:
rows of the first in which there is one
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from elichika.numbers.comparable import comparable
from elichika.values.tables import Table
from onnx_graph import ONNXGraph, Value, rank_of

__all__ = ["COMPARISONS", "combined", "compared"]

Columns = tuple[Value, ...]
COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)


def compared(g: ONNXGraph, op: Any, ours: Table, theirs: Table) -> Value:
    """Return a 0-d bool: how two sets compare."""
    common = g.ReduceSum(_inside(g, ours.columns, theirs.columns), [0], keepdims=0)
    sizes = [g.size(one.columns[0], 0) for one in (ours, theirs)]
    below, above = (g.Equal(common, size) for size in sizes)
    match op:
        case operator.le:
            return below
        case operator.ge:
            return above
        case operator.lt:
            return g.And(below, g.Less(*sizes))
        case operator.gt:
            return g.And(above, g.Greater(*sizes))
    same = g.And(below, above)
    return same if op is operator.eq else g.Not(same)


def combined(g: ONNXGraph, op: Any, ours: Table, theirs: Table) -> Columns:
    """Return the keys of a set that an operator makes of two."""
    left, right = ours.columns, theirs.columns
    return _COMBINED[op](g, left, right)


def _inside(g: ONNXGraph, left: Columns, right: Columns) -> Value:
    """Return for each key on the left how often it is on the right: once at most, as int64."""
    same = None
    for a, b in zip(left, right, strict=True):
        a, b = (comparable(g, one) for one in (a, b))
        here = g.Equal(g.Unsqueeze(a, [1]), g.Unsqueeze(b, [0]))
        if rank_of(a) == 2:  # the numbers of tuples of any length
            unlike = g.ReduceSum(g.Cast(g.Not(here), to=np.int64), [2], keepdims=0)
            here = g.Equal(unlike, 0)
        same = here if same is None else g.And(same, here)
    return g.ReduceSum(g.Cast(same, to=np.int64), [1], keepdims=0)


def _both(g: ONNXGraph, left: Columns, right: Columns) -> Columns:
    wanted = g.Cast(_inside(g, left, right), to=np.bool_)
    return tuple(g.Compress(column, wanted, axis=0) for column in left)


def _only(g: ONNXGraph, left: Columns, right: Columns) -> Columns:
    wanted = g.Equal(_inside(g, left, right), 0)
    return tuple(g.Compress(column, wanted, axis=0) for column in left)


def _either(g: ONNXGraph, left: Columns, right: Columns) -> Columns:
    more = _only(g, right, left)
    return tuple(g.Concat(a, b, axis=0) for a, b in zip(left, more, strict=True))


def _one(g: ONNXGraph, left: Columns, right: Columns) -> Columns:
    pairs = zip(_only(g, left, right), _only(g, right, left), strict=True)
    return tuple(g.Concat(a, b, axis=0) for a, b in pairs)


_COMBINED: dict[Any, Callable[[ONNXGraph, Columns, Columns], Columns]] = {
    operator.or_: _either,
    operator.and_: _both,
    operator.sub: _only,
    operator.xor: _one,
}
