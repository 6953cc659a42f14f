"""Numbers as ones that onnxruntime compares."""

from __future__ import annotations

import numpy as np

from onnx_graph import ONNXGraph, Value, dtype_of

__all__ = ["comparable"]


def comparable(g: ONNXGraph, value: Value) -> Value:
    """Return numbers in a dtype of which onnxruntime compares any for equality."""
    kind = dtype_of(value)
    if kind.kind in "iub" and kind != np.int64:
        return g.Cast(value, to=np.int64)
    return g.Cast(value, to=np.float32) if kind == np.float16 else value
