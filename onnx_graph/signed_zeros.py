"""Keeps the signs of zeros where onnxruntime does not.

It takes the addition of a single zero away, which makes 0.0 of -0.0, and so the difference to a
negative one. Its Where makes 0.0 of a -0.0 of the first operand, not of one of the second.
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


def chosen(graph: ONNXGraph, condition: Value, yes: Value, no: Value) -> Value:
    """Return `yes` where a condition holds, else `no`, each with the signs of its zeros."""
    node = condition.producer()
    if node is not None and node.op_type == "Not" and node.inputs[0] is not None:
        condition, yes, no = node.inputs[0], no, yes  # as onnxruntime does
    g = graph
    if dtype_of(yes).kind != "f" or has_no_minus_zero(yes):
        return g.Where(condition, yes, no)
    otherwise = g.Equal(condition, np.bool_(False))  # onnxruntime takes a Not away
    if has_no_minus_zero(no):
        return g.Where(otherwise, no, yes)
    least = g.constant(np.array(-np.inf, dtype_of(yes)))
    return g.Max(g.Where(otherwise, least, yes), g.Where(condition, least, no))


def is_zero(value: Value, *, negative: bool) -> bool:
    """Tell whether a value is a single constant zero of a sign."""
    known = const_array(value)
    if known is None or known.size != 1 or known.dtype.kind != "f" or known.any():
        return False
    return bool(np.signbit(known).all()) is negative
