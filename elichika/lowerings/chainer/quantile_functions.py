"""Inverses of the normal distribution and of the error function.

S. L. Moshier's rational approximations (Cephes, `ndtri`), computed in float64: within 1e-14 of
SciPy for float64, and exact to rounding for float32 and float16.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.math.erfcinv import ErfcInv
from chainer.functions.math.erfinv import ErfInv
from chainer.functions.math.ndtri import Ndtri

from elichika.lowerings.chainer.error_functions import erf, polynomial
from elichika.numbers.kernels import cast, where
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

# Numerators and denominators of three intervals, highest power first.
_CENTRE = (
    (-5.99633501014107895267e1, 9.80010754185999661536e1, -5.66762857469070293439e1,
     1.39312609387279679503e1, -1.23916583867381258016),
    (1.0, 1.95448858338141759834, 4.67627912898881538453, 8.63602421390890590575e1,
     -2.25462687854119370527e2, 2.00260212380060660359e2, -8.20372256168333339912e1,
     1.59056225126211695515e1, -1.18331621121330003142),
)  # fmt: skip
_NEAR = (
    (4.05544892305962419923, 3.15251094599893866154e1, 5.71628192246421288162e1,
     4.40805073893200834700e1, 1.46849561928858024014e1, 2.18663306850790267539,
     -1.40256079171354495875e-1, -3.50424626827848203418e-2, -8.57456785154685413611e-4),
    (1.0, 1.57799883256466749731e1, 4.53907635128879210584e1, 4.13172038254672030440e1,
     1.50425385692907503408e1, 2.50464946208309415979, -1.42182922854787788574e-1,
     -3.80806407691578277194e-2, -9.33259480895457427372e-4),
)  # fmt: skip
_FAR = (
    (3.23774891776946035970, 6.91522889068984211695, 3.93881025292474443415,
     1.33303460815807542389, 2.01485389549179081538e-1, 1.23716634817820021358e-2,
     3.01581553508235416007e-4, 2.65806974686737550832e-6, 6.23974539184983293730e-9),
    (1.0, 6.02427039364742014255, 3.67983563856160859403, 1.37702099489081330271,
     2.16236993594496635890e-1, 1.34204006088543189037e-2, 3.28014464682127739104e-4,
     2.89247864745380683936e-6, 6.79019408009981274425e-9),
)  # fmt: skip


def _ratio(g: ONNXGraph, x: Value, pair: tuple[Sequence[float], Sequence[float]]) -> Value:
    return g.Div(polynomial(g, x, pair[0]), polynomial(g, x, pair[1]))


def quantile(g: ONNXGraph, p: Value) -> Value:
    """Return where the normal distribution reaches `p`, float64; infinite at 0 and 1, else nan."""
    edge = math.exp(-2)
    y = g.Sub(p, 0.5)
    square = g.Mul(y, y)
    centre = g.Mul(
        g.Add(y, g.Mul(y, g.Mul(square, _ratio(g, square, _CENTRE)))), math.sqrt(math.tau)
    )
    upper = g.Greater(p, 1 - edge)
    tail = where(g, upper, g.Sub(1.0, p), p)
    root = g.Sqrt(g.Mul(g.Log(tail), -2.0))
    inverse = g.Reciprocal(root)
    near, far = _ratio(g, inverse, _NEAR), _ratio(g, inverse, _FAR)
    small = g.Mul(inverse, where(g, g.Less(root, 8.0), near, far))
    size = g.Sub(g.Sub(root, g.Mul(g.Log(root), inverse)), small)
    size = where(g, g.Equal(tail, 0.0), g.Log(g.Reciprocal(g.Abs(tail))), size)
    signed = where(g, upper, size, g.Neg(size))
    return where(g, g.And(g.Greater(p, edge), g.Not(upper)), centre, signed)


def _in_double(g: ONNXGraph, x: Value) -> Value:
    return cast(g, x, np.float64)


@lowers(Ndtri)
def ndtri(w: LoweringContext, node: Any, x: Value) -> Value:
    """The quantile itself."""
    g = w.graph
    return cast(g, quantile(g, _in_double(g, x)), dtype_of(x))


def _erfcinv(g: ONNXGraph, x: Value) -> Value:
    return g.Mul(quantile(g, g.Mul(x, 0.5)), -math.sqrt(0.5))


@lowers(ErfcInv)
def erfcinv(w: LoweringContext, node: Any, x: Value) -> Value:
    """A quantile of half the argument."""
    g = w.graph
    return cast(g, _erfcinv(g, _in_double(g, x)), dtype_of(x))


@lowers(ErfInv)
def erfinv(w: LoweringContext, node: Any, x: Value) -> Value:
    """Beyond 1/2 by what is left to 1; below it, one step of Newton's keeps what is small."""
    g = w.graph
    wide = _in_double(g, x)
    size = g.Abs(wide)
    far = g.Mul(g.Sign(wide), _erfcinv(g, g.Sub(1.0, size)))
    inner = g.Clip(wide, -0.5, 0.5)
    first = g.Mul(quantile(g, g.Mul(g.Add(inner, 1.0), 0.5)), math.sqrt(0.5))
    slope = g.Mul(g.Exp(g.Neg(g.Mul(first, first))), 2 / math.sqrt(math.pi))
    near = g.Sub(first, g.Div(g.Sub(erf(g, first), inner), slope))
    return cast(g, where(g, g.LessOrEqual(size, 0.5), near, far), dtype_of(x))
