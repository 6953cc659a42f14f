"""The gradients of kernels: `Convolution2DGradW` and `ConvolutionNDGradW`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chainer.functions.connection.convolution_2d import Convolution2DGradW
from chainer.functions.connection.convolution_nd import ConvolutionNDGradW

from elichika.lowerings.chainer.connection import promoted
from elichika.lowerings.chainer.windows import outsizes, padded, windows
from elichika.lowerings.numeric import as_value
from elichika.lowerings.sizes import Size, known, known_now, product, require, same_shape, size_of
from elichika.numbers.kernels import cast, matmul
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

#: Kernels of more taps are gathered at once.
MOST_SLICES = 32


@lowers(Convolution2DGradW)
def convolution_2d_grad_w(w: LoweringContext, node: Any, x: Value, gy: Value) -> Value:
    """Two axes."""
    stride, pad, dilate = (node.sy, node.sx), (node.ph, node.pw), (node.dy, node.dx)
    return _kernel(w.graph, node, x, gy, (node.kh, node.kw), stride, pad, dilate)


@lowers(ConvolutionNDGradW)
def convolution_nd_grad_w(w: LoweringContext, node: Any, x: Value, gy: Value) -> Value:
    """Any number of axes."""
    return _kernel(w.graph, node, x, gy, node.ksize, node.stride, node.pad, node.dilate)


def _kernel(
    g: ONNXGraph,
    node: Any,
    x: Value,
    gy: Value,
    ksize: Sequence[Any],
    stride: Sequence[int],
    pad: Sequence[int],
    dilate: Sequence[int],
) -> Value:
    """Multiply the gradients with the columns of each image, for each group, and add that up."""
    x, gy = promoted(g, x, gy)
    ks = [size_of(k) for k in ksize]
    gy = same_shape(g, gy, x, [0])
    gy = _as_many(g, node, x, gy, ks, stride, pad, dilate)
    (n, channels), (out_channels, *outs) = dims_of(x)[:2], dims_of(gy)[1:]
    groups = node.groups
    taps = channels // groups * product(ks)
    columns = _columns(g, x, ks, stride, pad, dilate, outs)
    columns = g.Reshape(columns, g.shape_tensor([n, groups, taps, product(outs)]), allowzero=1)
    wanted = g.shape_tensor([n, groups, out_channels // groups, product(outs)])
    rows = g.Reshape(gy, wanted, allowzero=1)
    each = matmul(g, rows, g.Transpose(columns, perm=[0, 1, 3, 2]))
    shape = g.shape_tensor([out_channels, channels // groups, *ks])
    total = g.Reshape(g.ReduceSum(each, [0], keepdims=0), shape, allowzero=1)
    return cast(g, total, node.W_dtype)


def _as_many(
    g: ONNXGraph,
    node: Any,
    x: Value,
    gy: Value,
    ksize: Sequence[Size],
    stride: Sequence[int],
    pad: Sequence[int],
    dilate: Sequence[int],
) -> Value:
    """Return `gy`, checked to have a place for each window; the rest may be for the run to say."""
    sizes = dims_of(x)[2:]
    if known_now(node.cover_all):
        places = outsizes(sizes, ksize, stride, pad, node.cover_all, dilate)
        for own, out in zip(dims_of(gy)[2:], places, strict=True):
            gy = require(g, gy, own, "==", out, "as many gradients as windows")
        return gy
    covers = as_value(g, node.cover_all)
    both = (outsizes(sizes, ksize, stride, pad, every, dilate) for every in (True, False))
    for own, most, least in zip(dims_of(gy)[2:], *both, strict=True):
        wanted = g.Where(covers, g.dim_value(most), g.dim_value(least))
        gy = require(g, gy, g.dim_value(own), "==", wanted, "as many gradients as windows")
    return gy


def _columns(
    g: ONNXGraph,
    x: Value,
    ksize: Sequence[Size],
    stride: Sequence[int],
    pad: Sequence[int],
    dilate: Sequence[int],
    outs: Sequence[Size],
) -> Value:
    """Return what each tap meets: (n, c, k_1, …, out_1, …), or one axis for all taps."""
    count = len(ksize)
    numbers = known(ksize)
    if len(numbers) < count or math.prod(numbers) > MOST_SLICES:
        seen = windows(g, x, ksize, stride, pad, dilate=dilate, outs=outs)
        first = range(2, 2 + 2 * count, 2)
        return g.Transpose(seen, perm=[0, 1, *first, *(axis + 1 for axis in first)])
    far = [p + s - 1 for p, s in zip(pad, stride, strict=True)]
    for out in outs:
        x = require(g, x, out, ">=", 1, "sizes in the output should be positive")
    wide = padded(g, x, pad, far, 0)
    axes = list(range(2, 2 + count))
    met = []
    for place in itertools.product(*map(range, numbers)):
        starts = [i * d for i, d in zip(place, dilate, strict=True)]
        every = zip(starts, stride, outs, strict=True)
        ends = [start + s * (out - 1) + 1 for start, s, out in every]
        met.append(g.Slice(wide, g.shape_tensor(starts), g.shape_tensor(ends), axes, stride))
    return g.Concat(*(g.Unsqueeze(each, [2]) for each in met), axis=2) if met[1:] else met[0]
