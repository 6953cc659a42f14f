"""From the entries of an index to a plan, with the checks that numpy makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import numpy as np

from elichika.indexing.plans import BEYOND, FIRST, LAST, Part, Plan, Size
from elichika.iterators.base import SymbolicRange
from elichika.numbers.kernels import cast
from elichika.numbers.sizes import require_among, size_of
from elichika.values.kinds import is_array, is_integral, is_listed, is_number, type_of_number
from elichika.values.symbolic import Array, Var
from onnx_graph import Dim, ONNXGraph, Value, compare, dims_of, dtype_of, is_known, is_value
from onnx_graph.size_values import decided


class _Services(Protocol):
    """What reading an index needs; `index_value` has it without a walker."""

    graph: ONNXGraph
    guarded: int

    def raise_static(self, error: BaseException) -> NoReturn: ...
    def refuse(self, message: str, hint: str | None = None) -> NoReturn: ...
    def check(
        self,
        condition: Any,
        exception: type[BaseException],
        message: str,
        *,
        exact: bool | None = None,
    ) -> None: ...
    def value_of(self, value: Any, dtype: Any = None) -> Value: ...
    def narrow(self, value: Any) -> Any: ...
    def items(self, value: Any) -> tuple[Any, ...]: ...
    def is_symbolic(self, value: Any) -> bool: ...
    def native_array(self, value: Any) -> Any: ...
    def numbers_in(self, value: Any) -> Any: ...


@dataclass(frozen=True)
class Entry:
    """One entry of an index as it is read; `None` is one as it is."""

    #: How many axes of the array it takes.
    axes = 0

    def parts(self, w: _Services, axis: int, dims: tuple[Size, ...]) -> list[Part]:
        """Return the parts of a plan that it makes of the axes from `axis` on."""
        return [Part("new")]


@dataclass(frozen=True)
class _Gap(Entry):
    """An ellipsis, written or not; it takes all axes that others leave.

    Attributes:
        left: How many these are.
        written: Whether the program wrote it.
    """

    left: int = 0
    written: bool = True

    @property
    def axes(self) -> int:  # type: ignore[override]
        """All that others leave, none while it is read."""
        return self.left

    def parts(self, w: _Services, axis: int, dims: tuple[Size, ...]) -> list[Part]:
        whole = [Part("slice", axis + place) for place in range(self.left)]
        return [Part("gap"), *whole] if self.written else whole


@dataclass(frozen=True)
class _Slice(Entry):
    axes = 1
    given: slice

    def parts(self, w: _Services, axis: int, dims: tuple[Size, ...]) -> list[Part]:
        return [_slice(w, self.given, axis, dims[axis])]


@dataclass(frozen=True)
class _Integer(Entry):
    axes = 1
    value: Any

    def parts(self, w: _Services, axis: int, dims: tuple[Size, ...]) -> list[Part]:
        value, size = self.value, dims[axis]
        if is_known(value):
            outside = compare(value, ">=", size) if value >= 0 else compare(size, "<", -value)
            if outside:
                _out_of_bounds(w, value, axis, size)
        if w.guarded:
            g = w.graph
            number, most = g.dim_value(value), g.dim_value(size)
            inside = g.And(g.Less(number, most), g.LessOrEqual(g.Neg(most), number))
            text = f"the index is out of bounds for axis {axis}"
            w.check(inside, IndexError, text)
        return [Part("int", axis, value)]


@dataclass(frozen=True)
class _Indices(Entry):
    axes = 1
    value: Value

    def parts(self, w: _Services, axis: int, dims: tuple[Size, ...]) -> list[Part]:
        known, size = w.graph.const_value(self.value), dims[axis]
        if known is not None and known.size and is_known(size):
            wrong = known[(known < -size) | (known >= size)]
            if wrong.size:
                _out_of_bounds(w, wrong[0], axis, size)
        return [Part("array", axis, self.value)]


@dataclass(frozen=True)
class _Mask(Entry):
    value: Value

    @property
    def axes(self) -> int:  # type: ignore[override]
        """As many as it has itself."""
        return len(dims_of(self.value))

    def parts(self, w: _Services, axis: int, dims: tuple[Size, ...]) -> list[Part]:
        return _masked(w, self.value, axis, dims)


def plan(w: _Services, dims: tuple[Size, ...], index: Any) -> Plan:
    """Read an index of an array with these sizes."""
    index = w.narrow(index)
    entries = [_entry(w, w.narrow(e)) for e in (index if isinstance(index, tuple) else (index,))]
    used = sum(entry.axes for entry in entries)
    if used > len(dims):
        w.raise_static(
            IndexError(
                f"too many indices for array: array is {len(dims)}-dimensional, "
                f"but {used} were indexed"
            )
        )
    ellipses = entries.count(_Gap())
    if ellipses > 1:
        w.raise_static(IndexError("an index can only have a single ellipsis ('...')"))
    left = len(dims) - used
    entries = [_Gap(left) if entry == _Gap() else entry for entry in entries]
    if not ellipses:
        entries.append(_Gap(left, written=False))
    parts: list[Part] = []
    axis = 0
    for entry in entries:
        parts += entry.parts(w, axis, dims)
        axis += entry.axes
    _require_alike(w, [dims_of(part.value) for part in parts if part.kind == "array"])
    return Plan(parts, dims, ellipses > 0)


def _require_alike(w: _Services, shapes: list[tuple[Size, ...]]) -> None:
    """Raise numpy's IndexError where no sizes of the run let index arrays be broadcast together."""
    try:
        np.broadcast_shapes(*[[n if type(n) is int else 1 for n in shape] for shape in shapes])
    except ValueError:
        told = "".join(f"{_told(shape)} " for shape in shapes)
        text = "shape mismatch: indexing arrays could not be broadcast together with shapes"
        w.raise_static(IndexError(f"{text} {told}"))


