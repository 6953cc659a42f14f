"""Changing array shape, transposing, dimensions, tiling, rearranging (numpy's manipulation)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika.indexing import broadcast_into, getitem
from elichika.lowerings.numpy.arguments import (
    NOT_GIVEN,
    Size,
    axes_of,
    axis_of,
    count,
    finish,
    fresh,
    in_line,
    operand,
    shape_items,
    static,
    tensor,
)
from elichika.lowerings.numpy.ndarray import (
    overlapping,
    read_only,
    reshaped_back,
    transposed,
    view,
    whole,
)
from elichika.numbers.kernels import cast, choose
from elichika.numbers.promotion import ask, broadcast, result_dtype, stand_shape
from elichika.registry import lowers
from elichika.values.c_order import in_order
from elichika.values.symbolic import Array, Scalar
from onnx_graph import Dim, ONNXGraph, Value, compare, dims_of, dtype_of, same

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def reshape_to(w: LoweringContext, array: Any, items: list[Any], *, ravels: bool = False) -> Any:
    """Return `array` in another shape: a view, where numpy surely gives one.

    One axis may be viewed in another shape whatever its stride is, but `ravel` copies it.
    """
    array = operand(w, array)
    g: ONNXGraph = w.graph
    dims = w.dims(array)
    if sum(isinstance(item, int) and item == -1 for item in items) > 1:
        w.raise_static(ValueError("can only specify one unknown dimension"))
    if any(isinstance(item, int) and item < -1 for item in items):
        w.raise_static(ValueError("negative dimensions not allowed"))
    if all(isinstance(size, int) for size in (*dims, *items)):
        ask(w, np.empty(np.array(dims, int), np.int8).reshape, [int(i) for i in items])
    elif all(isinstance(item, (int, Dim)) for item in items) and -1 not in items:
        apart = compare(count(dims), "!=", count(items))
        if apart:
            w.raise_static(
                ValueError(f"cannot reshape array of size {count(dims)} into shape {tuple(items)}")
            )
    _require_legal(w, items)
    if -1 in items:
        _require_divisor(w, [item for item in items if not (isinstance(item, int) and item == -1)])

    def read(graph: ONNXGraph, base: Value) -> Value:
        result: Value = graph.Reshape(base, graph.shape_tensor(items), allowzero=1)
        return result

    if isinstance(array, (Array, np.ndarray)) and (ravels or len(dims) > 1):
        whole_array = w.as_array(array)
        if not in_order(w, whole_array):
            return w.share(fresh(w, read(g, w.read(whole_array))), whole_array)
    known = all(isinstance(item, int) for item in items)
    return view(w, array, read, reshaped_back, ("reshaped", *items) if known else None)


def _require_legal(w: LoweringContext, items: list[Any]) -> None:
    """Check that sizes known at run time are not negative, -1 apart: numpy refuses them."""
    g = w.graph
    for item in items:
        if isinstance(item, Value):
            w.check(
                g.GreaterOrEqual(item, np.int64(-1)),
                ValueError,
                "negative dimensions not allowed",
            )


def _require_divisor(w: LoweringContext, items: list[Any]) -> None:
    """Check that sizes beside -1 are not zero: numpy cannot tell the missing one then."""
    message = "cannot reshape array of size 0 into a shape with an unknown size and a size of 0"
    g = w.graph
    for item in items:
        decided = None if isinstance(item, Value) else compare(item, "!=", 0)
        if decided is False:
            w.raise_static(ValueError(message))
        if decided is None:
            number = item if isinstance(item, Value) else g.dim_value(item)
            w.check(g.Not(g.Equal(number, np.int64(0))), ValueError, message)


def in_columns(w: LoweringContext, a: Any, order: Any) -> bool:
    """Tell whether the first axis is to run fastest; `A` asks for that where the array is so."""
    how = static(w, order, "order")
    if how in ("A", "K") and not in_order(w, w.as_array(operand(w, a))):
        w.refuse(
            f"`order={how!r}` of an array whose memory layout is not known is not compiled",
            "use the order 'C' or 'F', or copy the array first",
        )
    if how not in ("C", "F", "A", "K", None):
        w.raise_static(ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {how!r})"))
    return bool(how == "F")


@lowers(np.reshape)
def reshape(w: LoweringContext, a: Any, newshape: Any, order: Any = "C") -> Any:
    """A view in another shape."""
    return _reshaped(w, a, shape_items(w, newshape), order)


def _reshaped(w: LoweringContext, a: Any, items: list[Any], order: Any) -> Any:
    if not in_columns(w, a, order):
        return reshape_to(w, a, items)
    return transpose(w, reshape_to(w, transpose(w, a), items[::-1]))


@lowers(np.ndarray.reshape)
def reshape_method(w: LoweringContext, array: Any, *shape: Any, order: Any = "C") -> Any:
    """A view in another shape, given as one tuple or as several sizes."""
    if len(shape) == 1 and shape[0] is None:
        return whole(w, array)
    return _reshaped(w, array, shape_items(w, shape[0] if len(shape) == 1 else shape), order)


@lowers(np.ravel, np.ndarray.ravel)
def ravel(w: LoweringContext, a: Any, order: Any = "C") -> Any:
    """A flat view."""
    a = transpose(w, a) if in_columns(w, a, order) else a
    return reshape_to(w, a, [-1], ravels=True)


@lowers(np.transpose)
def transpose(w: LoweringContext, a: Any, axes: Any = None) -> Any:
    """A view with permuted axes."""
    a = operand(w, a)
    rank = len(w.dims(a))
    axes = static(w, axes, "axes")
    if axes is not None and not isinstance(axes, (tuple, list, np.ndarray)):
        axes = (axes,)
    if axes is not None:
        ask(w, np.transpose, np.ones((1,) * rank), tuple(axes))
    order = tuple(reversed(range(rank))) if axes is None else tuple(int(x) % rank for x in axes)
    if isinstance(a, Scalar):
        return a
    return transposed(w, a, order)


@lowers(np.ndarray.transpose)
def transpose_method(w: LoweringContext, array: Any, *axes: Any) -> Any:
    """A view with permuted axes."""
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
        return transpose(w, array, axes[0])
    return transpose(w, array, axes or None)


def _permuting(function: Callable[..., Any]) -> Callable[..., Any]:
    def lowering(w: LoweringContext, a: Any, *args: Any, **kwargs: Any) -> Any:
        a = operand(w, a)
        rank = len(w.dims(a))
        known = [static(w, arg, "axis") for arg in args]
        named = {name: static(w, arg, name) for name, arg in kwargs.items()}
        sizes = np.empty(tuple(range(2, rank + 2)), np.int8)
        moved = ask(w, function, sizes, *known, **named)
        return transposed(w, a, tuple(size - 2 for size in moved.shape))

    return lowering


for _function in (np.swapaxes, np.moveaxis, np.rollaxis):
    lowers(_function)(_permuting(_function))
lowers(np.ndarray.swapaxes)(_permuting(np.swapaxes))


def unsqueezed(w: LoweringContext, a: Any, axes: list[int]) -> Any:
    """Return a view with axes of size 1 at these places of the result."""

    def read(g: ONNXGraph, base: Value) -> Value:
        result: Value = g.Unsqueeze(base, axes) if axes else base
        return result

    def write(g: ONNXGraph, base: Value, new: Value) -> Value:
        result: Value = g.Squeeze(new, axes) if axes else new
        return result

    return view(w, a, read, write)


@lowers(np.expand_dims)
def expand_dims(w: LoweringContext, a: Any, axis: Any) -> Any:
    """A view with new axes."""
    a = operand(w, a)
    known = static(w, axis, "axis")
    known = tuple(known) if isinstance(known, (tuple, list)) else (known,)
    axes = axes_of(w, len(w.dims(a)) + len(known), known)
    return unsqueezed(w, a, sorted(axes))


@lowers(np.squeeze, np.ndarray.squeeze)
def squeeze(w: LoweringContext, a: Any, axis: Any = None) -> Any:
    """A view without axes of size 1; which ones, must be known now."""
    a = operand(w, a)
    dims = w.dims(a)
    message = "cannot select an axis to squeeze out which has size not equal to one"
    if axis is None:
        for size in dims:
            if compare(size, "==", 1) is None:
                w.refuse("`squeeze` of an axis whose size is not known now", "pass `axis`")
        axes = [i for i, size in enumerate(dims) if compare(size, "==", 1)]
    else:
        axes = list(axes_of(w, len(dims), axis))
        for one in axes:
            decided = compare(dims[one], "==", 1)
            if decided is False:
                w.raise_static(ValueError(message))
            if decided is None:
                g = w.graph
                w.check(g.Equal(g.dim_value(dims[one]), np.int64(1)), ValueError, message)

    if not axes:  # numpy gives the array itself
        return a

    def read(g: ONNXGraph, base: Value) -> Value:
        result: Value = g.Squeeze(base, axes)
        return result

    def write(g: ONNXGraph, base: Value, new: Value) -> Value:
        result: Value = g.Unsqueeze(new, axes)
        return result

    return a if isinstance(a, Scalar) else view(w, a, read, write)


def expanded(w: LoweringContext, value: Value, items: list[Any]) -> Value:
    """Return a value broadcast to exactly these sizes; numpy's error where it does not fit."""
    dims = dims_of(value)
    if len(dims) > len(items):
        w.raise_static(
            ValueError("input operand has more dimensions than allowed by the axis remapping")
        )
    g: ONNXGraph = w.graph
    for size, wanted in zip(reversed(dims), reversed(items), strict=False):
        message = "operands could not be broadcast together with remapped shapes"
        if isinstance(wanted, Value):
            own = g.dim_value(size)
            if compare(size, "==", 1) is not True:
                fits = g.Or(g.Equal(own, wanted), g.Equal(own, np.int64(1)))
                w.check(fits, ValueError, message)
            continue
        if compare(size, "==", 1) or compare(size, "==", wanted):
            continue
        if compare(size, "!=", 1) and compare(size, "!=", wanted):
            w.raise_static(ValueError(message))
        own, other = g.dim_value(size), g.dim_value(wanted)
        fits = g.Or(g.Equal(own, np.int64(1)), g.Equal(own, other))
        w.check(fits, ValueError, message)
    result: Value = g.Expand(value, g.shape_tensor(items))
    if all(isinstance(item, (int, Dim)) for item in items):
        result.shape = stand_shape(items)
    return result


