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
from elichika.values.symbolic import COUNTER_BOUND, WIDE_BOUND, Scalar
from onnx_graph import Dim, ONNXGraph, Value
from onnx_graph import compare as compare_sizes
from onnx_graph.values import const_array

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

LIMIT = 2**63
_DIVISION = "division by zero"
_SIGNS = {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
}
_COMPARISONS = {
    operator.lt: "Less",
    operator.le: "LessOrEqual",
    operator.gt: "Greater",
    operator.ge: "GreaterOrEqual",
    operator.eq: "Equal",
}
_MIRRORED = {
    operator.lt: operator.gt,
    operator.le: operator.ge,
    operator.gt: operator.lt,
    operator.ge: operator.le,
}
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
    if _is_int(a) and _is_int(b):
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


def compare(w: LoweringContext, op: Any, a: Any, b: Any) -> Any:
    """Return `op(a, b)`: a bool where sizes decide it, else a symbolic one."""
    one, other = size_of(a), size_of(b)
    if one is not None and other is not None:
        decided = compare_sizes(one, _SIGNS[op], other)
        if decided is not None:
            return decided
    if _is_int(a) and _is_int(b):
        return _compared(w, op, _int_value(w, a), _int_value(w, b))
    if _is_int(a) and isinstance(b, float):
        return _int_with_float(w, op, a, b)
    if isinstance(a, float) and _is_int(b):
        return _int_with_float(w, _MIRRORED.get(op, op), b, a)
    for number in (a, b):
        if _is_int(number):
            _require(w, number, 2**53, "comparing this int with a float is not exact in the model")
    return _compared(w, op, _float_value(w, a), _float_value(w, b))


# Operands


def _type(number: Any) -> type:
    return number.type if isinstance(number, Scalar) else type(number)


def _is_int(number: Any) -> bool:
    return _type(number) in (int, bool)


def size_of(number: Any) -> int | Dim | None:
    """Return the size expression that a number is known to equal, or None."""
    if isinstance(number, Scalar):
        return number.dim
    return int(number) if isinstance(number, int) else None


def magnitude(number: Any) -> int:
    """Return a bound on the magnitude of an int."""
    if isinstance(number, Scalar):
        return 1 if number.type is bool else number.bound
    return abs(int(number))


def _int_value(w: LoweringContext, number: Any) -> Value:
    if not isinstance(number, Scalar) and not -LIMIT <= number < LIMIT:
        w.refuse(f"the int {number} does not fit into 64 bits", "make a float of it")
    return w.value_of(number if isinstance(number, Scalar) else int(number), np.int64)


def _float_value(w: LoweringContext, number: Any) -> Value:
    if not isinstance(number, Scalar):
        number = ask(w, float, number)
    return w.value_of(number, np.float64)


def _once(w: LoweringContext, op: str, *values: Value) -> Value:
    """Emit a node, or return the one that was emitted before: facts about it hold still."""
    g = w.graph
    key = ("python", op, *values)
    found = g.memoised(g.scope, key)
    if found is None:
        found = g.scope.memo[key] = g.emit(op, values)
    return found


def _compared(w: LoweringContext, op: Any, a: Value, b: Value) -> Scalar:
    result: Scalar
    filled = _whether_filled(w, op, a, b)
    if filled is not None:
        result = w.scalar(bool, filled)
    elif op is operator.ne:
        result = w.scalar(bool, _once(w, "Not", _once(w, "Equal", a, b)))
    else:
        result = w.scalar(bool, _once(w, _COMPARISONS[op], a, b))
    return result


def is_positive(g: ONNXGraph, length: Value) -> Value:
    """Return a 0-d bool: whether a length is not 0, the same value each time."""
    owner = g.owner(length)
    known: Value | None = owner.memo.get(("not empty", length))
    if known is None:
        zero = g.constant(np.array(0, np.int64))
        (known,) = g.emit_into(owner, "Greater", [length, zero], {}, after=length)
        owner.memo[("not empty", length)] = known
    return known


def _whether_filled(w: LoweringContext, op: Any, a: Value, b: Value) -> Value | None:
    """Return what a length compared with 0 or 1 says, in the form that facts are known of."""
    if _is_length(b):
        a, b, op = b, a, _MIRRORED.get(op, op)
    number = const_array(b)
    if not _is_length(a) or number is None or number.dtype.kind != "i" or number.ndim:
        return None
    case = op, int(number)
    if case in ((operator.gt, 0), (operator.ne, 0), (operator.ge, 1)):
        return is_positive(w.graph, a)
    if case in ((operator.eq, 0), (operator.lt, 1), (operator.le, 0)):
        return _once(w, "Not", is_positive(w.graph, a))
    return None


def _is_length(value: Value) -> bool:
    """Tell whether a value is the length of a list."""
    producer = value.producer()
    return producer is not None and producer.op_type == "SequenceLength"


