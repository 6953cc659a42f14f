"""Lowerings of `chainer.functions.math` that work element by element."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.math.arctanh import Arctanh
from chainer.functions.math.clip import Clip
from chainer.functions.math.erf import Erf
from chainer.functions.math.erfc import Erfc
from chainer.functions.math.erfcx import Erfcx
from chainer.functions.math.exponential import Exp, Log, Log2, Log10
from chainer.functions.math.exponential_m1 import Expm1
from chainer.functions.math.fmod import Fmod
from chainer.functions.math.hyperbolic import Cosh, Sinh
from chainer.functions.math.linear_interpolate import LinearInterpolate
from chainer.functions.math.log_ndtr import LogNdtr
from chainer.functions.math.logarithm_1p import Log1p
from chainer.functions.math.maximum import Maximum
from chainer.functions.math.minimum import Minimum
from chainer.functions.math.ndtr import Ndtr
from chainer.functions.math.sqrt import RsqrtGPU, Sqrt
from chainer.functions.math.square import Square
from chainer.functions.math.trigonometric import (
    Arccos,
    Arcsin,
    Arctan,
    Arctan2,
    Cos,
    Sin,
    Tan,
)

from elichika.lowerings.chainer import error_functions
from elichika.lowerings.numeric import constant_like, is_double
from elichika.lowerings.sizes import same_shape
from elichika.numbers import special_functions
from elichika.numbers.kernels import cast
from elichika.numbers.special_functions import expm1, log1p
from elichika.registry import lowers, lowers_to
from onnx_graph import ONNXGraph, Value, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

lowers_to("Exp", Exp)
lowers_to("Log", Log)
lowers_to("Sin", Sin)
lowers_to("Cos", Cos)
lowers_to("Sqrt", Sqrt)


@lowers(RsqrtGPU)
def rsqrt(w: LoweringContext, node: Any, x: Value) -> Value:
    """1 / sqrt(x)."""
    g = w.graph
    return g.Reciprocal(g.Sqrt(x))


@lowers(Square)
def square(w: LoweringContext, node: Any, x: Value) -> Value:
    """x x."""
    return w.graph.Mul(x, x)


@lowers(Log2)
def log2(w: LoweringContext, node: Any, x: Value) -> Value:
    """ln x / ln 2."""
    g = w.graph
    return g.Mul(g.Log(x), constant_like(g, 1 / math.log(2), x))


@lowers(Log10)
def log10(w: LoweringContext, node: Any, x: Value) -> Value:
    """ln x / ln 10."""
    g = w.graph
    return g.Mul(g.Log(x), constant_like(g, 1 / math.log(10), x))


@lowers(Expm1)
def expm1_(w: LoweringContext, node: Any, x: Value) -> Value:
    """exp(x) - 1, precise near 0."""
    return expm1(w.graph, x)


@lowers(Log1p)
def log1p_(w: LoweringContext, node: Any, x: Value) -> Value:
    """log(1 + x), precise near 0."""
    return log1p(w.graph, x)


def _precise(op: str, double: Callable[[ONNXGraph, Value], Value]) -> Callable[..., Value]:
    """One operator, of which onnxruntime has no float64 kernel."""

    def lowering(w: LoweringContext, node: Any, x: Value) -> Value:
        return double(w.graph, x) if is_double(x) else w.graph.emit(op, [x])

    return lowering


for _op, _node, _double in (
    ("Sinh", Sinh, special_functions.sinh),
    ("Cosh", Cosh, special_functions.cosh),
    ("Tan", Tan, special_functions.tan),
    ("Atan", Arctan, special_functions.arctan),
    ("Asin", Arcsin, special_functions.arcsin),
    ("Acos", Arccos, special_functions.arccos),
    ("Atanh", Arctanh, special_functions.arctanh),
    ("Erf", Erf, error_functions.erf),
):
    lowers(_node)(_precise(_op, _double))


@lowers(Arctan2)
def arctan2(w: LoweringContext, node: Any, y: Value, x: Value) -> Value:
    """The angle of (x, y), which may broadcast."""
    return special_functions.arctan2(w.graph, y, x)


def _at_least_single(g: ONNXGraph, x: Value) -> Value:
    return cast(g, x, np.float32) if dtype_of(x) == np.float16 else x


@lowers(Erfc)
def erfc(w: LoweringContext, node: Any, x: Value) -> Value:
    """1 - erf(x), precise where it is tiny."""
    g = w.graph
    return cast(g, error_functions.erfc(g, _at_least_single(g, x)), dtype_of(x))


@lowers(Erfcx)
def erfcx(w: LoweringContext, node: Any, x: Value) -> Value:
    """exp(x^2) erfc(x)."""
    g = w.graph
    return cast(g, error_functions.erfcx(g, _at_least_single(g, x)), dtype_of(x))


@lowers(Ndtr)
def ndtr(w: LoweringContext, node: Any, x: Value) -> Value:
    """The normal distribution: erfc(-x / sqrt 2) / 2."""
    g = w.graph
    scaled = g.Mul(_at_least_single(g, x), -math.sqrt(0.5))
    return cast(g, g.Mul(error_functions.erfc(g, scaled), 0.5), dtype_of(x))


@lowers(LogNdtr)
def log_ndtr(w: LoweringContext, node: Any, x: Value) -> Value:
    """Its logarithm, below 0 by erfcx, which does not underflow."""
    g = w.graph
    wide = _at_least_single(g, x)
    y = g.Mul(g.Abs(wide), math.sqrt(0.5))
    low = g.Sub(g.Log(g.Mul(error_functions.erfcx(g, y), 0.5)), g.Mul(y, y))
    high = log1p(g, g.Mul(error_functions.erfc(g, y), -0.5))
    return cast(g, g.Where(g.Less(wide, 0.0), low, high), dtype_of(x))


@lowers(Fmod)
def fmod(w: LoweringContext, node: Any, x: Value, divisor: Value) -> Value:
    """The remainder with the sign of x."""
    return w.graph.Mod(x, divisor, fmod=1)


@lowers(LinearInterpolate)
def linear_interpolate(w: LoweringContext, node: Any, p: Value, x: Value, y: Value) -> Value:
    """p x + (1 - p) y."""
    g = w.graph
    x, y = same_shape(g, x, p), same_shape(g, y, p)
    return g.Add(g.Mul(p, x), g.Mul(g.Sub(1.0, p), y))


@lowers(Maximum)
def maximum(w: LoweringContext, node: Any, x: Value, y: Value) -> Value:
    """The larger one, broadcasting."""
    return w.graph.Max(x, y)


@lowers(Minimum)
def minimum(w: LoweringContext, node: Any, x: Value, y: Value) -> Value:
    """The smaller one, broadcasting."""
    return w.graph.Min(x, y)


@lowers(Clip)
def clip(w: LoweringContext, node: Any, x: Value) -> Value:
    """Either bound may be None, for which onnxruntime would take the largest finite number.

    Between a nan and anything else all is nan, which Clip passes by.
    """
    g = w.graph
    bounds = zip((node.x_min, node.x_max), (-np.inf, np.inf), strict=True)
    low, high = (constant_like(g, none if bound is None else bound, x) for bound, none in bounds)
    y: Value = g.Clip(x, low, high)
    for bound in (low, high):
        if bound.const_value is None or np.isnan(bound.const_value.numpy()).any():
            y = g.Where(g.IsNaN(bound), bound, y)
    return y
