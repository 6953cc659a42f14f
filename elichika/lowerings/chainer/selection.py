"""Lowerings of `chainer.functions.array` that copy, pad or pick elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.array.depth2space import Depth2Space
from chainer.functions.array.diagonal import Diagonal
from chainer.functions.array.get_item import GetItem
from chainer.functions.array.pad_sequence import PadSequence
from chainer.functions.array.permutate import Permutate
from chainer.functions.array.repeat import Repeat
from chainer.functions.array.scatter_add import ScatterAdd
from chainer.functions.array.select_item import SelectItem
from chainer.functions.array.space2depth import Space2Depth
from chainer.functions.array.tile import Tile
from chainer.functions.array.transpose_sequence import TransposeSequence

from elichika.errors import UnsupportedFunction
from elichika.indexing import index_value
from elichika.lowerings.chainer.array import joined, reshaped
from elichika.lowerings.numeric import as_value, constant_like
from elichika.lowerings.sizes import (
    axes_from_the_front,
    known,
    known_now,
    product,
    rank,
    require,
    same_shape,
    size_of,
)
from elichika.numbers.kernels import cast
from elichika.registry import lowers
from elichika.values.symbolic import Array
from onnx_graph import Value, dims_of, dtype_of
from onnx_graph.failing import demanded

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def _entry(entry: Any) -> Any:
    return entry.onnx_value if isinstance(entry, Array) else entry


@lowers(GetItem)
def get_item(w: LoweringContext, node: Any, x: Value) -> Value:
    """Numpy's indexing, with everything in it."""
    return index_value(w.graph, x, tuple(map(_entry, node.slices)))


@lowers(ScatterAdd)
def scatter_add(w: LoweringContext, node: Any, x: Value, y: Value) -> Value:
    """Add at the places that the index selects among the numbers of all places."""
    g = w.graph
    dims, count = dims_of(x), product(dims_of(x))
    numbers = reshaped(g, g.Range(0, g.dim_value(count), 1), list(dims))
    places = index_value(g, numbers, tuple(map(_entry, node.slices)))
    y = same_shape(g, y, places)
    wide = np.float32 if dtype_of(x) == np.float16 else dtype_of(x)
    flat, more = (reshaped(g, cast(g, value, wide), [-1]) for value in (x, y))
    total = g.ScatterElements(flat, reshaped(g, places, [-1]), more, axis=0, reduction="add")
    return cast(g, reshaped(g, total, list(dims)), dtype_of(x))


@lowers(Diagonal)
def diagonal(w: LoweringContext, node: Any, x: Value) -> Value:
    """Every (columns + 1)-th element of the two axes, laid out as one at the end."""
    g = w.graph
    first, second = node.axis1 % rank(x), node.axis2 % rank(x)
    others = [axis for axis in range(rank(x)) if axis not in (first, second)]
    dims = [dims_of(x)[axis] for axis in (*others, first, second)]
    *kept, rows, columns = dims
    flat = reshaped(g, g.Transpose(x, perm=[*others, first, second]), [*kept, rows * columns])
    down, right = max(0, -node.offset), max(0, node.offset)
    length = g.Max(g.Min(g.dim_value(rows - down), g.dim_value(columns - right)), g.constant(0))
    steps = g.Mul(g.Range(0, length, 1), g.dim_value(columns + 1))
    return g.Gather(flat, g.Add(steps, g.dim_value(columns * down + right)), axis=len(kept))


@lowers(TransposeSequence)
def transpose_sequence(w: LoweringContext, node: Any, *xs: Value) -> tuple[Value, ...]:
    """The t-th elements of all sequences that are long enough, for each t."""
    g = w.graph
    lengths = [dims_of(x)[0] for x in xs]
    if not known_now(*lengths):
        raise UnsupportedFunction("transpose_sequence of lengths known only when the model runs")
    return tuple(
        joined(
            g,
            [
                g.Gather(x, [t], axis=0)
                for x, own in zip(xs, known(lengths), strict=True)
                if own > t
            ],
            0,
        )
        for t in range(max(known(lengths), default=0))
    )


