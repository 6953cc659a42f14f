"""Lowerings of functions on images: resizing, sampling, patches."""

from __future__ import annotations

from typing import Any

import numpy as np
from chainer.functions.array.im2col import Im2Col
from chainer.functions.array.resize_images import ResizeImages
from chainer.functions.array.spatial_transformer_grid import SpatialTransformerGrid
from chainer.functions.array.spatial_transformer_sampler import SpatialTransformerSampler

from elichika.kernels import matmul
from elichika.lowerings.sizes import product, require, require_nonempty, same_shape, size_of
from elichika.lowerings.windows import padded, windows
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of


@lowers(ResizeImages)
def resize_images(g: ONNXGraph, node: Any, x: Value) -> Value:
    """Nearest gathers at places computed in float64 as Chainer computes them."""
    outs = [size_of(node.out_H), size_of(node.out_W)]
    x = require_nonempty(g, x, [0, 1], "resize_images")  # which Chainer divides by
    n, c, *sizes = dims_of(x)
    if node.mode == "bilinear":
        mode = "align_corners" if node.align_corners else "half_pixel"
        shape = g.shape_tensor([n, c, *outs])
        return g.Resize(x, None, None, shape, mode="linear", coordinate_transformation_mode=mode)
    for axis, (size, out) in enumerate(zip(sizes, outs, strict=True), 2):
        many, length = (
            item if isinstance(item, Value) else g.dim_value(item) for item in (out, size)
        )
        scale = g.Div(g.Cast(length, to=np.float64), g.Cast(many, to=np.float64))
        steps = g.Cast(g.Range(0, many, 1), to=np.float64)
        index = g.Cast(g.Floor(g.Mul(steps, scale)), to=np.int64)
        x = g.Gather(x, g.Min(index, g.Sub(length, 1)), axis=axis)
    return x


@lowers(SpatialTransformerGrid)
def spatial_transformer_grid(g: ONNXGraph, node: Any, theta: Value) -> Any:
    """An affine map of the coordinates x, y, 1 from -1 to 1; channels x, y."""
    height, width = (size_of(size) for size in node.output_shape)
    if not isinstance(height, int) or not isinstance(width, int):
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
def spatial_transformer_sampler(g: ONNXGraph, node: Any, x: Value, grid: Value) -> Value:
    """Bilinear; zeros around the image."""
    grid = same_shape(g, grid, x, [0])
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
def im2col(g: ONNXGraph, node: Any, x: Value) -> Value:
    """The windows, as channels in the order c, y, x."""
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
