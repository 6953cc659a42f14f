"""Operators that pick, cut, join and count elements."""

from __future__ import annotations

from collections.abc import Sequence

from onnx_graph.dims import (
    Dim,
    add,
    bounds,
    compare,
    floordiv,
    is_known,
    is_size,
    maximum,
    minimum,
    multiply,
    product,
)
from onnx_graph.inference.call import Call, MismatchError, Rule, is_open, surely
from onnx_graph.values import Dims

_LARGE = 2**31


def _subtract(left: int | Dim, right: int | Dim) -> int | Dim:
    return add(left, multiply(right, -1))


def shape_of(call: Call) -> Sequence[Dims | None]:
    """Return the length of the shape vector."""
    dims = call.dims(0)
    if dims is None:
        return [(call.fresh(),)]
    start, end = _shape_range(call, len(dims))
    return [(max(end - start, 0),)]


def _shape_range(call: Call, rank: int) -> tuple[int, int]:
    ends = []
    for name, default in (("start", 0), ("end", rank)):
        index = call.attribute(name, default)
        ends.append(min(max(index + rank if index < 0 else index, 0), rank))
    return ends[0], ends[1]


def scalar(call: Call) -> Sequence[Dims | None]:
    """Return no axes."""
    return [()]


def gather(call: Call) -> Sequence[Dims | None]:
    """Replace the axis by the shape of the indices."""
    dims, indices = call.dims(0), call.dims(1)
    if dims is None or indices is None:
        return [None]
    axis = call.axis(call.attribute("axis", 0), len(dims))
    if not dims:
        raise MismatchError("a scalar has no axis to gather from")
    return [dims[:axis] + indices + dims[axis + 1 :]]


def gather_elements(call: Call) -> Sequence[Dims | None]:
    """Return the shape of the indices."""
    return [call.dims(1)]


def gather_nd(call: Call) -> Sequence[Dims | None]:
    """Replace the indexed axes by the shape of the index tuples."""
    dims, indices = call.dims(0), call.dims(1)
    batch = call.attribute("batch_dims", 0)
    if dims is None or indices is None or not indices or not is_known(indices[-1]):
        return [None]
    if batch + indices[-1] > len(dims):
        raise MismatchError(f"index tuples of {indices[-1]} for rank {len(dims)}")
    return [indices[:-1] + dims[batch + indices[-1] :]]


def concat(call: Call) -> Sequence[Dims | None]:
    """Add up one axis."""
    shapes = [call.dims(index) for index in range(len(call.inputs))]
    known = [shape for shape in shapes if shape is not None]
    if not known:
        return [None]
    rank = len(known[0])
    if any(len(shape) != rank for shape in known):
        raise MismatchError("the ranks differ")
    axis = call.axis(call.attribute("axis"), rank)
    if not rank:
        raise MismatchError("scalars cannot be concatenated")
    result = list(known[0])
    for index in range(rank):
        if index == axis:
            whole = len(known) == len(shapes)
            total: int | Dim = 0
            for shape in known:
                total = add(total, shape[axis])
            result[axis] = total if whole else call.fresh()
        else:
            for shape in known[1:]:
                result[index] = call.equal_size(result[index], shape[index], f"axis {index}")
    return [tuple(result)]


def split(call: Call) -> Sequence[Dims | None]:
    """Cut one axis by the given sizes or into equal parts, the last one smaller."""
    dims = call.dims(0)
    if dims is None:
        return [None] * call.results
    axis = call.axis(call.attribute("axis", 0), len(dims))
    parts: list[int | Dim]
    if call.operand(1) is not None:
        sizes = call.vector(1) or [None] * call.results
        if len(sizes) != call.results:
            raise MismatchError(f"{len(sizes)} sizes for {call.results} results")
        parts = [call.fresh() if is_open(size) else surely(size) for size in sizes]
    else:
        count = call.attribute("num_outputs", call.results)
        if count != call.results:
            raise MismatchError(f"num_outputs={count} for {call.results} results")
        size = floordiv(add(dims[axis], count - 1), count)
        last = _subtract(dims[axis], multiply(size, count - 1))
        parts = [size] * (count - 1) + [last if compare(last, ">=", 0) else call.fresh()]
    return [(*dims[:axis], part, *dims[axis + 1 :]) for part in parts]


