"""Operators over every dtype: where onnxruntime has no kernel, another dtype carries the work.

Every function takes and returns graph values.  Integers wrap as in numpy: the low bits of sums,
differences and products are the same in a wider carrier.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from onnx_graph import ONNXGraph, Value, compare, dims_of, dtype_of, is_value, same
from onnx_graph.signed_zeros import chosen

_SMALL = dict.fromkeys(("bool", "int8", "int16", "uint8", "uint16"), "int32")
_UNSIGNED = {"uint32": "int64", "uint64": "int64"}
_RARE = {"int16": "int32", "uint16": "int32"}

#: For each operator, the dtypes without a kernel and what carries them (opset 18, onnxruntime).
CARRIERS: dict[str, dict[str, str]] = {
    **{key: {**_SMALL, **_UNSIGNED} for key in ("ReduceSum", "ReduceProd", "CumSum")},
    **{
        key: {**_SMALL, "uint32": "int64"} for key in ("ReduceMax", "ReduceMin", "ArgMax", "ArgMin")
    },
    "MatMul": _SMALL,
    "Einsum": {**_SMALL, **_UNSIGNED},
    **{key: {"bool": "int32", **_RARE} for key in ("Min", "Max")},
    **{key: {"bool": "int32"} for key in ("Less", "LessOrEqual", "Greater", "GreaterOrEqual")},
    "Where": {"bool": "uint8", **_RARE, "uint64": "int64"},
    "Neg": {"uint8": "int32", "uint16": "int32", **_UNSIGNED},
    "NonZero": {
        **dict.fromkeys(("int8", "int16", "uint16", "uint32", "uint64", "float64"), "bool")
    },
    "TopK": {"bool": "int32", "uint16": "int32", "uint32": "int64"},
    "Trilu": {**_SMALL, **_UNSIGNED},
    "Pad": _RARE,
    "IsInf": {"float16": "float32"},
    **{key: {"bool": "int32"} for key in ("Abs", "Sign")},
}

#: Operators whose result has a dtype of its own.
_OWN_DTYPE = {
    "ArgMax",
    "ArgMin",
    "Less",
    "LessOrEqual",
    "Greater",
    "GreaterOrEqual",
    "NonZero",
    "IsInf",
}


def cast(g: ONNXGraph, value: Value, dtype: Any) -> Value:
    """Return `value` as `dtype`, converted as numpy's `astype` converts."""
    target = np.dtype(dtype)
    if dtype_of(value) == target:
        return value
    known = g.const_value(value)
    if known is not None and known.size <= 64:
        with np.errstate(all="ignore"):
            return g.constant(known.astype(target))
    return g.Cast(value, to=target)


def apply(g: ONNXGraph, op: str, values: list[Any], **attributes: Any) -> Value:
    """Emit `op` on values of one dtype (the first one's), through its carrier where needed."""
    dtype = dtype_of(values[0])
    carrier = CARRIERS.get(op, {}).get(dtype.name)
    if carrier is not None:
        values = [
            cast(g, v, carrier) if is_value(v) and dtype_of(v) == dtype else v for v in values
        ]
    result: Value = g.emit(op, values, attributes)
    if carrier is not None and op not in _OWN_DTYPE:
        result = cast(g, result, dtype)
    return result


