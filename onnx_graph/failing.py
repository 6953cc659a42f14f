"""Which nodes may fail when they run, going by the sizes of their operands.

A program fails where shapes do not fit, also if nobody uses the result: such a node stays.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import onnx_ir as ir

from onnx_graph.dims import Dim, compare, multiply
from onnx_graph.marks import CHECK, DEMANDED, MAY_FAIL, SURE
from onnx_graph.values import contents_of, dims_of

_Dims = tuple[int | Dim, ...]

_ELEMENTWISE = frozenset(
    {
        *("Add", "Sub", "Mul", "Div", "Mod", "Pow", "Max", "Min", "Sum", "Mean", "Where", "PRelu"),
        *("And", "Or", "Xor", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"),
        *("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift"),
    }
)


class Need(NamedTuple):
    """Sizes that must be equal, or the node fails; with ``ones``, those that are 1 fit all."""

    sizes: tuple[int | Dim, ...]
    ones: bool = False

    def holds(self) -> bool:
        """Tell whether the sizes surely are."""
        wide = [s for s in self.sizes if not (self.ones and compare(s, "==", 1) is True)]
        return all(compare(wide[0], "==", size) is True for size in wide[1:])


#: What no sizes meet.
NEVER = Need((0, 1))


def needs(
    op: str, shapes: Sequence[_Dims], attributes: Mapping[str, Any], result: _Dims = ()
) -> Iterator[Need] | None:
    """Return what the sizes of a node's operands must be; None if it has no rule.

    Args:
        op: The operator.
        shapes: The sizes of the operands that are there.
        attributes: By name.
        result: The sizes of the result, which an Expand and a Reshape are told in an operand.
    """
    rule = _RULES.get(op) or _AMONG_OTHERS.get(op)
    return None if rule is None else rule(attributes, list(shapes), result)


def may_fail(node: ir.Node) -> bool:
    """Tell whether operands of some sizes make this node fail; False if no sizes do."""
    if node.op_type == "Squeeze":
        return not all(need.holds() for need in squeezes(node))
    if node.op_type == "Unsqueeze":
        return node.inputs[1] is None or node.inputs[1].const_value is None
    if node.op_type not in _RULES and node.op_type not in _AMONG_OTHERS:
        return False
    inputs = [value for value in node.inputs if value is not None]
    if any(value.shape is None for value in inputs) or node.outputs[0].shape is None:
        return True
    shapes = [dims_of(value) for value in inputs]
    attributes = {name: attribute.value for name, attribute in node.attributes.items()}
    asked = needs(node.op_type, shapes, attributes, _told(node) or dims_of(node.outputs[0]))
    return not all(need.holds() for need in asked or ())


def _told(node: ir.Node) -> _Dims | None:
    """Return the sizes that an Expand is told; None if some are not known, and of others.

    Its result may be known to be larger: that of two numbers is so, whatever it is told.
    """
    shape = node.inputs[1] if node.op_type == "Expand" else None
    wanted = None if shape is None else contents_of(shape)
    if type(wanted) is not tuple:
        return None
    told = tuple(size for size in wanted if size is not None)
    return told if len(told) == len(wanted) else None


def squeezes(node: ir.Node) -> list[Need]:
    """Return what the axes that a Squeeze takes away must be."""
    data, axes = (*node.inputs, None)[:2]
    if data is None or data.shape is None or axes is None or axes.const_value is None:
        return [] if axes is None and data is not None and data.shape is not None else [NEVER]
    dims = dims_of(data)
    return [Need((dims[int(axis)], 1)) for axis in axes.const_value.numpy()]


def may_raise(node: ir.Node) -> bool:
    """Tell whether a node is a check, or may fail, or is not known never to fail."""
    if CHECK in node.meta or MAY_FAIL in node.meta:
        return True
    if node.op_type in (*_RULES, "Squeeze", "Unsqueeze"):
        return may_fail(node)
    return node.op_type not in _TOTAL


def surely(value: ir.Value) -> ir.Value:
    """Note that what makes a value never fails where it stands; return the value."""
    node = value.producer()
    if node is not None:
        node.meta[SURE] = True
    return value


def demanded(value: ir.Value) -> ir.Value:
    """Note that what makes a value fails where the program does: it stays though nobody uses it."""
    node = value.producer()
    if node is not None and not reads_within(node):
        node.meta[DEMANDED] = True
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


def _fit(shapes: Sequence[_Dims]) -> Iterator[Need]:
    """Yield what lets shapes broadcast together."""
    for axis in range(1, max(map(len, shapes), default=0) + 1):
        yield Need(tuple(shape[-axis] for shape in shapes if axis <= len(shape)), ones=True)


def _elementwise(_: Mapping[str, Any], shapes: list[_Dims], __: _Dims) -> Iterator[Need]:
    return _fit(shapes)


def _matmul(_: Mapping[str, Any], shapes: list[_Dims], __: _Dims) -> Iterator[Need]:
    left, right = shapes
    if not left or not right:
        yield NEVER
        return
    yield Need((left[-1], right[-2] if len(right) > 1 else right[-1]))
    yield from _fit([left[:-2], right[:-2]])


def _concat(attributes: Mapping[str, Any], shapes: list[_Dims], _: _Dims) -> Iterator[Need]:
    first = shapes[0]
    axis = attributes["axis"] % len(first)
    rest = [shape[:axis] + shape[axis + 1 :] for shape in shapes]
    for sizes in itertools.zip_longest(*rest, fillvalue=-1):
        yield Need(sizes)


def _expand(_: Mapping[str, Any], shapes: list[_Dims], result: _Dims) -> Iterator[Need]:
    return _fit([shapes[0], result])


def _reshape(_: Mapping[str, Any], shapes: list[_Dims], result: _Dims) -> Iterator[Need]:
    yield Need((_count(shapes[0]), _count(result)))


def _count(dims: _Dims) -> int | Dim:
    total: int | Dim = 1
    for size in dims:
        total = multiply(total, size)
    return total


def _gemm(attributes: Mapping[str, Any], shapes: list[_Dims], _: _Dims) -> Iterator[Need]:
    turned = [attributes.get(name) for name in _TURNS]
    (a, b) = (shape[::-1] if turn else shape for shape, turn in zip(shapes, turned, strict=False))
    yield Need((a[1], b[0]))
    yield from _fit([*shapes[2:], (a[0], b[1])])


def _einsum(attributes: Mapping[str, Any], shapes: list[_Dims], _: _Dims) -> Iterator[Need]:
    terms = attributes["equation"].replace(" ", "").split("->")[0].split(",")
    sizes: dict[str, list[int | Dim]] = {}
    for term, shape in zip(terms, shapes, strict=True):
        if "." in term:
            yield NEVER
            return
        for letter, size in zip(term, shape, strict=True):
            sizes.setdefault(letter, []).append(size)
    yield from (Need(tuple(alike)) for alike in sizes.values())


def _convolution(attributes: Mapping[str, Any], shapes: list[_Dims], _: _Dims) -> Iterator[Need]:
    data, weight, *bias = shapes
    yield Need((data[1], multiply(weight[1], attributes.get("group", 1))))
    yield from (Need((weight[0], size)) for (size,) in bias)


def _deconvolution(attributes: Mapping[str, Any], shapes: list[_Dims], _: _Dims) -> Iterator[Need]:
    data, weight, *bias = shapes
    yield Need((data[1], weight[0]))
    yield from (Need((multiply(weight[1], attributes.get("group", 1)), size)) for (size,) in bias)


def _channels(_: Mapping[str, Any], shapes: list[_Dims], __: _Dims) -> Iterator[Need]:
    """Yield that all other operands have a number for each channel of the first one."""
    data, *rest = shapes
    yield from (Need((data[1] if len(data) > 1 else 1, size)) for (size,) in rest)


def _square(_: Mapping[str, Any], shapes: list[_Dims], __: _Dims) -> Iterator[Need]:
    yield Need(shapes[0][-2:])


#: Operators that give a result whatever the sizes and values; If and Loop hold what may not.
_TOTAL = frozenset(
    {
        *("If", "Loop", "Shape", "Size", "Cast", "Identity", "Transpose", "Slice"),
        *("ReduceSum", "ReduceMean", "ReduceProd", "CumSum", "Flatten", "Range", "NonZero"),
        "ReduceSumSquare",
        *("Abs", "Neg", "Sign", "Exp", "Log", "Sqrt", "Floor", "Ceil", "Round", "Erf", "Not"),
        *("Sin", "Cos", "Tan", "Sinh", "Cosh", "Tanh", "Asin", "Acos", "Atan", "Asinh", "Acosh"),
        *("Atanh", "Sigmoid", "Relu", "Softmax", "LogSoftmax", "Softplus", "IsNaN", "IsInf"),
        *("Reciprocal", "Clip", "BitwiseNot", "Softsign", "Elu", "LeakyRelu"),
    }
)
_TURNS = ("transA", "transB")
_RULES: dict[str, Callable[[Mapping[str, Any], list[_Dims], _Dims], Iterator[Need]]] = {
    **dict.fromkeys(_ELEMENTWISE, _elementwise),
    "MatMul": _matmul,
    "Concat": _concat,
    "Expand": _expand,
    "Reshape": _reshape,
    "Gemm": _gemm,
    "Einsum": _einsum,
}
#: The same of operators that other things make fail as well, as windows that do not fit.
_AMONG_OTHERS: dict[str, Callable[[Mapping[str, Any], list[_Dims], _Dims], Iterator[Need]]] = {
    "Conv": _convolution,
    "ConvTranspose": _deconvolution,
    "BatchNormalization": _channels,
    "InstanceNormalization": _channels,
    "Det": _square,
}