def pad(call: Call) -> Sequence[Dims | None]:
    """Widen the sizes at both ends."""
    dims, widths = call.dims(0), call.vector(1)
    if dims is None:
        return [None]
    axes = list(range(len(dims)))
    if call.operand(3) is not None:
        given = call.numbers(3)
        if given is None:
            return [call.unknown(len(dims))]
        axes = call.axes(given, len(dims))
    if widths is None:
        return [call.unknown(len(dims))]
    if len(widths) != 2 * len(axes):
        raise MismatchError(f"{len(widths)} pads for {len(axes)} axes")
    result = list(dims)
    for position, axis in enumerate(axes):
        before, after = widths[position], widths[position + len(axes)]
        total = None
        if before is not None and after is not None:
            total = add(add(dims[axis], before), after)
        result[axis] = call.fresh() if is_open(total) else surely(total)
    return [tuple(result)]


def slice_(call: Call) -> Sequence[Dims | None]:
    """Cut axes; bounds are clamped as Python clamps them."""
    dims = call.dims(0)
    if dims is None:
        return [None]
    starts, ends = call.vector(1), call.vector(2)
    axes = list(range(len(starts or ()))) if call.operand(3) is None else call.numbers(3)
    if starts is None or ends is None or axes is None:
        return [call.unknown(len(dims))]
    steps = [1] * len(axes) if call.operand(4) is None else call.numbers(4)
    result = list(dims)
    for position, axis in enumerate(call.axes(axes, len(dims))):
        step = None if steps is None else steps[position]
        result[axis] = _slice_size(call, dims[axis], starts[position], ends[position], step)
    return [tuple(result)]


def _slice_size(
    call: Call,
    size: int | Dim,
    start: int | Dim | None,
    end: int | Dim | None,
    step: int | None,
) -> int | Dim:
    if step == 0:
        raise MismatchError("a step of 0")
    if start is None or end is None or step is None:
        return call.fresh()
    if step > 0:
        first = _clamped(size, start, 0, size)
        last = _clamped(size, end, 0, size)
        distance = None if first is None or last is None else _subtract(last, first)
    else:
        first = _clamped(size, start, 0, _subtract(size, 1))
        last = _clamped(size, end, -1, _subtract(size, 1))
        distance = None if first is None or last is None else _subtract(first, last)
    if distance is None:
        return call.fresh()
    return floordiv(add(maximum(distance, 0), abs(step) - 1), abs(step))


def _clamped(size: int | Dim, index: int | Dim, low: int, high: int | Dim) -> int | Dim | None:
    """Return where an index of a slice falls: negative ones count from the end."""
    if is_known(index) and index >= _LARGE:
        return high
    if is_known(index) and index <= -_LARGE:
        return minimum(low, high)
    if compare(index, "<", 0):
        index = add(index, size)
    elif not compare(index, ">=", 0):
        return None
    return minimum(maximum(index, low), high)


def constant_of_shape(call: Call) -> Sequence[Dims | None]:
    """Read the shape operand."""
    entries = call.vector(0)
    if entries is None:
        return [None]
    return [tuple(call.fresh() if is_open(entry) else surely(entry) for entry in entries)]


def range_(call: Call) -> Sequence[Dims | None]:
    """Count the steps."""
    start, limit, delta = (call.contents(index) for index in range(3))
    if is_size(start) and is_size(limit) and is_known(delta):
        if delta == 0:
            raise MismatchError("a step of 0")
        distance = _subtract(limit, start) if delta > 0 else _subtract(start, limit)
        count = floordiv(add(distance, abs(delta) - 1), abs(delta))
        return [(maximum(count, 0),)]
    return [(call.fresh(),)]


