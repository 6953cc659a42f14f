"""Reading and writing `array[index]` as numpy does.

`plan` reads an index; the plan then gives the nodes that read the selected elements, and those
that write them.  Basic indexing gives views, indexing by arrays gives copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

import numpy as np

from elichika.errors import StagingError
from elichika.iteration import SymbolicRange
from elichika.kernels import cast, where
from elichika.promotion import stand_shape, wrap
from elichika.values import Array, Read, Scalar, Var, Window, Write
from onnx_graph import Dim, ONNXGraph, Value, compare, dims_of, dtype_of, same
from onnx_graph.sources import MAY_FAIL

Size = int | Dim
_FIRST, _LAST = -(2**63), 2**63 - 1
#: Beyond every size; onnxruntime takes the greatest int32 and int64 for a bound left out.
_BEYOND = 2**62


@dataclass(eq=False)
class Part:
    """One entry of an index, in its order.

    Attributes:
        kind: `new` (None), `slice`, `int`, `array`, or `gap` (an ellipsis).
        axis: The axis of the array it is about; -1 for `new` and `gap`.
        value: An int, size or int64 scalar for `int`; an int64 tensor for `array`.
        bounds: Start, stop and step of a slice: None, ints, sizes or int64 scalars.
        mask: For an `array` that comes from a mask, the mask.
    """

    kind: str
    axis: int = -1
    value: Any = None
    bounds: tuple[Any, Any, Any] = (None, None, None)
    mask: Value | None = None

    @property
    def full(self) -> bool:
        """Whether it is a slice that takes everything, in order."""
        return self.kind == "slice" and self.bounds == (None, None, None)


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


@dataclass(eq=False)
class Plan:
    """An index of an array whose sizes were `dims`."""

    parts: list[Part]
    dims: tuple[Size, ...]
    has_ellipsis: bool = False
    _arrays: list[Part] = field(init=False)

    def __post_init__(self) -> None:
        """Find out which entries are arrays, or ints that act as arrays."""
        advanced = any(part.kind == "array" for part in self.parts)
        self._arrays = [p for p in self.parts if advanced and p.kind in ("array", "int")]

    @property
    def basic(self) -> bool:
        """Whether no array takes part."""
        return not self._arrays

    # Reading

    def read(self, g: ONNXGraph, value: Value) -> Value:
        """Return the selected elements of `value`."""
        value = self._sliced(g, value)
        return self._gathered(g, value) if self._arrays else self._picked(g, value)

    def _sliced(self, g: ONNXGraph, value: Value) -> Value:
        parts = [part for part in self.parts if part.kind == "slice" and not part.full]
        if not parts:
            return value
        starts, stops, steps = [], [], []
        for part in parts:
            start, stop, step = part.bounds
            backwards = isinstance(step, int) and step < 0
            starts.append((_LAST if backwards else 0) if start is None else start)
            stops.append((_FIRST if backwards else _LAST) if stop is None else stop)
            steps.append(1 if step is None else step)
        axes = g.constant(np.array([part.axis for part in parts], np.int64))
        result: Value = g.Slice(
            value, g.shape_tensor(starts), g.shape_tensor(stops), axes, g.shape_tensor(steps)
        )
        return result

    def _picked(self, g: ONNXGraph, value: Value) -> Value:
        for part in reversed(self.parts):
            if part.kind == "int":
                value = _may_fail(g.Gather(value, _index(g, part.value), axis=part.axis))
        return _with_axes(g, value, [p.kind == "new" for p in self._shown()])

    def _shown(self) -> list[Part]:
        """Return the entries that are an axis of the result, arrays left out."""
        return [p for p in self.parts if p.kind in ("new", "slice")]

    def _gathered(self, g: ONNXGraph, value: Value) -> Value:
        """Pick ints first, then gather the arrays, then move their axes where numpy puts them."""
        shown = self._shown()
        arrays = [part for part in self.parts if part.kind == "array"]
        left = [p.axis for p in self.parts if p.kind in ("slice", "array")]
        for part in reversed(self.parts):
            if part.kind == "int":
                value = _may_fail(g.Gather(value, _index(g, part.value), axis=part.axis))
        axes = [left.index(part.axis) for part in arrays]
        kept = [left.index(p.axis) for p in shown if p.kind == "slice"]
        if len(arrays) == 1:
            index = arrays[0].value
            value = _may_fail(g.Gather(value, index, axis=axes[0]))
            block, before = len(dims_of(index)), sum(axis < axes[0] for axis in kept)
        else:
            order = [*axes, *kept]
            if order != sorted(order):
                value = g.Transpose(value, perm=order)
            indices = _stacked(g, [part.value for part in arrays])
            value = _may_fail(g.GatherND(value, indices))
            block, before = len(dims_of(indices)) - 1, 0
        place = self._place()
        wanted = sum(p.kind == "slice" for p in shown[:place])
        rest = [*range(before), *range(before + block, before + len(kept) - before + block)]
        perm = [*rest[:wanted], *range(before, before + block), *rest[wanted:]]
        if perm != sorted(perm):
            value = g.Transpose(value, perm=perm)
        flags = [p.kind == "new" for p in shown]
        return _with_axes(g, value, [*flags[:place], *[False] * block, *flags[place:]])

    def _place(self) -> int:
        """Return how many shown axes come before those of the arrays."""
        indices = [i for i, p in enumerate(self.parts) if p in self._arrays]
        if indices[-1] - indices[0] + 1 != len(indices):
            return 0
        return sum(p.kind in ("new", "slice") for p in self.parts[: indices[0]])

    # Writing

    def write(self, g: ONNXGraph, base: Value, new: Value) -> Value:
        """Return `base` with the selected elements replaced by `new`, of their shape and dtype."""
        dims = dims_of(base)
        kinds = [part.kind for part in self.parts if part.kind != "gap"]
        if self.basic and all(part.full for part in self.parts if part.kind == "slice"):
            ints = [part for part in self.parts if part.kind == "int"]
            if not ints:
                return _reshaped(g, new, base) if "new" in kinds else new
            if "new" not in kinds and [p.axis for p in ints] == list(range(len(ints))):
                where_ = g.shape_tensor([p.value for p in ints])
                row = g.Unsqueeze(new, [0])
                return _like(g.ScatterND(base, g.Unsqueeze(where_, [0]), row), base)
        places = self.read(g, positions(g, base))
        updates = g.Reshape(new, [-1])
        flat = base if len(dims) == 1 else g.Reshape(base, [-1])
        written = g.ScatterElements(flat, g.Reshape(places, [-1]), updates, axis=0)
        return _like(written, base) if len(dims) == 1 else _reshaped(g, written, base)

    def fill(self, g: ONNXGraph, base: Value, new: Value) -> Value | None:
        """Return `base` with one number written where a leading mask holds, if it is that."""
        masks = {id(p.mask): p.mask for p in self._arrays}
        (mask, *others) = masks.values() if masks else (None,)
        if mask is None or others or dims_of(new) or "new" in [p.kind for p in self.parts]:
            return None
        if any(p.kind == "slice" and not p.full for p in self.parts):
            return None
        if [p.axis for p in self._arrays] != list(range(len(dims_of(mask)))):
            return None
        if not all(map(same, dims_of(mask), dims_of(base))):
            return None
        missing = len(dims_of(base)) - len(dims_of(mask))
        if missing:
            rank = len(dims_of(base))
            mask = g.Unsqueeze(mask, list(range(rank - missing, rank)))
        return _like(where(g, mask, new, base), base)


def positions(g: ONNXGraph, base: Value) -> Value:
    """Return an array of the sizes of `base` that holds the position of each element."""
    key = ("positions", *map(str, dims_of(base)))
    found = g.memoised(g.scope, key)
    if found is None:
        count = g.Size(base)
        line = g.Range(np.int64(0), count, np.int64(1))
        found = line if len(dims_of(base)) == 1 else _reshaped(g, line, base)
        g.scope.memo[key] = found
    return found


def _reshaped(g: ONNXGraph, value: Value, like: Value) -> Value:
    shape = g.shape_tensor(dims_of(like))
    return _like(g.Reshape(value, shape, allowzero=1), like)


def _like(value: Value, base: Value) -> Value:
    """Give a value the sizes of `base`, which it is known to have."""
    value.shape = base.shape
    return value


def _with_axes(g: ONNXGraph, value: Value, flags: Sequence[bool]) -> Value:
    """Insert an axis of size 1 at each flagged place."""
    axes = [place for place, flag in enumerate(flags) if flag]
    result: Value = g.Unsqueeze(value, axes) if axes else value
    return result


def _may_fail(value: Value) -> Value:
    """Keep a read though nothing uses it: an index out of range must fail, as numpy does."""
    node = value.producer()
    assert node is not None
    index = node.inputs[1]
    if index is None or index.const_value is None or not _static(node.inputs[0]):
        node.meta[MAY_FAIL] = True
    return value


def _static(value: Value | None) -> bool:
    return value is not None and all(isinstance(d, int) for d in dims_of(value))


def _index(g: ONNXGraph, value: Any) -> Value:
    if isinstance(value, (int, Dim)):
        return g.dim_value(value)
    assert isinstance(value, Value)
    return value


def _stacked(g: ONNXGraph, indices: Sequence[Value]) -> Value:
    """Broadcast index arrays and stack them along a new last axis."""
    rank = max(len(dims_of(index)) for index in indices)
    same_shape = all(
        len(dims_of(i)) == rank and all(map(same, dims_of(i), dims_of(indices[0]))) for i in indices
    )
    if not same_shape:
        total = g.Mul(indices[0], np.int64(0))
        for index in indices[1:]:
            total = g.Add(total, g.Mul(index, np.int64(0)))
        indices = [g.Add(total, index) for index in indices]
    result: Value = g.Concat(*(g.Unsqueeze(i, [rank]) for i in indices), axis=-1)
    return result


# Reading an index


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
    if isinstance(entry, (list, tuple)):
        entry = _listed(w, entry)
    if isinstance(entry, Var):
        entry = entry.array
    if isinstance(entry, (bool, np.bool_)) or (isinstance(entry, Scalar) and entry.dtype == bool):
        w.refuse("indexing by a single bool is not compiled", "index by an array of bools")
    if isinstance(entry, Scalar):
        if entry.dtype.kind not in "iu":
            _no_index(w)
        return entry.dim if entry.dim is not None else w.value_of(entry, np.int64)
    if isinstance(entry, (int, np.integer)):
        return int(entry)
    if isinstance(entry, (np.ndarray, Array)):
        entry = w.value_of(entry)
    if isinstance(entry, (SymbolicRange, range)):
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
    """Return a list of an index as an array."""
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


def unpacked(w: Any, value: Any) -> Any:
    """Return nested lists and tuples of the program as ordinary ones."""
    value = w.narrow(value)
    if isinstance(value, (list, tuple)):
        items = [unpacked(w, item) for item in w.items(value)]
        return tuple(items) if isinstance(value, tuple) else items
    return value


def _bound(w: _Services, bound: Any) -> Any:
    bound = w.narrow(bound)
    if bound is None:
        return None
    if isinstance(bound, (bool, int, np.integer)):
        number = max(-_BEYOND, min(_BEYOND, int(bound)))
        return _BEYOND if number == 2**31 - 1 else number
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
            return _BEYOND
    g = w.graph
    at = _index(g, start)
    before = g.Less(g.Add(at, g.dim_value(size)), np.int64(0))
    return g.Where(before, np.int64(_BEYOND), _index(g, _FIRST if stop is None else stop))


def _turning(w: _Services, start: Any, stop: Any, step: Any, axis: int, size: Size) -> Part:
    """Return a slice whose step is known only when the model runs: its sign sets the defaults."""
    g = w.graph
    backwards = g.Less(_index(g, step), np.int64(0))
    if stop is None:
        stop = g.Where(backwards, np.int64(_FIRST), np.int64(_LAST))
    if start is None:
        start = g.Where(backwards, np.int64(_LAST), np.int64(0))
    else:
        stop = _index(g, stop)
        stop = g.Where(backwards, _index(g, _unless_before(w, start, stop, size)), stop)
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


# The program's `array[index]`


def getitem(w: Any, array: Array, index: Any) -> Any:
    """Return `array[index]`: a view, a copy, or a numpy scalar."""
    chosen = plan(w, w.dims(array), index)
    if chosen.basic:
        if all(part.kind == "int" for part in chosen.parts) and not chosen.has_ellipsis:
            return wrap(w, chosen.read(w.graph, w.read(array)))
        return w.view(array, chosen.read, chosen.write, window(w.graph, chosen))
    return wrap(w, chosen.read(w.graph, w.read(array)))


def window(g: ONNXGraph, chosen: Plan) -> Window | None:
    """Return what a basic index selects, if that can be said without sizes known at run time."""
    operands: list[Value] = []
    key: list[Any] = []
    for part in chosen.parts:
        if any(isinstance(entry, Dim) for entry in (part.value, *part.bounds)):
            return None
        value = part.value
        if isinstance(value, int):
            value = g.constant(np.int64(value))
        entries = (value, *part.bounds)
        operands += [entry for entry in entries if isinstance(entry, Value)]
        names = ("?" if isinstance(entry, Value) else entry for entry in entries)
        key.append((part.kind, part.axis, *names))

    def remake(values: tuple[Value, ...]) -> tuple[Read, Write]:
        given = iter(values)
        parts = []
        for part in chosen.parts:
            value = next(given) if part.kind == "int" else None
            start, stop, step = (
                next(given) if isinstance(entry, Value) else entry for entry in part.bounds
            )
            parts.append(Part(part.kind, part.axis, value, (start, stop, step)))
        plan = Plan(parts, chosen.dims, chosen.has_ellipsis)
        return plan.read, plan.write

    return Window(("index", *key), tuple(operands), remake)


def setitem(w: Any, array: Array, index: Any, value: Any) -> None:
    """Write `array[index] = value`."""
    flag = _flag(w, index)
    if flag is not None:
        base = w.read(array)
        new = broadcast_into(w, assigned(w, value, dtype_of(base)), dims_of(base))
        w.write(array, where(w.graph, flag, new, base))
        return
    chosen = plan(w, w.dims(array), index)
    g, base = w.graph, w.read(array)
    new = assigned(w, value, dtype_of(base))
    filled = chosen.fill(g, base, new)
    if filled is None:
        new = broadcast_into(w, new, dims_of(chosen.read(g, base)))
        filled = chosen.write(g, base, new)
    w.write(array, filled)


def _flag(w: Any, index: Any) -> Value | None:
    """Return an index that is a single bool, known when the model runs: all or nothing."""
    index = w.narrow(index)
    if not isinstance(index, (Scalar, Array)) or (isinstance(index, Scalar) and index.is_python):
        return None
    value: Value = w.value_of(index)
    return value if dtype_of(value) == np.bool_ and not dims_of(value) else None


def assigned(w: Any, value: Any, dtype: np.dtype[Any]) -> Value:
    """Return a value as what an array of `dtype` holds after it is assigned."""
    value = w.narrow(value)
    g: ONNXGraph = w.graph
    if isinstance(value, (list, tuple)):
        from elichika.lowerings.numpy_creation import array

        value = array(w, value)
    if not w.is_symbolic(value) and not isinstance(value, np.ndarray):
        held = np.zeros((), dtype)
        try:
            with np.errstate(all="ignore"):
                held[()] = value
        except (TypeError, ValueError, OverflowError) as error:
            w.raise_static(error)
        return g.constant(held)
    if isinstance(value, Scalar) and value.type is float and dtype.kind in "iu":
        fits = g.Less(g.Abs(value.onnx_value), np.float64(2**63))
        w.check(fits, ValueError, "cannot convert this float to an integer")
    return cast(g, w.value_of(value), dtype)


def broadcast_into(w: Any, value: Value, dims: Sequence[Size]) -> Value:
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


def _require(w: Any, decided: bool | None, pairs: Any, message: str) -> None:
    if decided is True:
        return
    if decided is False:
        w.raise_static(ValueError(message))
    g = w.graph
    equal = [g.Equal(g.dim_value(a), g.dim_value(b)) for a, b in pairs()]
    w.check(equal[0] if len(equal) == 1 else g.Or(*equal), ValueError, message)


def _shape(dims: Sequence[Size]) -> str:
    return f"({','.join(map(str, dims))}{',' if len(dims) == 1 else ''})"


# For lowerings that have no walker


class _Bare:
    """The services of an index that holds graph values, sizes, ints and arrays only."""

    def __init__(self, graph: ONNXGraph) -> None:
        self.graph = graph
        self.tokens: list[Value] = []

    def raise_static(self, error: BaseException) -> NoReturn:
        raise error

    def refuse(self, message: str, hint: str | None = None) -> NoReturn:
        raise StagingError(message, (), hint)

    def check(self, condition: Any, exception: type[BaseException], message: str) -> None:
        self.tokens.append(self.graph.check(condition, f"{exception.__name__}: {message}"))

    def value_of(self, value: Any, dtype: Any = None) -> Value:
        if isinstance(value, Scalar):
            result = value.onnx_value
        else:
            result = value if isinstance(value, Value) else self.graph.constant(np.asarray(value))
        return result if dtype is None else cast(self.graph, result, dtype)

    def narrow(self, value: Any) -> Any:
        return value

    def items(self, value: Any) -> tuple[Any, ...]:
        return tuple(value)

    def is_symbolic(self, value: Any) -> bool:
        return isinstance(value, (list, tuple)) and any(isinstance(i, Value) for i in value)

    def native_array(self, value: Any) -> NoReturn:
        self.refuse("a list of tensors is no index")


def index_value(g: ONNXGraph, value: Value, index: Any) -> Value:
    """Return the elements of a tensor that an index selects.

    Args:
        g: The graph under construction.
        value: A tensor.
        index: As in `array[index]`; what is known when the model runs are int64 scalars, sizes, and
            tensors of ints or bools. A scalar tensor counts as an int.

    Raises:
        IndexError: The index fits at no size.
    """
    entries = index if isinstance(index, tuple) else (index,)
    bare = _Bare(g)
    chosen = plan(bare, dims_of(value), tuple(map(_scalar_entry, entries)))
    for token in bare.tokens:
        value = g.tie(value, token)
    return chosen.read(g, value)


def _scalar_entry(entry: Any) -> Any:
    if isinstance(entry, Value) and not dims_of(entry) and dtype_of(entry).kind in "iu":
        return Scalar(int, entry)
    return entry