@lowers(np.broadcast_to)
def broadcast_to(w: LoweringContext, array: Any, shape: Any, subok: bool = False) -> Any:
    """A read-only view."""
    array, items = operand(w, array), shape_items(w, shape)
    sizes = expanded(w, tensor(w, array), items).shape

    def read(g: ONNXGraph, base: Value) -> Value:
        result: Value = g.Expand(base, g.shape_tensor(items))
        result.shape = sizes
        return result

    return read_only(w, array, read)


@lowers(np.broadcast_arrays)
def broadcast_arrays(w: LoweringContext, *args: Any, subok: bool = False) -> Any:
    """Arrays of one shape."""
    values = [tensor(w, arg) for arg in args]
    broadcast(w, *map(dims_of, values))
    g = w.graph
    given = [operand(w, arg) for arg in args]
    sizes = [dims_of(value) for value in values]
    if all(map(_alike, sizes, sizes[1:])):  # numpy gives them back
        arrays = zip(given, values, strict=True)
        return w.new_list(
            [a if isinstance(a, (Array, np.ndarray)) else fresh(w, v) for a, v in arrays]
        )
    made = []
    for array, value in zip(given, values, strict=True):
        for other in values:
            if other is not value:
                value = g.Expand(value, g.Shape(other))
        wide = fresh(w, value)
        if isinstance(array, (Array, np.ndarray)):
            w.may_be(wide, w.as_array(array))
        made.append(overlapping(w, wide))
    return w.new_list(made)


