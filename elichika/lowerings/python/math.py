"""The `math` module on numbers known when the model runs."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.numbers.python_operands import finite_bound
from elichika.registry import lowers, takes_spreads
from elichika.values import python_words
from elichika.values.kinds import is_function, is_number, is_number_of_the_run, is_spread

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext

_SAME = {
    math.acos: np.arccos,
    math.acosh: np.arccosh,
    math.asin: np.arcsin,
    math.asinh: np.arcsinh,
    math.atan: np.arctan,
    math.atan2: np.arctan2,
    math.atanh: np.arctanh,
    math.copysign: np.copysign,
    math.cos: np.cos,
    math.cosh: np.cosh,
    math.degrees: np.degrees,
    math.exp: np.exp,
    math.expm1: np.expm1,
    math.fabs: np.fabs,
    math.fmod: np.fmod,
    math.log10: np.log10,
    math.log1p: np.log1p,
    math.log2: np.log2,
    math.radians: np.radians,
    math.sin: np.sin,
    math.sinh: np.sinh,
    math.sqrt: np.sqrt,
    math.tan: np.tan,
    math.tanh: np.tanh,
}
for _name in ("cbrt", "exp2"):  # from Python 3.11 on
    if hasattr(math, _name):
        _SAME[getattr(math, _name)] = getattr(np, _name)
_TESTS = {math.isfinite: np.isfinite, math.isinf: np.isinf, math.isnan: np.isnan}


def _float(w: LoweringContext, number: Any) -> Any:
    """Return a number as a float64 numpy scalar."""
    if not is_number(number):  # an array of one, or an object that says what it is
        number = w.call(float, [number], {})
    return w.scalar(np.float64, w.scalar_value(number, np.dtype(np.float64)))


#: Functions of which the result may be too large; others are not defined where it is infinite.
_LARGE = frozenset({np.cosh, np.exp, np.expm1, np.sinh, np.multiply, getattr(np, "exp2", None)})


def _checked(w: LoweringContext, function: Any, result: Any, operands: list[Any]) -> Any:
    """Return a Python float, failing where `math` raises.

    It raises where numbers give nan, and where finite numbers give an infinity.

    Args:
        w: The walker.
        function: The function of numpy that gives the same elsewhere.
        result: What it gives.
        operands: What it is given.
    """
    g, value = w.graph, w.value_of(result)
    nan, infinite = g.IsNaN(value), g.IsInf(value)
    for operand in operands:
        given = w.value_of(operand)
        nan = g.And(nan, g.Not(g.IsNaN(given)))
        infinite = g.And(infinite, g.Not(g.IsInf(given)))
    if w.guarded and function is not np.power:  # whose infinity may be of both kinds
        kind = OverflowError if function in _LARGE else ValueError
        domain, beyond = python_words.MATH_DOMAIN, python_words.MATH_RANGE
        beyond = beyond if kind is OverflowError else domain
        w.check(g.Not(nan), ValueError, "math domain error", domain, exact=True)
        w.check(g.Not(infinite), kind, "math range error", beyond, exact=True)
    else:
        w.check(g.Not(g.Or(nan, infinite)), ValueError, "math domain error or math range error")
    return w.scalar(float, value)


def _same(function: Any, ufunc: Any) -> None:
    @lowers(function)
    def lowering(w: LoweringContext, *numbers: Any) -> Any:
        operands = [_float(w, n) for n in numbers]
        return _checked(w, ufunc, w.call(ufunc, operands, {}), operands)


def _test(function: Any, ufunc: Any) -> None:
    @lowers(function)
    def lowering(w: LoweringContext, number: Any) -> Any:
        return w.scalar(bool, w.value_of(w.call(ufunc, [_float(w, number)], {})))


for _function, _ufunc in _SAME.items():
    _same(_function, _ufunc)
for _function, _ufunc in _TESTS.items():
    _test(_function, _ufunc)


@lowers(math.log)
def log(w: LoweringContext, number: Any, base: Any = None) -> Any:
    """Return the logarithm, by default the natural one."""
    operand = _float(w, number)
    result = _checked(w, np.log, w.call(np.log, [operand], {}), [operand])
    if base is None:
        return result
    below = log(w, base) if is_number_of_the_run(base) else math.log(base)
    return w.call(idioms.arithmetic.quotient, [result, below], {})


@lowers(math.pow)
def pow_(w: LoweringContext, base: Any, exponent: Any) -> Any:
    """Return a power of floats."""
    operands = [_float(w, base), _float(w, exponent)]
    return _checked(w, np.power, w.call(np.power, operands, {}), operands)


def _whole(function: Any, op: str) -> None:
    @lowers(function)
    def lowering(w: LoweringContext, number: Any) -> Any:
        method = w.special(number, f"__{function.__name__}__")
        if is_function(method):
            return w.call(method, [number], {})
        of_run = is_number_of_the_run(number)
        if function is math.trunc and w.special(number, "__trunc__") is None:
            kind = w.type_of(number).__name__
            w.raise_static(TypeError(f"type {kind} doesn't define __trunc__ method"))
        if of_run and issubclass(number.type, (int, np.integer, np.bool_)):
            return w.call(int, [number], {})
        value = w.value_of(_float(w, number))
        most = finite_bound(number) if of_run else None
        whole = w.graph.emit(op, [value]) if op else value
        return w.call(int, [w.scalar(float, whole, None if most is None else most + 1)], {})


_whole(math.floor, "Floor")
_whole(math.ceil, "Ceil")
_whole(math.trunc, "")


@lowers(math.ldexp)
def ldexp(w: LoweringContext, number: Any, exponent: Any) -> Any:
    """Return `number * 2**exponent`."""
    if is_number_of_the_run(exponent) or not -1022 <= exponent <= 1023:
        w.refuse(
            "the exponent of `ldexp` must be known before the model runs",
            "write `x * 2.0 ** exponent`",
        )
    operand = _float(w, number)
    value = w.graph.Mul(w.value_of(operand), np.float64(2.0**exponent))
    return _checked(w, np.multiply, w.scalar(np.float64, value), [operand])


@lowers(math.isclose)
def isclose(w: LoweringContext, a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> Any:
    """Tell whether two numbers are close."""
    return w.call(idioms.arithmetic.close, [a, b, rel_tol, abs_tol], {})


def _walked(function: Any, idiom: Any) -> None:
    @lowers(function)
    def lowering(w: LoweringContext, *args: Any) -> Any:
        return w.call(idiom, list(args), {})


@lowers(math.prod)
def prod(w: LoweringContext, items: Any, *, start: Any = 1) -> Any:
    """Multiply items from the left."""
    return w.call(idioms.arithmetic.product_of, [items, start], {})


def _folded(function: Any, of_two: Any, start: Any) -> None:
    """Register what takes any number of arguments, two by two from the left."""

    @lowers(function)
    @takes_spreads
    def lowering(w: ContainerContext, *numbers: Any) -> Any:
        items = numbers
        if any(map(is_spread, numbers)):
            items = w.together(list(numbers))
        return w.call(functools.reduce, [of_two, items, start], {})


def _hypotenuse(a: Any, b: Any) -> Any:
    return float(np.hypot(np.float64(a), np.float64(b)))


_folded(math.gcd, idioms.arithmetic.divisor, 0)
_folded(math.lcm, idioms.arithmetic.multiple, 1)
_folded(math.hypot, _hypotenuse, 0.0)


_walked(math.factorial, idioms.arithmetic.factorial)