def matmul(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Emit a MatMul; in float64 a Gemm, or one behind and before a Max of one operand.

    onnxruntime fuses a MatMul with a product by a constant next to it, whose factor it rounds to
    float32; it does not so with a Gemm, which takes matrices alone, and does not look through the
    Max.
    """
    if _unsafe_when_empty(a, b) and compare(dims_of(a)[-1], ">=", 1) is not True:
        a, b = _with_something_to_sum(g, a, b)
    if dtype_of(a) != np.float64:
        return apply(g, "MatMul", [a, b])
    if len(dims_of(a)) == len(dims_of(b)) == 2:
        return g.Gemm(a, b)
    a, b = (x if x.producer() is None else g.Max(x) for x in (a, b))
    return g.Max(g.MatMul(a, b))


def _unsafe_when_empty(a: Value, b: Value) -> bool:
    """Tell whether onnxruntime may get a product wrong that sums nothing.

    It gives a wrong shape, or what was in memory, where a product has more matrices than `a`, is
    of a vector and matrices, or where a transposition becomes part of it.
    """
    left, right = dims_of(a), dims_of(b)
    if max(len(left), len(right)) <= 2:
        return False
    pairs = zip(left[-3::-1], right[-3::-1], strict=False)
    fits = all(theirs == 1 or same(mine, theirs) for mine, theirs in pairs)
    repeats = len(left) < len(right) or len(right) == 1 or not fits
    return repeats or _is_turned(a) or _is_turned(b)


#: What onnxruntime may move a transposition past, until it stands at a product.
_PASSED_BY_TRANSPOSITIONS = {
    *("Abs", "Add", "Cast", "Div", "Erf", "Exp", "Identity", "Max", "Min", "Mul", "Neg", "Relu"),
    *("Sigmoid", "Sqrt", "Squeeze", "Sub", "Tanh", "Unsqueeze", "Where"),
}


def _is_turned(x: Value, steps: int = 4) -> bool:
    """Tell whether a transposition that moves the first or last axis stands close before."""
    node = x.producer()
    if node is None or steps == 0:
        return False
    if node.op_type == "Transpose":
        perm = list(node.attributes["perm"].as_ints()) if "perm" in node.attributes else [-1]
        return bool(perm) and (perm[0] != 0 or perm[-1] != len(perm) - 1)
    return any(
        _is_turned(i, steps - 1) for i in node.inputs if i is not None and i.shape is not None
    )


def _with_something_to_sum(g: ONNXGraph, a: Value, b: Value) -> tuple[Value, Value]:
    """Append a zero to each row of `a` and each column of `b` if they are empty."""
    missing = g.Max(g.Sub(1, g.dim_value(dims_of(a)[-1])), 0)
    behind = len(dims_of(a)) - 1, max(len(dims_of(b)) - 2, 0)
    padded = []
    for x, axis in zip((a, b), behind, strict=True):
        pads: list[Any] = [0] * (2 * len(dims_of(x)))
        pads[len(dims_of(x)) + axis] = missing
        zero = g.constant(np.zeros((), dtype_of(x)))
        padded.append(apply(g, "Pad", [x, g.shape_tensor(pads), zero]))
    return padded[0], padded[1]


def where(g: ONNXGraph, condition: Value, yes: Value, no: Value) -> Value:
    """Return `yes` where `condition` holds, else `no`; both of one dtype.

    onnxruntime makes 0.0 of a -0.0 of `yes`, not of one of `no`: `choose` keeps both.
    """
    dtype = dtype_of(yes)
    carrier = CARRIERS["Where"].get(dtype.name)
    if carrier is None:
        return g.Where(condition, yes, no)
    return cast(g, g.Where(condition, cast(g, yes, carrier), cast(g, no, carrier)), dtype)


def choose(g: ONNXGraph, condition: Value, yes: Value, no: Value) -> Value:
    """Return `yes` where `condition` holds, else `no`, each with the signs of its zeros."""
    dtype = dtype_of(yes)
    carrier = CARRIERS["Where"].get(dtype.name)
    if carrier is None:
        return chosen(g, condition, yes, no)
    return cast(g, chosen(g, condition, cast(g, yes, carrier), cast(g, no, carrier)), dtype)


def unless(g: ONNXGraph, condition: Value, no: Value, yes: Value) -> Value:
    """Return `no` where `condition` does not hold, else `yes` with the signs of its zeros.

    Not through a Not: onnxruntime takes it away and swaps what the Where chooses from.
    """
    return where(g, g.Equal(condition, np.bool_(False)), no, yes)


def unless_zero(g: ONNXGraph, x: Value, result: Value) -> Value:
    """Return a result where `x` is a number other than zero, and `x` itself where it is not.

    For functions that keep zeros of both signs, and nan.
    """
    return where(g, g.Greater(g.Abs(x), constant(g, 0, x)), result, x)


def constant(g: ONNXGraph, number: Any, like: Value) -> Value:
    """Return a 0-d constant of the dtype of `like`."""
    return g.constant(np.array(number, dtype_of(like)))


def equals(g: ONNXGraph, value: Value, number: Any) -> Value:
    """Return where `value` is the number."""
    return g.Equal(value, constant(g, number, value))


def negative(g: ONNXGraph, value: Value) -> Value:
    """Return where a signed or float `value` is below zero."""
    return g.Less(value, constant(g, 0, value))


def every(g: ONNXGraph, condition: Value) -> Value:
    """Return the 0-d bool that tells whether a condition holds everywhere."""
    if not dims_of(condition):
        return condition
    flags = g.Cast(condition, to=np.int32)
    return cast(g, g.ReduceMin(flags, keepdims=0), np.bool_)


def boolean(g: ONNXGraph, value: Value) -> Value:
    """Return where `value` is not zero."""
    return cast(g, value, np.bool_)
