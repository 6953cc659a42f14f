"""Ufuncs of two operands or two results: arithmetic, comparisons and logic."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.numpy.arguments import finish, only_default
from elichika.lowerings.numpy.operands import operand, stand, tensor
from elichika.lowerings.numpy.ufuncs import dtype_of_result, register_ufunc
from elichika.lowerings.numpy.unary import is_inf, trunc
from elichika.numbers import numpy_numbers as numerics
from elichika.numbers import special_functions
from elichika.numbers.kernels import choose, constant, unless, where
from elichika.numbers.operators import comparison, matmul, power
from elichika.numbers.promotion import ask, broadcast, result_dtype, wrap
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def _binary(function: np.ufunc, formula: numerics.Binary) -> None:
    def lowering(w: LoweringContext, x1: Any, x2: Any, out: Any, dtype: Any = None) -> Any:
        a, b = operand(w, x1), operand(w, x2)
        result = dtype_of_result(w, function, [a, b], dtype)
        broadcast(w, w.dims(a), w.dims(b))
        value = formula(w.graph, tensor(w, a, result), tensor(w, b, result))
        return finish(w, value, out, spreads=True)

    register_ufunc(function, lowering)


def _larger(g: ONNXGraph, a: Value, b: Value) -> Value:
    return numerics.maximum(g, a, b)


def _fmax(function: numerics.Binary) -> numerics.Binary:
    """Skip nan where the other operand is a number."""

    def emit(g: ONNXGraph, a: Value, b: Value) -> Value:
        if dtype_of(a).kind != "f":
            return function(g, a, b)
        one, other = where(g, g.IsNaN(a), b, a), where(g, g.IsNaN(b), a, b)
        return function(g, one, other)

    return emit


def _hypot(g: ONNXGraph, a: Value, b: Value) -> Value:
    large, small = g.Max(g.Abs(a), g.Abs(b)), g.Min(g.Abs(a), g.Abs(b))
    zero = numerics.equal(g, large, constant(g, 0, large))
    ratio = g.Div(small, where(g, zero, constant(g, 1, large), large))
    size = g.Mul(large, g.Sqrt(g.Add(constant(g, 1, a), g.Mul(ratio, ratio))))
    infinite = g.Or(is_inf(g, a), is_inf(g, b))
    return where(g, infinite, constant(g, np.inf, a), size)


def _logaddexp(g: ONNXGraph, a: Value, b: Value) -> Value:
    gap = g.Neg(g.Abs(g.Sub(a, b)))
    same = g.Equal(a, b)
    rest = special_functions.log1p(g, g.Exp(where(g, same, constant(g, 0, a), gap)))
    return numerics.add(g, g.Max(a, b), rest)


def _copysign(g: ONNXGraph, a: Value, b: Value) -> Value:
    size = g.Abs(a)
    return unless(g, special_functions.sign_bit(g, b), size, g.Neg(size))


def _heaviside(g: ONNXGraph, a: Value, b: Value) -> Value:
    zero, one = constant(g, 0, a), constant(g, 1, a)
    step = where(g, g.Less(a, zero), zero, where(g, g.IsNaN(a), a, one))
    return choose(g, g.Equal(a, zero), b, step)


_BINARY: tuple[tuple[Any, numerics.Binary], ...] = (
    (np.add, numerics.add),
    (np.subtract, numerics.subtract),
    (np.multiply, numerics.multiply),
    (np.true_divide, numerics.true_divide),
    (np.floor_divide, numerics.floor_divide),
    (np.remainder, numerics.remainder),
    (np.fmod, numerics.fmod),
    (np.bitwise_and, numerics.bitwise_and),
    (np.bitwise_or, numerics.bitwise_or),
    (np.bitwise_xor, numerics.bitwise_xor),
    (np.left_shift, numerics.shift_left),
    (np.right_shift, numerics.shift_right),
    (np.maximum, _larger),
    (np.minimum, numerics.minimum),
    (np.fmax, _fmax(numerics.maximum)),
    (np.fmin, _fmax(numerics.minimum)),
    (np.arctan2, special_functions.arctan2),
    (np.hypot, _hypot),
    (np.logaddexp, _logaddexp),
    (np.copysign, _copysign),
    (np.heaviside, _heaviside),
    (np.float_power, numerics.float_power),
)
for _function, _pair in _BINARY:
    _binary(_function, _pair)


@lowers(np.power)
def power_of(
    w: LoweringContext, x1: Any, x2: Any, out: Any = None, *, where: Any = True, dtype: Any = None
) -> Any:
    """Raise to a power."""
    only_default(w, "power", where=where)
    a, b = operand(w, x1), operand(w, x2)
    result = dtype_of_result(w, np.power, [a, b], dtype)
    broadcast(w, w.dims(a), w.dims(b))
    return finish(w, power(w, a, b, result), out, spreads=True)


@lowers(np.matmul)
def matrix_product(w: LoweringContext, x1: Any, x2: Any, out: Any = None) -> Any:
    """Multiply matrices."""
    a, b = operand(w, x1), operand(w, x2)
    return finish(w, matmul(w, a, b, result_dtype(w, np.matmul, a, b)), out)


@lowers(np.divmod)
def divide_with_remainder(w: LoweringContext, x1: Any, x2: Any) -> Any:
    """Quotient and remainder."""
    a, b = operand(w, x1), operand(w, x2)
    result = result_dtype(w, np.floor_divide, a, b)
    x, y = tensor(w, a, result), tensor(w, b, result)
    g = w.graph
    return wrap(w, numerics.floor_divide(g, x, y)), wrap(w, numerics.remainder(g, x, y))


@lowers(np.modf)
def fraction_and_whole(w: LoweringContext, x: Any) -> Any:
    """Fractional and whole part."""
    dtype = ask(w, np.modf, stand(w, x))[0].dtype
    value = tensor(w, x, dtype)
    g = w.graph
    whole = trunc(g, value)
    finite = where(g, is_inf(g, value), g.Sign(value), value)
    return wrap(w, g.Mod(finite, constant(g, 1, value), fmod=1)), wrap(w, whole)


def _compared(function: np.ufunc, op: Any) -> None:
    def lowering(w: LoweringContext, x1: Any, x2: Any, out: Any) -> Any:
        value = comparison(w, op, operand(w, x1), operand(w, x2))
        return finish(w, value, out, spreads=True)

    register_ufunc(function, lowering)


_COMPARISONS: tuple[tuple[Any, Any], ...] = (
    (np.less, operator.lt),
    (np.less_equal, operator.le),
    (np.greater, operator.gt),
    (np.greater_equal, operator.ge),
    (np.equal, operator.eq),
    (np.not_equal, operator.ne),
)
for _function, _sign_of in _COMPARISONS:
    _compared(_function, _sign_of)


def _logical(function: np.ufunc, op: str) -> None:
    def lowering(w: LoweringContext, x1: Any, x2: Any, out: Any) -> Any:
        a, b = operand(w, x1), operand(w, x2)
        broadcast(w, w.dims(a), w.dims(b))
        value = w.graph.emit(op, [tensor(w, a, np.bool_), tensor(w, b, np.bool_)])
        return finish(w, value, out, spreads=True)

    register_ufunc(function, lowering)


_LOGICAL: tuple[tuple[Any, str], ...] = (
    (np.logical_and, "And"),
    (np.logical_or, "Or"),
    (np.logical_xor, "Xor"),
)
for _function, _name in _LOGICAL:
    _logical(_function, _name)
