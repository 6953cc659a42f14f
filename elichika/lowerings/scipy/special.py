"""`scipy.special`: error functions, the normal distribution, gamma functions, softmaxes.

Ufuncs are computed in float64 and rounded to the dtype that scipy gives.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.math.digamma import DiGamma
from chainer.functions.math.erf import Erf
from chainer.functions.math.erfc import Erfc
from chainer.functions.math.erfcinv import ErfcInv
from chainer.functions.math.erfcx import Erfcx
from chainer.functions.math.erfinv import ErfInv
from chainer.functions.math.lgamma import LGamma
from chainer.functions.math.log_ndtr import LogNdtr
from chainer.functions.math.ndtr import Ndtr
from chainer.functions.math.ndtri import Ndtri
from chainer.functions.math.polygamma import PolyGamma

from elichika import idioms
from elichika.lowerings.chainer.gamma_functions import hurwitz
from elichika.lowerings.numpy.arguments import finish, only_default
from elichika.lowerings.numpy.operands import operand, stand, tensor
from elichika.numbers.kernels import cast, where
from elichika.numbers.promotion import ask, broadcast, result_dtype
from elichika.numbers.special_functions import log1p
from elichika.registry import Lowering, lowering_of, walked
from onnx_graph import ONNXGraph, Value

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

__all__ = ["LOWERINGS"]

MODULE = "scipy.special"
#: What Chainer's function of the same values is.
CHAINERS = {
    "erf": Erf,
    "erfc": Erfc,
    "erfcx": Erfcx,
    "erfinv": ErfInv,
    "erfcinv": ErfcInv,
    "ndtr": Ndtr,
    "log_ndtr": LogNdtr,
    "ndtri": Ndtri,
    "gammaln": LGamma,
    "digamma": DiGamma,
    "psi": DiGamma,
}


def _ufunc(name: str, formula: Callable[..., Value]) -> Callable[..., Any]:
    """Return the lowering of a ufunc whose formula takes float64."""

    def lowering(w: LoweringContext, *operands: Any, **options: Any) -> Any:
        function = getattr(sys.modules[MODULE], name)
        only_default(w, name, **options)
        if len(operands) != function.nin:
            w.refuse(f"`{name}` is compiled for {function.nin} arguments and no `out`")
        given = [operand(w, one) for one in operands]
        dtype = result_dtype(w, function, *given)
        if len(given) > 1:
            broadcast(w, *map(w.dims, given))
        found = formula(w, *(tensor(w, one, np.float64) for one in given))
        return finish(w, cast(w.graph, found, dtype))

    return lowering


def _as_chainer(node: Any) -> Callable[..., Value]:
    def formula(w: LoweringContext, x: Value) -> Value:
        lowering = lowering_of(node)
        assert lowering is not None
        found: Value = lowering(w, None, x)
        return found

    return formula


def _in_graph(formula: Callable[..., Value]) -> Callable[..., Value]:
    return lambda w, *values: formula(w.graph, *values)


def _number(g: ONNXGraph, number: float) -> Value:
    return g.constant(np.array(number))


def _expit(g: ONNXGraph, x: Value) -> Value:
    return g.Reciprocal(g.Add(g.Exp(g.Neg(x)), 1.0))


def _logit(g: ONNXGraph, p: Value) -> Value:
    """Near 1/2 the logarithms of two numbers near 1 are subtracted."""
    s = g.Mul(g.Sub(p, 0.5), 2.0)
    near = g.Sub(log1p(g, s), log1p(g, g.Neg(s)))
    middle = g.And(g.GreaterOrEqual(p, 0.3), g.LessOrEqual(p, 0.65))
    return where(g, middle, near, g.Log(g.Div(p, g.Sub(1.0, p))))


def _times(logarithm: Callable[[ONNXGraph, Value], Value]) -> Callable[..., Value]:
    """Return x times a logarithm; 0 where x is 0, unless that of nan is taken."""

    def formula(g: ONNXGraph, x: Value, y: Value) -> Value:
        nothing = g.And(g.Equal(x, 0.0), g.Not(g.IsNaN(y)))
        return where(g, nothing, _number(g, 0.0), g.Mul(x, logarithm(g, y)))

    return formula


def _entr(g: ONNXGraph, x: Value) -> Value:
    found = g.Neg(g.Mul(x, g.Log(x)))
    found = where(g, g.Equal(x, 0.0), _number(g, 0.0), found)
    return where(g, g.Less(x, 0.0), _number(g, -np.inf), found)


def _divergence(shifted: bool) -> Callable[..., Value]:
    """Return x log(x / y), and y - x added; infinite beyond its domain."""

    def formula(g: ONNXGraph, x: Value, y: Value) -> Value:
        inside = g.And(g.Greater(x, 0.0), g.Greater(y, 0.0))
        edge = g.And(g.Equal(x, 0.0), g.GreaterOrEqual(y, 0.0))
        found = g.Mul(x, g.Log(g.Div(x, y)))
        if shifted:
            found = g.Add(g.Sub(found, x), y)
        at_edge = y if shifted else g.Mul(x, 0.0)
        unknown = g.Or(g.IsNaN(x), g.IsNaN(y))
        beyond = where(g, unknown, _number(g, np.nan), _number(g, np.inf))
        return where(g, inside, found, where(g, edge, at_edge, beyond))

    return formula


def zeta(w: LoweringContext, x: Any, q: Any = None, out: Any = None) -> Any:
    """Hurwitz's function; Riemann's without `q`, which continues below 1 and is not compiled."""
    if q is None:
        w.refuse("`zeta` of one argument is not compiled", "give the second one: `zeta(x, 1)`")
    only_default(w, "zeta", out=out)
    given = [operand(w, one) for one in (x, q)]
    dtype = result_dtype(w, sys.modules[MODULE].zeta, *given)
    broadcast(w, *map(w.dims, given))
    wide = (tensor(w, one, np.float64) for one in given)
    return finish(w, cast(w.graph, hurwitz(w.graph, *wide), dtype))


def polygamma(w: LoweringContext, n: Any, x: Any) -> Any:
    """Derivatives of `digamma`, where all is of one dtype."""
    order, given = operand(w, n), operand(w, x)
    dtype = np.asarray(ask(w, sys.modules[MODULE].polygamma, stand(w, n), stand(w, x))).dtype
    own = np.asarray(stand(w, x)).dtype
    if dtype != (own if own.kind == "f" else np.float64):
        w.refuse("`polygamma` of short floats and an array of orders is not compiled")
    broadcast(w, w.dims(order), w.dims(given))
    lowering = lowering_of(PolyGamma)
    assert lowering is not None
    return finish(w, lowering(w, None, tensor(w, order), tensor(w, given, dtype)))


LOWERINGS: tuple[tuple[str, str, Lowering], ...] = (
    *((MODULE, name, _ufunc(name, _as_chainer(node))) for name, node in CHAINERS.items()),
    *(
        (MODULE, name, _ufunc(name, _in_graph(formula)))
        for name, formula in (
            ("expit", _expit),
            ("logit", _logit),
            ("xlogy", _times(lambda g, y: g.Log(y))),
            ("xlog1py", _times(log1p)),
            ("entr", _entr),
            ("rel_entr", _divergence(shifted=False)),
            ("kl_div", _divergence(shifted=True)),
        )
    ),
    (MODULE, "zeta", zeta),
    (MODULE, "polygamma", polygamma),
    (MODULE, "logsumexp", walked(idioms.softmaxes.logsumexp)),
    (MODULE, "softmax", walked(idioms.softmaxes.softmax)),
    (MODULE, "log_softmax", walked(idioms.softmaxes.log_softmax)),
)
