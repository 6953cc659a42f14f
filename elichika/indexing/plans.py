"""Plans: what an index selects, and the nodes that read and write it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from elichika.numbers.kernels import choose
from onnx_graph import Dim, ONNXGraph, Value, all_known, dims_of, is_known, same
from onnx_graph.failing import demanded
from onnx_graph.marks import MAY_FAIL

Size = int | Dim
FIRST, LAST = -(2**63), 2**63 - 1
#: Beyond every size; onnxruntime takes the greatest int32 and int64 for a bound left out.
BEYOND = 2**62


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
            backwards = is_known(step) and step < 0
            starts.append((LAST if backwards else 0) if start is None else start)
            stops.append((FIRST if backwards else LAST) if stop is None else stop)
            steps.append(1 if step is None else step)
        axes = g.constant(np.array([part.axis for part in parts], np.int64))
        return g.Slice(
            value, g.shape_tensor(starts), g.shape_tensor(stops), axes, g.shape_tensor(steps)
        )

    def _picked(self, g: ONNXGraph, value: Value) -> Value:
        for part in reversed(self.parts):
            if part.kind == "int":
                value = _may_fail(g.Gather(value, g.dim_value(part.value), axis=part.axis))
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
                value = _may_fail(g.Gather(value, g.dim_value(part.value), axis=part.axis))
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
                written = g.ScatterND(base, g.Unsqueeze(where_, [0]), row)
                inside = all_known([part.value for part in ints]) and _static(base)
                return _like(written if inside else demanded(written), base)
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
        return _like(choose(g, mask, new, base), base)


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
    return g.Unsqueeze(value, axes) if axes else value


def _may_fail(value: Value) -> Value:
    """Keep a read though nothing uses it: an index out of range must fail, as numpy does."""
    node = value.producer()
    assert node is not None
    index = node.inputs[1]
    if index is None or index.const_value is None or not _static(node.inputs[0]):
        node.meta[MAY_FAIL] = True
    return value


def _static(value: Value | None) -> bool:
    return value is not None and all_known(dims_of(value))


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
    return g.Concat(*(g.Unsqueeze(i, [rank]) for i in indices), axis=-1)
