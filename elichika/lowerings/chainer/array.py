"""Lowerings of `chainer.functions.array`: shapes, joins and selections."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.array.as_strided import AsStrided, _max_index
from chainer.functions.array.broadcast import Broadcast, BroadcastTo
from chainer.functions.array.cast import Cast
from chainer.functions.array.concat import Concat
from chainer.functions.array.copy import Copy
from chainer.functions.array.dstack import Dstack
from chainer.functions.array.expand_dims import ExpandDims
from chainer.functions.array.flip import Flip
from chainer.functions.array.fliplr import FlipLR
from chainer.functions.array.flipud import FlipUD
from chainer.functions.array.hstack import Hstack
from chainer.functions.array.moveaxis import Moveaxis
from chainer.functions.array.reshape import Reshape
from chainer.functions.array.rollaxis import Rollaxis
from chainer.functions.array.separate import Separate
from chainer.functions.array.split_axis import SplitAxis
from chainer.functions.array.squeeze import Squeeze
from chainer.functions.array.stack import Stack
from chainer.functions.array.swapaxes import Swapaxes
from chainer.functions.array.transpose import Transpose
from chainer.functions.array.vstack import Vstack
from chainer.functions.array.where import Where
from chainer.functions.math.identity import Identity

from elichika.errors import UnsupportedFunction
from elichika.lowerings.numeric import as_value
from elichika.lowerings.sizes import (
    Size,
    axes_from_the_front,
    known_now,
    product,
    rank,
    require,
    size_of,
    tells_unknown,
    value_of_size,
    with_unknown,
)
from elichika.numbers.kernels import cast, choose
from elichika.registry import lowers
from elichika.values.c_order import contiguous
from onnx_graph import ONNXGraph, Value, compare, dims_of, same

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


@lowers(Copy, Identity)
def copy(w: LoweringContext, node: Any, *xs: Value) -> Any:
    """Nothing to do: values do not change."""
    return xs if len(xs) > 1 else xs[0]


@lowers(Cast)
def cast_(w: LoweringContext, node: Any, x: Value) -> Value:
    """As `astype` converts."""
    return cast(w.graph, x, node.type)


@lowers(Reshape)
def reshape(w: LoweringContext, node: Any, x: Value) -> Value:
    """A 0 is a size, not ONNX's copy of the old one."""
    return reshaped(w.graph, x, [size_of(item) for item in node.shape])


def reshaped(g: ONNXGraph, x: Value, shape: list[Any]) -> Value:
    """Reshape to ints, sizes and scalars, one of which may be below 0."""
    shape = with_unknown(g, shape)
    plain = known_now(*shape) and 0 not in shape
    if -1 in shape:
        x = _require_divisor(g, x, [i for i in shape if not known_now(i) or i != -1])
    elif not any(isinstance(item, Value) for item in shape):
        x = require(g, x, product(dims_of(x)), "==", product(shape), "cannot reshape array")
    elif (told := tells_unknown(g, shape)) is not None:
        x = g.tie(x, g.check(told, "ValueError: cannot reshape array of size 0", raised=True))
    return g.Reshape(x, g.shape_tensor(shape), allowzero=None if plain else 1)


def _require_divisor(g: ONNXGraph, x: Value, sizes: list[Any]) -> Value:
    """Check that sizes beside -1 are not zero: numpy cannot tell the missing one then."""
    for size in sizes:
        x = require(g, x, size, ">=", 1, "cannot reshape array of size 0")
    return x


@lowers(Transpose)
def transpose(w: LoweringContext, node: Any, x: Value) -> Value:
    """Without axes, reverse them."""
    axes = range(rank(x))[::-1] if node.axes is None else [axis % rank(x) for axis in node.axes]
    return w.graph.Transpose(x, perm=list(axes))


def _moved(g: ONNXGraph, x: Value, perm: Any) -> Value:
    return g.Transpose(x, perm=[int(axis) for axis in perm])


@lowers(Swapaxes)
def swapaxes(w: LoweringContext, node: Any, x: Value) -> Value:
    """Exchange two axes."""
    numbered = np.empty(range(1, rank(x) + 1), np.bool_)
    swapped = np.swapaxes(numbered, node.axis1, node.axis2)
    return _moved(w.graph, x, [size - 1 for size in swapped.shape])


@lowers(Moveaxis)
def moveaxis(w: LoweringContext, node: Any, x: Value) -> Value:
    """The permutation is numpy's own, of a tensor whose sizes number its axes."""
    numbered = np.empty(range(1, rank(x) + 1), np.bool_)
    moved = np.moveaxis(numbered, node.source, node.destination)
    return _moved(w.graph, x, [size - 1 for size in moved.shape])


