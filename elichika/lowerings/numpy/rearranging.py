"""Rearranging elements: reversed, shifted around, repeated (numpy's rearranging and tiling)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.indexing import getitem
from elichika.lowerings.numpy.arguments import (
    Size,
    along,
    axes_of,
    axis_of,
    in_line,
    integral,
    is_fraction,
    several,
    shape_items,
    static,
    without_fractions,
)
from elichika.lowerings.numpy.operands import operand, require_numbers, tensor
from elichika.lowerings.numpy.views import transposed, whole
from elichika.numbers.kernels import cast
from elichika.numbers.sizes import require_among
from elichika.registry import lowers
from elichika.values.kinds import is_listed
from onnx_graph import Dim, Value, compare, dims_of, dtype_of, is_known

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


@lowers(np.flip)
def flip(w: LoweringContext, m: Any, axis: Any = None) -> Any:
    """A view in reverse order along axes, which numpy's own code asks C code to read."""
    m = w.as_array(operand(w, m))
    rank, axis = len(w.dims(m)), static(w, axis, "axis")
    axes = axes_of(w, rank, axis if axis is None or type(axis) is tuple else (axis,))
    index = tuple(slice(None, None, -1 if one in axes else None) for one in range(rank))
    return getitem(w, m, index)


@lowers(np.rot90)
def rot90(w: LoweringContext, m: Any, k: Any = 1, axes: Any = (0, 1)) -> Any:
    """A view rotated in the plane of two axes; numpy's own code writes to an array of axes."""
    m = operand(w, m)
    rank = len(w.dims(m))
    require_numbers(w, k)
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
    """Elements shifted around, modulo the size; numpy's own code iterates over a broadcast."""
    value, g = tensor(w, a), w.graph
    dims = dims_of(value)
    if axis is None:
        flat = roll(w, w.new_array(g.Reshape(value, [-1])), shift, 0)
        return w.new_array(g.Reshape(w.value_of(flat), g.shape_tensor(dims), allowzero=1))
    axes = several(static(w, axis, "axis"))
    shifts = _shifts(w, shift)
    pairs = max(len(axes), len(shifts))
    if len(axes) != len(shifts) and 1 not in (len(axes), len(shifts)):
        w.raise_static(ValueError("'shift' and 'axis' should be scalars or 1D sequences"))
    for i in range(pairs):
        one = axis_of(w, len(dims), axes[i % len(axes)])
        value = rolled(w, value, one, shifts[i % len(shifts)])
    return w.new_array(value)


def _shifts(w: LoweringContext, shift: Any) -> Sequence[Any]:
    """Return by how much to roll: one number, or those of a list or an array of known length."""
    if is_listed(shift):
        return w.items(shift)
    shift = operand(w, shift)
    if not w.dims(shift):
        return (shift,)
    (length, *others) = w.dims(shift)
    if others or not is_known(length):
        w.refuse("`roll` by an array of a length that is not known is not compiled")
    return [getitem(w, shift, i) for i in range(length)]


def rolled(w: LoweringContext, value: Value, axis: int, shift: Any) -> Value:
    """Return a value shifted around along one axis."""
    g = w.graph
    size = g.dim_value(dims_of(value)[axis])
    if dtype_of(tensor(w, shift)).kind == "f":  # numpy takes one by which nothing moves
        w.refuse("a shift that is a float is not compiled", "make an int of it")
    amount = integral(w, shift)
    cut = g.Sub(size, g.Mod(amount, g.Max(size, np.int64(1))))
    at = g.shape_tensor([cut])
    first, last = g.constant(np.array([0])), g.constant(np.array([2**63 - 1]))
    axes = g.constant(np.array([axis]))
    head, tail = g.Slice(value, at, last, axes), g.Slice(value, first, at, axes)
    result = g.Concat(head, tail, axis=axis)
    result.shape = value.shape
    return result


