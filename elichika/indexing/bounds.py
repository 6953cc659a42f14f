"""Whether indices are within an axis, where numpy raises IndexError."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from onnx_graph import Dim, ONNXGraph, Value


def all_within(g: ONNXGraph, index: Value, size: int | Dim, others: Iterable[int | Dim]) -> Value:
    """Return whether numpy takes the indices in an array: all are within an axis.

    Args:
        g: The graph.
        index: Integers.
        size: That of the axis.
        others: The sizes of the other axes of the result. Where one of them is 0, numpy gives no
            elements for indices out of bounds.

    Returns:
        A 0-d bool.
    """
    number, most = g.Cast(index, to=np.dtype(np.int64)), g.dim_value(size)
    inside = g.And(g.Less(number, most), g.GreaterOrEqual(number, g.Neg(most)))
    outside = g.ReduceSum(g.Cast(g.Not(inside), to=np.dtype(np.int64)), keepdims=0)
    result: Value = g.Equal(outside, np.int64(0))
    for other in others:
        nothing = g.compare(other, "==", 0)
        if nothing is not False:
            result = g.Or(result, nothing)
    return result