@lowers(Rollaxis)
def rollaxis(w: LoweringContext, node: Any, x: Value) -> Value:
    """The permutation is numpy's own, of a tensor whose sizes number its axes."""
    moved = np.rollaxis(np.empty(range(1, rank(x) + 1), np.bool_), node.axis, node.start)
    return _moved(w.graph, x, [size - 1 for size in moved.shape])


@lowers(ExpandDims)
def expand_dims(w: LoweringContext, node: Any, x: Value) -> Value:
    """Insert an axis of size 1."""
    return w.graph.Unsqueeze(x, [node.axis])


@lowers(Squeeze)
def squeeze(w: LoweringContext, node: Any, x: Value) -> Value:
    """Without an axis, the sizes decide the rank: all must be known."""
    g = w.graph
    if node.axis is not None:
        return g.Squeeze(x, axes_from_the_front(x, node.axis)) if node.axis else x
    dims = dims_of(x)
    unknown = [axis for axis, dim in enumerate(dims) if compare(dim, "==", 1) is None]
    if unknown:
        raise UnsupportedFunction(
            f"squeeze without an axis: whether axis {unknown[0]}, of size {dims[unknown[0]]}, "
            "goes away is known only when the model runs",
            hint="Name the axes: F.squeeze(x, axis=…).",
        )
    ones = [axis for axis, dim in enumerate(dims) if dim == 1]
    return g.Squeeze(x, ones) if ones else x


@lowers(Broadcast)
def broadcast(w: LoweringContext, node: Any, *xs: Value) -> tuple[Value, ...]:
    """Expand goes both ways: each array with the shape of every other one."""
    g = w.graph
    results = []
    for x in xs:
        for other in xs:
            if other is not x and dims_of(other) != dims_of(x):
                x = g.Expand(x, g.shape_tensor([g.size(other, i) for i in range(rank(other))]))
        results.append(x)
    return tuple(results)


@lowers(BroadcastTo)
def broadcast_to(w: LoweringContext, node: Any, x: Value) -> Value:
    """Expand takes a target of 1 for a larger size, where numpy refuses."""
    return expanded(w.graph, x, [size_of(item) for item in node._shape])


def expanded(g: ONNXGraph, x: Value, target: list[Any]) -> Value:
    """Expand `x` to ints, sizes and scalars, one way."""
    dims = dims_of(x)
    for dim, size in zip(reversed(dims), reversed(target), strict=False):
        known = not isinstance(size, Value)
        if dim == 1 or (known and (same(dim, size) or compare(size, ">", 1))):
            continue
        value = value_of_size(g, size)
        one, now = g.Equal(g.dim_value(dim), 1), g.Equal(g.dim_value(dim), value)
        x = g.tie(x, g.check(g.Or(one, now), f"size {dim} does not broadcast", raised=True))
    return g.Expand(x, g.shape_tensor(target))


@lowers(Concat)
def concat(w: LoweringContext, node: Any, *xs: Value) -> Value:
    """One axis, 1 by default."""
    return joined(w.graph, xs, node.axis)


def joined(g: ONNXGraph, xs: Any, axis: int) -> Value:
    """Concatenate; the other sizes must be equal, also of what is empty: ONNX does not ask."""
    axis %= rank(xs[0])
    first, *others = xs
    for other in others:
        for one, (size, wanted) in enumerate(zip(dims_of(other), dims_of(first), strict=True)):
            if one != axis:
                message = f"arrays of sizes {wanted} and {size} along axis {one} are joined"
                xs = [require(g, xs[0], wanted, "==", size, message), *xs[1:]]
    return xs[0] if not others else g.Concat(*xs, axis=axis)


@lowers(Stack)
def stack(w: LoweringContext, node: Any, *xs: Value) -> Value:
    """Join along a new axis."""
    g = w.graph
    axis = node.axis % (rank(xs[0]) + 1)
    return joined(g, [g.Unsqueeze(x, [axis]) for x in xs], axis)


@lowers(Hstack)
def hstack(w: LoweringContext, node: Any, *xs: Value) -> Value:
    """Vectors are joined along axis 0, others along axis 1; scalars become vectors."""
    g = w.graph
    if rank(xs[0]) == 0:
        xs = tuple(g.Unsqueeze(x, [0]) for x in xs)
    return joined(g, xs, 0 if rank(xs[0]) == 1 else 1)


@lowers(Vstack)
def vstack(w: LoweringContext, node: Any, *xs: Value) -> Value:
    """Scalars and vectors become rows."""
    g = w.graph
    missing = list(range(2 - rank(xs[0])))
    return joined(g, [g.Unsqueeze(x, missing) if missing else x for x in xs], 0)


