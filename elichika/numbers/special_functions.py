"""Functions of numpy that ONNX lacks, or that onnxruntime lacks for float64.

Values are float32 or float64 (float16 goes through float32).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from elichika.numbers.kernels import cast, constant, equals, unless, unless_zero, where
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
    return g.IsInf(x)


@through_float32
def log1p(g: ONNXGraph, x: Value) -> Value:
    """`log(1 + x)`, exact near 0 (Kahan's formula)."""
    one = constant(g, 1, x)
    u = g.Add(x, one)
    plain = g.Log(u)
    rest = g.Sub(u, one)
    scaled = g.Mul(x, g.Div(plain, rest))  # nan at 0 and at infinity, where it is not taken
    return unless(g, equals(g, rest, 0), where(g, _infinite(g, u), plain, scaled), x)


@through_float32
def expm1(g: ONNXGraph, x: Value) -> Value:
    """`exp(x) - 1`, exact near 0 (Kahan's formula, which overflows before it far from there)."""
    one = constant(g, 1, x)
    u = g.Exp(x)
    rest = g.Sub(u, one)
    small = equals(g, rest, 0)
    log = g.Log(where(g, g.Or(small, equals(g, u, 0)), g.Add(one, one), u))
    scaled = g.Div(g.Mul(rest, x), log)
    far = g.Greater(g.Abs(x), one)
    return unless(g, small, where(g, far, rest, scaled), x)


@through_float32
def arctan(g: ONNXGraph, x: Value) -> Value:
    """Atan; in float64 by one exact correction of the float32 result."""
    if dtype_of(x) == np.float32:
        return g.Atan(x)
    near = cast(g, g.Atan(cast(g, x, np.float32)), np.float64)
    sin, cos = g.Sin(near), g.Cos(near)
    step = g.Div(g.Sub(sin, g.Mul(x, cos)), g.Add(cos, g.Mul(x, sin)))
    edge = g.Mul(g.Sign(x), constant(g, np.pi / 2, x))
    return where(g, _infinite(g, x), edge, g.Sub(near, step))  # -0.0 minus 0.0 is -0.0


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
    return g.Mul(constant(g, 2, x), arctan(g, ratio))


def _half_exp(g: ONNXGraph, x: Value) -> Value:
    """`exp(x) / 2`, also where `exp(x)` is beyond what the dtype holds."""
    half = constant(g, 0.5, x)
    root = g.Exp(g.Mul(half, x))
    return g.Mul(g.Mul(half, root), root)


@through_float32
def sinh(g: ONNXGraph, x: Value) -> Value:
    """Sinh, exact near 0."""
    e = expm1(g, g.Abs(x))
    half = constant(g, 0.5, x)
    one = constant(g, 1, x)
    size = g.Mul(half, g.Add(e, g.Div(e, g.Add(e, one))))
    far = g.Greater(g.Abs(x), constant(g, 40, x))
    size = where(g, far, _half_exp(g, g.Abs(x)), size)
    return unless_zero(g, x, g.Mul(g.Sign(x), size))


@through_float32
def cosh(g: ONNXGraph, x: Value) -> Value:
    """Cosh."""
    e = _half_exp(g, g.Abs(x))
    return g.Add(e, g.Div(constant(g, 0.25, x), e))


@through_float32
def arcsinh(g: ONNXGraph, x: Value) -> Value:
    """Asinh, exact near 0."""
    size = g.Abs(x)
    one = constant(g, 1, x)
    square = g.Mul(size, size)
    inner = g.Add(size, g.Div(square, g.Add(one, g.Sqrt(g.Add(square, one)))))
    big = g.Add(g.Log(size), constant(g, np.log(2), x))
    large = g.Greater(size, constant(g, 1e15, x))
    size = where(g, large, big, log1p(g, where(g, large, one, inner)))
    return unless_zero(g, x, g.Mul(g.Sign(x), size))


@through_float32
def arccosh(g: ONNXGraph, x: Value) -> Value:
    """Acosh; nan below 1."""
    one = constant(g, 1, x)
    t = g.Sub(x, one)
    root = g.Sqrt(g.Add(g.Mul(constant(g, 2, x), t), g.Mul(t, t)))
    large = g.Greater(x, constant(g, 1e15, x))
    big = g.Add(g.Log(x), constant(g, np.log(2), x))
    y = where(g, large, big, log1p(g, g.Add(t, where(g, large, one, root))))
    return where(g, g.Less(x, one), constant(g, np.nan, x), y)


@through_float32
def arctanh(g: ONNXGraph, x: Value) -> Value:
    """Atanh."""
    one = constant(g, 1, x)
    size = g.Abs(x)
    ratio = g.Div(g.Mul(constant(g, 2, x), size), g.Sub(one, size))
    half = g.Mul(constant(g, 0.5, x), g.Sign(x))
    return unless_zero(g, x, g.Mul(half, log1p(g, ratio)))


@through_float32
def tan(g: ONNXGraph, x: Value) -> Value:
    """Tan."""
    return g.Div(g.Sin(x), g.Cos(x))


def arctan2(g: ONNXGraph, y: Value, x: Value) -> Value:
    """Return the angle of the point (x, y), from -pi to pi."""
    if dtype_of(y) == np.float16:
        wide = arctan2(g, cast(g, y, np.float32), cast(g, x, np.float32))
        return cast(g, wide, np.float16)
    zero, pi = constant(g, 0, y), constant(g, np.pi, y)
    both = g.And(_infinite(g, x), _infinite(g, y))
    one = constant(g, 1, y)
    top = where(g, both, g.Sign(y), _of_both(g, y, x))
    low = where(g, both, g.Sign(x), _of_both(g, x, y))
    flat, level = equals(g, low, 0), equals(g, top, 0)
    angle = arctan(g, g.Div(top, where(g, flat, one, low)))  # y itself where both are zero
    half = where(g, sign_bit(g, y), g.Neg(pi), pi)
    angle = where(g, g.Less(low, zero), g.Add(angle, half), angle)
    quarter = g.Mul(g.Sign(top), constant(g, np.pi / 2, y))
    edge = g.And(flat, g.Or(g.Not(level), sign_bit(g, x)))
    return where(g, edge, where(g, level, half, quarter), angle)


def _of_both(g: ONNXGraph, x: Value, other: Value) -> Value:
    """Return `x`, its zeros as they are, in the sizes of both; nan where either is."""
    return g.Sub(x, g.Mul(constant(g, 0, x), g.Abs(_finite_or_zero(g, other))))


def _finite_or_zero(g: ONNXGraph, x: Value) -> Value:
    return where(g, _infinite(g, x), constant(g, 0, x), x)


def sign_bit(g: ONNXGraph, x: Value) -> Value:
    """Return where a float is negative, minus zero included."""
    zero = constant(g, 0, x)
    return g.Or(g.Less(x, zero), g.Less(g.Div(constant(g, 1, x), x), zero))