def _alike(one: Any, other: Any) -> bool:
    """Tell whether two shapes are surely the same."""
    return len(one) == len(other) and all(map(same, one, other))


def _atleast(rank: int) -> Callable[..., Any]:
    def lowering(w: LoweringContext, *arys: Any) -> Any:
        results = []
        for a in arys:
            a = operand(w, a)
            missing = rank - len(w.dims(a))
            if missing <= 0:
                results.append(a)
                continue
            example = [np.atleast_1d, np.atleast_2d, np.atleast_3d][rank - 1](
                np.empty(tuple(range(2, 2 + len(w.dims(a)))))
            )
            results.append(unsqueezed(w, a, [i for i, s in enumerate(example.shape) if s == 1]))
        return results[0] if len(results) == 1 else w.new_list(results)

    return lowering


lowers(np.atleast_1d)(_atleast(1))
lowers(np.atleast_2d)(_atleast(2))
lowers(np.atleast_3d)(_atleast(3))


@lowers(np.flip)
def flip(w: LoweringContext, m: Any, axis: Any = None) -> Any:
    """A view in reverse order along axes."""
    m = w.as_array(operand(w, m))
    axis = static(w, axis, "axis")
    several = axis is None or isinstance(axis, tuple)
    axes = axes_of(w, len(w.dims(m)), axis if several else (axis,))
    backwards = slice(None, None, -1)
    index = tuple(backwards if i in axes else slice(None) for i in range(len(w.dims(m))))
    return getitem(w, m, index)


