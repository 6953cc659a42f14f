"""Which nodes may run more or less often than the program says: those that cannot fail."""

from __future__ import annotations

import onnx_ir as ir

from onnx_graph.dims import is_known, same
from onnx_graph.failing import may_fail
from onnx_graph.inference.elementwise import BROADCAST
from onnx_graph.passes.editing import bodies, is_check
from onnx_graph.schemas import RANDOM
from onnx_graph.values import entries_of, shape_or_none

_NEVER_FAILS = frozenset(
    [
        "Abs",
        "Acos",
        "Acosh",
        "Asin",
        "Asinh",
        "Atan",
        "Atanh",
        "Cast",
        "Ceil",
        "Celu",
        "Constant",
        "Cos",
        "Cosh",
        "Elu",
        "Erf",
        "Exp",
        "Floor",
        "HardSigmoid",
        "HardSwish",
        "Identity",
        "IsInf",
        "IsNaN",
        "LeakyRelu",
        "Log",
        "Mish",
        "Neg",
        "Not",
        "Reciprocal",
        "Relu",
        "Round",
        "Selu",
        "Shape",
        "Sigmoid",
        "Sign",
        "Sin",
        "Sinh",
        "Size",
        "Softplus",
        "Softsign",
        "Sqrt",
        "Tan",
        "Tanh",
        "Transpose",
        "Unsqueeze",
        "Flatten",
        "SequenceLength",
        "OptionalHasElement",
    ]
)
_INTEGERS = (
    ir.DataType.INT8,
    ir.DataType.INT16,
    ir.DataType.INT32,
    ir.DataType.INT64,
    ir.DataType.UINT8,
    ir.DataType.UINT16,
    ir.DataType.UINT32,
    ir.DataType.UINT64,
)


def is_pure(node: ir.Node) -> bool:
    """Tell whether equal nodes give equal results: no check, no random numbers, no bodies."""
    return not bodies(node) and node.op_type not in RANDOM and not is_check(node)


def cannot_fail(node: ir.Node) -> bool:
    """Tell whether a node succeeds on all contents of its operands."""
    if not is_pure(node):
        return False
    if node.op_type in _NEVER_FAILS:
        return all(value is None or value.dtype is not ir.DataType.STRING for value in node.inputs)
    if node.op_type in BROADCAST:
        return _divides_safely(node) and _broadcasts(node)
    if node.op_type == "Gather":
        return _picks_safely(node)
    if node.op_type == "MatMul":
        return _multiplies(node)
    return node.op_type == "Gemm" and not may_fail(node)


def _divides_safely(node: ir.Node) -> bool:
    if node.op_type not in ("Div", "Mod", "Pow"):
        return True
    divisor = node.inputs[1]
    if divisor is None or divisor.dtype not in _INTEGERS:
        return True
    positive = (is_known(item) and item > 0 for item in entries_of(divisor))
    return node.op_type != "Pow" and all(positive)


def _broadcasts(node: ir.Node) -> bool:
    """Tell whether all operands are of one shape or scalars."""
    shapes = [shape_or_none(value) for value in node.inputs if value is not None]
    known = [shape for shape in shapes if shape is not None]
    if len(known) != len(shapes):
        return False
    widest = max(known, key=len)
    for shape in known:
        tail = widest[len(widest) - len(shape) :]
        if not all(one == 1 or same(one, other) for one, other in zip(shape, tail, strict=True)):
            return False
    return True


def _picks_safely(node: ir.Node) -> bool:
    data, index = node.inputs
    if data is None or index is None:
        return False
    dims = shape_or_none(data)
    if not dims:
        return False
    axis = node.attributes["axis"].as_int() if "axis" in node.attributes else 0
    size = dims[axis]
    entries = entries_of(index)
    return is_known(size) and all(is_known(item) and -size <= item < size for item in entries)


def _multiplies(node: ir.Node) -> bool:
    left, right = (None if value is None else shape_or_none(value) for value in node.inputs)
    if left is None or right is None or len(left) < 2 or len(right) != 2:
        return False
    return same(left[-1], right[0]) and left[-1] != 0