@lowers(Repeat)
def repeat(w: LoweringContext, node: Any, x: Value) -> Value:
    """Repeat each element; without an axis, of the flattened array."""
    g = w.graph
    if node.axis is None:
        x = reshaped(g, x, [-1])
    (axis,) = axes_from_the_front(x, [node.axis or 0])
    dims, repeats = dims_of(x), node.repeats
    if len(repeats) > 1:
        x = require(g, x, dims[axis], "==", len(repeats), "as many repeats as elements")
        return g.Gather(x, np.repeat(np.arange(len(repeats)), repeats), axis=axis)
    if repeats[0] == 0:
        return g.Gather(x, np.zeros(0, np.int64), axis=axis)
    wide = [1] * (rank(x) + 1)
    wide[axis + 1] = repeats[0]
    copies = g.Expand(g.Unsqueeze(x, [axis + 1]), wide)
    return reshaped(g, copies, [*dims[:axis], dims[axis] * repeats[0], *dims[axis + 1 :]])


@lowers(Tile)
def tile(w: LoweringContext, node: Any, x: Value) -> Value:
    """The shorter one of the shape and the repeats is filled up with ones in front."""
    g = w.graph
    reps = [1] * (rank(x) - len(node.reps)) + list(node.reps)
    missing = list(range(len(reps) - rank(x)))
    return g.Tile(g.Unsqueeze(x, missing) if missing else x, reps)


@lowers(PadSequence)
def pad_sequence(w: LoweringContext, node: Any, *xs: Value) -> Value:
    """Stack after padding axis 0 to one length, the largest unless it is given."""
    g = w.graph
    lengths = [dims_of(x)[0] for x in xs]
    length = size_of(node.length)
    if node.length is None:
        length = lengths[0] if len(set(lengths)) == 1 else g.Max(*map(g.dim_value, lengths))
        if known_now(*lengths):
            length = max(known(lengths))
    padded = []
    for x, own in zip(xs, lengths, strict=True):
        if node.length is not None:
            x = require(g, x, own, "<=", length, "a sequence is longer than the length")
        missing = g.Sub(length, own) if isinstance(length, Value) else length - own
        pads: list[Any] = [0] * (2 * rank(x))
        pads[rank(x)] = missing
        if isinstance(missing, Value) or missing != 0:
            x = g.Pad(x, g.shape_tensor(pads), constant_like(g, node.padding, x))
        padded.append(g.Unsqueeze(x, [0]))
    return joined(g, padded, 0)


@lowers(SelectItem)
def select_item(w: LoweringContext, node: Any, x: Value, t: Value) -> Value:
    """One element of each row."""
    g = w.graph
    t = same_shape(g, t, x, axes=[0])
    index = g.Unsqueeze(g.Cast(t, to=np.int64), [1])
    return g.Squeeze(demanded(g.GatherElements(x, index, axis=1)), [1])


@lowers(Permutate)
def permutate(w: LoweringContext, node: Any, x: Value) -> Value:
    """Take by the indices; the inverse scatters the numbers of the places."""
    g = w.graph
    indices = cast(g, as_value(g, node.indices), np.int64)
    if node.inv:
        places = g.Range(0, g.size(indices, 0), 1)
        indices = g.ScatterElements(places, indices, places, axis=0)
    return demanded(g.Gather(x, indices, axis=node.axis % rank(x)))


@lowers(Depth2Space)
def depth2space(w: LoweringContext, node: Any, x: Value) -> Value:
    """Blocks come before the channels in the depth: mode DCR."""
    return demanded(w.graph.DepthToSpace(x, blocksize=node.r, mode="DCR"))


@lowers(Space2Depth)
def space2depth(w: LoweringContext, node: Any, x: Value) -> Value:
    """ONNX's own order."""
    return demanded(w.graph.SpaceToDepth(x, blocksize=node.r))
