"""Sliding windows, for what Conv and the pools of onnxruntime cannot do: float64, any padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from chainer.utils.conv import get_conv_outsize

from elichika.lowerings.numeric import constant_like
from elichika.lowerings.sizes import Size, known_now, product, rank, require, size_at_least
from elichika.numbers.kernels import matmul
from onnx_graph import ONNXGraph, Value, dims_of
from onnx_graph.failing import demanded

__all__ = ["MESSAGE", "composed", "outsizes", "padded", "require_windows", "settings", "windows"]

MESSAGE = "sizes in the output should be positive"


def settings(
    g: ONNXGraph, x: Value, *items: Sequence[Any]
) -> tuple[Value, list[Size], list[Size], list[Size]]:
    """Read window, stride and padding as sizes; `x` is checked for what they must be at least."""
    read: list[list[Size]] = []
    for every, least in zip(items, (1, 1, 0), strict=True):
        read.append([])
        for item in every:
            x, size = size_at_least(g, x, item, least, "a window, stride or padding is too small")
            read[-1].append(size)
    ksize, stride, pad = read
    return x, ksize, stride, pad


def outsizes(
    sizes: Sequence[Size],
    ksize: Sequence[Size],
    stride: Sequence[Size],
    pad: Sequence[Size],
    cover_all: bool = False,
    dilate: Sequence[int] | None = None,
) -> list[Size]:
    """Return how many windows there are along each axis, as Chainer counts them."""
    every = zip(sizes, ksize, stride, pad, dilate or [1] * len(ksize), strict=True)
    return [get_conv_outsize(size, k, s, p, cover_all, d) for size, k, s, p, d in every]


def require_windows(g: ONNXGraph, x: Value, reach: Sequence[Any], outs: Sequence[Size]) -> Value:
    """Return `x`, checked to hold one window along each axis.

    onnxruntime refuses an axis of size 0 itself, but divides towards zero, which makes one window
    of an axis that is a little too short.  `reach` is the window less the padding: up to 1,
    every axis that is not empty holds it.
    """
    for span, out in zip(reach, outs, strict=True):
        if not (known_now(span) and span <= 1):
            x = require(g, x, out, ">=", 1, MESSAGE)
    return x


def padded(
    g: ONNXGraph, x: Value, before: Sequence[Any], after: Sequence[Any], fill: float
) -> Value:
    """Pad the last axes."""
    kept = [0] * (rank(x) - len(before))
    pads = [*kept, *before, *kept, *after]
    if known_now(*pads) and not any(pads):
        return x
    return g.Pad(x, g.shape_tensor(pads), constant_like(g, fill, x))


def windows(
    g: ONNXGraph,
    x: Value,
    ksize: Sequence[Size],
    stride: Sequence[Size],
    pad: Sequence[Size],
    *,
    cover_all: bool = False,
    dilate: Sequence[int] | None = None,
    fill: float = 0.0,
    outs: Sequence[Size] | None = None,
) -> Value:
    """Gather the windows over the last axes: (…, k1, out1, k2, out2, …), checked not to be none.

    `outs` asks for that many.
    """
    count = len(ksize)
    first = rank(x) - count
    dilate = dilate or [1] * count
    asked, outs = outs, outs or outsizes(dims_of(x)[first:], ksize, stride, pad, cover_all, dilate)
    for out in outs:
        x = require(g, x, out, ">=", 1, MESSAGE)
    far = [p + (s - 1 if cover_all else 0) for p, s in zip(pad, stride, strict=True)]
    x = padded(g, x, pad, far, fill)
    for axis, (k, out, s, d) in enumerate(zip(ksize, outs, stride, dilate, strict=True)):
        index = g.Add(_steps(g, k, d, [1]), _steps(g, out, s, [0]))
        x = g.Gather(x, index, axis=first + 2 * axis)
        x = x if asked is None else demanded(x)
    return x


def _steps(g: ONNXGraph, count: Any, step: Any, axes: list[int]) -> Value:
    if known_now(count, step):
        return g.constant(np.expand_dims(np.arange(count, dtype=np.int64) * step, axes))
    return g.Unsqueeze(g.Mul(g.Range(0, g.dim_value(count), 1), g.dim_value(step)), axes)


def composed(
    g: ONNXGraph,
    x: Value,
    w: Value,
    stride: Sequence[int],
    pad: Sequence[Size],
    dilate: Sequence[int],
    groups: int,
    cover_all: bool,
) -> Value:
    """Convolve: multiply the kernels, as a matrix for each group, with the windows.

    The batch is part of the columns: onnxruntime does not broadcast a batch of 1 to 0.
    """
    (n, channels, *_), (out_channels, _, *ksize) = dims_of(x), dims_of(w)
    count = len(ksize)
    seen = windows(g, x, ksize, stride, pad, cover_all=cover_all, dilate=dilate)
    outs = dims_of(seen)[3::2]
    even = range(2, 2 * count + 2, 2)
    seen = g.Transpose(seen, perm=[1, *even, 0, *(axis + 1 for axis in even)])
    taps = channels // groups * product(ksize)
    columns = g.Reshape(seen, g.shape_tensor([groups, taps, n * product(outs)]), allowzero=1)
    kernel = g.Reshape(w, g.shape_tensor([groups, out_channels // groups, taps]))
    y = g.Reshape(matmul(g, kernel, columns), g.shape_tensor([out_channels, n, *outs]), allowzero=1)
    return g.Transpose(y, perm=[1, 0, *range(2, 2 + count)])
