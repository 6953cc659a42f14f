"""Changing array shape, transposing, dimensions, tiling, rearranging (numpy's manipulation)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import chainer
import numpy as np

from elichika.indexing import broadcast_into
from elichika.lowerings.numpy.arguments import (
    NOT_GIVEN,
    axes_of,
    axis_of,
    finish,
    listed,
    several,
    shape_items,
    static,
)
from elichika.lowerings.numpy.operands import operand, require_numbers, tensor
from elichika.lowerings.numpy.views import (
    backwards,
    overlapping,
    read_only,
    reshaped_back,
    squeezed,
    transposed,
    unsqueezed,
    view,
    whole,
)
from elichika.lowerings.sizes import tells_unknown, with_unknown
from elichika.numbers.kernels import cast, choose
from elichika.numbers.promotion import ask, broadcast, result_dtype, stand_shape
from elichika.numbers.sizes import require_among, require_same
from elichika.registry import lowers
from elichika.values.c_order import in_order
from elichika.values.kinds import is_array, is_listed
from onnx_graph import ONNXGraph, Value, all_known, compare, dims_of, dtype_of, is_value, same
from onnx_graph.dims import product

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def reshape_to(w: LoweringContext, array: Any, items: list[Any], *, ravels: bool = False) -> Any:
    """Return `array` in another shape: a view, where numpy surely gives one.

    One axis may be viewed in another shape whatever its stride is, but `ravel` copies it.
    """
    array = operand(w, array)
    g, dims = w.graph, w.dims(array)
    items = with_unknown(g, items)
    others = [item for item in items if item != -1]
    if len(others) < len(items) - 1:
        w.raise_static(ValueError("can only specify one unknown dimension"))
    if all_known((*dims, *items)):
        ask(w, np.empty(np.array(dims, int), np.int8).reshape, [int(i) for i in items])
    elif len(others) < len(items):
        message = "cannot reshape array of size 0 into a shape with an unknown size and a size of 0"
        for item in others:
            w.check(g.compare(item, "!=", 0), ValueError, message, exact=True)
    elif (told := tells_unknown(g, items)) is not None:
        w.check(told, ValueError, "cannot reshape array of size 0", exact=True)
    elif not _of_run(items) and compare(product(dims), "!=", product(items)):
        message = f"cannot reshape array of size {product(dims)} into shape {tuple(items)}"
        w.raise_static(ValueError(message))

    def read(graph: ONNXGraph, base: Value) -> Value:
        return graph.Reshape(base, graph.shape_tensor(items), allowzero=1)

    if is_array(array) and (ravels or len(dims) > 1) and not in_order(w, w.as_array(array)):
        base = w.as_array(array)
        return w.share(w.new_array(read(g, w.read(base))), base)
    key = ("reshaped", *items) if all_known(items) else None
    return view(w, array, read, reshaped_back, key)


def _of_run(items: list[Any]) -> bool:
    """Tell whether some sizes of a shape are values of the run."""
    return any(is_value(item) for item in items)


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


@lowers(np.ndarray.flatten)
def flatten(w: LoweringContext, array: Any, order: Any = "C") -> Any:
    """A one-dimensional copy."""
    array = backwards(w, array) if in_columns(w, array, order) else array
    return w.new_array(w.graph.Reshape(w.value_of(array), [-1]))


@lowers(np.transpose)
def transpose(w: LoweringContext, a: Any, axes: Any = None) -> Any:
    """A view with permuted axes."""
    a = operand(w, a)
    rank = len(w.dims(a))
    axes = static(w, axes, "axes")
    if axes is None:
        return backwards(w, a)
    order = tuple(axes) if np.ndim(axes) else (axes,)
    ask(w, np.transpose, np.ones((1,) * rank), order)
    return transposed(w, a, tuple(int(axis) % rank for axis in order)) if is_array(a) else a


@lowers(np.ndarray.transpose)
def transpose_method(w: LoweringContext, array: Any, *axes: Any) -> Any:
    """A view with permuted axes."""
    if len(axes) == 1 and (axes[0] is None or is_listed(axes[0])):
        return transpose(w, array, axes[0])
    return transpose(w, array, axes or None)


@lowers(np.swapaxes, np.ndarray.swapaxes)
def swapaxes(w: LoweringContext, a: Any, axis1: Any, axis2: Any) -> Any:
    """A view with two axes in each other's place."""
    a = operand(w, a)
    axes = [static(w, axis, "axis") for axis in (axis1, axis2)]
    sizes = np.empty(tuple(range(2, len(w.dims(a)) + 2)), np.int8)
    moved = ask(w, np.swapaxes, sizes, *axes)
    return transposed(w, a, tuple(size - 2 for size in moved.shape))