@lowers(np.fliplr)
def fliplr(w: LoweringContext, m: Any) -> Any:
    """A view with columns in reverse order."""
    _require_rank(w, m, 2)
    return flip(w, m, 1)


def _require_rank(w: LoweringContext, m: Any, least: int) -> None:
    if len(w.dims(operand(w, m))) < least:
        w.raise_static(ValueError(f"Input must be >= {least}-d."))


@lowers(np.flipud)
def flipud(w: LoweringContext, m: Any) -> Any:
    """A view with rows in reverse order."""
    _require_rank(w, m, 1)
    return flip(w, m, 0)


@lowers(np.rot90)
def rot90(w: LoweringContext, m: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    """A view rotated in the plane of two axes."""
    m = operand(w, m)
    rank = len(w.dims(m))
    turns, (first, second) = int(static(w, k, "k")) % 4, axes_of(w, rank, axes)
    order = list(range(rank))
    order[first], order[second] = second, first
    if turns == 0:
        return whole(w, m)
    if turns == 2:
        return flip(w, m, (first, second))
    if turns == 1:
        return transposed(w, flip(w, m, second), tuple(order))
    return flip(w, transposed(w, m, tuple(order)), second)


@lowers(np.roll)
def roll(w: LoweringContext, a: Any, shift: Any, axis: Any = None) -> Any:
    """Elements shifted around, modulo the size."""
    value = tensor(w, a)
    g: ONNXGraph = w.graph
    dims = dims_of(value)
    if axis is None:
        flat = rolled(w, g.Reshape(value, [-1]), 0, shift)
        return fresh(w, g.Reshape(flat, g.shape_tensor(dims), allowzero=1))
    axes = static(w, axis, "axis")
    axes = axes if isinstance(axes, (tuple, list)) else (axes,)
    shifts = w.items(shift) if isinstance(shift, (tuple, list)) else (shift,)
    pairs = max(len(axes), len(shifts))
    if len(axes) != len(shifts) and 1 not in (len(axes), len(shifts)):
        w.raise_static(ValueError("'shift' and 'axis' should be scalars or 1D sequences"))
    for i in range(pairs):
        one = axis_of(w, len(dims), axes[i % len(axes)])
        value = rolled(w, value, one, shifts[i % len(shifts)])
    return fresh(w, value)


def rolled(w: LoweringContext, value: Value, axis: int, shift: Any) -> Value:
    """Return a value shifted around along one axis."""
    g: ONNXGraph = w.graph
    size = g.dim_value(dims_of(value)[axis])
    amount = tensor(w, shift, np.int64)
    cut = g.Sub(size, g.Mod(amount, g.Max(size, np.int64(1))))
    at = g.shape_tensor([cut])
    first, last = g.constant(np.array([0])), g.constant(np.array([2**63 - 1]))
    axes = g.constant(np.array([axis]))
    head, tail = g.Slice(value, at, last, axes), g.Slice(value, first, at, axes)
    result: Value = g.Concat(head, tail, axis=axis)
    result.shape = value.shape
    return result


@lowers(np.repeat, np.ndarray.repeat)
def repeat(w: LoweringContext, a: Any, repeats: Any, axis: Any = None) -> Any:
    """Each element (or row) repeated."""
    g: ONNXGraph = w.graph
    value = in_line(g, tensor(w, a))
    if axis is None:
        value, axis = g.Reshape(value, [-1]), 0
    axis = axis_of(w, len(dims_of(value)), axis)
    dims = dims_of(value)
    times = operand(w, repeats)
    if not w.dims(times):
        (item,) = shape_items(w, times)
        if not isinstance(item, int) or item < 0:
            number = g.dim_value(item) if isinstance(item, (int, Dim)) else item
            nothing = g.Equal(g.dim_value(dims[axis]), np.int64(0))
            legal = g.Or(g.GreaterOrEqual(number, np.int64(0)), nothing)
            w.check(legal, ValueError, "repeats may not contain negative values.")
            item = g.Max(number, np.int64(0))
        if item == 0:  # onnxruntime takes an Expand to a constant 0 out
            return fresh(w, g.Slice(value, [0], [0], [axis]))
        wide = g.Unsqueeze(value, [axis + 1])
        shape = [*dims[: axis + 1], item, *dims[axis + 1 :]]
        wide = g.Expand(wide, g.shape_tensor(shape))
        total = dims[axis] * item if isinstance(item, (int, Dim)) else None
        if total is None:
            total = g.Mul(g.dim_value(dims[axis]), item)
        merged = g.shape_tensor([*dims[:axis], total, *dims[axis + 1 :]])
        return fresh(w, g.Reshape(wide, merged, allowzero=1))
    counts = tensor(w, times, np.int64)
    if len(dims_of(counts)) != 1:
        w.raise_static(ValueError("object too deep for desired array"))
    return fresh(w, g.Gather(value, _repeated(w, counts, dims[axis]), axis=axis))


def _repeated(w: LoweringContext, counts: Value, size: Size) -> Value:
    """Return index i `counts[i]` times, in order."""
    g: ONNXGraph = w.graph
    legal = g.GreaterOrEqual(counts, np.int64(0))
    total = g.ReduceSum(g.Cast(g.Not(legal), to=np.int64), keepdims=0)
    message = "repeats may not contain negative values."
    w.check(g.Equal(total, np.int64(0)), ValueError, message)
    own = dims_of(counts)[0]
    if not compare(own, "==", size):
        if compare(own, "!=", size) and compare(own, "!=", 1):
            w.raise_static(ValueError("operands could not be broadcast together"))
        number, wanted = g.dim_value(own), g.dim_value(size)
        fits = g.Or(g.Equal(number, wanted), g.Equal(number, np.int64(1)))
        w.check(fits, ValueError, "operands could not be broadcast together")
        counts = g.Expand(counts, g.shape_tensor([size]))
    ends = g.CumSum(counts, np.int64(0))
    length = g.ReduceSum(counts, keepdims=0)
    places = g.Range(np.int64(0), length, np.int64(1))
    passed = g.LessOrEqual(g.Unsqueeze(ends, [0]), g.Unsqueeze(places, [1]))
    result: Value = g.ReduceSum(g.Cast(passed, to=np.int64), [1], keepdims=0)
    return result


@lowers(np.tile)
def tile(w: LoweringContext, A: Any, reps: Any) -> Any:  # noqa: N803
    """The whole array repeated along axes."""
    value = tensor(w, A)
    g: ONNXGraph = w.graph
    items = shape_items(w, reps)
    for item in items:
        if isinstance(item, Value):
            legal = g.GreaterOrEqual(item, np.int64(0))
            w.check(legal, ValueError, "negative dimensions are not allowed")
        elif isinstance(item, int) and item < 0:
            w.raise_static(ValueError("negative dimensions are not allowed"))
    rank = len(dims_of(value))
    if rank < len(items):
        value = g.Unsqueeze(value, list(range(len(items) - rank)))
    items = [*[1] * (len(dims_of(value)) - len(items)), *items]
    return fresh(w, g.Tile(value, g.shape_tensor(items)) if items else value)


@lowers(np.shape)
def shape(w: LoweringContext, a: Any) -> Any:
    """The sizes."""
    return tuple(w.dim_scalar(size) for size in w.dims(operand(w, a)))


@lowers(np.ndim)
def ndim(w: LoweringContext, a: Any) -> Any:
    """The number of axes."""
    return len(w.dims(operand(w, a)))


@lowers(np.size)
def size(w: LoweringContext, a: Any, axis: Any = None) -> Any:
    """The number of elements, or a size."""
    dims = w.dims(operand(w, a))
    return w.dim_scalar(count(dims) if axis is None else dims[axis_of(w, len(dims), axis)])


@lowers(np.copyto, chainer.backend.copyto)
def copyto(
    w: LoweringContext, dst: Any, src: Any, casting: Any = "same_kind", where: Any = True
) -> None:
    """Write one array into another."""
    into = w.as_array(dst)
    dims = w.dims(into)
    source = operand(w, src)
    value, own = broadcast_into(w, tensor(w, source), dims), w.read(into)
    how = static(w, casting, "casting")

    def written(target: Any, other: Any) -> Any:
        np.copyto(target, np.asarray(other).reshape(np.shape(other) and (1,)), how)
        return target

    result_dtype(w, written, np.ones(1, dtype_of(own)), source)
    value = cast(w.graph, value, dtype_of(own))
    if where is not True and where is not NOT_GIVEN:
        flags = broadcast_into(w, tensor(w, where, np.bool_), dims)
        value = choose(w.graph, flags, value, own)
    finish(w, value, dst)
