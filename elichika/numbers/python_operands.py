"""Operands of Python's arithmetic, known or not: their sizes, bounds, tensors and checks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.numbers.promotion import ask
from elichika.values.kinds import is_number_of_the_run, magnitude, type_of_number
from elichika.values.symbolic import WIDE_BOUND
from onnx_graph import Dim, Value
from onnx_graph import compare as compare_sizes

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

LIMIT = 2**63
DIVISION = "division by zero"


def is_int(number: Any) -> bool:
    """Tell whether a number is an int or bool of Python's."""
    return type_of_number(number) in (int, bool)


def size_of(number: Any) -> int | Dim | None:
    """Return the size expression that a number is known to equal, or None."""
    if is_number_of_the_run(number):
        known: Dim | None = number.dim
        return known
    return int(number) if isinstance(number, int) else None


def finite_bound(number: Any) -> int | None:
    """Return a bound on the magnitude of a number that is surely finite, or None."""
    if not is_number_of_the_run(number):
        return math.ceil(abs(number)) if math.isfinite(number) else None
    bound = magnitude(number)
    return bound if bound < WIDE_BOUND and number.is_python else None


def int_value(w: LoweringContext, number: Any) -> Value:
    """Return an int as an int64 scalar."""
    if not is_number_of_the_run(number) and not -LIMIT <= number < LIMIT:
        w.refuse(f"the int {number} does not fit into 64 bits", "make a float of it")
    return w.value_of(number if is_number_of_the_run(number) else int(number), np.int64)


def float_value(w: LoweringContext, number: Any) -> Value:
    """Return a number as a float64 scalar."""
    if not is_number_of_the_run(number):
        number = ask(w, float, number)
    return w.value_of(number, np.float64)


def once(w: LoweringContext, op: str, *values: Value) -> Value:
    """Emit a node, or return the one that was emitted before: facts about it hold still."""
    g = w.graph
    key = ("python", op, *values)
    found = g.memoised(g.scope, key)
    if found is None:
        found = g.scope.memo[key] = g.emit(op, values)
    return found


def require_within(w: LoweringContext, number: Any, limit: int, message: str) -> None:
    """Check that the magnitude of an int is at most `limit`."""
    if magnitude(number) <= limit:
        return
    g = w.graph
    value = int_value(w, number)
    low, high = g.constant(np.int64(-limit)), g.constant(np.int64(limit))
    within = g.And(once(w, "GreaterOrEqual", value, low), once(w, "LessOrEqual", value, high))
    w.check(within, OverflowError, message)


def require_nonzero(
    w: LoweringContext,
    number: Any,
    message: str = DIVISION,
    said: tuple[Any, ...] | None = None,
) -> None:
    """Raise, or check, that a number is not 0; `said` is what Python's exception holds."""
    size = size_of(number)
    if size is not None:
        apart = compare_sizes(size, "!=", 0)
        if apart is False:
            w.check(False, ZeroDivisionError, message, said)
        if apart is True:
            return
    elif not is_number_of_the_run(number):
        if not number:
            w.check(False, ZeroDivisionError, message, said)
        return
    value = w.value_of(number)
    if number.type is bool:
        w.check(value, ZeroDivisionError, message, said)
        return
    zero = w.graph.constant(np.zeros((), number.dtype))
    w.check(once(w, "Not", once(w, "Equal", value, zero)), ZeroDivisionError, message, said)
