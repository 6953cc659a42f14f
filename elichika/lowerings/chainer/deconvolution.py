"""Transposed convolutions, and what is one in disguise: unpooling and upsampling."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.connection.deconvolution_2d import Deconvolution2DFunction
from chainer.functions.connection.deconvolution_nd import DeconvolutionND
from chainer.functions.pooling.unpooling_2d import Unpooling2D
from chainer.functions.pooling.unpooling_nd import UnpoolingND
from chainer.functions.pooling.upsampling_2d import Upsampling2D
from chainer.utils.conv import get_conv_outsize, get_deconv_outsize

from elichika.errors import UnsupportedFunction
from elichika.lowerings.chainer.connection import promoted, with_bias
from elichika.lowerings.chainer.windows import MESSAGE, composed
from elichika.lowerings.numeric import as_value, constant_like
from elichika.lowerings.sizes import (
    known_now,
    rank,
    require,
    same_shape,
    size_of,
    value_of_size,
)
from elichika.numbers.kernels import cast
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, compare, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


@lowers(Deconvolution2DFunction)
def deconvolution_2d(
    w: LoweringContext, node: Any, x: Value, weight: Value, b: Value | None = None
) -> Value:
    """Two axes."""
    outs = [node.outh, node.outw]
    stride, pad, dilate = (node.sy, node.sx), (node.ph, node.pw), (node.dy, node.dx)
    y = deconvolution(w.graph, x, weight, b, stride, pad, dilate, node.groups, outs)
    node.cover_all = _covers_all(w, x, weight, stride, pad, dilate, outs)
    node.outh, node.outw = map(w.dim_scalar, dims_of(y)[2:])
    return y


@lowers(DeconvolutionND)
def deconvolution_nd(
    w: LoweringContext, node: Any, x: Value, weight: Value, b: Value | None = None
) -> Value:
    """Any number of axes."""
    outs = node.outs or [None] * node.ndim
    settings = node.stride, node.pad, node.dilate
    node.cover_all = _covers_all(w, x, weight, *settings, outs)
    return deconvolution(w.graph, x, weight, b, *settings, node.groups, outs)


def _covers_all(
    w: LoweringContext,
    x: Value,
    weight: Value,
    stride: Sequence[int],
    pad: Sequence[int],
    dilate: Sequence[int],
    outs: Sequence[Any],
) -> Any:
    """Tell whether this is the gradient of a convolution with `cover_all`: its last windows."""
    g, sizes, ksize = w.graph, dims_of(x)[2:], dims_of(weight)[2:]
    alike: list[Value] = []
    every = zip(sizes, map(size_of, outs), ksize, stride, pad, dilate, strict=True)
    for size, out, k, s, p, d in every:
        same = out is None or g.compare(size, "==", get_conv_outsize(out, k, s, p, d=d))
        if same is False:
            return True
        if same is not True:
            alike.append(same)
    if not alike:
        return False
    return w.scalar(bool, g.Not(reduce(g.And, alike)))


def deconvolution(
    g: ONNXGraph,
    x: Value,
    w: Value,
    b: Value | None,
    stride: Sequence[int],
    pad: Sequence[int],
    dilate: Sequence[int],
    groups: int,
    outs: Sequence[Any],
    raised: bool = True,
) -> Value:
    """Emit a ConvTranspose; a given output size moves the far edge, inwards or outwards.

    Unless `raised`, sizes that do not fit are none of Chainer's failures.
    """
    if dtype_of(x) != dtype_of(w):
        wide = promoted(g, x, w)
        y = deconvolution(g, wide[0], wide[1], None, stride, pad, dilate, groups, outs, raised)
        return with_bias(g, cast(g, y, dtype_of(x)), b)
    ksize = dims_of(w)[2:]
    x, far, wanted = _edges(g, x, ksize, stride, pad, dilate, outs, raised)
    every = zip(outs, wanted, ksize, far, pad, strict=True)
    bare = any(out is not None and _may_vanish(*side) for out, *side in every)
    if dtype_of(x) != np.float64 and known_now(*far) and not bare:
        x = _not_empty(g, x)
        more = [max(0, -end) for end in far]
        return g.ConvTranspose(
            x,
            w,
            b,
            strides=stride,
            pads=[*pad, *(max(0, end) for end in far)],
            dilations=dilate,
            group=groups,
            output_padding=more if any(more) else None,
        )
    for target in wanted if bare else ():
        x = require(g, x, target, ">=", 0, "less than nothing is left of a side", raised=False)
    y = _full(g, x, w, stride, dilate, groups)
    ends = [p + target for p, target in zip(pad, wanted, strict=True)]
    axes = list(range(2, rank(x)))
    return with_bias(g, g.Slice(y, g.shape_tensor(pad), g.shape_tensor(ends), axes), b)


def _edges(
    g: ONNXGraph,
    x: Value,
    ksize: Sequence[Any],
    stride: Sequence[int],
    pad: Sequence[int],
    dilate: Sequence[int],
    outs: Sequence[Any],
    raised: bool,
) -> tuple[Value, list[Any], list[Any]]:
    """Return `x` with checks of the output's sizes, the padding of the far edges, and the sizes."""
    far: list[Any] = []
    wanted: list[Any] = []
    for size, k, s, p, d, out in zip(dims_of(x)[2:], ksize, stride, pad, dilate, outs, strict=True):
        target = get_deconv_outsize(size, k, s, p, d=d) if out is None else size_of(out)
        wanted.append(target)
        if out is None:
            x = require(g, x, target, ">=", 1, MESSAGE)
            far.append(p)
        else:
            least = get_conv_outsize(target, k, s, p, d=d)
            most = get_conv_outsize(target, k, s, p, cover_all=True, d=d)
            x = require(g, x, least, "<=", size, "outsize is too large", raised)
            x = require(g, x, most, ">=", size, "outsize is too small", raised)
            far.append(s * (size - 1) + (k - 1) * d + 1 - p - target)
    return x, far, wanted


