"""The gamma function's logarithm and derivatives, and the zeta function.

Computed in float64 by Stirling's series and the Euler-Maclaurin formula from 8 (10 for zeta) up,
after a shift: within 1e-12 of SciPy for float64, relative to the largest result; exact to rounding
for float32 and float16.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.math.digamma import DiGamma
from chainer.functions.math.lgamma import LGamma
from chainer.functions.math.polygamma import PolyGamma
from chainer.functions.math.zeta import Zeta

from elichika.lowerings.chainer.error_functions import polynomial
from elichika.lowerings.numeric import as_value
from elichika.numbers.kernels import cast, every, where
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

SHIFT = 8
TERMS = 10
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
"""B2, B4, … B16."""


def _sine(g: ONNXGraph, x: Value) -> tuple[Value, Value]:
    """Return sin and cos of pi x up to a common sign, exact at integers."""
    angle = g.Mul(g.Sub(x, g.Round(x)), math.pi)
    return g.Sin(angle), g.Cos(angle)


def _digamma(g: ONNXGraph, x: Value) -> Value:
    """For x > 0."""
    z = g.Add(x, float(SHIFT))
    inverse = g.Reciprocal(z)
    square = g.Mul(inverse, inverse)
    factors = [b / (2 * k) for k, b in enumerate(BERNOULLI, 1)]
    series = g.Mul(square, polynomial(g, square, factors[::-1]))
    total = g.Sub(g.Sub(g.Log(z), g.Mul(inverse, 0.5)), series)
    total = g.Sub(total, g.Reciprocal(x))
    for step in range(1, SHIFT):
        total = g.Sub(total, g.Reciprocal(g.Add(x, float(step))))
    return total


@lowers(DiGamma)
def digamma(w: LoweringContext, node: Any, x: Value) -> Value:
    """Below 0 by reflection; nan at negative integers, infinite with the sign at 0."""
    g = w.graph
    wide = cast(g, x, np.float64)
    return cast(g, _any_digamma(g, wide), dtype_of(x))


def _any_digamma(g: ONNXGraph, x: Value) -> Value:
    below = g.Less(x, 0.0)
    sin, cos = _sine(g, x)
    cotangent = g.Mul(g.Div(cos, sin), math.pi)
    value = _digamma(g, where(g, below, g.Sub(1.0, x), x))
    value = where(g, below, g.Sub(value, cotangent), value)
    pole = g.And(below, g.Equal(x, g.Floor(x)))
    return where(g, pole, g.constant(np.array(np.nan)), value)


def _lgamma(g: ONNXGraph, x: Value) -> Value:
    """For x > 0."""
    small = g.Less(x, float(SHIFT))
    z = where(g, small, g.Add(x, float(SHIFT)), x)
    inverse = g.Reciprocal(z)
    factors = [b / (2 * k * (2 * k - 1)) for k, b in enumerate(BERNOULLI, 1)]
    series = g.Mul(inverse, polynomial(g, g.Mul(inverse, inverse), factors[::-1]))
    main = g.Mul(g.Sub(z, 0.5), g.Sub(g.Log(z), 1.0))
    main = g.Add(g.Add(main, series), math.log(math.tau) / 2 - 0.5)
    low = where(g, small, x, g.constant(np.array(1.0)))
    product = low
    for step in range(1, SHIFT):
        product = g.Mul(product, g.Add(low, float(step)))
    return where(g, small, g.Sub(main, g.Log(product)), main)


@lowers(LGamma)
def lgamma(w: LoweringContext, node: Any, x: Value) -> Value:
    """Below 0 by reflection."""
    g = w.graph
    wide = cast(g, x, np.float64)
    below = g.Less(wide, 0.0)
    value = _lgamma(g, where(g, below, g.Sub(1.0, wide), wide))
    mirrored = g.Log(g.Div(math.pi, g.Abs(_sine(g, wide)[0])))
    value = where(g, below, g.Sub(mirrored, value), value)
    endless = g.IsInf(wide)
    return cast(g, where(g, endless, wide, value), dtype_of(x))


def _zeta(g: ONNXGraph, s: Value, q: Value) -> Value:
    """Sum (q + k)^-s for q > 0: ten terms, an integral and its corrections."""
    power = g.Neg(s)
    total = g.Pow(q, power)
    for step in range(1, TERMS):
        total = g.Add(total, g.Pow(g.Add(q, float(step)), power))
    z = g.Add(q, float(TERMS))
    last = g.Pow(z, power)
    total = g.Add(total, g.Div(g.Mul(last, z), g.Sub(s, 1.0)))
    total = g.Add(total, g.Mul(last, 0.5))
    factor = g.Div(g.Mul(last, s), z)
    square = g.Reciprocal(g.Mul(z, z))
    for k, b in enumerate(BERNOULLI, 1):
        total = g.Add(total, g.Mul(factor, b / math.factorial(2 * k)))
        rising = g.Mul(g.Add(s, 2.0 * k - 1), g.Add(s, 2.0 * k))
        factor = g.Mul(g.Mul(factor, rising), square)
    total = where(g, g.Equal(s, 1.0), g.constant(np.array(np.inf)), total)
    return where(g, g.Less(s, 1.0), g.constant(np.array(np.nan)), total)


def _above_zero(g: ONNXGraph, x: Value, what: str) -> Value:
    fine = every(g, g.Greater(x, 0.0))
    return g.tie(x, g.check(fine, f"{what} is compiled for arguments above 0"))


@lowers(Zeta)
def zeta(w: LoweringContext, node: Any, q: Value) -> Value:
    """Hurwitz's; the model fails for q <= 0."""
    g = w.graph
    s = cast(g, as_value(g, getattr(node._x, "array", node._x)), np.float64)
    wide = _above_zero(g, cast(g, q, np.float64), "zeta")
    return cast(g, _zeta(g, s, wide), dtype_of(q))


@lowers(PolyGamma)
def polygamma(w: LoweringContext, node: Any, n: Value, x: Value) -> Value:
    """(-1)^(n+1) n! zeta(n+1, x), as SciPy has it; the model fails for x <= 0 and n < 0."""
    g = w.graph
    n = g.tie(n, g.check(every(g, g.GreaterOrEqual(g.Cast(n, to=np.int64), 0)), "n >= 0"))
    order = g.Add(cast(g, n, np.float64), 1.0)
    wide = _above_zero(g, cast(g, x, np.float64), "polygamma")
    sign = g.Sub(1.0, g.Mul(g.Mod(order, 2.0, fmod=1), 2.0))
    size = g.Mul(g.Exp(_lgamma(g, order)), _zeta(g, g.Max(order, 2.0), wide))
    value = where(g, g.Equal(order, 1.0), _digamma(g, wide), g.Mul(sign, size))
    return cast(g, value, dtype_of(x))
