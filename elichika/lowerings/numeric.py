"""Numerical pieces that lowerings share."""

from __future__ import annotations

from typing import Any

import numpy as np

from elichika.errors import UnsupportedFunction
from elichika.values.words import a_value
from onnx_graph import ONNXGraph, Value, dtype_of

__all__ = ["as_value", "constant_like", "is_double"]


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
    if isinstance(value, (str, bytes, type(None))):
        raise UnsupportedFunction(f"{a_value(value)} is not a number")
    return g.constant(np.asarray(dtype.type(value)))


def is_double(x: Value) -> bool:
    """Tell whether `x` is float64: attributes are float32, too coarse for it."""
    return dtype_of(x) == np.float64