def _told(shape: tuple[Size, ...]) -> str:
    return f"({','.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _entry(w: _Services, entry: Any) -> Entry:
    """Return an entry of the program as what it selects."""
    if entry is None:
        return Entry()
    if entry is Ellipsis:
        return _Gap()
    if isinstance(entry, slice):
        return _Slice(entry)
    if is_listed(entry):
        entry = _listed(w, entry)
    if isinstance(entry, Var):
        entry = entry.array
    if is_number(entry):
        return _Integer(_integer(w, entry))
    if is_array(entry):
        entry = w.value_of(entry)
    if isinstance(entry, range):
        entry = w.graph.constant(np.array(entry, np.int64))
    if isinstance(entry, SymbolicRange):
        bounds = (entry.start, entry.stop, entry.step)
        entry = w.graph.Range(*(w.value_of(bound, np.dtype(np.int64)) for bound in bounds))
    if not is_value(entry):
        _no_index(w)
    kind = dtype_of(entry).kind
    if kind == "b" and dims_of(entry):
        return _Mask(entry)
    if kind == "b":
        _single_bool(w)
    if kind not in "iu":
        w.raise_static(IndexError("arrays used as indices must be of integer (or boolean) type"))
    return _Indices(cast(w.graph, entry, np.int64))


def _integer(w: _Services, number: Any) -> Any:
    """Return a number of an index as an int, a size or an int64 scalar."""
    if type_of_number(number) in (bool, np.bool_):
        _single_bool(w)
    if not is_integral(number):
        _no_index(w)
    return size_of(w, number)


def _single_bool(w: _Services) -> NoReturn:
    w.refuse("indexing by a single bool is not compiled", "index by an array of bools")


