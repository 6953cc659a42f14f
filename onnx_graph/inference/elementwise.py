"""Operators whose result has the shape of an operand, or of all operands broadcast."""

from __future__ import annotations

from collections.abc import Sequence

from onnx_graph.inference.call import Call, MismatchError, Rule
from onnx_graph.values import Dims

UNARY = [
    "Abs",
    "Acos",
    "Acosh",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "BitwiseNot",
    "Cast",
    "CastLike",
    "Ceil",
    "Celu",
    "Cos",
    "Cosh",
    "CumSum",
    "Elu",
    "Erf",
    "Exp",
    "Floor",
    "Gelu",
    "Hardmax",
    "HardSigmoid",
    "HardSwish",
    "Identity",
    "InstanceNormalization",
    "IsInf",
    "IsNaN",
    "LRN",
    "LeakyRelu",
    "Log",
    "LogSoftmax",
    "LpNormalization",
    "MeanVarianceNormalization",
    "Mish",
    "Neg",
    "Not",
    "RandomNormalLike",
    "RandomUniformLike",
    "Reciprocal",
    "Relu",
    "ReverseSequence",
    "Round",
    "ScatterElements",
    "ScatterND",
    "Selu",
    "Shrink",
    "Sigmoid",
    "Sign",
    "Sin",
    "Sinh",
    "Softmax",
    "Softplus",
    "Softsign",
    "Sqrt",
    "Tan",
    "Tanh",
    "ThresholdedRelu",
    "Trilu",
    "EyeLike",
    "Bernoulli",
    "GroupNormalization",
]

BROADCAST = [
    "Add",
    "And",
    "BitShift",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "Div",
    "Equal",
    "Greater",
    "GreaterOrEqual",
    "Less",
    "LessOrEqual",
    "Max",
    "Mean",
    "Min",
    "Mod",
    "Mul",
    "Or",
    "Pow",
    "Sub",
    "Sum",
    "Where",
    "Xor",
]

_WITH_AXIS = {"Softmax": -1, "LogSoftmax": -1, "Hardmax": -1, "LpNormalization": -1}


def same_shape(call: Call) -> Sequence[Dims | None]:
    """Return the first operand's shape."""
    dims = call.dims(0)
    if dims is not None and call.op in _WITH_AXIS and dims:
        call.axis(call.attribute("axis", _WITH_AXIS[call.op]), len(dims))
    return [dims] * call.results


def broadcast(call: Call) -> Sequence[Dims | None]:
    """Return the shape to which all operands broadcast."""
    return [call.broadcast([call.dims(index) for index in range(len(call.inputs))])]


def clip(call: Call) -> Sequence[Dims | None]:
    """Return the first operand's shape; the limits are scalars."""
    for index in (1, 2):
        if call.dims(index):
            raise MismatchError("the limits are scalars")
    return [call.dims(0)]


def dropout(call: Call) -> Sequence[Dims | None]:
    """Return the shape for the result and the mask."""
    return [call.dims(0)] * call.results


def batch_normalization(call: Call) -> Sequence[Dims | None]:
    """Return the shape of the input, then the shapes of the running statistics."""
    dims, scale = call.dims(0), call.dims(1)
    if dims is not None and len(dims) > 1 and scale is not None and len(scale) == 1:
        channels = call.equal_size(dims[1], scale[0], "channels and scale")
        dims = (dims[0], channels, *dims[2:])
    return [dims, call.dims(3), call.dims(4)][: call.results]


def layer_normalization(call: Call) -> Sequence[Dims | None]:
    """Return the shape of the input; statistics have 1 on the normalized axes."""
    dims = call.dims(0)
    if dims is None or call.results == 1:
        return [dims] + [None] * (call.results - 1)
    axis = call.axis(call.attribute("axis", -1), len(dims))
    statistics = tuple(1 if index >= axis else dim for index, dim in enumerate(dims))
    return [dims] + [statistics] * (call.results - 1)


def fixed_shape(call: Call) -> Sequence[Dims | None]:
    """Return the shape that the attribute ``shape`` gives."""
    return [tuple(call.ints("shape", ()))]


RULES: dict[str, Rule] = {
    **dict.fromkeys(UNARY, same_shape),
    **dict.fromkeys(BROADCAST, broadcast),
    "Clip": clip,
    "PRelu": broadcast,
    "Dropout": dropout,
    "BatchNormalization": batch_normalization,
    "LayerNormalization": layer_normalization,
    "RandomNormal": fixed_shape,
    "RandomUniform": fixed_shape,
}