@lowers(Dstack)
def dstack(w: LoweringContext, node: Any, *xs: Value) -> Value:
    """A vector of n becomes (1, n, 1), a matrix gets a last axis."""
    g = w.graph
    axes = {0: [0, 1, 2], 1: [0, 2], 2: [2]}.get(rank(xs[0]))
    return joined(g, [g.Unsqueeze(x, axes) if axes else x for x in xs], 2)


@lowers(SplitAxis)
def split_axis(w: LoweringContext, node: Any, x: Value) -> tuple[Value, ...]:
    """Sections must be equal; boundaries may overlap or run backwards, as slices do."""
    g = w.graph
    axis = node.axis % rank(x)
    size = dims_of(x)[axis]
    if node.indices is None:
        x = require(g, x, size % node.sections, "==", 0, "sections of unequal size")
        return _cut(g, x, axis, [size // node.sections * part for part in range(node.sections)])
    ends = [size_of(item) for item in node.indices]
    if ends:
        x = require(g, x, size, ">=", ends[-1], "a boundary lies behind the end")
    return _cut(g, x, axis, [0, *ends])


def _cut(g: ONNXGraph, x: Value, axis: int, starts: list[Size]) -> tuple[Value, ...]:
    """Cut where parts begin: a Split needs sizes that are known, for tools that infer shapes."""
    edges = [*starts, dims_of(x)[axis]]
    known = [edge for edge in edges if type(edge) is int]
    if len(starts) == 1:
        return (x,)
    if len(known) == len(edges) and known == sorted(known) and known[0] >= 0:
        sizes = [b - a for a, b in pairwise(known)]
        return tuple(g.Split(x, g.shape_tensor(sizes), axis=axis, outputs=len(sizes)))
    shape, ends = g.shape_tensor, [*starts[1:], np.iinfo(np.int64).max]
    pairs = zip(starts, ends, strict=True)
    return tuple(g.Slice(x, shape([a]), shape([b]), [axis]) for a, b in pairs)


@lowers(Separate)
def separate(w: LoweringContext, node: Any, x: Value) -> tuple[Value, ...]:
    """The number of results is the size of the axis: it must be known."""
    g = w.graph
    axis = node.axis % rank(x)
    size = dims_of(x)[axis]
    if not known_now(size):
        raise UnsupportedFunction(
            f"separate along an axis of size {size}, known only when the model runs",
            hint="Iterate over the array instead.",
        )
    return tuple(g.Squeeze(part, [axis]) for part in _cut(g, x, axis, list(range(size))))


def _flipped(g: ONNXGraph, x: Value, axis: int) -> Value:
    return g.Slice(x, [-1], [np.iinfo(np.int64).min], [axis % rank(x)], [-1])


@lowers(Flip)
def flip(w: LoweringContext, node: Any, x: Value) -> Value:
    """Reverse an axis."""
    return _flipped(w.graph, x, node.axis)


@lowers(FlipLR)
def fliplr(w: LoweringContext, node: Any, x: Value) -> Value:
    """Reverse axis 1."""
    return _flipped(w.graph, x, 1)


@lowers(FlipUD)
def flipud(w: LoweringContext, node: Any, x: Value) -> Value:
    """Reverse axis 0."""
    return _flipped(w.graph, x, 0)


@lowers(Where)
def where_(w: LoweringContext, node: Any, x: Value, y: Value) -> Value:
    """The condition is an attribute of the node: an array, or one known when the model runs."""
    g = w.graph
    condition = as_value(g, node.condition)
    return choose(g, condition, x, y)


@lowers(AsStrided)
def as_strided(w: LoweringContext, node: Any, x: Value) -> Value:
    """Gather at the places that shape and strides name; x must own its memory, in C order."""
    g = w.graph
    if not contiguous(g, x):
        raise UnsupportedFunction(
            "as_strided of an array that may be a view of another, or not be in C order",
            hint="Reshape it to one axis first: F.as_strided(F.flatten(x), …).",
        )
    strides = list(node.strides)
    places = np.full((), int(node.storage_offset or 0), np.int64)
    for axis, (size, stride) in enumerate(zip(node.shape, strides, strict=True)):
        steps = np.arange(size, dtype=np.int64) * stride
        places = places + steps.reshape(-1, *[1] * (len(strides) - axis - 1))
    least = int(places.min(initial=0))
    most = _max_index(node.shape, strides, int(node.storage_offset or 0))
    if least < 0:
        raise UnsupportedFunction("as_strided from before the first element")
    x = require(g, x, product(dims_of(x)), ">", int(most), "as_strided of what is too short")
    return g.Gather(g.Reshape(x, [-1]), g.constant(places), axis=0)
