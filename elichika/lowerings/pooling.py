"""Lowerings of `chainer.functions.pooling`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from chainer.functions.pooling.average_pooling_2d import AveragePooling2D
from chainer.functions.pooling.average_pooling_nd import AveragePoolingND
from chainer.functions.pooling.max_pooling_nd import MaxPoolingND

from elichika.errors import UnsupportedFunction
from elichika.lowerings.sizes import product, rank, require_nonempty, size_of
from elichika.lowerings.windows import outsizes, require_windows, windows
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of, same


@lowers(MaxPoolingND)
def max_pooling(g: ONNXGraph, node: Any, x: Value) -> Value:
    """cover_all widens the far edge, by less than a stride.

    A window that lies in the padding, which MaxPool does not take, is -inf: it is gathered.
    """
    ksize, stride, pad = node.ksize, node.stride, node.pad
    x = require_nonempty(g, x, range(rank(x)), "max_pooling")
    if any(hasattr(k, "onnx_value") for k in ksize):
        return g.ReduceMax(*_whole(g, ksize, pad, x), keepdims=1)
    sizes = dims_of(x)[2:]
    outs = outsizes(sizes, ksize, stride, pad, node.cover_all)
    far = _far_edge(sizes, outs, ksize, stride, pad) if node.cover_all else pad
    if node.return_indices:
        node.indexes = g.ArgMax(_flat(g, node, x), axis=2, keepdims=0)
    if any(max(p, end) >= k for p, end, k in zip(pad, far, ksize, strict=True)):
        return g.ReduceMax(_flat(g, node, x), [2], keepdims=0)
    reach = [k - p - end for k, p, end in zip(ksize, pad, far, strict=True)]
    x = require_windows(g, x, reach, outs)
    return g.MaxPool(x, kernel_shape=ksize, strides=stride, pads=[*pad, *far])


def _far_edge(
    sizes: Sequence[Any],
    outs: Sequence[Any],
    ksize: Sequence[int],
    stride: Sequence[int],
    pad: Sequence[int],
) -> list[int]:
    """The padding that the last window needs; where the size is unknown, what may be needed."""
    far = []
    for size, out, k, s, p in zip(sizes, outs, ksize, stride, pad, strict=True):
        end = (out - 1) * s + k - size - p
        far.append(max(0, end) if isinstance(end, int) else p + s - 1)
    return far


def _flat(g: ONNXGraph, node: Any, x: Value) -> Value:
    """The windows as (n, c, taps, …)."""
    count = len(node.ksize)
    seen = windows(g, x, node.ksize, node.stride, node.pad, cover_all=node.cover_all, fill=-np.inf)
    n, c, *_ = dims_of(seen)
    outs = dims_of(seen)[3::2]
    taps = range(2, 2 + 2 * count, 2)
    seen = g.Transpose(seen, perm=[0, 1, *taps, *(axis + 1 for axis in taps)])
    return g.Reshape(seen, g.shape_tensor([n, c, product(node.ksize), *outs]), allowzero=1)


@lowers(AveragePooling2D)
def average_pooling_2d(g: ONNXGraph, node: Any, x: Value) -> Value:
    """Zeros of the padding count."""
    ksize, stride, pad = (node.kh, node.kw), (node.sy, node.sx), (node.ph, node.pw)
    if any(hasattr(k, "onnx_value") for k in ksize):
        return g.ReduceMean(*_whole(g, ksize, pad, x), keepdims=1)
    return average_pooling(g, x, ksize, stride, pad, True)


def _whole(
    g: ONNXGraph, ksize: Sequence[Any], pad: Sequence[Any], x: Value
) -> tuple[Value, list[int]]:
    """The axes to reduce where a window of unknown size is as large as the image."""
    sizes = [size_of(k) for k in ksize]
    whole = all(
        not isinstance(k, Value) and same(k, d) for k, d in zip(sizes, dims_of(x)[2:], strict=True)
    )
    if not whole or any(p != 0 for p in pad):
        raise UnsupportedFunction(
            "a pooling window whose size is known only when the model runs must be the whole image"
        )
    axes = list(range(2, len(dims_of(x))))
    return require_nonempty(g, x, axes, "pooling"), axes


@lowers(AveragePoolingND)
def average_pooling_nd(g: ONNXGraph, node: Any, x: Value) -> Value:
    """Zeros of the padding count unless `pad_value` is None."""
    x = require_nonempty(g, x, range(rank(x)), "average_pooling")
    if any(hasattr(k, "onnx_value") for k in node.ksize):
        return g.ReduceMean(*_whole(g, node.ksize, node.pad, x), keepdims=1)
    counted = node.pad_value is not None
    return average_pooling(g, x, node.ksize, node.stride, node.pad, counted)


def average_pooling(
    g: ONNXGraph,
    x: Value,
    ksize: Sequence[int],
    stride: Sequence[int],
    pad: Sequence[int],
    counted: bool,
) -> Value:
    """Emit an AveragePool; in float64, or where a window lies in the padding, gather."""
    outs = outsizes(dims_of(x)[2:], ksize, stride, pad)
    beyond = any(p >= k for p, k in zip(pad, ksize, strict=True))
    if not beyond and dtype_of(x) != np.float64:
        reach = [k - 2 * p for k, p in zip(ksize, pad, strict=True)]
        x = require_windows(g, x, reach, outs)
        return g.AveragePool(
            x,
            kernel_shape=ksize,
            strides=stride,
            pads=[*pad, *pad],
            count_include_pad=int(counted),
        )
    axes = list(range(2, 2 + 2 * len(ksize), 2))
    total = g.ReduceSum(windows(g, x, ksize, stride, pad), axes, keepdims=0)
    if counted:
        return g.Div(total, g.constant(np.asarray(product(ksize), dtype_of(x))))
    return g.Div(total, _counts(g, x, ksize, stride, pad, outs))


def _counts(
    g: ONNXGraph,
    x: Value,
    ksize: Sequence[int],
    stride: Sequence[int],
    pad: Sequence[int],
    outs: Sequence[Any],
) -> Value:
    """How many pixels of the image each window holds; below zero for one beside it, as Chainer."""
    total = g.constant(np.ones((), dtype_of(x)))
    every = zip(dims_of(x)[2:], ksize, stride, pad, outs, strict=True)
    for axis, (size, k, s, p, out) in enumerate(every):
        starts = g.Sub(g.Mul(g.Range(0, g.dim_value(out), 1), s), p)
        held = g.Sub(g.Min(g.Add(starts, k), g.dim_value(size)), g.Max(starts, 0))
        behind = list(range(1, len(ksize) - axis))
        held = g.Unsqueeze(held, behind) if behind else held
        total = g.Mul(total, g.Cast(held, to=dtype_of(x)))
    return total
