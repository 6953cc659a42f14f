"""The error function in float64, and its complement, precise where it is tiny."""

from __future__ import annotations

import math
from collections.abc import Sequence

from elichika.lowerings.numeric import constant_like
from onnx_graph import ONNXGraph, Value

__all__ = ["erf", "erfc", "erfcx", "polynomial"]

# W. J. Cody, Rational Chebyshev approximations for the error function (1969): erf near 0 as
# x P(x^2) / Q(x^2), erfcx up to 4 as P(x) / Q(x) and above as (1/sqrt(pi) - r P(r) / Q(r)) / x
# with r = 1 / x^2.  Highest power first.
_NEAR = (
    (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2,
     3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3,
     2.84423683343917062e3),
)  # fmt: skip
_MIDDLE = (
    (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
     2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
     1.23033935479799725e3),
    (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2,
     1.62138957456669019e3, 3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3,
     1.23033935480374942e3),
)  # fmt: skip
_FAR = (
    (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1,
     1.25781726111229246e-1, 1.60837851487422766e-2, 6.58749161529837803e-4),
    (1.0, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1,
     6.05183413124413191e-2, 2.33520497626869185e-3),
)  # fmt: skip


def polynomial(g: ONNXGraph, x: Value, coefficients: Sequence[float]) -> Value:
    """Emit a polynomial by Horner's rule, highest power first."""
    first, *rest = (constant_like(g, coefficient, x) for coefficient in coefficients)
    total = first
    for coefficient in rest:
        total = g.Add(g.Mul(total, x), coefficient)
    return total


def _ratio(g: ONNXGraph, x: Value, pair: tuple[Sequence[float], Sequence[float]]) -> Value:
    return g.Div(polynomial(g, x, pair[0]), polynomial(g, x, pair[1]))


def _small_erf(g: ONNXGraph, x: Value) -> Value:
    """erf for |x| <= 0.47."""
    x = g.Clip(x, -0.5, 0.5)
    return g.Mul(x, _ratio(g, g.Mul(x, x), _NEAR))


def _large_erfcx(g: ONNXGraph, y: Value) -> Value:
    """exp(y^2) erfc(y) for y >= 0.47."""
    middle = _ratio(g, g.Min(y, constant_like(g, 4, y)), _MIDDLE)
    above = g.Max(y, constant_like(g, 4, y))
    r = g.Reciprocal(g.Mul(above, above))
    rest = g.Sub(constant_like(g, 1 / math.sqrt(math.pi), y), g.Mul(r, _ratio(g, r, _FAR)))
    return g.Where(g.Greater(y, 4.0), g.Div(rest, above), middle)


def erf(g: ONNXGraph, x: Value) -> Value:
    """Emit the error function."""
    y = g.Abs(x)
    far = g.Sub(1.0, g.Mul(g.Exp(g.Neg(g.Mul(x, x))), _large_erfcx(g, y)))
    return g.Where(g.Less(y, 0.47), _small_erf(g, x), g.Mul(g.Sign(x), far))


def erfc(g: ONNXGraph, x: Value) -> Value:
    """Emit 1 - erf(x), precise where it is tiny."""
    y = g.Abs(x)
    far = g.Mul(g.Exp(g.Neg(g.Mul(x, x))), _large_erfcx(g, y))
    far = g.Where(g.Less(x, 0.0), g.Sub(2.0, far), far)
    return g.Where(g.Less(y, 0.47), g.Sub(1.0, _small_erf(g, x)), far)


def erfcx(g: ONNXGraph, x: Value) -> Value:
    """Emit exp(x^2) erfc(x)."""
    y, grown = g.Abs(x), g.Exp(g.Mul(x, x))
    far = _large_erfcx(g, y)
    far = g.Where(g.Less(x, 0.0), g.Sub(g.Add(grown, grown), far), far)
    return g.Where(g.Less(y, 0.47), g.Mul(grown, g.Sub(1.0, _small_erf(g, x))), far)
