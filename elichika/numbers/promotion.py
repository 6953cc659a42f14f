"""Promotion, asked of numpy itself: representatives stand for what is not known yet.

Under numpy 1 the dtype of `array + number` depends on the number's value.  The result is then as if
the number were in the range that gives the usual dtype, and the model checks that it is.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from elichika.numbers.kernels import cast
from elichika.values.symbolic import Array, Scalar, Var
from onnx_graph import Dim, ONNXGraph, Value, compare, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

_INT_LIMITS = (127, 255, 32767, 65535, 2**31 - 1, 2**32 - 1, 2**63 - 1, 2**64 - 1)
_INT_FLOORS = (0, -128, -32768, -(2**31), -(2**63))
#: numpy takes a float for a float16 below 65000, for a float32 below 3.4e38: `(probe, limit)`.
_FLOAT_LIMITS = ((6.4e4, 65000.0), (3.3e38, 3.4e38), (1e308, math.inf))


def representative(w: LoweringContext, operand: Any) -> Any:
    """Return a tiny operand that numpy treats as it would the real one."""
    if isinstance(operand, Scalar):
        return operand.type(1)
    if isinstance(operand, Var):
        operand = operand.array
    if isinstance(operand, Array):
        value = w.read(operand)
        return np.ones((1,) * len(dims_of(value)), dtype_of(value))
    if isinstance(operand, np.ndarray) and operand.ndim:
        return np.ones((1,) * operand.ndim, operand.dtype)
    return operand


def ask(w: LoweringContext, function: Callable[..., Any], *operands: Any, **keywords: Any) -> Any:
    """Return what `function` gives for representatives; raise in the program what it raises."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return function(*operands, **keywords)
    except Exception as error:
        w.raise_static(error)


def refuse_dtype(w: LoweringContext, dtype: np.dtype[Any]) -> None:
    """Refuse elements that no model of ours holds."""
    w.refuse(
        f"a value of dtype {dtype} cannot be compiled",
        "a model holds bools, ints, and floats of 16, 32 and 64 bits",
    )


def result_dtype(w: LoweringContext, function: Callable[..., Any], *operands: Any) -> np.dtype[Any]:
    """Return the dtype of `function(*operands)`, and check what it depends on.

    Raises:
        StagingError: ONNX has no such dtype.
    """
    stands = [representative(w, operand) for operand in operands]
    dtype = np.asarray(ask(w, function, *stands)).dtype
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        refuse_dtype(w, dtype)
    for operand, low, high in _ranges(w, function, stands, operands, dtype):
        within = _within(w.graph, w.value_of(operand), low, high)
        w.check(within, OverflowError, f"a number this large changes numpy's dtype from {dtype}")
    return dtype


def depends_on_values(w: LoweringContext, function: Callable[..., Any], *operands: Any) -> bool:
    """Tell whether numpy gives another dtype where a number among the operands is large."""
    stands = [representative(w, operand) for operand in operands]
    dtype = np.asarray(ask(w, function, *stands)).dtype
    return any(True for _ in _ranges(w, function, stands, operands, dtype))


def _ranges(
    w: LoweringContext,
    function: Callable[..., Any],
    stands: Sequence[Any],
    operands: Sequence[Any],
    dtype: np.dtype[Any],
) -> Iterator[tuple[Any, Any, Any]]:
    """Yield each number beside arrays with the range in which numpy's dtype is `dtype`."""
    if not any(np.ndim(stand) for stand in stands):
        return
    for index, operand in enumerate(operands):
        if np.ndim(stands[index]) == 0 and isinstance(operand, (Scalar, Array, Var)):
            low, high = _range(stands, index, operand, function, dtype)
            if low is not None or high is not None:
                yield operand, low, high


