"""Functions of numpy that ONNX lacks, or that onnxruntime lacks for float64.

Values are float32 or float64 (float16 goes through float32).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from elichika.kernels import cast, constant, equals, where
from onnx_graph import ONNXGraph, Value, dtype_of

Unary = Callable[[ONNXGraph, Value], Value]


def through_float32(function: Unary) -> Unary:
    """Compute float16 in float32, as numpy does."""

    def emit(g: ONNXGraph, x: Value) -> Value:
        if dtype_of(x) != np.float16:
            return function(g, x)
        return cast(g, function(g, cast(g, x, np.float32)), np.float16)

    return emit


def _plain(op: str) -> Unary:
    def emit(g: ONNXGraph, x: Value) -> Value:
        return g.emit(op, [x])

    return emit


def _infinite(g: ONNXGraph, x: Value) -> Value:
    result: Value = g.IsInf(x)
    return result


@through_float32
def log1p(g: ONNXGraph, x: Value) -> Value:
    """`log(1 + x)`, exact near 0 (Kahan's formula)."""
    one = constant(g, 1, x)
    u = g.Add(x, one)
    plain = g.Log(u)
    rest = g.Sub(u, one)
    scaled = g.Mul(x, g.Div(plain, rest))  # nan at 0 and at infinity, where it is not taken
    return where(g, equals(g, rest, 0), x, where(g, _infinite(g, u), plain, scaled))


@through_float32
def expm1(g: ONNXGraph, x: Value) -> Value:
    """`exp(x) - 1`, exact near 0 (Kahan's formula)."""
    one = constant(g, 1, x)
    u = g.Exp(x)
    rest = g.Sub(u, one)
    small = equals(g, rest, 0)
    log = g.Log(where(g, g.Or(small, equals(g, u, 0)), g.Add(one, one), u))
    scaled = g.Div(g.Mul(rest, x), log)
    edge = g.Or(equals(g, u, 0), _infinite(g, u))
    return where(g, small, x, where(g, edge, rest, scaled))


@through_float32
def arctan(g: ONNXGraph, x: Value) -> Value:
    """Atan; in float64 by one exact correction of the float32 result."""
    if dtype_of(x) == np.float32:
        result: Value = g.Atan(x)
        return result
    near = cast(g, g.Atan(cast(g, x, np.float32)), np.float64)
    sin, cos = g.Sin(near), g.Cos(near)
    step = g.Div(g.Sub(g.Mul(x, cos), sin), g.Add(cos, g.Mul(x, sin)))
    edge = g.Mul(g.Sign(x), constant(g, np.pi / 2, x))
    return where(g, _infinite(g, x), edge, g.Add(near, step))


@through_float32
def arcsin(g: ONNXGraph, x: Value) -> Value:
    """Asin; nan beyond 1."""
    one = constant(g, 1, x)
    root = g.Sqrt(g.Mul(g.Sub(one, x), g.Add(one, x)))
    return arctan(g, g.Div(x, root))


@through_float32
def arccos(g: ONNXGraph, x: Value) -> Value:
    """Acos; nan beyond 1."""
    one = constant(g, 1, x)
    ratio = g.Sqrt(g.Div(g.Sub(one, x), g.Add(one, x)))
    result: Value = g.Mul(constant(g, 2, x), arctan(g, ratio))
    return result


@through_float32
def sinh(g: ONNXGraph, x: Value) -> Value:
    """Sinh, exact near 0."""
    e = expm1(g, g.Abs(x))
    half = constant(g, 0.5, x)
    one = constant(g, 1, x)
    size = g.Mul(half, g.Add(e, g.Div(e, g.Add(e, one))))
    size = where(g, _infinite(g, e), e, size)
    result: Value = g.Mul(g.Sign(x), size)
    return result


@through_float32
def cosh(g: ONNXGraph, x: Value) -> Value:
    """Cosh."""
    e = g.Exp(g.Abs(x))
    half = constant(g, 0.5, x)
    result: Value = g.Add(g.Mul(half, e), g.Div(half, e))
    return result


@through_float32
def arcsinh(g: ONNXGraph, x: Value) -> Value:
    """Asinh, exact near 0."""
    size = g.Abs(x)
    one = constant(g, 1, x)
    square = g.Mul(size, size)
    inner = g.Add(size, g.Div(square, g.Add(one, g.Sqrt(g.Add(square, one)))))
    big = g.Add(g.Log(size), constant(g, np.log(2), x))
    large = g.Greater(size, constant(g, 1e15, x))
    result: Value = g.Mul(g.Sign(x), where(g, large, big, log1p(g, where(g, large, one, inner))))
    return result


@through_float32
def arccosh(g: ONNXGraph, x: Value) -> Value:
    """Acosh; nan below 1."""
    one = constant(g, 1, x)
    t = g.Sub(x, one)
    root = g.Sqrt(g.Add(g.Mul(constant(g, 2, x), t), g.Mul(t, t)))
    large = g.Greater(x, constant(g, 1e15, x))
    big = g.Add(g.Log(x), constant(g, np.log(2), x))
    return where(g, large, big, log1p(g, g.Add(t, where(g, large, one, root))))


@through_float32
def arctanh(g: ONNXGraph, x: Value) -> Value:
    """Atanh."""
    one = constant(g, 1, x)
    size = g.Abs(x)
    ratio = g.Div(g.Mul(constant(g, 2, x), size), g.Sub(one, size))
    result: Value = g.Mul(g.Mul(constant(g, 0.5, x), g.Sign(x)), log1p(g, ratio))
    return result


@through_float32
def tan(g: ONNXGraph, x: Value) -> Value:
    """Tan."""
    result: Value = g.Div(g.Sin(x), g.Cos(x))
    return result


def arctan2(g: ONNXGraph, y: Value, x: Value) -> Value:
    """Return the angle of the point (x, y), from -pi to pi."""
    if dtype_of(y) == np.float16:
        wide = arctan2(g, cast(g, y, np.float32), cast(g, x, np.float32))
        return cast(g, wide, np.float16)
    zero, pi = constant(g, 0, y), constant(g, np.pi, y)
    both = g.And(_infinite(g, x), _infinite(g, y))
    one = constant(g, 1, y)
    top = where(g, both, g.Sign(y), g.Add(y, g.Mul(zero, _finite_or_zero(g, x))))
    low = where(g, both, g.Sign(x), g.Add(x, g.Mul(zero, _finite_or_zero(g, y))))
    flat = equals(g, low, 0)
    angle = arctan(g, g.Div(top, where(g, flat, one, low)))
    quarter = g.Mul(g.Sign(top), constant(g, np.pi / 2, y))
    up = g.Not(g.Or(g.Less(y, zero), _minus_zero(g, y)))
    turned = g.Add(angle, where(g, up, pi, g.Neg(pi)))
    angle = where(g, g.Less(low, zero), turned, angle)
    straight = where(
        g,
        g.And(equals(g, top, 0), _minus_zero(g, x)),
        g.Mul(where(g, up, one, g.Neg(one)), pi),
        quarter,
    )
    return where(g, flat, straight, angle)


def _finite_or_zero(g: ONNXGraph, x: Value) -> Value:
    return where(g, _infinite(g, x), constant(g, 0, x), x)


def _minus_zero(g: ONNXGraph, x: Value) -> Value:
    one = constant(g, 1, x)
    zero = equals(g, x, 0)
    result: Value = g.And(zero, g.Less(g.Div(one, x), constant(g, 0, x)))
    return result


def sign_bit(g: ONNXGraph, x: Value) -> Value:
    """Return where a float is negative, minus zero included."""
    result: Value = g.Or(g.Less(x, constant(g, 0, x)), _minus_zero(g, x))
    return result