def _out_of_bounds(w: _Services, index: Any, axis: int, size: Size) -> NoReturn:
    w.raise_static(IndexError(f"index {index} is out of bounds for axis {axis} with size {size}"))


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
    if all(is_integral(item) and type_of_number(item) is not bool for item in items):
        return w.graph.shape_tensor([size_of(w, item) for item in items])
    if any(isinstance(item, Array) for item in items):
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
    """Return a bound of a slice as None, an int, a size or an int64 scalar."""
    bound = w.narrow(bound)
    if bound is None or is_value(bound) or isinstance(bound, Dim):
        return bound
    if is_integral(bound):
        size = size_of(w, bound)
        if not is_known(size):
            return size
        number = max(-BEYOND, min(BEYOND, size))
        return BEYOND if number == 2**31 - 1 else number
    value = w.value_of(bound) if isinstance(bound, Array) else None
    if value is None or dims_of(value) or dtype_of(value).kind not in "iu":
        message = "slice indices must be integers or None or have an __index__ method"
        w.raise_static(TypeError(message))
    return cast(w.graph, value, np.int64)


def _slice(w: _Services, entry: slice, axis: int, size: Size) -> Part:
    start, stop, step = (_bound(w, bound) for bound in (entry.start, entry.stop, entry.step))
    if step == 0:
        w.raise_static(ValueError("slice step cannot be zero"))
    if step is None or step == 1:
        start = None if start == 0 else start
        whole = stop is not None and decided(stop, ">=", size)
        return Part("slice", axis, bounds=(start, None if whole else stop, None))
    if not is_known(step):
        return _turning(w, start, stop, step, axis, size)
    if step < 0:
        stop = _unless_before(w, start, stop, size)
    return Part("slice", axis, bounds=(start, stop, step))


def _unless_before(w: _Services, start: Any, stop: Any, size: Size) -> Any:
    """Return the stop of a backward slice, such that one that starts before the axis is empty.

    Slice moves such a start to the axis's first element; Python takes nothing.
    """
    if start is None:
        return stop
    before = decided(start, "<", 0)
    if before is False or (before and compare(start + size, ">=", 0)):
        return stop
    if before and compare(start + size, "<", 0):
        return BEYOND
    g = w.graph
    surely = g.Less(g.Add(g.dim_value(start), g.dim_value(size)), np.int64(0))
    return g.Where(surely, np.int64(BEYOND), g.dim_value(FIRST if stop is None else stop))


def _turning(w: _Services, start: Any, stop: Any, step: Any, axis: int, size: Size) -> Part:
    """Return a slice whose step is known only when the model runs: its sign sets the defaults."""
    g = w.graph
    if not decided(step, "!=", 0):
        moves = g.Not(g.Equal(g.dim_value(step), np.int64(0)))
        w.check(moves, ValueError, "slice step cannot be zero", exact=True)
    backwards = g.Less(g.dim_value(step), np.int64(0))
    if stop is None:
        stop = g.Where(backwards, np.int64(FIRST), np.int64(LAST))
    if start is None:
        start = g.Where(backwards, np.int64(LAST), np.int64(0))
    else:
        stop = g.dim_value(stop)
        stop = g.Where(backwards, g.dim_value(_unless_before(w, start, stop, size)), stop)
    return Part("slice", axis, bounds=(start, stop, step))


def _masked(w: _Services, mask: Value, axis: int, dims: tuple[Size, ...]) -> list[Part]:
    """Return the index arrays that a mask stands for; check that its sizes are the array's."""
    g = w.graph
    for offset, size in enumerate(dims_of(mask)):
        wanted = dims[axis + offset]
        message = f"boolean index did not match indexed array along dimension {axis + offset}"
        if compare(size, "==", wanted) is False:
            message += f"; dimension is {wanted} but corresponding boolean dimension is {size}"
            w.raise_static(IndexError(message))
        # numpy takes an empty mask for one of any size
        require_among(w, size, [wanted, 0], IndexError, message)
    rank = len(dims_of(mask))
    key = ("nonzero", mask)
    found = g.memoised(g.scope, key)
    if found is None:
        found = g.scope.memo[key] = g.NonZero(mask)
    if rank == 1:
        return [Part("array", axis, g.Squeeze(found, [0]), mask=mask)]
    rows = [g.Gather(found, np.int64(i), axis=0) for i in range(rank)]
    return [Part("array", axis + i, row, mask=mask) for i, row in enumerate(rows)]