def _require(w: LoweringContext, number: Any, limit: int, message: str) -> None:
    """Check that the magnitude of an int is at most `limit`."""
    if magnitude(number) <= limit:
        return
    g = w.graph
    value = _int_value(w, number)
    low, high = g.constant(np.int64(-limit)), g.constant(np.int64(limit))
    within = g.And(_once(w, "GreaterOrEqual", value, low), _once(w, "LessOrEqual", value, high))
    w.check(within, OverflowError, message)


def _require_nonzero(w: LoweringContext, number: Any, message: str = _DIVISION) -> None:
    size = size_of(number)
    if size is not None:
        apart = compare_sizes(size, "!=", 0)
        if apart is False:
            w.raise_static(ZeroDivisionError(message))
        if apart is True:
            return
    elif not isinstance(number, Scalar):
        if not number:
            w.raise_static(ZeroDivisionError(message))
        return
    value = w.value_of(number)
    if number.type is bool:
        w.check(value, ZeroDivisionError, message)
        return
    zero = w.graph.constant(np.zeros((), number.dtype))
    w.check(_once(w, "Not", _once(w, "Equal", value, zero)), ZeroDivisionError, message)


# Ints and bools


def _logical(w: LoweringContext, op: Any, a: Any, b: Any) -> Scalar:
    name = {operator.and_: "And", operator.or_: "Or", operator.xor: "Xor"}[op]
    return w.scalar(bool, _once(w, name, w.value_of(a), w.value_of(b)))


def _ints(w: LoweringContext, op: Any, a: Any, b: Any) -> Any:
    one, other = size_of(a), size_of(b)
    if one is not None and other is not None and op in _SIZES:
        if op in (operator.floordiv, operator.mod):
            _require_nonzero(w, b, "integer division or modulo by zero")
        size = _SIZES[op](one, other)
        if not _may_overflow(size):
            return w.dim_scalar(size)
    return _INTS[op](w, a, b)


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
    x, y = _int_value(w, a), _int_value(w, b)
    g = w.graph
    result = g.emit(op, [x, y])
    less, more = sorted((magnitude(a), magnitude(b)))
    bound = less + more
    if less <= COUNTER_BOUND and more <= WIDE_BOUND < bound:
        bound = WIDE_BOUND
    elif bound >= LIMIT:
        rises = g.GreaterOrEqual(result, x) if op == "Add" else g.LessOrEqual(result, x)
        kept = g.Equal(rises, g.GreaterOrEqual(y, g.constant(np.int64(0))))
        w.check(kept, OverflowError, "an int exceeds 64 bits")
        bound = LIMIT
    return w.scalar(int, result, bound)


def _multiply(w: LoweringContext, a: Any, b: Any) -> Scalar:
    x, y = _int_value(w, a), _int_value(w, b)
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
    _require_nonzero(w, b, "integer division or modulo by zero")
    x, y = _int_value(w, a), _int_value(w, b)
    g = w.graph
    bound = magnitude(a)
    if bound <= WIDE_BOUND and magnitude(b) <= WIDE_BOUND:
        quotient = g.Div(g.Sub(x, g.Mod(x, y)), y)
    else:
        if bound >= LIMIT and (isinstance(b, Scalar) or b == -1):
            lowest = g.Equal(x, np.int64(-LIMIT))
            kept = g.Not(g.And(lowest, g.Equal(y, np.int64(-1))))
            w.check(kept, OverflowError, "an int exceeds 64 bits")
        quotient = numerics.floor_divide(g, x, y)
    return w.scalar(int, quotient, bound)


def _modulo(w: LoweringContext, a: Any, b: Any) -> Scalar:
    _require_nonzero(w, b, "integer division or modulo by zero")
    x, y = _int_value(w, a), _int_value(w, b)
    bounded = magnitude(a) < LIMIT
    rest = w.graph.Mod(x, y) if bounded else numerics.remainder(w.graph, x, y)
    return w.scalar(int, rest, magnitude(b))


def _bitwise(op: str) -> Callable[[Any, Any, Any], Scalar]:
    def emit(w: LoweringContext, a: Any, b: Any) -> Scalar:
        value = w.graph.emit(op, [_int_value(w, a), _int_value(w, b)])
        most = max(magnitude(a), magnitude(b))
        bound = LIMIT if most >= 2**62 else 1 << most.bit_length()
        return w.scalar(int, value, bound)

    return emit


def _require_shift(w: LoweringContext, b: Any) -> Value:
    count = _int_value(w, b)
    size = size_of(b)
    if _type(b) is not bool and not (size is not None and compare_sizes(size, ">=", 0)):
        zero = w.graph.constant(np.int64(0))
        w.check(_once(w, "GreaterOrEqual", count, zero), ValueError, "negative shift count")
    return count


