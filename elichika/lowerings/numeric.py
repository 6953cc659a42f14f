"""Numerical pieces that lowerings share."""

from __future__ import annotations

from typing import Any

import numpy as np

from onnx_graph import ONNXGraph, Value, dtype_of

__all__ = ["as_value", "constant_like", "is_double", "matmul"]


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


def matmul(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Emit a MatMul; in float64, behind and before a Max of one operand.

    onnxruntime fuses a MatMul with a product by a constant next to it, whose factor it rounds to
    float32; it does not look through the Max.
    """
    if not is_double(a):
        return g.MatMul(a, b)
    a, b = (x if x.producer() is None else g.Max(x) for x in (a, b))
    return g.Max(g.MatMul(a, b))