@lowers(np.repeat, np.ndarray.repeat)
def repeat(w: LoweringContext, a: Any, repeats: Any, axis: Any = None) -> Any:
    """Each element (or row) repeated."""
    g = w.graph
    value, axis = along(w, in_line(g, tensor(w, a)), axis)
    times = operand(w, without_fractions(w, repeats))
    if not w.dims(times):
        (item,) = shape_items(w, times)
        return w.new_array(_each_repeated(w, value, axis, item))
    nothing = not w.is_symbolic(times) and not np.size(times)
    counts = tensor(w, times) if not nothing else tensor(w, times, np.int64)
    if dtype_of(counts).kind not in "iub":
        w.raise_static(TypeError("Cannot cast array data to dtype('int64') by the rule 'safe'"))
    counts = cast(g, counts, np.int64)
    if len(dims_of(counts)) != 1:
        w.raise_static(ValueError("object too deep for desired array"))
    places = _repeated(w, counts, dims_of(value)[axis])
    return w.new_array(g.Gather(value, places, axis=axis))


def _each_repeated(w: LoweringContext, value: Value, axis: int, item: Any) -> Value:
    """Repeat each row as often; a number below 0 counts where there are rows."""
    g, dims = w.graph, dims_of(value)
    if not is_known(item) or item < 0:
        number = g.dim_value(item)
        nothing = g.Equal(g.dim_value(dims[axis]), np.int64(0))
        legal = g.Or(g.GreaterOrEqual(number, np.int64(0)), nothing)
        w.check(legal, ValueError, "repeats may not contain negative values.")
        item = g.Max(number, np.int64(0))
    if item == 0:  # onnxruntime takes an Expand to a constant 0 out
        return g.Slice(value, [0], [0], [axis])
    wide = g.Unsqueeze(value, [axis + 1])
    wide = g.Expand(wide, g.shape_tensor([*dims[: axis + 1], item, *dims[axis + 1 :]]))
    total = dims[axis] * item if is_known(item) else g.Mul(g.dim_value(dims[axis]), item)
    merged = g.shape_tensor([*dims[:axis], total, *dims[axis + 1 :]])
    return g.Reshape(wide, merged, allowzero=1)


def _repeated(w: LoweringContext, counts: Value, size: Size) -> Value:
    """Return index i `counts[i]` times, in order."""
    g = w.graph
    legal = g.GreaterOrEqual(counts, np.int64(0))
    total = g.ReduceSum(g.Cast(g.Not(legal), to=np.int64), keepdims=0)
    message = "repeats may not contain negative values."
    w.check(g.Equal(total, np.int64(0)), ValueError, message)
    own = dims_of(counts)[0]
    require_among(w, own, [size, 1], ValueError, "operands could not be broadcast together")
    if not compare(own, "==", size):
        counts = g.Expand(counts, g.shape_tensor([size]))
    ends = g.CumSum(counts, np.int64(0))
    length = g.ReduceSum(counts, keepdims=0)
    places = g.Range(np.int64(0), length, np.int64(1))
    passed = g.LessOrEqual(g.Unsqueeze(ends, [0]), g.Unsqueeze(places, [1]))
    return g.ReduceSum(g.Cast(passed, to=np.int64), [1], keepdims=0)


@lowers(np.tile)
def tile(w: LoweringContext, A: Any, reps: Any) -> Any:  # noqa: N803
    """The whole array repeated along axes: one operator, many in numpy's own code."""
    value, g = tensor(w, A), w.graph
    if is_fraction(reps := w.narrow(reps)):
        w.refuse("a float for how often `tile` repeats is not compiled", "make an int of it")
    require_numbers(w, reps)
    items = shape_items(w, reps)
    for item in items:
        if not isinstance(item, Dim):
            w.check(g.compare(item, ">=", 0), ValueError, "negative dimensions are not allowed")
    rank = len(dims_of(value))
    if rank < len(items):
        value = g.Unsqueeze(value, list(range(len(items) - rank)))
    items = [*[1] * (len(dims_of(value)) - len(items)), *items]
    return w.new_array(g.Tile(value, g.shape_tensor(items)) if items else value)