def _shift_left(w: LoweringContext, a: Any, b: Any) -> Scalar:
    count, x, g = _require_shift(w, b), _int_value(w, a), w.graph
    result = numerics.shift_left(g, x, count)
    most = None if isinstance(b, Scalar) else magnitude(a) << min(int(b), 64)
    if most is None or most >= LIMIT:
        kept = g.Equal(numerics.shift_right(g, result, count), x)
        w.check(kept, OverflowError, "an int exceeds 64 bits")
        most = LIMIT
    return w.scalar(int, result, most)


def _shift_right(w: LoweringContext, a: Any, b: Any) -> Scalar:
    count = _require_shift(w, b)
    shifted = numerics.shift_right(w.graph, _int_value(w, a), count)
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


def _floats(emit: numerics.Binary, divides: str | None = None) -> Callable[[Any, Any, Any], Scalar]:
    def emitter(w: LoweringContext, a: Any, b: Any) -> Scalar:
        if divides is not None:
            _require_nonzero(w, b, divides)
        return w.scalar(float, emit(w.graph, _float_value(w, a), _float_value(w, b)))

    return emitter


_quotient = _floats(numerics.true_divide, _DIVISION)


def _divide(w: LoweringContext, a: Any, b: Any) -> Scalar:
    result = _quotient(w, a, b)
    most = finite_bound(a)
    if most is not None and not isinstance(b, Scalar) and abs(b) >= 1:
        result.bound = most
    return result


def finite_bound(number: Any) -> int | None:
    """Return a bound on the magnitude of a number that is surely finite, or None."""
    if not isinstance(number, Scalar):
        return math.ceil(abs(number)) if math.isfinite(number) else None
    bound = magnitude(number)
    return bound if bound < WIDE_BOUND and number.is_python else None


_FLOATS: dict[Any, Callable[[Any, Any, Any], Scalar]] = {
    operator.add: _floats(numerics.add),
    operator.sub: _floats(numerics.subtract),
    operator.mul: _floats(numerics.multiply),
    operator.floordiv: _floats(numerics.floor_divide, "float floor division by zero"),
    operator.mod: _floats(numerics.remainder, "float modulo"),
}


def _int_with_float(w: LoweringContext, op: Any, a: Any, number: float) -> Any:
    """Compare a symbolic int with a known float, exactly as Python does."""
    if math.isnan(number):
        return op is operator.ne
    if not -float(LIMIT) <= number < float(LIMIT):
        return op(0.0, number)
    if op in (operator.eq, operator.ne) and not number.is_integer():
        return op is operator.ne
    up = op in (operator.lt, operator.ge)
    whole = math.ceil(number) if up else math.floor(number)
    if whole >= LIMIT:
        return op(0.0, number)
    return compare(w, op, a, whole)


# Powers


def _power(w: LoweringContext, a: Any, b: Any) -> Any:
    if not (_is_int(a) and _is_int(b)):
        return _float_power(w, a, b)
    if isinstance(b, Scalar):
        return _symbolic_exponent(w, a, b)
    if b < 0:
        _require_nonzero(w, a, "0.0 cannot be raised to a negative power")
        return w.scalar(float, w.graph.Pow(_float_value(w, a), np.float64(b)))
    size = size_of(a)
    if size is not None and b <= 6:
        total: int | Dim = 1
        for _ in range(b):
            total = total * size
        if not _may_overflow(total):
            return w.dim_scalar(total)
    value, g = _int_value(w, a), w.graph
    bound = _bounded_power(magnitude(a), int(b))
    if bound >= LIMIT:
        _check_fits(w, g.Pow(cast(g, value, np.float64), np.float64(b)))
    return w.scalar(int, numerics.integer_power(g, value, int(b)), bound)


def _bounded_power(base: int, exponent: int) -> int:
    if base <= 1:
        return 1
    return LIMIT if exponent > 63 else min(base**exponent, LIMIT)


def _symbolic_exponent(w: LoweringContext, a: Any, b: Scalar) -> Scalar:
    exponent, g = _int_value(w, b), w.graph
    size = size_of(b)
    if b.type is not bool and not (size is not None and compare_sizes(size, ">=", 0)):
        zero = g.constant(np.int64(0))
        w.check(
            _once(w, "GreaterOrEqual", exponent, zero),
            OverflowError,
            "an int to a negative power is a float; the model computes an int",
        )
    power = g.Pow(_float_value(w, a), cast(g, exponent, np.float64))
    exact = not isinstance(a, Scalar) and magnitude(a) & (magnitude(a) - 1) == 0
    _check_fits(w, power, float(2**63) if exact else float(2**53))
    return w.scalar(int, g.Cast(g.Round(power), to=np.int64))


def _float_power(w: LoweringContext, a: Any, b: Any) -> Scalar:
    x, y, g = _float_value(w, a), _float_value(w, b), w.graph
    known = None if isinstance(b, Scalar) else float(b)
    if known is None or known < 0:
        illegal = g.Equal(x, np.float64(0))
        if known is None:
            illegal = g.And(illegal, g.Less(y, np.float64(0)))
        message = "0.0 cannot be raised to a negative power"
        w.check(g.Not(illegal), ZeroDivisionError, message)
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
