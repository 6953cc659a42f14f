"""From the entries of an index to a plan, with the checks that numpy makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import numpy as np

from elichika.indexing.plans import BEYOND, FIRST, LAST, Part, Plan, Size, index_tensor
from elichika.iterators.base import SymbolicRange
from elichika.numbers.kernels import cast
from elichika.values.kinds import is_array, is_integer, is_listed
from elichika.values.symbolic import Array, Scalar, Var
from onnx_graph import Dim, ONNXGraph, Value, compare, dims_of, dtype_of


class _Services(Protocol):
    """What reading an index needs; `index_value` has it without a walker."""

    graph: ONNXGraph

    def raise_static(self, error: BaseException) -> NoReturn: ...
    def refuse(self, message: str, hint: str | None = None) -> NoReturn: ...
    def check(self, condition: Any, exception: type[BaseException], message: str) -> None: ...
    def value_of(self, value: Any, dtype: Any = None) -> Value: ...
    def narrow(self, value: Any) -> Any: ...
    def items(self, value: Any) -> tuple[Any, ...]: ...
    def is_symbolic(self, value: Any) -> bool: ...
    def native_array(self, value: Any) -> Any: ...
    def numbers_in(self, value: Any) -> Any: ...


def plan(w: _Services, dims: tuple[Size, ...], index: Any) -> Plan:
    """Read an index of an array with these sizes."""
    index = w.narrow(index)
    entries = [w.narrow(e) for e in (index if isinstance(index, tuple) else (index,))]
    entries = [_entry(w, entry) for entry in entries]
    used = sum(_consumed(entry) for entry in entries)
    if used > len(dims):
        w.raise_static(
            IndexError(
                f"too many indices for array: array is {len(dims)}-dimensional, "
                f"but {used} were indexed"
            )
        )
    ellipses = sum(entry is Ellipsis for entry in entries)
    if ellipses > 1:
        w.raise_static(IndexError("an index can only have a single ellipsis ('...')"))
    if not ellipses:
        entries.append(Ellipsis)
    parts: list[Part] = []
    axis = 0
    for entry in entries:
        if entry is Ellipsis:
            parts.append(Part("gap"))
            for _ in range(len(dims) - used):
                parts.append(Part("slice", axis))
                axis += 1
        elif entry is None:
            parts.append(Part("new"))
        elif isinstance(entry, slice):
            parts.append(_slice(w, entry, axis, dims[axis]))
            axis += 1
        elif isinstance(entry, _Mask):
            parts.extend(_masked(w, entry.value, axis, dims))
            axis += len(dims_of(entry.value))
        elif isinstance(entry, _Indices):
            parts.append(_indices(w, entry, axis, dims[axis]))
            axis += 1
        else:
            parts.append(_integer(w, entry, axis, dims[axis]))
            axis += 1
    if not ellipses:
        last = next(i for i in reversed(range(len(parts))) if parts[i].kind == "gap")
        parts.pop(last)
    return Plan(parts, dims, ellipses > 0)


@dataclass(frozen=True)
class _Mask:
    value: Value


@dataclass(frozen=True)
class _Indices:
    value: Value


def _consumed(entry: Any) -> int:
    if entry is None or entry is Ellipsis:
        return 0
    return len(dims_of(entry.value)) if isinstance(entry, _Mask) else 1


def _entry(w: _Services, entry: Any) -> Any:
    """Return None, Ellipsis, a slice, an int, a size, an int64 scalar, `_Indices` or `_Mask`."""
    if entry is None or entry is Ellipsis or isinstance(entry, slice):
        return entry
    if is_listed(entry):
        entry = _listed(w, entry)
    if isinstance(entry, Var):
        entry = entry.array
    if isinstance(entry, (bool, np.bool_)) or (isinstance(entry, Scalar) and entry.dtype == bool):
        w.refuse("indexing by a single bool is not compiled", "index by an array of bools")
    if isinstance(entry, Scalar):
        if entry.dtype.kind not in "iu":
            _no_index(w)
        return entry.dim if entry.dim is not None else w.value_of(entry, np.int64)
    if is_integer(entry):
        return int(entry)
    if is_array(entry):
        entry = w.value_of(entry)
    if isinstance(entry, range):
        entry = w.graph.constant(np.array(entry, np.int64))
    if isinstance(entry, SymbolicRange):
        w.refuse("indexing by a `range` is not compiled", "make an array of it: `np.arange(...)`")
    if not isinstance(entry, Value):
        _no_index(w)
    kind = dtype_of(entry).kind
    if kind == "b":
        if not dims_of(entry):
            w.refuse("indexing by a single bool is not compiled", "index by an array of bools")
        return _Mask(entry)
    if kind not in "iu":
        w.raise_static(IndexError("arrays used as indices must be of integer (or boolean) type"))
    return _Indices(cast(w.graph, entry, np.int64))


def _no_index(w: _Services) -> NoReturn:
    w.raise_static(
        IndexError(
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
            "boolean arrays are valid indices"
        )
    )


def _listed(w: _Services, entry: Any) -> Any:
    """Return a list of an index as an array; an empty one takes nothing."""
    numbers = w.numbers_in(entry)
    if numbers is not None:
        return numbers
    if not w.is_symbolic(entry):
        known = np.array(unpacked(w, entry))
        return known if known.size or known.ndim > 1 else np.zeros(known.shape, np.int64)
    items = [w.narrow(item) for item in w.items(entry)]
    if all(isinstance(i, (int, np.integer, Scalar)) and not isinstance(i, bool) for i in items):
        numbers = [
            w.value_of(i, np.int64) if isinstance(i, Scalar) and i.dtype.kind in "iu" else i
            for i in items
        ]
        if not any(isinstance(i, Scalar) for i in numbers):
            return w.graph.shape_tensor(numbers)
    if any(isinstance(i, Array) for i in items):
        return w.native_array(entry)
    w.refuse("this list is not compiled as an index", "make an array of it first")


def unpacked(w: _Services, value: Any) -> Any:
    """Return nested lists and tuples of the program as ordinary ones."""
    value = w.narrow(value)
    if is_listed(value):
        items = [unpacked(w, item) for item in w.items(value)]
        return tuple(items) if isinstance(value, tuple) else items
    return value


def _bound(w: _Services, bound: Any) -> Any:
    bound = w.narrow(bound)
    if bound is None:
        return None
    if isinstance(bound, (bool, int, np.integer)):
        number = max(-BEYOND, min(BEYOND, int(bound)))
        return BEYOND if number == 2**31 - 1 else number
    if isinstance(bound, (Dim, Value)):
        return bound
    if isinstance(bound, Scalar) and bound.dtype.kind in "iub":
        if bound.dim is not None:
            return bound.dim
        return w.value_of(bound, np.int64)
    if isinstance(bound, Array) and not dims_of(w.value_of(bound)):
        value = w.value_of(bound)
        if dtype_of(value).kind in "iu":
            return cast(w.graph, value, np.int64)
    w.raise_static(TypeError("slice indices must be integers or None or have an __index__ method"))


def _slice(w: _Services, entry: slice, axis: int, size: Size) -> Part:
    start, stop, step = (_bound(w, bound) for bound in (entry.start, entry.stop, entry.step))
    if isinstance(step, int) and step == 0:
        w.raise_static(ValueError("slice step cannot be zero"))
    if step == 1 and isinstance(step, int):
        step = None
    if step is None:
        if isinstance(start, int) and start == 0:
            start = None
        whole = isinstance(stop, (int, Dim)) and compare(stop, ">=", size)
        if whole:
            stop = None
    elif not isinstance(step, int):
        return _turning(w, start, stop, step, axis, size)
    elif step < 0:
        stop = _unless_before(w, start, stop, size)
    return Part("slice", axis, bounds=(start, stop, step))


def _unless_before(w: _Services, start: Any, stop: Any, size: Size) -> Any:
    """Return the stop of a backward slice, such that one that starts before the axis is empty.

    Slice moves such a start to the axis's first element; Python takes nothing.
    """
    if start is None:
        return stop
    if isinstance(start, (int, Dim)):
        before: Any = compare(start, "<", 0)
        if before is False or (before is True and compare(start + size, ">=", 0)):
            return stop
        if before is True and compare(start + size, "<", 0):
            return BEYOND
    g = w.graph
    at = index_tensor(g, start)
    before = g.Less(g.Add(at, g.dim_value(size)), np.int64(0))
    return g.Where(before, np.int64(BEYOND), index_tensor(g, FIRST if stop is None else stop))


def _turning(w: _Services, start: Any, stop: Any, step: Any, axis: int, size: Size) -> Part:
    """Return a slice whose step is known only when the model runs: its sign sets the defaults."""
    g = w.graph
    backwards = g.Less(index_tensor(g, step), np.int64(0))
    if stop is None:
        stop = g.Where(backwards, np.int64(FIRST), np.int64(LAST))
    if start is None:
        start = g.Where(backwards, np.int64(LAST), np.int64(0))
    else:
        stop = index_tensor(g, stop)
        stop = g.Where(backwards, index_tensor(g, _unless_before(w, start, stop, size)), stop)
    return Part("slice", axis, bounds=(start, stop, step))


def _integer(w: _Services, value: Any, axis: int, size: Size) -> Part:
    if isinstance(value, int):
        outside = compare(value, ">=", size) if value >= 0 else compare(size, "<", -value)
        if outside:
            w.raise_static(
                IndexError(f"index {value} is out of bounds for axis {axis} with size {size}")
            )
    return Part("int", axis, value)


def _indices(w: _Services, entry: _Indices, axis: int, size: Size) -> Part:
    known = w.graph.const_value(entry.value)
    if known is not None and known.size and isinstance(size, int):
        wrong = known[(known < -size) | (known >= size)]
        if wrong.size:
            w.raise_static(
                IndexError(f"index {wrong[0]} is out of bounds for axis {axis} with size {size}")
            )
    return Part("array", axis, entry.value)


def _masked(w: _Services, mask: Value, axis: int, dims: tuple[Size, ...]) -> list[Part]:
    """Return the index arrays that a mask stands for; check that its sizes are the array's."""
    g = w.graph
    for offset, size in enumerate(dims_of(mask)):
        wanted = dims[axis + offset]
        decided = compare(size, "==", wanted)
        message = f"boolean index did not match indexed array along dimension {axis + offset}"
        if decided is False:
            w.raise_static(
                IndexError(
                    f"{message}; dimension is {wanted} but corresponding boolean dimension is "
                    f"{size}"
                )
            )
        if decided is None:
            own = g.dim_value(size)  # numpy takes an empty mask for one of any size
            fits = g.Or(g.Equal(own, g.dim_value(wanted)), g.Equal(own, np.int64(0)))
            w.check(fits, IndexError, message)
    rank = len(dims_of(mask))
    key = ("nonzero", mask)
    found = g.memoised(g.scope, key)
    if found is None:
        found = g.scope.memo[key] = g.NonZero(mask)
    if rank == 1:
        return [Part("array", axis, g.Squeeze(found, [0]), mask=mask)]
    rows = [g.Gather(found, np.int64(i), axis=0) for i in range(rank)]
    return [Part("array", axis + i, row, mask=mask) for i, row in enumerate(rows)]
