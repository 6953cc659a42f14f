"""Extremes and their places, as numpy finds them where some numbers are nan."""

from __future__ import annotations

import numpy as np

from elichika.numbers.kernels import apply, cast, where
from onnx_graph import ONNXGraph, Value, dtype_of


def reduced(g: ONNXGraph, op: str, value: Value, axes: tuple[int, ...], keepdims: int) -> Value:
    """Emit a reduction; over no axes it is the value itself."""
    if not axes:
        return value
    return apply(g, op, [value, list(axes)], keepdims=keepdims)


def extreme(g: ONNXGraph, op: str, value: Value, axes: tuple[int, ...], keepdims: int) -> Value:
    """Emit ReduceMax or ReduceMin; nan where there is one, which onnxruntime does not promise."""
    result = reduced(g, op, value, axes, keepdims)
    if dtype_of(value).kind != "f" or not axes:
        return result
    # A sum of squares is nan where a nan is in it, and only there.
    squares = reduced(g, "ReduceSumSquare", value, axes, keepdims)
    return where(g, g.IsNaN(squares), squares, result)


def place_of(g: ONNXGraph, op: str, value: Value, axis: int, keepdims: int) -> Value:
    """Emit ArgMax or ArgMin: the first nan, else the first extreme.

    Where there is a nan is a float64: a GPU has no ArgMax of integers, and converters to half
    precision leave it alone.
    """
    result = apply(g, op, [value], axis=axis, keepdims=keepdims)
    if dtype_of(value).kind != "f":
        return result
    bad = g.Cast(g.IsNaN(value), to=np.float64)
    first = g.ArgMax(bad, axis=axis, keepdims=keepdims)
    some = g.ReduceSum(bad, [axis], keepdims=keepdims)
    return where(g, cast(g, some, np.bool_), first, result)
