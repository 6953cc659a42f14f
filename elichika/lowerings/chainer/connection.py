"""Lowerings of `chainer.functions.connection`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.connection.bilinear import BilinearFunction
from chainer.functions.connection.convolution_2d import Convolution2DFunction
from chainer.functions.connection.convolution_nd import ConvolutionND
from chainer.functions.connection.embed_id import EmbedIDFunction
from chainer.functions.connection.linear import LinearFunction
from chainer.functions.connection.local_convolution_2d import LocalConvolution2DFunction
from chainer.functions.connection.shift import Shift

from elichika.lowerings.chainer.array import joined
from elichika.lowerings.chainer.windows import composed, outsizes, padded, require_windows, windows
from elichika.lowerings.numeric import constant_like
from elichika.lowerings.sizes import known_now, rank, require, same_shape, size_of
from elichika.numbers.kernels import cast, matmul
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, compare, dims_of, dtype_of
from onnx_graph.failing import demanded

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def promoted(g: ONNXGraph, *xs: Value) -> list[Value]:
    """Cast to the dtype numpy would compute in; parameters may differ from inputs (mixed16)."""
    dtype = np.result_type(*map(dtype_of, xs))
    return [cast(g, x, dtype) for x in xs]


@lowers(LinearFunction)
def linear(w: LoweringContext, node: Any, x: Value, weight: Value, b: Value | None = None) -> Value:
    """x W^T + b, of matrices."""
    g = w.graph
    if dtype_of(x) == dtype_of(weight):
        return g.Gemm(x, weight, b, transB=1)
    y = cast(g, g.Gemm(*promoted(g, x, weight), transB=1), dtype_of(x))
    return y if b is None else g.Add(y, b)


@lowers(EmbedIDFunction)
def embed_id(w: LoweringContext, node: Any, x: Value, weight: Value) -> Value:
    """An id below zero counts from the end; rows of the ignored label are zeros."""
    g = w.graph
    ids = x if dtype_of(x) == np.int32 else cast(g, x, np.int64)
    if node.ignore_label is None:
        return demanded(g.Gather(weight, ids, axis=0))
    ids = cast(g, ids, np.int64)
    ignored = g.Equal(ids, int(node.ignore_label))
    rows = demanded(g.Gather(weight, g.Where(ignored, 0, ids), axis=0))
    return g.Where(g.Unsqueeze(ignored, [-1]), constant_like(g, 0, weight), rows)


@lowers(Convolution2DFunction)
def convolution_2d(
    w: LoweringContext, node: Any, x: Value, weight: Value, b: Value | None = None
) -> Value:
    """Two axes."""
    stride, pad, dilate = (node.sy, node.sx), (node.ph, node.pw), (node.dy, node.dx)
    return convolution(w.graph, x, weight, b, stride, pad, dilate, node.groups, node.cover_all)


@lowers(ConvolutionND)
def convolution_nd(
    w: LoweringContext, node: Any, x: Value, weight: Value, b: Value | None = None
) -> Value:
    """Any number of axes."""
    return convolution(
        w.graph, x, weight, b, node.stride, node.pad, node.dilate, node.groups, node.cover_all
    )


def convolution(
    g: ONNXGraph,
    x: Value,
    w: Value,
    b: Value | None,
    stride: Sequence[int],
    pad: Sequence[int],
    dilate: Sequence[int],
    groups: int = 1,
    cover_all: bool = False,
) -> Value:
    """Emit a Conv; in float64, windows and a MatMul.

    cover_all is stride - 1 more padding at the far end, which the last window need not use.
    """
    if dtype_of(x) != dtype_of(w):
        wide = promoted(g, x, w)
        y = convolution(g, wide[0], wide[1], None, stride, pad, dilate, groups, cover_all)
        return with_bias(g, cast(g, y, dtype_of(x)), b)
    ksize = dims_of(w)[2:]
    if dtype_of(x) == np.float64 or not known_now(*ksize):
        return with_bias(g, composed(g, x, w, stride, pad, dilate, groups, cover_all), b)
    far = [p + (s - 1 if cover_all else 0) for p, s in zip(pad, stride, strict=True)]
    outs = outsizes(dims_of(x)[2:], ksize, stride, pad, cover_all, dilate)
    spans = zip(ksize, dilate, pad, far, stride, strict=True)
    reach = [(k - 1) * d + 1 - near - end if s > 1 else 1 for k, d, near, end, s in spans]
    x = require_windows(g, x, reach, outs)
    y = g.Conv(x, w, b, strides=stride, pads=[*pad, *far], dilations=dilate, group=groups)
    return y if all(compare(size, ">=", 1) for size in outs) else demanded(y)


def with_bias(g: ONNXGraph, y: Value, b: Value | None) -> Value:
    """Add a number for each channel."""
    return y if b is None else g.Add(y, g.Unsqueeze(b, list(range(1, rank(y) - 1))))


@lowers(BilinearFunction)
def bilinear(
    w: LoweringContext, node: Any, e1: Value, e2: Value, weight: Value, *linears: Value
) -> Value:
    """The sum over i and j of e1[i] W[i, j] e2[j], and linear terms; trailing axes are one."""
    g = w.graph
    e1 = same_shape(g, e1, e2, [0])
    e1, e2 = (g.Reshape(e, [0, -1]) if rank(e) != 2 else e for e in (e1, e2))
    for axis, e in enumerate((e1, e2)):
        weight = require(
            g, weight, dims_of(weight)[axis], "==", dims_of(e)[1], f"sizes of axis {axis} differ"
        )
    y = g.Einsum(e1, e2, weight, equation="bi,bj,ijk->bk")
    if linears:
        v1, v2, b = linears
        y = g.Add(g.Add(y, matmul(g, e1, v1)), g.Add(matmul(g, e2, v2), b))
    return y


@lowers(LocalConvolution2DFunction)
def local_convolution_2d(
    w: LoweringContext, node: Any, x: Value, weight: Value, b: Value | None = None
) -> Value:
    """A kernel of its own at every place: a batch of matrix products over the places."""
    g = w.graph
    out_channels, out_h, out_w, channels, kh, kw = dims_of(weight)
    x = require(g, x, dims_of(x)[1], "==", channels, "as many channels as the weights have")
    n, taps = dims_of(x)[0], channels * kh * kw
    stride = (size_of(node.sy), size_of(node.sx))
    for step in stride:
        x = require(g, x, step, ">=", 0, "a stride is too small")
    seen = windows(g, x, (kh, kw), stride, (0, 0), outs=(out_h, out_w))
    places = g.Transpose(seen, perm=[3, 5, 0, 1, 2, 4])
    rows = g.Reshape(places, [out_h, out_w, n, taps], allowzero=1)
    kernels = g.Transpose(weight, perm=[1, 2, 3, 4, 5, 0])
    kernels = g.Reshape(kernels, [out_h, out_w, taps, out_channels], allowzero=1)
    y = g.Transpose(matmul(g, rows, kernels), perm=[2, 3, 0, 1])
    return y if b is None else g.Add(y, b)


@lowers(Shift)
def shift(w: LoweringContext, node: Any, x: Value) -> Value:
    """Move each group of channels by a place of the kernel; the centre's group is the last."""
    g = w.graph
    (_, channels, height, width), groups = dims_of(x), node.kh * node.kw
    x = require(g, x, channels, ">=", groups, "as many channels as places of the kernel")
    far = (node.kh // 2 * abs(node.dy), node.kw // 2 * abs(node.dx))
    wide = padded(g, x, far, far, 0)
    parts = []
    for index in range(groups):
        place = {(groups - 1) // 2: groups - 1, groups - 1: (groups - 1) // 2}.get(index, index)
        top = far[0] - (place // node.kw - node.kh // 2) * node.dy
        left = far[1] - (place % node.kw - node.kw // 2) * node.dx
        first = index * (channels // groups)
        last = first + channels // groups if index < groups - 1 else channels
        ends = g.shape_tensor([last, top + height, left + width])
        parts.append(g.Slice(wide, g.shape_tensor([first, top, left]), ends, [1, 2, 3]))
    return joined(g, parts, 1)
