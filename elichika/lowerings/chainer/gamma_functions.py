"""The gamma function's logarithm and derivatives, and the zeta function.

Computed in float64 by Stirling's series and the Euler-Maclaurin formula from 8 (10 for zeta) up,
after a shift: within 1e-12 of SciPy for float64, relative to the largest result; exact to rounding
for float32 and float16.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np
from chainer.functions.math.digamma import DiGamma
from chainer.functions.math.lgamma import LGamma
from chainer.functions.math.polygamma import PolyGamma
from chainer.functions.math.zeta import Zeta

from elichika.lowerings.chainer.error_functions import polynomial
from elichika.lowerings.numeric import as_value
from elichika.numbers.kernels import cast, every, where
from elichika.numbers.promotion import ask, representative
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

SHIFT = 8
TERMS = 10
#: The largest s whose powers up to s^23 are floats, and the largest q that is summed from.
STEEP, FAR = 25256835601045.996, 1e8
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


def _series(g: ONNXGraph, s: Value, q: Value) -> Value:
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
    return total


def hurwitz(g: ONNXGraph, s: Value, q: Value) -> Value:
    """Hurwitz's function as Cephes has it at the ends.

    Past `STEEP` the first term is all, and nan where it is 0; past `FAR` there is no sum. The model
    fails where the sum would begin at q < 0.
    """
    whole = g.Equal(q, g.Floor(q))
    pole = g.And(g.LessOrEqual(q, 0.0), whole)
    nan, endless = (g.constant(np.array(number)) for number in (np.nan, np.inf))
    below = g.And(g.And(g.Less(q, 0.0), g.Not(whole)), g.Greater(s, 1.0))
    summed = g.And(below, g.Equal(s, g.Floor(s)))
    fine = every(g, g.Not(summed))
    q = g.tie(q, g.check(fine, "zeta and polygamma are compiled for numbers from 0"))
    first = g.Pow(q, g.Neg(s))
    steep = where(g, g.Equal(first, 0.0), nan, first)
    total = where(g, g.Greater(s, STEEP), steep, _series(g, s, q))
    rate = g.Add(g.Reciprocal(g.Sub(s, 1.0)), g.Reciprocal(g.Mul(q, 2.0)))
    total = where(g, g.Greater(q, FAR), g.Mul(rate, g.Pow(q, g.Sub(1.0, s))), total)
    total = where(g, below, nan, total)
    total = where(g, pole, endless, total)
    total = where(g, g.Equal(s, 1.0), endless, total)
    return where(g, g.Less(s, 1.0), nan, total)


@lowers(Zeta)
def zeta(w: LoweringContext, node: Any, q: Value) -> Value:
    """Hurwitz's; SciPy makes a number beside short floats a float32 where that holds it."""
    g = w.graph
    if issubclass(w.type_of(node._x), chainer.Variable):
        w.raise_static(TypeError("ufunc 'zeta' not supported for the input types"))
    stands = representative(w, node._x), representative(w, w.new_array(q))
    short = ask(w, _special().zeta, *stands).dtype != np.float64
    s = as_value(g, node._x)
    if dtype_of(s) == np.float64 and short:
        rounded = cast(g, s, np.float32)
        s = where(g, g.IsInf(rounded), s, cast(g, rounded, np.float64))
    return cast(g, hurwitz(g, cast(g, s, np.float64), cast(g, q, np.float64)), dtype_of(q))


@lowers(PolyGamma)
def polygamma(w: LoweringContext, node: Any, n: Value, x: Value) -> Value:
    """(-1)^(n+1) n! zeta(n+1, x), each factor in the dtype that SciPy makes it; nan for n < 0."""
    g, special = w.graph, _special()
    n_stand, x_stand = (representative(w, w.new_array(value)) for value in (n, x))
    order, wide = g.Add(cast(g, n, np.float64), 1.0), cast(g, x, np.float64)
    factorial = g.Exp(_lgamma(g, order))
    factorial = cast(g, factorial, ask(w, lambda k: special.gamma(k + 1.0), n_stand).dtype)
    sum_ = hurwitz(g, order, wide)
    sum_ = cast(g, sum_, ask(w, lambda k, q: special.zeta(k + 1, q), n_stand, x_stand).dtype)
    sign = g.Sub(1.0, g.Mul(g.Mod(order, 2.0, fmod=1), 2.0))
    size = g.Mul(cast(g, factorial, np.float64), cast(g, sum_, np.float64))
    value = where(g, g.Equal(order, 1.0), _any_digamma(g, wide), g.Mul(sign, size))
    return cast(g, value, dtype_of(x))


def _special() -> Any:
    """Return the module of SciPy that Chainer asks."""
    return import_module("scipy.special")
