"""Numpy's arithmetic as graph formulas, on values of one dtype that numpy computes in.

Integers wrap; integers divided by zero give 0; floats follow IEEE and numpy's own `divmod`.
Nothing here fails when the model runs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from elichika.numbers.kernels import apply, cast, choose, constant, equals, negative, unless, where
from elichika.numbers.kernels import matmul as multiplied
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of

Binary = Callable[[ONNXGraph, Value, Value], Value]


def _kind(value: Value) -> str:
    return dtype_of(value).kind


def _or(g: ONNXGraph, *conditions: Value) -> Value:
    result = conditions[0]
    for condition in conditions[1:]:
        result = g.Or(result, condition)
    return result


def add(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Add; bools are or-ed."""
    return g.Or(a, b) if _kind(a) == "b" else g.Add(a, b)


def subtract(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Subtract."""
    return g.Sub(a, b)


def multiply(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Multiply; bools are and-ed."""
    return g.And(a, b) if _kind(a) == "b" else g.Mul(a, b)


def true_divide(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Divide floats."""
    return g.Div(a, b)


def _guarded(g: ONNXGraph, a: Value, b: Value) -> tuple[Value, Value | None, Value | None]:
    """Return a divisor that neither fails nor traps, where `b` is 0, and where it is -1."""
    known = g.const_value(b)
    signed = _kind(b) == "i"
    may_zero = known is None or bool((known == 0).any())
    may_minus = signed and (known is None or bool((known == -1).any()))
    zero = equals(g, b, 0) if may_zero else None
    minus = equals(g, b, -1) if may_minus else None
    safe = b
    trouble = [flag for flag in (zero, minus) if flag is not None]
    if trouble:
        safe = where(g, _or(g, *trouble), constant(g, 1, b), b)
    return safe, zero, minus


def floor_divide(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Divide and round down."""
    if _kind(a) == "f":
        return _floor_divided(g, a, b)
    safe, zero, minus = _guarded(g, a, b)
    quotient: Value = g.Div(a, safe)
    if _kind(a) == "i":
        rest = g.Sub(a, g.Mul(quotient, safe))
        inexact = g.Not(g.Equal(g.Mod(a, safe), rest))
        quotient = g.Sub(quotient, cast(g, inexact, dtype_of(a)))
    if minus is not None:
        quotient = where(g, minus, g.Sub(constant(g, 0, a), a), quotient)
    if zero is not None:
        quotient = where(g, zero, constant(g, 0, a), quotient)
    return quotient


def remainder(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Return the remainder with the sign of the divisor."""
    if _kind(a) == "f":
        return _rest_of_floats(g, a, b)
    safe, zero, _ = _guarded(g, a, b)
    rest: Value = g.Mod(a, safe)
    return rest if zero is None else where(g, zero, constant(g, 0, a), rest)


def _floor_divided(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Return the quotient of floats, as numpy's `npy_divmod` and Python compute it."""
    known = g.const_value(b)
    number, size, _ = _by_a_positive(g, a, b)
    rest = g.Mod(number, size, fmod=1)
    ratio = g.Div(g.Sub(number, rest), size)
    ratio = where(g, negative(g, rest), g.Sub(ratio, constant(g, 1, ratio)), ratio)
    floor = g.Floor(ratio)
    short = g.Greater(g.Sub(ratio, floor), constant(g, 0.5, ratio))
    floor = where(g, short, g.Add(floor, constant(g, 1, floor)), floor)
    zero = g.Mul(number, constant(g, 0, number))  # of the sign of the exact quotient
    quotient = unless(g, equals(g, floor, 0), floor, zero)
    if known is None or bool((known == 0).any()):
        quotient = where(g, equals(g, b, 0), g.Div(a, b), quotient)
    return quotient


def _rest_of_floats(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Return the remainder of floats, with the sign of the divisor also where it is zero."""
    number, size, sign = _by_a_positive(g, a, b)
    rest = g.Mod(number, size, fmod=1)
    rest = g.Abs(where(g, negative(g, rest), g.Add(rest, size), rest))
    return rest if sign is None else g.Mul(rest, sign)


def _by_a_positive(g: ONNXGraph, a: Value, b: Value) -> tuple[Value, Value, Value | None]:
    """Return `a` times the sign of `b`, the size of `b`, and its sign where it may be negative."""
    known = g.const_value(b)
    if known is not None and not bool((known < 0).any()):
        return a, b, None
    one = constant(g, 1, b)
    sign = where(g, negative(g, b), g.Neg(one), one)
    return g.Mul(a, sign), g.Abs(b), sign


def fmod(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Return the remainder with the sign of the dividend."""
    if _kind(a) == "f":
        return g.Mod(a, b, fmod=1)
    safe, zero, _ = _guarded(g, a, b)
    # Not `a - a / b * b`: onnxruntime makes `b / b` of `1 / b * b`, of ints too.
    rest: Value = g.Mod(a, safe)
    if _kind(a) == "i":
        other_side = g.Xor(negative(g, rest), negative(g, a))
        fix = g.And(other_side, g.Not(equals(g, rest, 0)))
        rest = where(g, fix, g.Sub(rest, safe), rest)
    return rest if zero is None else where(g, zero, constant(g, 0, a), rest)


def integer_power(g: ONNXGraph, base: Value, exponent: int) -> Value:
    """Raise to a known exponent from 0 up by repeated squaring, exact modulo the word size.

    onnxruntime computes Pow of integers in double precision.
    """
    if exponent == 0:
        return cast(
            g, g.Add(g.Mul(base, constant(g, 0, base)), constant(g, 1, base)), dtype_of(base)
        )
    result: Value | None = None
    square = base
    while True:
        if exponent & 1:
            result = square if result is None else g.Mul(result, square)
        exponent >>= 1
        if not exponent:
            assert result is not None
            return result
        square = g.Mul(square, square)


def float_power(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Raise floats."""
    return g.Pow(a, b)


def _takes_roots(exponent: object) -> bool:
    """Tell whether numpy's `**` takes the square root of an array where this is the exponent.

    A root and a power of 0.5 differ at -0.0 and at minus infinity.
    """
    with np.errstate(invalid="ignore"):
        return bool(np.isnan(np.array([-np.inf]) ** exponent)[0])


_ROOTS = _takes_roots(0.5)
_ROOTS_OF_ARRAYS = _takes_roots(np.array(0.5))


def array_power(g: ONNXGraph, a: Value, b: Value, number: bool = True) -> Value:
    """Raise an array of floats as `**` does, to a number or to an array."""
    if rank(b) or not (_ROOTS if number else _ROOTS_OF_ARRAYS):
        return float_power(g, a, b)
    known = g.const_value(b)
    if known is None:
        return choose(g, equals(g, b, 0.5), g.Sqrt(a), float_power(g, a, b))
    return g.Sqrt(a) if known == 0.5 else float_power(g, a, b)


def shift_left(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Shift left; what is shifted out is lost, and so is everything by a shift out of range."""
    bits = dtype_of(a).itemsize * 8
    powers = [(1 << n) % (1 << bits) for n in range(bits)] + [0]
    table = np.array(powers, np.uint64).astype(dtype_of(a))
    return g.Mul(a, g.Gather(g.constant(table), _shift(g, b, bits)))


def shift_right(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Shift right arithmetically."""
    dtype = dtype_of(a)
    last = dtype.itemsize * 8 - (1 if dtype.kind == "i" else 0)
    table = np.array([1 << n for n in range(last)], np.uint64).astype(dtype)
    index = _shift(g, b, last)
    beyond = g.Equal(index, constant(g, last, index))
    within = where(g, beyond, constant(g, 0, index), index)
    powers = g.Gather(g.constant(table), within)
    quotient: Value = g.Div(a, powers)
    rest = constant(g, 0, a)
    if dtype.kind == "i":
        down = g.And(negative(g, a), g.Not(g.Equal(g.Mul(quotient, powers), a)))
        quotient = g.Sub(quotient, cast(g, down, dtype))
        rest = g.Sub(rest, cast(g, negative(g, a), dtype))
    return where(g, beyond, rest, quotient)


def _shift(g: ONNXGraph, b: Value, last: int) -> Value:
    """Return a shift as an int64 index from 0 to `last`; a negative one counts as `last`."""
    index = cast(g, b, np.int64)
    if dtype_of(b) == np.uint64 or _kind(b) == "i":
        index = where(g, negative(g, index), constant(g, last, index), index)
    return g.Min(index, constant(g, last, index))


def _bitwise(logical: str, bits: str) -> Binary:
    def emit(g: ONNXGraph, a: Value, b: Value) -> Value:
        return g.emit(logical if _kind(a) == "b" else bits, [a, b])

    return emit


bitwise_and = _bitwise("And", "BitwiseAnd")
bitwise_or = _bitwise("Or", "BitwiseOr")
bitwise_xor = _bitwise("Xor", "BitwiseXor")


def invert(g: ONNXGraph, a: Value) -> Value:
    """Flip bits, or truth."""
    return g.Not(a) if _kind(a) == "b" else g.BitwiseNot(a)


def negate(g: ONNXGraph, a: Value) -> Value:
    """Negate; unsigned integers wrap."""
    return apply(g, "Neg", [a])


def matmul(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Multiply matrices; of bools, tell where any pair holds."""
    first, second = rank(a) == 1, rank(b) == 1
    if first == second:
        return multiplied(g, a, b)
    # onnxruntime refuses a vector beside an empty matrix
    left = g.Unsqueeze(a, [0]) if first else a
    right = g.Unsqueeze(b, [1]) if second else b
    product = multiplied(g, left, right)
    return g.Squeeze(product, [rank(product) - (2 if first else 1)])


def maximum(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Return the larger, nan where either is."""
    return apply(g, "Max", [a, b])


def minimum(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Return the smaller, nan where either is."""
    return apply(g, "Min", [a, b])


def _compared(op: str) -> Binary:
    def emit(g: ONNXGraph, a: Value, b: Value) -> Value:
        return apply(g, op, [a, b])

    return emit


less = _compared("Less")
less_equal = _compared("LessOrEqual")
greater = _compared("Greater")
greater_equal = _compared("GreaterOrEqual")
equal = _compared("Equal")


def not_equal(g: ONNXGraph, a: Value, b: Value) -> Value:
    """Return where two values differ; nan differs from everything."""
    return g.Xor(a, b) if _kind(a) == "b" and rank(a) else g.Not(g.Equal(a, b))


def rank(value: Value) -> int:
    """Return the number of axes."""
    return len(dims_of(value))


def round_decimal(g: ONNXGraph, x: Value, digits: int) -> Value:
    """Round float64 to a number of decimal digits as Python does, exactly.

    Python rounds the number itself, not its product with a power of ten, which is off by an error
    that decides where the product looks like a tie; that error is exact in two halves.
    """
    ten = np.float64(10.0**digits)
    product = g.Mul(x, ten)
    whole = g.Floor(product)
    tie = g.Equal(g.Sub(product, whole), np.float64(0.5))
    error = _product_error(g, x, ten, product)
    up = g.Greater(error, np.float64(0))
    exact = g.Equal(error, np.float64(0))
    beside = g.Where(up, g.Add(whole, np.float64(1)), whole)
    nearest = g.Where(g.And(tie, g.Not(exact)), beside, g.Round(product))
    settled = g.Or(g.IsInf(product), g.GreaterOrEqual(g.Abs(product), np.float64(2**52)))
    return g.Where(g.Or(settled, g.IsNaN(x)), x, g.Div(nearest, ten))


def _product_error(g: ONNXGraph, x: Value, factor: np.float64, product: Value) -> Value:
    """Return the exact `x * factor - product` (Dekker), for numbers that do not overflow."""
    split = np.float64(2**27 + 1)
    high = g.Mul(x, split)
    high = g.Sub(high, g.Sub(high, x))
    low = g.Sub(x, high)
    scaled = split * factor
    top = np.float64(scaled - (scaled - factor))
    rest = np.float64(factor - top)
    first = g.Sub(g.Mul(high, top), product)
    second = g.Add(first, g.Mul(high, rest))
    return g.Add(g.Add(second, g.Mul(low, top)), g.Mul(low, rest))
