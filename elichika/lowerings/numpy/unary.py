"""Ufuncs of one operand: mathematical functions and logic."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.numpy.arguments import finish
from elichika.lowerings.numpy.operands import operand, stand, tensor
from elichika.lowerings.numpy.ufuncs import dtype_of_result, register_ufunc
from elichika.numbers import numpy_numbers as numerics
from elichika.numbers import special_functions
from elichika.numbers.kernels import apply, cast, constant, every, negative, unless_zero, where
from elichika.numbers.promotion import ask
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


Unary = Callable[[ONNXGraph, Value], Value]


def _unary(function: np.ufunc, formula: Unary, own: bool = False) -> None:
    """Register a ufunc of one operand; with `own`, it works in the operand's dtype."""

    def lowering(w: LoweringContext, x: Any, out: Any, dtype: Any = None) -> Any:
        x = operand(w, x)
        result = dtype_of_result(w, function, [x], dtype)
        value = tensor(w, x) if own else tensor(w, x, result)
        return finish(w, cast(w.graph, formula(w.graph, value), result), out, spreads=True)

    register_ufunc(function, lowering)


def _op(name: str) -> Unary:
    def emit(g: ONNXGraph, x: Value) -> Value:
        return apply(g, name, [x])

    return emit


def _rounded(name: str) -> Unary:
    def emit(g: ONNXGraph, x: Value) -> Value:
        return x if dtype_of(x).kind != "f" else g.emit(name, [x])

    return emit


def trunc(g: ONNXGraph, x: Value) -> Value:
    """Return a number without what is behind its point."""
    if dtype_of(x).kind != "f":
        return x
    return where(g, g.Greater(x, constant(g, 0, x)), g.Floor(x), g.Ceil(x))


def _square(g: ONNXGraph, x: Value) -> Value:
    return numerics.multiply(g, x, x)


def _reciprocal(g: ONNXGraph, x: Value) -> Value:
    if dtype_of(x).kind != "f":
        zero = g.check(every(g, g.Not(numerics.equal(g, x, constant(g, 0, x)))), "reciprocal of 0")
        x, one = g.tie(x, zero), constant(g, 1, x)
        known = g.Or(g.Equal(x, one), g.Equal(x, constant(g, -1, x))) if _signed(x) else None
        unit = g.Equal(x, one) if known is None else known
        return where(g, unit, x, constant(g, 0, x))
    return g.Div(constant(g, 1, x), x)


def _signed(x: Value) -> bool:
    return dtype_of(x).kind == "i"


def _sign(g: ONNXGraph, x: Value) -> Value:
    result = apply(g, "Sign", [x])
    if dtype_of(x).kind != "f":
        return result
    return where(g, g.IsNaN(x), x, result)


def _logarithm(base: float) -> Unary:
    def emit(g: ONNXGraph, x: Value) -> Value:
        wide = cast(g, x, np.float64)
        return cast(g, g.Div(g.Log(wide), np.float64(np.log(base))), dtype_of(x))

    return emit


def _exp2(g: ONNXGraph, x: Value) -> Value:
    return g.Pow(constant(g, 2, x), x)


def _cbrt(g: ONNXGraph, x: Value) -> Value:
    wide = cast(g, x, np.float64)
    root = g.Pow(g.Abs(wide), np.float64(1 / 3))
    return cast(g, unless_zero(g, wide, g.Mul(g.Sign(wide), root)), dtype_of(x))


def _scaled(factor: float) -> Unary:
    def emit(g: ONNXGraph, x: Value) -> Value:
        return g.Mul(x, constant(g, factor, x))

    return emit


def is_nan(g: ONNXGraph, x: Value) -> Value:
    """Return where a value is nan."""
    if dtype_of(x).kind != "f":
        return _none(g, x)
    return g.IsNaN(x)


def is_inf(g: ONNXGraph, x: Value) -> Value:
    """Return where a value is infinite."""
    return _none(g, x) if dtype_of(x).kind != "f" else apply(g, "IsInf", [x])


