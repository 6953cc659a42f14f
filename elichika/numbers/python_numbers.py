"""Arithmetic of Python's int, float and bool, at least one operand of which is symbolic.

An int of the model is an int64.  Where Python's would grow beyond it, or Python raises, the model
fails; bounds on magnitudes tell where that cannot happen.  Sizes stay size expressions and emit
nothing.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.numbers import numpy_numbers as numerics
from elichika.numbers.kernels import cast
from elichika.numbers.promotion import ask, representative
from elichika.numbers.python_operands import (
    DIVISION,
    LIMIT,
    finite_bound,
    float_value,
    int_value,
    is_int,
    once,
    require_nonzero,
    size_of,
)
from elichika.values import python_words
from elichika.values.kinds import is_number_of_the_run, magnitude, type_of_number
from elichika.values.symbolic import COUNTER_BOUND, WIDE_BOUND, Scalar
from onnx_graph import Dim, Value
from onnx_graph import compare as compare_sizes

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

_SIZES: dict[Any, Callable[[Any, Any], Any]] = {
    operator.add: operator.add,
    operator.sub: operator.sub,
    operator.mul: operator.mul,
    operator.floordiv: operator.floordiv,
    operator.mod: operator.mod,
}


def binary(w: LoweringContext, op: Any, a: Any, b: Any) -> Any:
    """Return `op(a, b)` of two Python numbers."""
    kind = type(ask(w, op, representative(w, a), representative(w, b)))
    if kind is bool:
        return _logical(w, op, a, b)
    if op is operator.truediv:
        return _divide(w, a, b)
    if op is operator.pow:
        return _power(w, a, b)
    if is_int(a) and is_int(b):
        return _ints(w, op, a, b)
    return _FLOATS[op](w, a, b)


def unary(w: LoweringContext, op: Any, a: Scalar) -> Any:
    """Return `op(a)` of a Python number."""
    kind = type(ask(w, op, representative(w, a)))
    if op is operator.pos:
        return a if a.type is kind else w.scalar(kind, w.value_of(a, np.int64), 1)
    if kind is float:
        return w.scalar(float, w.graph.Neg(w.value_of(a)))
    if op is operator.invert:
        bound = magnitude(a)
        return w.scalar(int, w.graph.BitwiseNot(w.value_of(a, np.int64)), min(bound + 1, LIMIT))
    return _ints(w, operator.sub, 0, a)


# Ints and bools


def _logical(w: LoweringContext, op: Any, a: Any, b: Any) -> Scalar:
    name = {operator.and_: "And", operator.or_: "Or", operator.xor: "Xor"}[op]
    return w.scalar(bool, once(w, name, w.value_of(a), w.value_of(b)))


def _ints(w: LoweringContext, op: Any, a: Any, b: Any) -> Any:
    one, other = size_of(a), size_of(b)
    if one is not None and other is not None and op in _SIZES:
        if op in (operator.floordiv, operator.mod):
            _require_divisor(w, op, a, b)
        size = _SIZES[op](one, other)
        if not _may_overflow(size):
            return w.dim_scalar(size)
    return _INTS[op](w, a, b)


def _require_divisor(w: LoweringContext, op: Any, a: Any, b: Any) -> None:
    """Raise, or check, that a number may be divided by another one."""
    if op is operator.truediv:
        message = DIVISION
    elif is_int(a) and is_int(b):
        message = "integer division or modulo by zero"
    else:
        message = "float modulo" if op is operator.mod else "float floor division by zero"
    kinds = type_of_number(a), type_of_number(b)
    require_nonzero(w, b, message, python_words.of_division(op, *kinds))


def _may_overflow(size: int | Dim) -> bool:
    """Tell whether a product of sizes could exceed 64 bits for sizes that memory allows."""
    if isinstance(size, int):
        return not -LIMIT <= size < LIMIT
    for monomial, factor in size.terms.items():
        distinct = len({atom.text for atom in monomial})
        if abs(factor) > COUNTER_BOUND or len(monomial) > 6 or len(monomial) - distinct > 1:
            return True
    return False


def _add(w: LoweringContext, a: Any, b: Any) -> Scalar:
    return _sum(w, "Add", a, b)


def _subtract(w: LoweringContext, a: Any, b: Any) -> Scalar:
    return _sum(w, "Sub", a, b)


def _sum(w: LoweringContext, op: str, a: Any, b: Any) -> Scalar:
    x, y = int_value(w, a), int_value(w, b)
    g = w.graph
    result = g.emit(op, [x, y])
    bound = magnitude(a) + magnitude(b)
    most = max(magnitude(a), magnitude(b))
    if _counts(min(a, b, key=magnitude)) and most <= WIDE_BOUND:
        bound = min(bound, WIDE_BOUND)
    elif bound >= LIMIT or most >= WIDE_BOUND:  # what a turn adds to may be any sum before it
        rises = g.GreaterOrEqual(result, x) if op == "Add" else g.LessOrEqual(result, x)
        kept = g.Equal(rises, g.GreaterOrEqual(y, g.constant(np.int64(0))))
        w.check(kept, OverflowError, "an int exceeds 64 bits")
        bound = LIMIT
    return w.scalar(int, result, bound)


def _counts(number: Any) -> bool:
    """Tell whether a sum of such numbers is far from 64 bits after as many turns as can be run."""
    few = 2**10 if is_number_of_the_run(number) else 1  # i + j, 3 * i
    return magnitude(number) <= COUNTER_BOUND * few


def _multiply(w: LoweringContext, a: Any, b: Any) -> Scalar:
    x, y = int_value(w, a), int_value(w, b)
    bound = magnitude(a) * magnitude(b)
    if bound >= LIMIT:
        g = w.graph
        _check_fits(w, g.Mul(cast(g, x, np.float64), cast(g, y, np.float64)))
        bound = LIMIT
    return w.scalar(int, w.graph.Mul(x, y), bound)


def _check_fits(
    w: LoweringContext, approximate: Value, limit: float = float(2**63 - 2**14)
) -> None:
    """Check that a float64 approximation of an int leaves no doubt that it fits 64 bits."""
    fits = w.graph.Less(w.graph.Abs(approximate), np.float64(limit))
    w.check(fits, OverflowError, "an int exceeds 64 bits")


def _floor_divide(w: LoweringContext, a: Any, b: Any) -> Scalar:
    _require_divisor(w, operator.floordiv, a, b)
    x, y = int_value(w, a), int_value(w, b)
    g = w.graph
    bound = magnitude(a)
    if bound <= WIDE_BOUND and magnitude(b) <= WIDE_BOUND:
        quotient = g.Div(g.Sub(x, g.Mod(x, y)), y)
    else:
        if bound >= LIMIT and (is_number_of_the_run(b) or b == -1):
            lowest = g.Equal(x, np.int64(-LIMIT))
            kept = g.Not(g.And(lowest, g.Equal(y, np.int64(-1))))
            w.check(kept, OverflowError, "an int exceeds 64 bits")
        quotient = numerics.floor_divide(g, x, y)
    return w.scalar(int, quotient, bound)


def _modulo(w: LoweringContext, a: Any, b: Any) -> Scalar:
    _require_divisor(w, operator.mod, a, b)
    x, y = int_value(w, a), int_value(w, b)
    bounded = magnitude(a) < LIMIT
    rest = w.graph.Mod(x, y) if bounded else numerics.remainder(w.graph, x, y)
    return w.scalar(int, rest, magnitude(b))


def _bitwise(op: str) -> Callable[[Any, Any, Any], Scalar]:
    def emit(w: LoweringContext, a: Any, b: Any) -> Scalar:
        value = w.graph.emit(op, [int_value(w, a), int_value(w, b)])
        most = max(magnitude(a), magnitude(b))
        bound = LIMIT if most >= 2**62 else 1 << most.bit_length()
        return w.scalar(int, value, bound)

    return emit


def _require_shift(w: LoweringContext, b: Any) -> Value:
    count = int_value(w, b)
    size = size_of(b)
    if type_of_number(b) is not bool and not (size is not None and compare_sizes(size, ">=", 0)):
        zero = w.graph.constant(np.int64(0))
        legal = once(w, "GreaterOrEqual", count, zero)
        said = python_words.NEGATIVE_SHIFT
        w.check(legal, ValueError, "negative shift count", said, exact=True)
    return count


def _shift_left(w: LoweringContext, a: Any, b: Any) -> Scalar:
    count, x, g = _require_shift(w, b), int_value(w, a), w.graph
    result = numerics.shift_left(g, x, count)
    most = None if is_number_of_the_run(b) else magnitude(a) << min(int(b), 64)
    if most is None or most >= LIMIT:
        kept = g.Equal(numerics.shift_right(g, result, count), x)
        w.check(kept, OverflowError, "an int exceeds 64 bits")
        most = LIMIT
    return w.scalar(int, result, most)


def _shift_right(w: LoweringContext, a: Any, b: Any) -> Scalar:
    count = _require_shift(w, b)
    shifted = numerics.shift_right(w.graph, int_value(w, a), count)
    return w.scalar(int, shifted, max(magnitude(a), 1))


_INTS: dict[Any, Callable[[Any, Any, Any], Scalar]] = {
    operator.add: _add,
    operator.sub: _subtract,
    operator.mul: _multiply,
    operator.floordiv: _floor_divide,
    operator.mod: _modulo,
    operator.and_: _bitwise("BitwiseAnd"),
    operator.or_: _bitwise("BitwiseOr"),
    operator.xor: _bitwise("BitwiseXor"),
    operator.lshift: _shift_left,
    operator.rshift: _shift_right,
}


# Floats


def _floats(emit: numerics.Binary, divides: Any = None) -> Callable[[Any, Any, Any], Scalar]:
    def emitter(w: LoweringContext, a: Any, b: Any) -> Scalar:
        if divides is not None:
            _require_divisor(w, divides, a, b)
        return w.scalar(float, emit(w.graph, float_value(w, a), float_value(w, b)))

    return emitter


_quotient = _floats(numerics.true_divide, operator.truediv)


def _divide(w: LoweringContext, a: Any, b: Any) -> Scalar:
    result = _quotient(w, a, b)
    most = finite_bound(a)
    if most is not None and not is_number_of_the_run(b) and abs(b) >= 1:
        result.bound = most
    return result


_FLOATS: dict[Any, Callable[[Any, Any, Any], Scalar]] = {
    operator.add: _floats(numerics.add),
    operator.sub: _floats(numerics.subtract),
    operator.mul: _floats(numerics.multiply),
    operator.floordiv: _floats(numerics.floor_divide, operator.floordiv),
    operator.mod: _floats(numerics.remainder, operator.mod),
}


# Powers

_POWER = "0.0 cannot be raised to a negative power"


def _power(w: LoweringContext, a: Any, b: Any) -> Any:
    if not (is_int(a) and is_int(b)):
        return _float_power(w, a, b)
    if is_number_of_the_run(b):
        return _symbolic_exponent(w, a, b)
    if b < 0:
        require_nonzero(w, a, _POWER, python_words.NEGATIVE_POWER)
        return w.scalar(float, w.graph.Pow(float_value(w, a), np.float64(b)))
    size = size_of(a)
    if size is not None and b <= 6:
        total: int | Dim = 1
        for _ in range(b):
            total = total * size
        if not _may_overflow(total):
            return w.dim_scalar(total)
    value, g = int_value(w, a), w.graph
    bound = _bounded_power(magnitude(a), int(b))
    if bound >= LIMIT:
        _check_fits(w, g.Pow(cast(g, value, np.float64), np.float64(b)))
    return w.scalar(int, numerics.integer_power(g, value, int(b)), bound)


def _bounded_power(base: int, exponent: int) -> int:
    if base <= 1:
        return 1
    return LIMIT if exponent > 63 else min(base**exponent, LIMIT)


def _symbolic_exponent(w: LoweringContext, a: Any, b: Scalar) -> Scalar:
    exponent, g = int_value(w, b), w.graph
    size = size_of(b)
    if b.type is not bool and not (size is not None and compare_sizes(size, ">=", 0)):
        zero = g.constant(np.int64(0))
        w.check(
            once(w, "GreaterOrEqual", exponent, zero),
            OverflowError,
            "an int to a negative power is a float; the model computes an int",
        )
    power = g.Pow(float_value(w, a), cast(g, exponent, np.float64))
    exact = not is_number_of_the_run(a) and magnitude(a) & (magnitude(a) - 1) == 0
    _check_fits(w, power, float(2**63) if exact else float(2**53))
    return w.scalar(int, g.Cast(g.Round(power), to=np.int64))


def _float_power(w: LoweringContext, a: Any, b: Any) -> Scalar:
    x, y, g = float_value(w, a), float_value(w, b), w.graph
    known = None if is_number_of_the_run(b) else float(b)
    if known is None or known < 0:
        illegal = g.Equal(x, np.float64(0))
        if known is None:
            illegal = g.And(illegal, g.Less(y, np.float64(0)))
        w.check(g.Not(illegal), ZeroDivisionError, _POWER, python_words.NEGATIVE_POWER)
    if known is None or (math.isfinite(known) and not known.is_integer()):
        complex_ = g.And(g.Less(x, np.float64(0)), g.Not(g.IsInf(x)))
        if known is None:
            fraction = g.Not(g.Equal(g.Floor(y), y))
            complex_ = g.And(complex_, fraction)
        message = "a negative float to a fractional power is complex"
        w.check(g.Not(complex_), ValueError, message)
    result = g.Pow(x, y)
    finite = g.Or(g.IsInf(x), g.IsInf(y)) if known is None else g.IsInf(x)
    w.check(g.Or(g.Not(g.IsInf(result)), finite), OverflowError, "Numerical result out of range")
    return w.scalar(float, result)