def _range(
    stands: Sequence[Any],
    index: int,
    operand: Any,
    function: Callable[..., Any],
    dtype: np.dtype[Any],
) -> tuple[float | None, float | None]:
    """Return the least and greatest value of a number that keep the dtype; None where all do."""
    own = np.asarray(stands[index]).dtype

    def keeps(number: Any) -> bool:
        trial = list(stands)
        if isinstance(stands[index], (bool, int, float)):
            trial[index] = type(stands[index])(number)
        else:
            trial[index] = np.array(number, own)[()]
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return bool(np.asarray(function(*trial)).dtype == dtype)
        except Exception:
            return False

    if own.kind == "f":
        return None, _float_limit(own, keeps)
    if own.kind not in "iu":
        return None, None
    low, high = _int_range(own, keeps)
    bound = operand.bound if isinstance(operand, Scalar) and operand.type is int else None
    if bound is not None:
        low = None if low is not None and -bound >= low else low
        high = None if high is not None and bound <= high else high
    if isinstance(operand, Scalar) and operand.dim is not None:
        low = None if low is not None and compare(operand.dim, ">=", int(low)) else low
    return low, high


def _int_range(own: np.dtype[Any], keeps: Callable[[Any], bool]) -> tuple[int | None, int | None]:
    """Return the least and greatest number that keep the dtype, None where every one does."""
    info = np.iinfo(own)
    highs = [limit for limit in _INT_LIMITS if limit <= info.max]
    lows = [limit for limit in _INT_FLOORS if limit >= info.min]
    high, low = _last(highs, keeps), _last(lows, keeps)
    return (None if low == info.min else low), (None if high == info.max else high)


def _last(candidates: Sequence[int], keeps: Callable[[Any], bool]) -> int:
    kept = 0
    for candidate in candidates:
        if not keeps(candidate):
            break
        kept = candidate
    return kept


def _float_limit(own: np.dtype[Any], keeps: Callable[[Any], bool]) -> float | None:
    limit = 0.0
    for probe, end in _FLOAT_LIMITS:
        if probe > float(np.finfo(own).max):
            return None
        if not keeps(probe):
            return limit
        limit = end
    return None


def _within(g: ONNXGraph, value: Value, low: Any, high: Any) -> Value:
    key = ("within", value, low, high)
    found = g.memoised(g.scope, key)
    if found is None:
        parts = []
        if dtype_of(value).kind == "f":
            wide = cast(g, value, np.float64)
            size = g.Abs(wide)
            parts = [g.Not(g.And(g.GreaterOrEqual(size, high), g.Less(size, np.float64(np.inf))))]
        else:
            if low is not None:
                parts.append(g.GreaterOrEqual(value, np.array(low, dtype_of(value))))
            if high is not None:
                parts.append(g.LessOrEqual(value, np.array(high, dtype_of(value))))
        found = parts[0] if len(parts) == 1 else g.And(*parts)
        g.scope.memo[key] = found
    return found


def broadcast(w: LoweringContext, *shapes: Sequence[int | Dim]) -> None:
    """Raise numpy's ValueError where shapes cannot be broadcast together at any size."""
    rank = max(map(len, shapes), default=0)
    for axis in range(1, rank + 1):
        seen: int | Dim = 1
        for shape in shapes:
            size = shape[-axis] if axis <= len(shape) else 1
            if compare(size, "==", 1):
                continue
            if (
                compare(seen, "==", size) is False
                and compare(seen, "==", 1) is False
                and compare(size, "==", 1) is False
            ):
                shown = " ".join(_shape_text(shape) for shape in shapes)
                error = f"operands could not be broadcast together with shapes {shown} "
                w.raise_static(ValueError(error))
            seen = size
    return


def stand_shape(sizes: Sequence[int | Dim]) -> ir.Shape:
    """Return sizes as onnx-ir keeps them."""
    return ir.Shape(sizes)


def _shape_text(shape: Sequence[int | Dim]) -> str:
    inner = ",".join(map(str, shape))
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def wrap(w: LoweringContext, value: Value) -> Any:
    """Return a fresh array, or the numpy scalar that numpy makes of a 0-d result."""
    if dims_of(value):
        return w.new_array(value)
    return w.scalar(dtype_of(value).type, value)
