"""Lowerings of the pooling of regions of interest; regions are (y1, x1, y2, x2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.pooling.roi_average_align_2d import ROIAverageAlign2D
from chainer.functions.pooling.roi_average_pooling_2d import ROIAveragePooling2D
from chainer.functions.pooling.roi_max_align_2d import ROIMaxAlign2D
from chainer.functions.pooling.roi_max_pooling_2d import ROIMaxPooling2D
from chainer.functions.pooling.roi_pooling_2d import ROIPooling2D

from elichika.lowerings.sizes import require, require_nonempty, same_shape
from elichika.numbers.kernels import cast, matmul, where
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, compare, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

Pool = Callable[[Value, Value], Value]
Parts = tuple[Value, Value]
"""The first pixel of each bin of each region, and the one behind its last: int64[regions, bins]."""


def _checked(g: ONNXGraph, indices: Value, rois: Value) -> Value:
    """Return the images of the regions, checked to be one for each region of four numbers."""
    indices = require(g, indices, dims_of(rois)[1], "==", 4, "a region has four numbers")
    return same_shape(g, indices, rois, [0])


def _edges(g: ONNXGraph, rois: Value, scale: float, axis: int) -> tuple[Value, Value]:
    """Return where regions start and end along an axis, scaled, float64[regions, 1].

    Chainer fails on a place that is no number when it rounds it.
    """
    scaled = g.Mul(cast(g, rois, np.float64), float(scale))
    odd = g.ReduceSum(g.Cast(g.Not(g.Equal(g.Sub(scaled, scaled), 0.0)), to=np.int64), keepdims=0)
    finite = g.check(g.Equal(odd, 0), "ValueError: cannot convert float NaN to integer")
    scaled = g.tie(scaled, finite)
    return g.Slice(scaled, [axis], [axis + 1], [1]), g.Slice(scaled, [axis + 2], [axis + 3], [1])


def _bins(g: ONNXGraph, start: Value, extent: Value, out: int, size: Any) -> Parts:
    """Divide extents, float64[regions, 1], into bins, and leave what is in the image."""
    stride = g.Div(extent, float(out))
    numbers = g.constant(np.arange(out, dtype=np.float64))
    first = g.Add(g.Floor(g.Mul(stride, numbers)), start)
    last = g.Add(g.Ceil(g.Mul(stride, g.Add(numbers, 1.0))), start)
    limit = g.Cast(g.dim_value(size), to=np.float64)
    first, last = (g.Cast(g.Clip(edge, 0.0, limit), to=np.int64) for edge in (first, last))
    return first, last


def _rounded_bins(
    g: ONNXGraph, node: Any, x: Value, rois: Value, more: float = 0.0
) -> tuple[Parts, Parts]:
    """Return the rows and the columns of the bins of rounded regions."""
    parts = []
    for axis, out in ((0, node.outh), (1, node.outw)):
        start, end = (g.Round(edge) for edge in _edges(g, rois, node.spatial_scale, axis))
        extent = g.Max(g.Add(g.Sub(end, start), more), 1.0)
        parts.append(_bins(g, start, extent, out, dims_of(x)[2 + axis]))
    return parts[0], parts[1]


def _each_region(
    g: ONNXGraph,
    node: Any,
    x: Value,
    indices: Value,
    parts: Sequence[Value],
    emit: Callable[..., Value],
) -> Value:
    """Stack what each region makes of its image, [channels, height, width], and of its parts.

    Region by region, so that no copy of an image stays for each; without any, onnxruntime knows
    no sizes but by declaration.
    """
    index = g.Cast(indices, to=np.int64)
    body = g.body("regions", loop=True)
    with body:
        image = g.Gather(x, g.Gather(index, body.iteration, axis=0), axis=0)
        result = emit(image, *(g.Gather(part, body.iteration, axis=0) for part in parts))
    count, channels = dims_of(indices)[0], dims_of(x)[1]
    stacked = g.Loop(g.dim_value(count), None, body, scans=[result])[0]
    shape = g.shape_tensor([count, channels, node.outh, node.outw])
    return g.Reshape(stacked, shape, allowzero=1)


def _largest(
    g: ONNXGraph, node: Any, x: Value, indices: Value, rows: Parts, columns: Parts
) -> Value:
    """Take the maximum over the rows of each bin, then over its columns; -inf over none.

    Chainer fails where it makes the pixels of no channel a line.
    """
    channels = dims_of(x)[1]
    if compare(channels, ">=", 1) is not True:
        held = [g.ReduceMax(g.Sub(last, first), [1]) for first, last in (rows, columns)]
        empty = g.LessOrEqual(g.ReduceMax(g.Concat(g.Min(*held), [[0]], axis=0), keepdims=0), 0)
        fine = g.Or(g.Greater(g.dim_value(channels), 0), empty)
        message = "ValueError: cannot reshape array of size 0 into shape (0,newaxis)"
        indices = g.tie(indices, g.check(fine, message))

    def emit(image: Value, top: Value, bottom: Value, left: Value, right: Value) -> Value:
        for axis, out, first, last in ((1, node.outh, top, bottom), (2, node.outw, left, right)):
            pieces = [
                g.ReduceMax(
                    g.Slice(
                        image, *(g.Slice(e, [bin], [bin + 1], [0]) for e in (first, last)), [axis]
                    ),
                    [axis],
                )
                for bin in range(out)
            ]
            image = g.Concat(*pieces, axis=axis)
        return image

    return _each_region(g, node, x, indices, (*rows, *columns), emit)


@lowers(ROIPooling2D)
def roi_pooling_2d(w: LoweringContext, node: Any, x: Value, rois: Value) -> Value:
    """Regions hold both edges, and empty bins 0.

    Not ONNX's MaxRoiPool: its bins are computed in float32, and 7 bins of 29 pixels differ.
    """
    g = w.graph
    rois = require(g, rois, dims_of(rois)[1], "==", 5, "a region has an image and four numbers")
    indices = g.Squeeze(g.Slice(rois, [0], [1], [1]), [1])
    rows, columns = _rounded_bins(g, node, x, g.Gather(rois, [2, 1, 4, 3], axis=1), 1.0)
    y = _largest(g, node, x, indices, rows, columns)
    high, broad = g.Less(*rows), g.Less(*columns)
    some = g.And(g.Unsqueeze(high, [1, 3]), g.Unsqueeze(broad, [1, 2]))
    return where(g, some, y, g.constant(np.zeros((), dtype_of(x))))


@lowers(ROIMaxPooling2D)
def roi_max_pooling_2d(
    w: LoweringContext, node: Any, x: Value, rois: Value, indices: Value
) -> Value:
    """A bin outside the image has the value -inf."""
    g = w.graph
    indices = _checked(g, indices, rois)
    return _largest(g, node, x, indices, *_rounded_bins(g, node, x, rois))


@lowers(ROIAveragePooling2D)
def roi_average_pooling_2d(
    w: LoweringContext, node: Any, x: Value, rois: Value, indices: Value
) -> Value:
    """Products with the pixels that each bin holds, over their number; 0 outside."""
    g = w.graph
    wide = np.float64 if dtype_of(x) == np.float64 else np.float32
    indices = _checked(g, indices, rois)
    inside, counts = [], []
    for axis, (first, last) in enumerate(_rounded_bins(g, node, x, rois), 2):
        pixels = g.Range(0, g.dim_value(dims_of(x)[axis]), 1)
        after = g.GreaterOrEqual(pixels, g.Unsqueeze(first, [2]))
        inside.append(cast(g, g.And(after, g.Less(pixels, g.Unsqueeze(last, [2]))), wide))
        counts.append(cast(g, g.Max(g.Sub(last, first), 0), wide))

    def emit(image: Value, rows: Value, columns: Value) -> Value:
        lines = matmul(g, rows, cast(g, image, wide))
        return matmul(g, lines, g.Transpose(columns, perm=[1, 0]))

    total = _each_region(g, node, x, indices, inside, emit)
    count = g.Mul(g.Unsqueeze(counts[0], [1, 3]), g.Unsqueeze(counts[1], [1, 2]))
    return cast(g, g.Div(total, g.Max(count, g.constant(np.ones((), wide)))), dtype_of(x))


@lowers(ROIAverageAlign2D)
def roi_average_align_2d(
    w: LoweringContext, node: Any, x: Value, rois: Value, indices: Value
) -> Value:
    """ONNX's operator where one number of samples serves both axes; its regions are x first.

    Like Chainer it must find the places in float64: a sample on the image's very edge may count
    for one precision and not for the other.
    """
    g = w.graph
    ratio_h, ratio_w = node.sampling_ratio
    if ratio_h != ratio_w:
        zero = g.constant(np.zeros((), dtype_of(x)))

        def pool(values: Value, seen: Value) -> Value:
            return g.ReduceSum(where(g, seen, values, zero), [2, 4], keepdims=0)

        total, count = _samples(g, node, x, rois, indices, pool)
        return g.Div(total, cast(g, count, dtype_of(x)))
    x = require_nonempty(g, x, [2, 3], "RoiAlign")  # onnxruntime ends the process
    scaled = g.Mul(cast(g, g.Gather(rois, [1, 0, 3, 2], axis=1), np.float64), node.spatial_scale)
    y = g.RoiAlign(
        cast(g, x, np.float64),
        scaled,
        _places(g, x, _checked(g, indices, rois)),
        mode="avg",
        coordinate_transformation_mode="output_half_pixel",
        output_height=node.outh,
        output_width=node.outw,
        sampling_ratio=ratio_h or 0,
        spatial_scale=1.0,
    )
    return cast(g, y, dtype_of(x))


def _places(g: ONNXGraph, x: Value, indices: Value) -> Value:
    """Return which image each region is of; the last is -1, and runtimes may not check them."""
    count = g.dim_value(dims_of(x)[0])
    index = g.Cast(indices, to=np.int64)
    index = g.Where(g.Less(index, 0), g.Add(index, count), index)
    out = g.Or(g.Less(index, 0), g.GreaterOrEqual(index, count))
    none = g.Equal(g.ReduceSum(g.Cast(out, to=np.int64), keepdims=0), 0)
    return g.tie(index, g.check(none, "IndexError: there is no such image"))


@lowers(ROIMaxAlign2D)
def roi_max_align_2d(w: LoweringContext, node: Any, x: Value, rois: Value, indices: Value) -> Value:
    """The largest sample of each bin that lies in the image, -inf without any."""
    g = w.graph
    least = g.constant(np.asarray(-np.inf, dtype_of(x)))

    def pool(values: Value, seen: Value) -> Value:
        return g.ReduceMax(where(g, seen, values, least), [2, 4], keepdims=0)

    return _samples(g, node, x, rois, indices, pool)[0]


def _taps(g: ONNXGraph, node: Any, rois: Value, axis: int, size: Any) -> tuple[Value, Value, Value]:
    """Weigh the pixels along an axis for each sample of each bin.

    Returns:
        Weights float64[regions, bins * samples, pixels], which samples count bool[regions, bins,
        samples] and the number of samples of a bin float64[regions, 1].
    """
    out, ratio = (node.outh, node.outw)[axis], node.sampling_ratio[axis]
    start, end = _edges(g, rois, node.spatial_scale, axis)
    extent = g.Div(g.Max(g.Sub(end, start), 1.0), float(out))
    count = g.Ceil(extent) if ratio is None else g.Add(g.Mul(extent, 0.0), float(ratio))
    counts = g.Concat(g.Reshape(count, [-1]), [1.0], axis=0)  # there may be no region
    if ratio is None:
        number = g.Range(0.0, g.ReduceMax(counts, keepdims=0), 1.0)
    else:
        number = g.constant(np.arange(float(ratio)))
    within = g.Div(g.Mul(g.Unsqueeze(extent, [2]), g.Add(number, 0.5)), g.Unsqueeze(count, [2]))
    bins = g.constant(np.arange(out, dtype=np.float64).reshape(1, out, 1))
    place = g.Add(g.Add(g.Unsqueeze(start, [2]), g.Mul(g.Unsqueeze(extent, [2]), bins)), within)
    last = g.Cast(g.dim_value(size), to=np.float64)
    seen = g.And(g.GreaterOrEqual(place, -1.0), g.LessOrEqual(place, last))
    seen = g.And(seen, g.Less(number, g.Unsqueeze(count, [2])))
    moved = g.Max(g.Min(place, g.Sub(last, 1.0)), 0.0)
    pixels = g.Cast(g.Range(0, g.dim_value(size), 1), to=np.float64)
    shape = g.shape_tensor([dims_of(rois)[0], g.Mul(g.size(moved, 2), out), 1])
    flat = g.Reshape(moved, shape, allowzero=1)
    weights = g.Max(g.Sub(1.0, g.Abs(g.Sub(flat, pixels))), 0.0)
    return weights, seen, count


def _samples(
    g: ONNXGraph, node: Any, x: Value, rois: Value, indices: Value, pool: Pool
) -> tuple[Value, Value]:
    """Interpolate all samples of each bin and pool them.

    Returns:
        What `pool` makes of the samples, [channels, out_h, samples, out_w, samples], and of which
        of them count; and how many each region has in a bin, [regions, 1, 1, 1].
    """
    (tall, high, rows), (wide, broad, columns) = (
        _taps(g, node, rois, axis, dims_of(x)[2 + axis]) for axis in (0, 1)
    )
    shape = [dims_of(x)[1], node.outh, g.size(high, 2), node.outw, g.size(broad, 2)]
    tall, wide = cast(g, tall, dtype_of(x)), cast(g, wide, dtype_of(x))

    def emit(image: Value, down: Value, across: Value, high: Value, broad: Value) -> Value:
        values = matmul(g, matmul(g, down, image), g.Transpose(across, perm=[1, 0]))
        values = g.Reshape(values, g.shape_tensor(shape), allowzero=1)
        return pool(values, g.And(g.Unsqueeze(high, [2, 3]), broad))

    indices = _checked(g, indices, rois)
    y = _each_region(g, node, x, indices, (tall, wide, high, broad), emit)
    return y, g.Unsqueeze(g.Mul(rows, columns), [2, 3])
