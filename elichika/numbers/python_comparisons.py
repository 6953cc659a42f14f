"""Comparisons of Python's int, float and bool, at least one operand of which is symbolic."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.numbers.python_operands import (
    LIMIT,
    float_value,
    int_value,
    is_int,
    once,
    require_within,
    size_of,
)
from elichika.values.symbolic import Scalar
from onnx_graph import ONNXGraph, Value
from onnx_graph import compare as compare_sizes
from onnx_graph.values import const_array

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

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
WITH_A_FLOAT = "comparing this int with a float is not exact in the model"
_MIRRORED = {
    operator.lt: operator.gt,
    operator.le: operator.ge,
    operator.gt: operator.lt,
    operator.ge: operator.le,
}


def compare(w: LoweringContext, op: Any, a: Any, b: Any) -> Any:
    """Return `op(a, b)`: a bool where sizes decide it, else a symbolic one."""
    one, other = size_of(a), size_of(b)
    if one is not None and other is not None:
        decided = compare_sizes(one, _SIGNS[op], other)
        if decided is not None:
            return decided
    if is_int(a) and is_int(b):
        return _compared(w, op, int_value(w, a), int_value(w, b))
    if is_int(a) and isinstance(b, float):
        return _int_with_float(w, op, a, b)
    if isinstance(a, float) and is_int(b):
        return _int_with_float(w, _MIRRORED.get(op, op), b, a)
    for number in (a, b):
        if is_int(number):
            require_within(w, number, 2**53, WITH_A_FLOAT)
    return _compared(w, op, float_value(w, a), float_value(w, b))


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


def _compared(w: LoweringContext, op: Any, a: Value, b: Value) -> Scalar:
    result: Scalar
    filled = _whether_filled(w, op, a, b)
    if filled is not None:
        result = w.scalar(bool, filled)
    elif op is operator.ne:
        result = w.scalar(bool, once(w, "Not", once(w, "Equal", a, b)))
    else:
        result = w.scalar(bool, once(w, _COMPARISONS[op], a, b))
    return result


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
        return once(w, "Not", is_positive(w.graph, a))
    return None


def is_positive(g: ONNXGraph, length: Value) -> Value:
    """Return a 0-d bool: whether a length is not 0, the same value each time."""
    owner = g.owner(length)
    known: Value | None = owner.memo.get(("not empty", length))
    if known is None:
        zero = g.constant(np.array(0, np.int64))
        (known,) = g.emit_into(owner, "Greater", [length, zero], {}, after=length)
        owner.memo[("not empty", length)] = known
    return known


def _is_length(value: Value) -> bool:
    """Tell whether a value is the length of a list."""
    producer = value.producer()
    return producer is not None and producer.op_type == "SequenceLength"
