"""Lowerings of functions on images: resizing, sampling, patches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.array.im2col import Im2Col
from chainer.functions.array.resize_images import ResizeImages
from chainer.functions.array.spatial_transformer_grid import SpatialTransformerGrid
from chainer.functions.array.spatial_transformer_sampler import SpatialTransformerSampler

from elichika.lowerings.chainer.windows import padded, windows
from elichika.lowerings.sizes import (
    known_now,
    product,
    require,
    require_nonempty,
    same_shape,
    size_at_least,
    size_of,
    value_of_size,
)
from elichika.numbers.kernels import matmul
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of
from onnx_graph.failing import demanded

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


@lowers(ResizeImages)
def resize_images(w: LoweringContext, node: Any, x: Value) -> Value:
    """Neighbours and weights are those of float64, as in Chainer.

    onnxruntime's Resize computes places in float32: on 4,000 pixels a weight is 2e-4 off.
    """
    g = w.graph
    x = require_nonempty(g, x, [0, 1], "resize_images")  # which Chainer divides by
    outs = []
    for item in (node.out_H, node.out_W):
        x, out = size_at_least(g, x, item, 1, "resize_images to no pixels")
        outs.append(out)
    axes: list[Any] = list(zip((2, 3), dims_of(x)[2:], outs, strict=True))
    _, height, out_height = axes[0]
    if not (known_now(height, out_height) and out_height < height):
        axes.reverse()  # the fewer rows there are, the faster columns are done
    for axis, size, out in axes:
        many, length = value_of_size(g, out), value_of_size(g, size)
        if node.mode == "nearest":
            places = g.Mul(_numbers(g, many), _ratio(g, length, many))
            index = g.Cast(g.Floor(places), to=np.int64)
            x = demanded(g.Gather(x, g.Min(index, g.Sub(length, 1)), axis=axis))
        else:
            x = _between(g, x, axis, length, _places(g, length, many, node.align_corners))
    return x


def _numbers(g: ONNXGraph, many: Value) -> Value:
    return g.Cast(g.Range(0, many, 1), to=np.float64)


def _ratio(g: ONNXGraph, length: Value, many: Value) -> Value:
    return g.Div(g.Cast(length, to=np.float64), g.Cast(many, to=np.float64))


def _places(g: ONNXGraph, length: Value, many: Value, align_corners: bool) -> Value:
    """Where pixels of a resized image lie between those of the image, in float64."""
    numbers = _numbers(g, many)
    if not align_corners:
        places = g.Sub(g.Mul(g.Add(numbers, 0.5), _ratio(g, length, many)), 0.5)
        return g.Max(places, 0.0)
    end, steps = g.Sub(length, 1), g.Sub(many, 1)
    places = g.Mul(numbers, _ratio(g, end, g.Max(steps, 1)))
    last = g.Cast(g.Min(end, g.Mul(steps, end)), to=np.float64)  # of one pixel, the first
    return g.Where(g.Less(numbers, g.Cast(steps, to=np.float64)), places, last)


def _between(g: ONNXGraph, x: Value, axis: int, length: Value, places: Value) -> Value:
    """Weigh the pixels before and behind each place; columns as rows, which are faster to pick."""
    if axis == 3:
        turned = _between(g, g.Transpose(x, perm=[0, 1, 3, 2]), 2, length, places)
        return g.Transpose(turned, perm=[0, 1, 3, 2])
    below = g.Floor(places)
    weight = g.Unsqueeze(g.Cast(g.Sub(places, below), to=dtype_of(x)), [1])
    before = g.Cast(below, to=np.int64)
    behind = g.Min(g.Add(before, 1), g.Sub(length, 1))
    here, there = (demanded(g.Gather(x, index, axis=axis)) for index in (before, behind))
    one = np.array(1, dtype_of(x))
    return g.Add(g.Mul(here, g.Sub(one, weight)), g.Mul(there, weight))


@lowers(SpatialTransformerGrid)
def spatial_transformer_grid(w: LoweringContext, node: Any, theta: Value) -> Any:
    """An affine map of the coordinates x, y, 1 from -1 to 1; channels x, y."""
    g = w.graph
    height, width = (size_of(size) for size in node.output_shape)
    if not known_now(height, width):
        return NotImplemented
    for axis, size in ((1, 2), (2, 3)):
        theta = require(g, theta, dims_of(theta)[axis], "==", size, "theta is a 2 x 3 matrix")
    dtype = dtype_of(theta)
    ys, xs = np.meshgrid(
        np.linspace(-1, 1, height, dtype=dtype),
        np.linspace(-1, 1, width, dtype=dtype),
        indexing="ij",
    )
    places = np.stack([xs.ravel(), ys.ravel(), np.ones(height * width, dtype)])
    grid = matmul(g, theta, g.constant(places))
    return g.Reshape(grid, g.shape_tensor([dims_of(theta)[0], 2, height, width]), allowzero=1)


@lowers(SpatialTransformerSampler)
def spatial_transformer_sampler(w: LoweringContext, node: Any, x: Value, grid: Value) -> Value:
    """Bilinear; zeros around the image."""
    g = w.graph
    grid = same_shape(g, grid, x, [0])
    grid = require(g, grid, dims_of(grid)[1], "==", 2, "a grid has two coordinates")
    x = require_nonempty(g, x, [0], "spatial_transformer_sampler")
    if dtype_of(x) == np.float64:
        return _sampled(g, x, grid)
    places = g.Transpose(grid, perm=[0, 2, 3, 1])
    mode = "bilinear" if g.opset < 20 else "linear"
    return g.GridSample(x, places, mode=mode, padding_mode="zeros", align_corners=1)


def _sampled(g: ONNXGraph, x: Value, grid: Value) -> Value:
    """Gather the four neighbours of each place, in the image with a frame of zeros."""
    (n, channels, height, width), (_, _, out_h, out_w) = dims_of(x), dims_of(grid)
    frame = padded(g, x, [1, 1], [1, 1], 0)
    line, area = width + 2, (height + 2) * (width + 2)
    pixels = g.Reshape(frame, g.shape_tensor([n, channels, area]), allowzero=1)
    flat = g.Reshape(grid, g.shape_tensor([n, 2, 1, out_h * out_w]), allowzero=1)

    def place(axis: int, size: Any) -> tuple[Value, Value]:
        """The pixel before each place, and how far behind it the place is."""
        last = g.Cast(g.dim_value(size), to=np.float64)
        here = g.Squeeze(g.Slice(flat, [axis], [axis + 1], [1]), [1])
        here = g.Add(g.Mul(g.Mul(g.Add(here, 1.0), g.Sub(last, 1.0)), 0.5), 1.0)
        here = g.Clip(here, 0.0, g.Add(last, 1.0))
        before = g.Min(g.Floor(here), last)
        return g.Cast(before, to=np.int64), g.Sub(here, before)

    (left, right_of), (top, below) = place(0, width), place(1, height)
    total = None
    for down, high in ((0, g.Sub(1.0, below)), (1, below)):
        for across, wide in ((0, g.Sub(1.0, right_of)), (1, right_of)):
            row = g.Mul(g.Add(top, down), g.dim_value(line))
            index = g.Add(row, g.Add(left, across))
            index = g.Expand(index, g.shape_tensor([n, channels, out_h * out_w]))
            part = g.Mul(g.GatherElements(pixels, index, axis=2), g.Mul(high, wide))
            total = part if total is None else g.Add(total, part)
    return g.Reshape(total, g.shape_tensor([n, channels, out_h, out_w]), allowzero=1)


@lowers(Im2Col)
def im2col(w: LoweringContext, node: Any, x: Value) -> Value:
    """The windows, as channels in the order c, y, x."""
    g = w.graph
    seen = windows(
        g,
        x,
        (node.kh, node.kw),
        (node.sy, node.sx),
        (node.ph, node.pw),
        cover_all=node.cover_all,
        dilate=(node.dy, node.dx),
    )
    n, c, kh, out_h, kw, out_w = dims_of(seen)
    columns = g.Transpose(seen, perm=[0, 1, 2, 4, 3, 5])
    return g.Reshape(columns, g.shape_tensor([n, product([c, kh, kw]), out_h, out_w]), allowzero=1)