def one_hot(call: Call) -> Sequence[Dims | None]:
    """Insert an axis of the depth."""
    dims, depth = call.dims(0), call.contents(1)
    if dims is None:
        return [None]
    if isinstance(depth, tuple):
        depth = depth[0] if len(depth) == 1 else None
    axis = call.axis(call.attribute("axis", -1), len(dims) + 1)
    size = call.fresh() if is_open(depth) else surely(depth)
    return [(*dims[:axis], size, *dims[axis:])]


def top_k(call: Call) -> Sequence[Dims | None]:
    """Replace one axis by k."""
    dims, count = call.dims(0), call.vector(1)
    if dims is None:
        return [None] * call.results
    axis = call.axis(call.attribute("axis", -1), len(dims))
    number = count[0] if count and len(count) == 1 else None
    size = call.fresh() if is_open(number) else surely(number)
    return [(*dims[:axis], size, *dims[axis + 1 :])] * call.results


def non_zero(call: Call) -> Sequence[Dims | None]:
    """Return one row for each axis; how many columns depends on the data."""
    dims = call.dims(0)
    return [(call.fresh() if dims is None else len(dims), call.fresh())]


def compress(call: Call) -> Sequence[Dims | None]:
    """Make one axis depend on the data."""
    dims, axis = call.dims(0), call.attribute("axis")
    if axis is None:
        return [(call.fresh(),)]
    if dims is None:
        return [None]
    axis = call.axis(axis, len(dims))
    return [(*dims[:axis], call.fresh(), *dims[axis + 1 :])]


def unique(call: Call) -> Sequence[Dims | None]:
    """Make one axis, or the only one, depend on the data."""
    dims, axis = call.dims(0), call.attribute("axis")
    count = call.fresh()
    if axis is None:
        total = call.fresh() if dims is None else product(dims)
        return [(count,), (count,), (total,), (count,)][: call.results]
    if dims is None:
        return [None, (count,), (call.fresh(),), (count,)][: call.results]
    axis = call.axis(axis, len(dims))
    kept = (*dims[:axis], count, *dims[axis + 1 :])
    return [kept, (count,), (dims[axis],), (count,)][: call.results]


def suppressed(call: Call) -> Sequence[Dims | None]:
    """Return triples; how many depends on the data."""
    return [(call.fresh(), 3)]


def resize(call: Call) -> Sequence[Dims | None]:
    """Read the sizes operand; scales give unknown sizes."""
    dims = call.dims(0)
    if dims is None:
        return [None]
    sizes = call.vector(3)
    axes = call.attribute("axes")
    if call.attribute("keep_aspect_ratio_policy", "stretch") != "stretch":
        sizes = None
    chosen = list(range(len(dims))) if axes is None else call.axes(list(axes), len(dims))
    result: list[int | Dim] = list(dims)
    for position, axis in enumerate(chosen):
        entry = sizes[position] if sizes is not None and len(sizes) == len(chosen) else None
        result[axis] = call.fresh() if is_open(entry) else surely(entry)
    return [tuple(result)]


def is_empty(dims: Dims) -> bool | None:
    """Tell whether a shape has no elements, None if that depends on unknown sizes."""
    if any(dim == 0 for dim in dims):
        return True
    return False if all((bounds(dim)[0] or 0) > 0 for dim in dims) else None


RULES: dict[str, Rule] = {
    "Shape": shape_of,
    "Size": scalar,
    "SequenceLength": scalar,
    "Det": lambda call: [None if (dims := call.dims(0)) is None else dims[:-2]],
    "Gather": gather,
    "GatherElements": gather_elements,
    "GatherND": gather_nd,
    "Concat": concat,
    "Split": split,
    "Pad": pad,
    "Slice": slice_,
    "ConstantOfShape": constant_of_shape,
    "Range": range_,
    "OneHot": one_hot,
    "TopK": top_k,
    "NonZero": non_zero,
    "Compress": compress,
    "Unique": unique,
    "NonMaxSuppression": suppressed,
    "Resize": resize,
}
