"""Numerical pieces that lowerings share: constants, exact small-argument forms, missing kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from onnx_graph import ONNXGraph, Value, dtype_of, rank_of

__all__ = ["as_value", "constant_like", "expm1", "is_double", "log1p", "trailing_axes"]


def as_value(g: ONNXGraph, attribute: Any) -> Value:
    """Return the graph value of an attribute of a node: an array, or one known at run time."""
    inner = getattr(attribute, "onnx_value", attribute)
    return inner if isinstance(inner, Value) else g.constant(np.asarray(inner))


def constant_like(g: ONNXGraph, value: Any, x: Value) -> Value:
    """Return a number in the dtype of `x`, as Chainer's `_preprocess_const` makes it.

    `value` may be known only when the model runs: an object with an `onnx_value`.
    """
    dtype = dtype_of(x)
    inner = getattr(value, "onnx_value", None)
    if isinstance(inner, Value):
        return inner if dtype_of(inner) == dtype else g.Cast(inner, to=dtype)
    return g.constant(np.asarray(dtype.type(value)))


def is_double(x: Value) -> bool:
    """Tell whether `x` is float64: attributes are float32, too coarse for it."""
    return dtype_of(x) == np.float64




def expm1(g: ONNXGraph, x: Value) -> Value:
    """Emit exp(x) - 1, exact for small x: with t = tanh(x / 2) it is 2t / (1 - t)."""
    t = g.Tanh(g.Mul(x, 0.5))
    near = g.Div(g.Add(t, t), g.Sub(1.0, t))
    return g.Where(g.Less(g.Abs(x), 0.5), near, g.Sub(g.Exp(x), 1.0))


def log1p(g: ONNXGraph, x: Value) -> Value:
    """Emit log(1 + x), exact for small x: the rounding of u = 1 + x cancels in log(u) / (u - 1)."""
    u = g.Add(x, 1.0)
    log = g.Log(u)
    near = g.Mul(log, g.Div(x, g.Sub(u, 1.0)))
    return g.Where(g.Less(g.Abs(x), 0.5), g.Where(g.Equal(u, 1.0), x, near), log)


def trailing_axes(g: ONNXGraph, w: Value, x: Value, first: int = 1) -> Value:
    """Line up the axes of `w` with those of `x` from axis `first` on."""
    rank, inner = rank_of(x), rank_of(w)
    assert rank is not None and inner is not None
    axes = [*range(first), *range(first + inner, rank)]
    return g.Unsqueeze(w, axes) if axes else w
