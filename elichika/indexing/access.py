"""The program's `array[index]` and `array[index] = value`."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.indexing.bounds import all_within
from elichika.indexing.entries import plan
from elichika.indexing.plans import Part, Plan, Size
from elichika.iterators.base import SymbolicRange
from elichika.numbers.kernels import cast, choose
from elichika.numbers.promotion import stand_shape, wrap
from elichika.values.kinds import is_array, is_listed, type_of_number
from elichika.values.symbolic import PYTHON_DTYPES, Array, Read, Scalar, Window, Write
from elichika.values.words import IN_A_TRY
from onnx_graph import Dim, ONNXGraph, Value, compare, dims_of, dtype_of, is_known, is_value

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def getitem(w: LoweringContext, array: Array, index: Any) -> Any:
    """Return `array[index]`: a view, a copy, or a numpy scalar."""
    chosen = _planned(w, array, index)
    if chosen.basic:
        if all(part.kind == "int" for part in chosen.parts) and not chosen.has_ellipsis:
            return wrap(w, chosen.read(w.graph, w.read(array)))
        return w.view(array, chosen.read, chosen.write, window(w.graph, chosen))
    return wrap(w, chosen.read(w.graph, w.read(array)))


def _planned(w: LoweringContext, array: Array, index: Any) -> Plan:
    """Return what an index selects; ask for its bounds where a handler catches an IndexError."""
    chosen, g = plan(w, w.dims(array), index), w.graph
    arrays = [part for part in chosen.parts if part.kind == "array"] if w.guarded else []
    if arrays and any(part.kind == "slice" and not part.full for part in chosen.parts):
        w.refuse(*IN_A_TRY)
    others = [chosen.dims[part.axis] for part in chosen.parts if part.kind == "slice"]
    for part in arrays:
        size = chosen.dims[part.axis]
        if g.const_value(part.value) is None or not is_known(size):
            inside = all_within(g, part.value, size, others)
            w.check(inside, IndexError, "an index is out of bounds")
    return chosen


def window(g: ONNXGraph, chosen: Plan) -> Window | None:
    """Return what a basic index selects, if that can be said without sizes known at run time."""
    operands: list[Value] = []
    key: list[Any] = []
    for part in chosen.parts:
        if any(isinstance(entry, Dim) for entry in (part.value, *part.bounds)):
            return None
        value = g.constant(np.int64(part.value)) if is_known(part.value) else part.value
        entries = (value, *part.bounds)
        operands += [entry for entry in entries if is_value(entry)]
        names = ("?" if is_value(entry) else entry for entry in entries)
        key.append((part.kind, part.axis, *names))

    def remake(values: tuple[Value, ...]) -> tuple[Read, Write]:
        given = iter(values)
        parts = []
        for part in chosen.parts:
            value = next(given) if part.kind == "int" else None
            start, stop, step = (next(given) if is_value(entry) else entry for entry in part.bounds)
            parts.append(Part(part.kind, part.axis, value, (start, stop, step)))
        plan = Plan(parts, chosen.dims, chosen.has_ellipsis)
        return plan.read, plan.write

    return Window(("index", *key), tuple(operands), remake)


def setitem(w: LoweringContext, array: Array, index: Any, value: Any) -> None:
    """Write `array[index] = value`."""
    flag = _flag(w, index)
    if flag is not None:
        base = w.read(array)
        new = broadcast_into(w, assigned(w, value, dtype_of(base)), dims_of(base))
        w.write(array, choose(w.graph, flag, new, base))
        return
    chosen = _planned(w, array, index)
    g, base = w.graph, w.read(array)
    new = assigned(w, value, dtype_of(base))
    filled = chosen.fill(g, base, new)
    if filled is None:
        new = broadcast_into(w, new, dims_of(chosen.read(g, base)))
        filled = chosen.write(g, base, new)
    w.write(array, filled)


def _flag(w: LoweringContext, index: Any) -> Value | None:
    """Return an index that is a single bool, known when the model runs: all or nothing."""
    index = w.narrow(index)
    if not isinstance(index, (Scalar, Array)) or type_of_number(index) in PYTHON_DTYPES:
        return None
    value: Value = w.value_of(index)
    return value if dtype_of(value) == np.bool_ and not dims_of(value) else None


def assigned(w: LoweringContext, value: Any, dtype: np.dtype[Any]) -> Value:
    """Return a value as what an array of `dtype` holds after it is assigned."""
    value = w.narrow(value)
    g: ONNXGraph = w.graph
    if is_listed(value):
        value = w.native_array(value)
    if type(value) is SymbolicRange:
        value = w.call(np.asarray, [value, np.dtype(np.int64)], {})
    if not w.is_symbolic(value) and not is_array(value):
        value = _converted(w, value, dtype)
    require_whole(w, value, dtype)
    return cast(g, w.value_of(value), dtype)


def require_whole(w: LoweringContext, value: Any, dtype: np.dtype[Any]) -> None:
    """Check that a float of Python has an int, for which numpy asks where an array holds ints."""
    if type(value) is Scalar and value.type is float and dtype.kind in "iu":
        fits = w.graph.Less(w.graph.Abs(value.onnx_value), np.float64(2**63))
        w.check(fits, ValueError, "cannot convert this float to an integer")


def _converted(w: LoweringContext, value: Any, dtype: np.dtype[Any]) -> Any:
    """Return a known value that is no array as numpy takes it: a sequence as an array."""
    match value:
        case numbers.Number() | np.generic() | str() | bytes() | None:
            return _held(w, value, dtype)
    array = w.narrow(w.call(np.asarray, [value], {}))
    if np.dtype(object) != getattr(array, "dtype", None):
        return array
    number = w.narrow(w.call(_NUMBERS.get(dtype.kind, float), [value], {}))
    return number if w.is_symbolic(number) else _held(w, number, dtype)


def _held(w: LoweringContext, value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    held = np.zeros((), dtype)
    try:
        with np.errstate(all="ignore"):
            held[()] = value
    except (TypeError, ValueError, OverflowError) as error:
        w.raise_static(error)
    return held


#: What numpy makes of an object that is neither a number nor a sequence, by the kind of the dtype.
_NUMBERS: dict[str, type] = {"b": bool, "i": int, "u": int}


def broadcast_into(w: LoweringContext, value: Value, dims: Sequence[Size]) -> Value:
    """Broadcast a value to exactly these sizes, as assignment does."""
    g: ONNXGraph = w.graph
    actual = dims_of(value)
    message = (
        f"could not broadcast input array from shape {_shape(actual)} into shape {_shape(dims)}"
    )
    for extra in actual[: max(len(actual) - len(dims), 0)]:
        _require(w, compare(extra, "==", 1), lambda e=extra: [(e, 1)], message)
    if len(actual) > len(dims):
        value = g.Reshape(value, g.shape_tensor(actual[len(actual) - len(dims) :]), allowzero=1)
        actual = dims_of(value)
    exact = len(actual) == len(dims)
    for size, wanted in zip(reversed(actual), reversed(dims), strict=False):
        if compare(size, "==", wanted):
            continue
        exact = False
        one = compare(size, "==", 1)
        if one:
            continue
        decided = False if one is False and compare(size, "==", wanted) is False else None
        _require(w, decided, lambda s=size, d=wanted: [(s, 1), (s, d)], message)
    if exact:
        return value
    result: Value = g.Expand(value, g.shape_tensor(dims))
    if len(actual) <= len(dims):
        result.shape = stand_shape(dims)
    return result


def _require(w: LoweringContext, decided: bool | None, pairs: Any, message: str) -> None:
    if decided is True:
        return
    if decided is False:
        w.raise_static(ValueError(message))
    g = w.graph
    equal = [g.Equal(g.dim_value(a), g.dim_value(b)) for a, b in pairs()]
    fits = equal[0] if len(equal) == 1 else g.Or(*equal)
    w.check(fits, ValueError, message, exact=True)


def _shape(dims: Sequence[Size]) -> str:
    return f"({','.join(map(str, dims))}{',' if len(dims) == 1 else ''})"
