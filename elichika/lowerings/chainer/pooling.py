"""Lowerings of `chainer.functions.pooling`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.pooling.average_pooling_2d import AveragePooling2D
from chainer.functions.pooling.average_pooling_nd import AveragePoolingND
from chainer.functions.pooling.max_pooling_nd import MaxPoolingND

from elichika.lowerings.chainer.windows import (
    MESSAGE,
    outsizes,
    require_windows,
    settings,
    windows,
)
from elichika.lowerings.sizes import (
    Size,
    known,
    known_now,
    product,
    rank,
    require,
    require_nonempty,
    size_of,
)
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, compare, dims_of, dtype_of, same

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def _leave_input(w: LoweringContext, node: Any, x: Value) -> None:
    """Leave on the node what its gradient has to look like."""
    node._in_shape = tuple(map(w.dim_scalar, dims_of(x)))
    node._in_dtype = dtype_of(x)


@lowers(MaxPoolingND)
def max_pooling(w: LoweringContext, node: Any, x: Value) -> Value:
    """cover_all widens the far edge, by less than a stride.

    A window that lies in the padding, which MaxPool does not take, is -inf: it is gathered.
    """
    g = w.graph
    _leave_input(w, node, x)
    x = require_nonempty(g, x, range(rank(x)), "max_pooling")
    if not node.return_indices and _whole(node.ksize, node.pad, x):
        return g.ReduceMax(x, list(range(2, rank(x))), keepdims=1)
    x, ksize, stride, pad = settings(g, x, node.ksize, node.stride, node.pad)
    flat = partial(_flat, g, x, ksize, stride, pad, node.cover_all)
    if node.return_indices:
        node.indexes = g.ArgMax(flat(), axis=2, keepdims=0)
    numbers = _numbers(ksize, stride, pad)
    if numbers is None:
        return g.ReduceMax(flat(), [2], keepdims=0)
    ks, strides, pads = numbers
    sizes = dims_of(x)[2:]
    outs = outsizes(sizes, ks, strides, pads, node.cover_all)
    far = _far_edge(sizes, outs, ks, strides, pads) if node.cover_all else pads
    if any(max(p, end) >= k for p, end, k in zip(pads, far, ks, strict=True)):
        return g.ReduceMax(flat(), [2], keepdims=0)
    reach = [k - p - end for k, p, end in zip(ks, pads, far, strict=True)]
    x = require_windows(g, x, reach, outs)
    return g.MaxPool(x, kernel_shape=ks, strides=strides, pads=[*pads, *far])


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
        far.append(max(0, end) if known_now(end) else p + s - 1)
    return far


def _flat(
    g: ONNXGraph,
    x: Value,
    ksize: Sequence[Size],
    stride: Sequence[Size],
    pad: Sequence[Size],
    cover_all: bool,
) -> Value:
    """The windows as (n, c, taps, …)."""
    seen = windows(g, x, ksize, stride, pad, cover_all=cover_all, fill=-np.inf)
    n, c, *_ = dims_of(seen)
    outs = dims_of(seen)[3::2]
    taps = range(2, 2 + 2 * len(ksize), 2)
    seen = g.Transpose(seen, perm=[0, 1, *taps, *(axis + 1 for axis in taps)])
    return g.Reshape(seen, g.shape_tensor([n, c, product(ksize), *outs]), allowzero=1)


def _numbers(*sizes: Sequence[Size]) -> list[list[int]] | None:
    """Return the settings if all are known while compiling."""
    numbers = [*map(known, sizes)]
    return numbers if [*map(len, numbers)] == [*map(len, sizes)] else None


def _whole(ksize: Sequence[Any], pad: Sequence[Any], x: Value) -> bool:
    """Tell whether a window of unknown size is as large as the image."""
    sizes, edges = [size_of(k) for k in ksize], [size_of(p) for p in pad]
    if _numbers(sizes) is not None or any(isinstance(p, Value) or p != 0 for p in edges):
        return False
    pairs = zip(sizes, dims_of(x)[2:], strict=True)
    return all(not isinstance(k, Value) and same(k, d) for k, d in pairs)


@lowers(AveragePooling2D)
def average_pooling_2d(w: LoweringContext, node: Any, x: Value) -> Value:
    """Zeros of the padding count; of no images, onnxruntime takes those without pixels as well."""
    g = w.graph
    _leave_input(w, node, x)
    ksize, stride, pad = (node.kh, node.kw), (node.sy, node.sx), (node.ph, node.pw)
    numbers = _numbers([*map(size_of, ksize)], [*map(size_of, pad)])
    if numbers is not None and compare(dims_of(x)[0], ">=", 1) is not True:
        for size, k, p in zip(dims_of(x)[2:], *numbers, strict=True):
            if k - 2 * p == 1:
                x = require(g, x, size, ">=", 1, MESSAGE)
    return average_pooling(g, x, ksize, stride, pad, counted=True)


@lowers(AveragePoolingND)
def average_pooling_nd(w: LoweringContext, node: Any, x: Value) -> Value:
    """Zeros of the padding count unless `pad_value` is None."""
    g = w.graph
    _leave_input(w, node, x)
    x = require_nonempty(g, x, range(rank(x)), "average_pooling")
    sizes = node.ksize, node.stride, node.pad
    return average_pooling(g, x, *sizes, counted=node.pad_value is not None)


def average_pooling(
    g: ONNXGraph,
    x: Value,
    ksize: Sequence[Any],
    stride: Sequence[Any],
    pad: Sequence[Any],
    *,
    counted: bool,
) -> Value:
    """Emit an AveragePool; gather in float64, for unknown windows, and those in the padding."""
    if _whole(ksize, pad, x):
        axes = list(range(2, rank(x)))
        return g.ReduceMean(require_nonempty(g, x, axes, "pooling"), axes, keepdims=1)
    x, ksize, stride, pad = settings(g, x, ksize, stride, pad)
    outs = outsizes(dims_of(x)[2:], ksize, stride, pad)
    numbers = _numbers(ksize, stride, pad)
    if numbers is not None and dtype_of(x) != np.float64:
        ks, strides, pads = numbers
        if all(p < k for p, k in zip(pads, ks, strict=True)):
            x = require_windows(g, x, [k - 2 * p for k, p in zip(ks, pads, strict=True)], outs)
            return _averaged(g, x, ks, strides, pads, outs, counted)
    axes = list(range(2, 2 + 2 * len(ksize), 2))
    total = g.ReduceSum(windows(g, x, ksize, stride, pad), axes, keepdims=0)
    if counted:
        return g.Div(total, g.Cast(g.dim_value(product(ksize)), to=dtype_of(x)))
    return g.Div(total, _counts(g, x, ksize, stride, pad, outs))


def _averaged(
    g: ONNXGraph,
    x: Value,
    ksize: list[int],
    strides: list[int],
    pads: list[int],
    outs: Sequence[Any],
    counted: bool,
) -> Value:
    """Emit an AveragePool, which takes no images without channels, but none without images."""
    n, c, *sizes = dims_of(x)
    apart = compare(c, ">=", 1) is not True
    if apart:
        x = g.Reshape(x, g.shape_tensor([product([n, c]), 1, *sizes]), allowzero=1)
    ends = [*pads, *pads]
    y = g.AveragePool(
        x, kernel_shape=ksize, strides=strides, pads=ends, count_include_pad=int(counted)
    )
    if all(k == 1 for k in ksize):  # the sum of -0.0 alone is 0.0
        y = g.Add(y, g.constant(np.zeros((), dtype_of(y))))
    return g.Reshape(y, g.shape_tensor([n, c, *outs]), allowzero=1) if apart else y


def _counts(
    g: ONNXGraph,
    x: Value,
    ksize: Sequence[Size],
    stride: Sequence[Size],
    pad: Sequence[Size],
    outs: Sequence[Any],
) -> Value:
    """How many pixels of the image each window holds; below zero for one beside it, as Chainer."""
    total = g.constant(np.ones((), dtype_of(x)))
    every = zip(dims_of(x)[2:], ksize, stride, pad, outs, strict=True)
    for axis, (size, k, s, p, out) in enumerate(every):
        steps = g.Mul(g.Range(0, g.dim_value(out), 1), g.dim_value(s))
        starts = g.Sub(steps, g.dim_value(p))
        ends = g.Add(starts, g.dim_value(k))
        held = g.Sub(g.Min(ends, g.dim_value(size)), g.Max(starts, 0))
        behind = list(range(1, len(ksize) - axis))
        held = g.Unsqueeze(held, behind) if behind else held
        total = g.Mul(total, g.Cast(held, to=dtype_of(x)))
    return total