@lowers(np.expand_dims)
def expand_dims(w: LoweringContext, a: Any, axis: Any) -> Any:
    """A view with new axes."""
    a = operand(w, a)
    known = several(static(w, axis, "axis"))
    axes = axes_of(w, len(w.dims(a)) + len(known), known)
    return unsqueezed(w, a, sorted(axes))


@lowers(np.squeeze, np.ndarray.squeeze)
def squeeze(w: LoweringContext, a: Any, axis: Any = None) -> Any:
    """A view without axes of size 1; which ones, must be known while compiling."""
    a = operand(w, a)
    dims = w.dims(a)
    message = "cannot select an axis to squeeze out which has size not equal to one"
    if axis is None:
        if any(compare(size, "==", 1) is None for size in dims):
            w.refuse("`squeeze` of an axis whose size is not known while compiling", "pass `axis`")
        axes = [i for i, size in enumerate(dims) if compare(size, "==", 1)]
    else:
        axes = list(axes_of(w, len(dims), axis))
        require_same(w, [dims[one] for one in axes], [1] * len(axes), ValueError, message)
    if not axes or not is_array(a):  # numpy gives the array itself
        return a
    return squeezed(w, a, axes)


def expanded(w: LoweringContext, value: Value, items: list[Any]) -> Value:
    """Return a value broadcast to exactly these sizes; numpy's error where it does not fit."""
    g, dims = w.graph, dims_of(value)
    if len(dims) > len(items):
        w.raise_static(
            ValueError("input operand has more dimensions than allowed by the axis remapping")
        )
    message = "operands could not be broadcast together with remapped shapes"
    for size, wanted in zip(reversed(dims), reversed(items), strict=False):
        require_among(w, size, [1, wanted], ValueError, message)
    result = g.Expand(value, g.shape_tensor(items))
    if not _of_run(items):
        result.shape = stand_shape(items)
    return result


@lowers(np.broadcast_to)
def broadcast_to(w: LoweringContext, array: Any, shape: Any, subok: bool = False) -> Any:
    """A read-only view."""
    require_numbers(w, shape)
    array, items = operand(w, array), shape_items(w, shape)
    for item in items:
        words = "all elements of broadcast shape must be non-negative"
        w.check(w.graph.compare(item, ">=", 0), ValueError, words, exact=True)
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
        pairs = zip(given, values, strict=True)
        made = [array if is_array(array) else w.new_array(value) for array, value in pairs]
        return listed(w, np.broadcast_arrays, made)
    made = []
    for array, value in zip(given, values, strict=True):
        for other in values:
            if other is not value:
                value = g.Expand(value, g.Shape(other))
        wide = w.new_array(value)
        if is_array(array):
            w.may_be(wide, w.as_array(array))
        made.append(overlapping(w, wide))
    return listed(w, np.broadcast_arrays, made)


def _alike(one: Any, other: Any) -> bool:
    """Tell whether two shapes are surely the same."""
    return len(one) == len(other) and all(map(same, one, other))


@lowers(np.size)
def size(w: LoweringContext, a: Any, axis: Any = None) -> Any:
    """The number of elements, or a size."""
    dims = w.dims(operand(w, a))
    return w.dim_scalar(product(dims) if axis is None else dims[axis_of(w, len(dims), axis)])


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