def _may_vanish(out: Any, k: Any, far: Any, p: int) -> bool:
    """Tell whether nothing may be left of a side, which ConvTranspose gives no array without."""
    return compare(out, ">=", 1) is not True and known_now(k, far) and k - p - far < 1


def _not_empty(g: ONNXGraph, x: Value) -> Value:
    """Return `x`, checked to have pixels where ConvTranspose of none ends the process."""
    if rank(x) < 5:
        return x
    for size in dims_of(x)[2:]:
        x = require(g, x, size, ">=", 1, "a deconvolution of no pixels", raised=False)
    return x


def _full(
    g: ONNXGraph, x: Value, w: Value, stride: Sequence[int], dilate: Sequence[int], groups: int
) -> Value:
    """Deconvolve without padding, and with stride - 1 more at the far end."""
    more = [s - 1 for s in stride]
    if dtype_of(x) != np.float64:
        x = _not_empty(g, x)
        return g.ConvTranspose(
            x, w, strides=stride, dilations=dilate, group=groups, output_padding=more
        )
    (channels, per_group, *ksize), count = dims_of(w), len(stride)
    for axis, s in enumerate(stride, 2):
        if s > 1:
            dims = dims_of(x)
            pads = [0] * (2 * rank(x) + 2)
            pads[rank(x) + axis + 2] = s - 1
            spread = g.Pad(g.Unsqueeze(x, [axis + 1]), pads)
            shape = [*dims[:axis], dims[axis] * s, *dims[axis + 1 :]]
            x = g.Reshape(spread, g.shape_tensor(shape), allowzero=1)
    parts = g.Reshape(w, g.shape_tensor([groups, channels // groups, per_group, *ksize]))
    turned = g.Transpose(parts, perm=[0, 2, 1, *range(3, 3 + count)])
    kernel = g.Reshape(turned, g.shape_tensor([groups * per_group, channels // groups, *ksize]))
    last = np.iinfo(np.int64).min
    axes = list(range(2, 2 + count))
    kernel = g.Slice(kernel, [-1] * count, [last] * count, axes, [-1] * count)
    around = [(k - 1) * d for k, d in zip(ksize, dilate, strict=True)]
    return composed(g, x, kernel, [1] * count, around, dilate, groups, False)


@lowers(Unpooling2D)
def unpooling_2d(w: LoweringContext, node: Any, x: Value) -> Value:
    """Two axes; Chainer divides by the size less the padding to see whether it may repeat pixels.

    Where it does so though there is a padding, or sides of unlike length, other pixels come out.
    """
    ksize, stride, pad = (node.kh, node.kw), (node.sy, node.sx), (node.ph, node.pw)
    every = zip(dims_of(x)[2:], ksize, stride, pad, (node.outh, node.outw), strict=True)
    outs = [
        get_deconv_outsize(size, k, s, p, cover_all=node.cover_all) if out is None else size_of(out)
        for size, k, s, p, out in every
    ]
    plain = node.kh == node.kw and pad == (0, 0)
    if stride == (node.kw, node.kh) and not (plain or node.ph % 2 or node.pw % 2):
        sides = zip(outs, ksize, dims_of(x)[2:], pad, strict=True)
        if all(
            isinstance(out, Value) or compare(out, "==", k * (size - p)) is not False
            for out, k, size, p in sides
        ):
            raise UnsupportedFunction(
                "unpooling_2d repeats pixels where the result is as large as all windows together",
                hint="leave the padding out",
            )
    x = _divisible(w.graph, x, outs[0], pad)
    y = _unpooled(w.graph, node, x, ksize, stride, pad, [node.outh, node.outw])
    node.outh, node.outw = map(w.dim_scalar, dims_of(y)[2:])
    node._use_int_scale_forward = False
    return y


def _divisible(g: ONNXGraph, x: Value, out: Any, pad: Sequence[int]) -> Value:
    """Return `x`, checked not to be as large as its padding, which Chainer divides by.

    Without padding that is an image without pixels.
    """
    rows, columns = dims_of(x)[2:]
    if all(compare(size, "==", p) is False for size, p in zip((rows, columns), pad, strict=True)):
        return x
    left = g.Sub(g.dim_value(rows), pad[0])
    none = g.Equal(left, 0)
    total = value_of_size(g, out)
    even = g.Equal(g.Mod(total, g.Where(none, 1, left)), 0)
    wrong = g.Or(none, g.And(even, g.Equal(g.dim_value(columns), pad[1])))
    return g.tie(x, g.check(g.Not(wrong), "ZeroDivisionError: integer modulo by zero"))


@lowers(UnpoolingND)
def unpooling_nd(w: LoweringContext, node: Any, x: Value) -> Value:
    """Any number of axes."""
    outs = node.outs or [None] * node.ndim
    y = _unpooled(w.graph, node, x, node.ksize, node.stride, node.pad, outs)
    node.outs = tuple(map(w.dim_scalar, dims_of(y)[2:]))
    return y


def _unpooled(
    g: ONNXGraph,
    node: Any,
    x: Value,
    ksize: Sequence[int],
    stride: Sequence[int],
    pad: Sequence[int],
    outs: Sequence[Any],
) -> Value:
    """Put each element at every place of its window; where windows overlap, they add up."""
    columns = g.Unsqueeze(x, [2])
    kernel = g.constant(np.ones((1, 1, *ksize), dtype_of(x)))
    return _placed(g, node, x, columns, kernel, stride, pad, outs)


def _placed(
    g: ONNXGraph,
    node: Any,
    x: Value,
    columns: Value,
    kernel: Value,
    stride: Sequence[int],
    pad: Sequence[int],
    outs: Sequence[Any],
) -> Value:
    """Deconvolve each channel of `columns` (n, c, taps, …) by itself."""
    (n, c, *sizes), count = dims_of(x), len(stride)
    ksize = dims_of(kernel)[2:]
    targets = []
    for size, k, s, p, out in zip(sizes, ksize, stride, pad, outs, strict=True):
        if out is None:
            out = get_deconv_outsize(size, k, s, p, cover_all=node.cover_all)
        else:
            out = size_of(out)
            fits = get_conv_outsize(out, k, s, p, cover_all=node.cover_all)
            columns = require(g, columns, size, "==", fits, "outsize does not fit")
        targets.append(out)
    taps = dims_of(columns)[2]
    flat = g.Reshape(columns, g.shape_tensor([n * c, taps, *sizes]), allowzero=1)
    y = deconvolution(g, flat, kernel, None, stride, pad, [1] * count, 1, targets, raised=False)
    return g.Reshape(y, g.shape_tensor([n, c, *targets]), allowzero=1)


@lowers(Upsampling2D)
def upsampling_2d(w: LoweringContext, node: Any, x: Value) -> Value:
    """Put each element at the place in its window that `indexes` names, from the end if below 0."""
    g = w.graph
    taps = node.kh * node.kw
    indexes = as_value(g, node.indexes)
    if dtype_of(indexes).kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    indexes = cast(g, indexes, np.int64)
    x = same_shape(g, x, indexes)
    outside = g.Or(g.Less(indexes, -taps), g.GreaterOrEqual(indexes, taps))
    none = g.Equal(g.ReduceSum(g.Cast(outside, to=np.int64), keepdims=0), 0)
    indexes = g.tie(g.Mod(indexes, taps), g.check(none, "IndexError: index is out of bounds"))
    places = g.constant(np.arange(taps, dtype=np.int64).reshape(taps, 1, 1))
    here = g.Equal(g.Unsqueeze(indexes, [2]), places)
    columns = g.Where(here, g.Unsqueeze(x, [2]), constant_like(g, 0, x))
    kernel = g.constant(np.eye(taps, dtype=dtype_of(x)).reshape(taps, 1, node.kh, node.kw))
    stride, pad = (node.sy, node.sx), (node.ph, node.pw)
    y = _placed(g, node, x, columns, kernel, stride, pad, [node.outh, node.outw])
    node.outh, node.outw = map(w.dim_scalar, dims_of(y)[2:])
    node._in_dtype = dtype_of(x)
    return y
