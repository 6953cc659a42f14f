"""Keeps the sum of a number and 0.0, which makes 0.0 of -0.0.

onnxruntime takes the addition of a single zero away, and so the difference to a negative one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from onnx_ir import Value

from onnx_graph.values import const_array, dtype_of, is_tensor

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

_POSITIVE = {
    *("Abs", "Exp", "Sigmoid", "Softmax", "Softplus", "Conv", "Gemm", "MatMul", "ReduceMean"),
    *("ReduceSum", "ReduceSumSquare"),
}
"""What gives no -0.0 in numpy; onnxruntime may give one for a sum of negative zeros."""


def has_no_minus_zero(value: Value) -> bool:
    """Tell whether a tensor of floats surely has no -0.0."""
    known = const_array(value)
    if known is not None:
        return not bool((np.signbit(known) & (known == 0)).any())
    node = value.producer()
    if node is None:
        return False
    if node.op_type == "Cast" and node.inputs[0] is not None:
        return dtype_of(node.inputs[0]).kind != "f"
    return node.op_type in _POSITIVE


def sum_with_zero(graph: ONNXGraph, op: str, values: list[Value | None]) -> Value | None:
    """Return an Add or Sub by other operators where onnxruntime would drop it wrongly, or None."""
    left, right = values
    if left is None or right is None or not (is_tensor(left) and dtype_of(left).kind == "f"):
        return None
    pairs = ((left, right),) if op == "Sub" else ((left, right), (right, left))
    for number, zero in pairs:
        if is_zero(zero, negative=op == "Sub") and not has_no_minus_zero(number):
            start = graph.constant(np.zeros_like(const_array(zero)))
            result: Value = graph.emit("Sub", [start, graph.emit("Neg", [number])])
            return result
    return None


def is_zero(value: Value, *, negative: bool) -> bool:
    """Tell whether a value is a single constant zero of a sign."""
    known = const_array(value)
    if known is None or known.size != 1 or known.dtype.kind != "f" or known.any():
        return False
    return bool(np.signbit(known).all()) is negative