def _none(g: ONNXGraph, x: Value) -> Value:
    return g.Not(g.Equal(x, x))


def is_finite(g: ONNXGraph, x: Value) -> Value:
    """Return where a value is finite."""
    return g.Not(g.Or(is_nan(g, x), is_inf(g, x)))


def sign_bit(g: ONNXGraph, x: Value) -> Value:
    """Tell whether a number is negative, -0.0 and a negative nan included."""
    if dtype_of(x).kind == "f":
        return special_functions.sign_bit(g, x)
    return negative(g, x) if _signed(x) else _none(g, x)


def infinite(sign: int) -> Unary:
    """Return the test for the infinity of a sign."""

    def emit(g: ONNXGraph, x: Value) -> Value:
        if dtype_of(x).kind != "f":
            return _none(g, x)
        return g.Equal(x, constant(g, sign * np.inf, x))

    return emit


def _logical_not(g: ONNXGraph, x: Value) -> Value:
    return g.Not(cast(g, x, np.bool_))


_UNARY: tuple[tuple[Any, Unary], ...] = (
    (np.exp, _op("Exp")),
    (np.log, _op("Log")),
    (np.sqrt, _op("Sqrt")),
    (np.sin, _op("Sin")),
    (np.cos, _op("Cos")),
    (np.tanh, _op("Tanh")),
    (np.tan, special_functions.tan),
    (np.arcsin, special_functions.arcsin),
    (np.arccos, special_functions.arccos),
    (np.arctan, special_functions.arctan),
    (np.sinh, special_functions.sinh),
    (np.cosh, special_functions.cosh),
    (np.arcsinh, special_functions.arcsinh),
    (np.arccosh, special_functions.arccosh),
    (np.arctanh, special_functions.arctanh),
    (np.log1p, special_functions.log1p),
    (np.expm1, special_functions.expm1),
    (np.log2, _logarithm(2)),
    (np.log10, _logarithm(10)),
    (np.exp2, _exp2),
    (np.cbrt, _cbrt),
    (np.floor, _rounded("Floor")),
    (np.ceil, _rounded("Ceil")),
    (np.rint, _rounded("Round")),
    (np.trunc, trunc),
    (np.absolute, _op("Abs")),
    (np.fabs, _op("Abs")),
    (np.sign, _sign),
    (np.negative, numerics.negate),
    (np.positive, lambda g, x: x),
    (np.invert, numerics.invert),
    (np.square, _square),
    (np.reciprocal, _reciprocal),
    (np.deg2rad, _scaled(np.pi / 180)),
    (np.radians, _scaled(np.pi / 180)),
    (np.rad2deg, _scaled(180 / np.pi)),
    (np.degrees, _scaled(180 / np.pi)),
    (np.conjugate, lambda g, x: x),
)
for _function, _formula in _UNARY:
    _unary(_function, _formula)

_PREDICATES: tuple[tuple[Any, Unary], ...] = (
    (np.isnan, is_nan),
    (np.isinf, is_inf),
    (np.isfinite, is_finite),
    (np.signbit, sign_bit),
    (np.logical_not, _logical_not),
)
for _function, _formula in _PREDICATES:
    _unary(_function, _formula, own=True)


@lowers(np.isposinf)
def isposinf(w: LoweringContext, x: Any, out: Any = None) -> Any:
    """Where a value is plus infinity."""
    return finish(w, infinite(1)(w.graph, tensor(w, x)), out, spreads=True)


@lowers(np.isneginf)
def isneginf(w: LoweringContext, x: Any, out: Any = None) -> Any:
    """Where a value is minus infinity."""
    return finish(w, infinite(-1)(w.graph, tensor(w, x)), out, spreads=True)


@lowers(np.fix)
def fix(w: LoweringContext, x: Any, out: Any = None) -> Any:
    """Round towards zero."""
    dtype = np.asarray(ask(w, np.fix, stand(w, x))).dtype
    return finish(w, trunc(w.graph, tensor(w, x, dtype)), out, spreads=True)
