"""Which nodes may fail when they run, going by the sizes of their operands.

A program fails where shapes do not fit, also if nobody uses the result: such a node stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import onnx_ir as ir

from onnx_graph.dims import Dim, compare, multiply
from onnx_graph.marks import CHECK, MAY_FAIL, SURE
from onnx_graph.values import dims_of

_Dims = tuple[int | Dim, ...]

_ELEMENTWISE = frozenset(
    {
        *("Add", "Sub", "Mul", "Div", "Mod", "Pow", "Max", "Min", "Sum", "Mean", "Where", "PRelu"),
        *("And", "Or", "Xor", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"),
        *("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift"),
    }
)


def may_fail(node: ir.Node) -> bool:
    """Tell whether operands of some sizes make this node fail; False if no sizes do."""
    rule = _RULES.get(node.op_type)
    if rule is None:
        return False
    inputs = [value for value in node.inputs if value is not None]
    if any(value.shape is None for value in inputs) or node.outputs[0].shape is None:
        return True
    return not rule(node, [dims_of(value) for value in inputs])


def may_raise(node: ir.Node) -> bool:
    """Tell whether a node is a check, or may fail, or is not known never to fail."""
    if CHECK in node.meta or MAY_FAIL in node.meta:
        return True
    if node.op_type in _RULES:
        return may_fail(node)
    return node.op_type not in _TOTAL


def surely(value: ir.Value) -> ir.Value:
    """Note that what makes a value never fails where it stands; return the value."""
    node = value.producer()
    if node is not None:
        node.meta[SURE] = True
    return value


def reads_within(node: ir.Node) -> bool:
    """Tell whether a Gather surely reads within its operand: by a known index in a known size."""
    if node.op_type != "Gather" or any(value is None for value in node.inputs):
        return False
    data, index = node.inputs
    if data is None or data.shape is None or index is None or index.const_value is None:
        return False
    dims, numbers = dims_of(data), index.const_value.numpy()
    size = dims[node.attributes["axis"].as_int() if "axis" in node.attributes else 0]
    return isinstance(size, int) and bool(((numbers >= -size) & (numbers < size)).all())


def _fit(shapes: Sequence[_Dims]) -> bool:
    """Tell whether shapes surely broadcast together."""
    for axis in range(1, max(map(len, shapes), default=0) + 1):
        sizes = [shape[-axis] for shape in shapes if axis <= len(shape)]
        wide = [size for size in sizes if compare(size, "==", 1) is not True]
        if any(compare(wide[0], "==", size) is not True for size in wide[1:]):
            return False
    return True


def _equal(one: _Dims, other: _Dims) -> bool:
    return len(one) == len(other) and all(
        compare(a, "==", b) is True for a, b in zip(one, other, strict=True)
    )


def _elementwise(node: ir.Node, shapes: list[_Dims]) -> bool:
    return _fit(shapes)


def _matmul(node: ir.Node, shapes: list[_Dims]) -> bool:
    left, right = shapes
    if not left or not right:
        return False
    inner = right[-2] if len(right) > 1 else right[-1]
    return compare(left[-1], "==", inner) is True and _fit([left[:-2], right[:-2]])


def _concat(node: ir.Node, shapes: list[_Dims]) -> bool:
    first = shapes[0]
    axis = node.attributes["axis"].as_int() % len(first)
    rest = [shape[:axis] + shape[axis + 1 :] for shape in shapes]
    return all(_equal(rest[0], other) for other in rest[1:])


def _expand(node: ir.Node, shapes: list[_Dims]) -> bool:
    return _fit([shapes[0], dims_of(node.outputs[0])])


def _reshape(node: ir.Node, shapes: list[_Dims]) -> bool:
    before, after = (_count(dims) for dims in (shapes[0], dims_of(node.outputs[0])))
    return compare(before, "==", after) is True


def _count(dims: _Dims) -> int | Dim:
    total: int | Dim = 1
    for size in dims:
        total = multiply(total, size)
    return total


def _gemm(node: ir.Node, shapes: list[_Dims]) -> bool:
    turned = [name in node.attributes and node.attributes[name].as_int() for name in _TURNS]
    (a, b) = (shape[::-1] if turn else shape for shape, turn in zip(shapes, turned, strict=False))
    return compare(a[1], "==", b[0]) is True and _fit([*shapes[2:], (a[0], b[1])])


def _einsum(node: ir.Node, shapes: list[_Dims]) -> bool:
    terms = node.attributes["equation"].as_string().replace(" ", "").split("->")[0].split(",")
    sizes: dict[str, int | Dim] = {}
    for term, shape in zip(terms, shapes, strict=True):
        if "." in term:
            return False
        for letter, size in zip(term, shape, strict=True):
            if compare(sizes.setdefault(letter, size), "==", size) is not True:
                return False
    return True


#: Operators that give a result whatever the sizes and values; If and Loop hold what may not.
_TOTAL = frozenset(
    {
        *("If", "Loop", "Shape", "Size", "Cast", "Identity", "Transpose", "Unsqueeze", "Slice"),
        *("ReduceSum", "ReduceMean", "ReduceProd", "CumSum", "Flatten", "Range", "NonZero"),
        *("Abs", "Neg", "Sign", "Exp", "Log", "Sqrt", "Floor", "Ceil", "Round", "Erf", "Not"),
        *("Sin", "Cos", "Tan", "Sinh", "Cosh", "Tanh", "Asin", "Acos", "Atan", "Asinh", "Acosh"),
        *("Atanh", "Sigmoid", "Relu", "Softmax", "LogSoftmax", "Softplus", "IsNaN", "IsInf"),
        *("Reciprocal", "Clip", "BitwiseNot", "Softsign", "Elu", "LeakyRelu"),
    }
)
_TURNS = ("transA", "transB")
_RULES: dict[str, Callable[[ir.Node, list[_Dims]], bool]] = {
    **dict.fromkeys(_ELEMENTWISE, _elementwise),
    "MatMul": _matmul,
    "Concat": _concat,
    "Expand": _expand,
    "Reshape": _reshape,
    "Gemm": _gemm,
    "Einsum": _einsum,
}
