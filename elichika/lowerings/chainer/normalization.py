"""Lowerings of `chainer.functions.normalization`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.normalization import batch_normalization as bn
from chainer.functions.normalization.decorrelated_batch_normalization import (
    FixedDecorrelatedBatchNormalization,
)
from chainer.functions.normalization.group_normalization import GroupNormalization
from chainer.functions.normalization.l2_normalization import NormalizeL2
from chainer.functions.normalization.layer_normalization import LayerNormalization
from chainer.functions.normalization.local_response_normalization import LocalResponseNormalization

from elichika.lowerings.chainer.connection import promoted
from elichika.lowerings.chainer.windows import padded
from elichika.lowerings.numeric import as_value, constant_like, is_double
from elichika.lowerings.sizes import (
    axes_from_the_front,
    product,
    rank,
    require,
    same_shape,
    size_of,
    trailing_axes,
)
from elichika.numbers.kernels import cast, matmul
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of, same

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


@lowers(bn.FixedBatchNormalization)
def fixed_batch_normalization(
    w: LoweringContext, node: Any, x: Value, gamma: Value, beta: Value, mean: Value, var: Value
) -> Value:
    """ONNX's operator where the statistics are those of axis 1; else written out."""
    g = w.graph
    axis = bn._compute_axis(rank(x), rank(gamma), node.axis)
    keys = bn._compute_key_axis(rank(x), rank(gamma), axis)
    beta, mean, var = (same_shape(g, value, gamma) for value in (beta, mean, var))
    node.axis, node.expander = axis, _expander(rank(x), keys)
    node.inv_var = g.Reciprocal(g.Add(var, constant_like(g, node.eps, var)))
    node.inv_std = g.Sqrt(node.inv_var)
    dtypes = {dtype_of(value) for value in (x, gamma, mean)}
    if keys == (1,) and len(dtypes) == 1 and not is_double(x):
        return g.BatchNormalization(x, gamma, beta, mean, var, epsilon=node.eps)
    return _normalized(g, x, gamma, beta, mean, node.inv_std, list(axis))


def _expander(ndim: int, keys: Sequence[int]) -> tuple[Any, ...]:
    """Return the index that lines statistics up with axes `keys`."""
    return tuple(slice(None) if axis in keys else None for axis in range(ndim))


def _normalized(
    g: ONNXGraph,
    x: Value,
    gamma: Value,
    beta: Value,
    mean: Value,
    factor: Value,
    axes: list[int],
) -> Value:
    dtype = dtype_of(x)
    keys = [axis for axis in range(rank(x)) if axis not in axes]
    for own, key in zip(dims_of(gamma), keys, strict=True):
        x = require(g, x, dims_of(x)[key], "==", own, "as many scales as channels")
    x, gamma, beta, mean, factor = promoted(g, x, gamma, beta, mean, factor)
    gamma, beta, mean, factor = (
        g.Unsqueeze(value, axes) if axes else value for value in (gamma, beta, mean, factor)
    )
    return cast(g, g.Add(g.Mul(g.Mul(g.Sub(x, mean), factor), gamma), beta), dtype)


@lowers(bn.BatchNormalization)
def batch_normalization(
    w: LoweringContext, node: Any, x: Value, gamma: Value, beta: Value
) -> Value:
    """By the batch's own statistics; the running ones move towards them in place."""
    g = w.graph
    beta = same_shape(g, beta, gamma)
    node.axis = bn._compute_axis(rank(x), rank(gamma), node.axis)
    node.key_axis = bn._compute_key_axis(rank(x), rank(gamma), node.axis)
    node.expander = _expander(rank(x), node.key_axis)
    axis = list(node.axis)
    wide = cast(g, x, np.result_type(dtype_of(x), dtype_of(gamma)))
    mean = g.ReduceMean(wide, axis)
    centred = g.Sub(wide, mean)
    var = g.ReduceMean(g.Mul(centred, centred), axis)
    node.mean, node.var = mean, var = g.Squeeze(mean, axis), g.Squeeze(var, axis)
    node.inv_std = g.Sqrt(g.Reciprocal(g.Add(var, constant_like(g, node.eps, var))))
    node._impl, node.forward_data = bn.GeneralBatchNormalizationImpl(), None
    if node.running_mean is not None:
        count = g.Cast(g.dim_value(product(dims_of(x)[i] for i in axis)), to=np.float64)
        unbiased = g.Div(count, g.Max(g.Sub(count, 1.0), 1.0))
        decay = as_value(g, node.decay)
        node.running_mean = running(g, node.running_mean, mean, decay)
        node.running_var = running(g, node.running_var, var, decay, unbiased)
    return _normalized(g, x, gamma, beta, mean, node.inv_std, axis)


def running(g: ONNXGraph, held: Any, now: Value, decay: Value, scale: Value | None = None) -> Value:
    """Return a running statistic one step on, in its own dtype."""
    before = as_value(g, held)
    for held_size, size in zip(dims_of(before), dims_of(now), strict=True):
        if not same(size, 1) and not same(size, held_size):
            alike = g.Equal(g.dim_value(size), g.dim_value(held_size))
            fits = g.Or(alike, g.Equal(g.dim_value(size), 1))
            now = g.tie(now, g.check(fits, "ValueError: non-broadcastable output operand"))
    kept = g.Mul(before, cast(g, decay, dtype_of(before)))
    if scale is not None:
        now = g.Mul(now, cast(g, scale, dtype_of(now)))
    added = g.Mul(now, cast(g, g.Sub(1.0, decay), dtype_of(now)))
    return g.Add(kept, cast(g, added, dtype_of(before)))


@lowers(GroupNormalization)
def group_normalization(
    w: LoweringContext, node: Any, x: Value, gamma: Value, beta: Value
) -> Value:
    """Each group of channels by its own statistics."""
    g = w.graph
    dtype, dims = dtype_of(x), dims_of(x)
    x = require(g, x, dims[1] % node.groups, "==", 0, "channels do not divide into the groups")
    x = require(g, x, product(dims[:2]), ">=", 1, "cannot reshape array of size 0")
    x, gamma, beta = promoted(g, x, gamma, beta)
    span = dims[1] // node.groups * product(dims[2:])
    rows = g.Reshape(x, g.shape_tensor([dims[0], node.groups, span]), allowzero=1)
    mean = g.ReduceMean(rows, [2])
    centred = g.Sub(rows, mean)
    var = g.ReduceMean(g.Mul(centred, centred), [2])
    std = g.Sqrt(g.Add(var, constant_like(g, node.eps, var)))
    flat = g.shape_tensor([dims[0] * node.groups])
    node.mean = g.Reshape(mean, flat, allowzero=1)
    node.inv_std = g.Reciprocal(g.Reshape(std, flat, allowzero=1))
    rows = g.Div(centred, std)
    y = g.Reshape(rows, g.shape_tensor(dims), allowzero=1)
    gamma, beta = trailing_axes(g, gamma, x), trailing_axes(g, beta, x)
    return cast(g, g.Add(g.Mul(y, gamma), beta), dtype)


@lowers(LayerNormalization)
def layer_normalization(
    w: LoweringContext, node: Any, x: Value, gamma: Value, beta: Value
) -> Value:
    """Rows of a matrix; an attribute is too coarse an epsilon for float64, and sizes must agree."""
    g = w.graph
    beta = same_shape(g, beta, gamma)
    if not is_double(x) and same(dims_of(x)[1], dims_of(gamma)[0]):
        return g.LayerNormalization(x, gamma, beta, axis=-1, epsilon=node.eps)
    centred = g.Sub(x, g.ReduceMean(x, [1]))
    var = g.ReduceMean(g.Mul(centred, centred), [1])
    std = g.Sqrt(g.Add(var, constant_like(g, node.eps, x)))
    return g.Add(g.Mul(g.Div(centred, std), gamma), beta)


@lowers(NormalizeL2)
def normalize(w: LoweringContext, node: Any, x: Value) -> Value:
    """Eps is added to the norm, after the square root.

    As numpy has it, and not as ReduceL2, whose shape onnxruntime's own tool cannot tell.
    """
    g = w.graph
    norm = g.Sqrt(g.ReduceSum(g.Mul(x, x), axes_from_the_front(x, node.axis)))
    return g.Div(x, g.Add(norm, constant_like(g, node.eps, x)))


@lowers(LocalResponseNormalization)
def local_response_normalization(w: LoweringContext, node: Any, x: Value) -> Value:
    """An even window is one channel wider, and ONNX divides alpha by its width."""
    g = w.graph
    half = node.n // 2
    width, channels = 2 * half + 1, dims_of(x)[1]
    if rank(x) == 4 and not is_double(x):
        return g.LRN(x, size=width, alpha=node.alpha * width, beta=node.beta, bias=node.k)
    squares = g.Transpose(g.Mul(x, x), perm=[0, *range(2, rank(x)), 1])
    wide = padded(g, squares, [half], [half], 0)
    taps = [g.Slice(wide, [i], g.shape_tensor([channels + i]), [rank(x) - 1]) for i in range(width)]
    total = taps[0]
    for tap in taps[1:]:
        total = g.Add(total, tap)
    total = g.Transpose(total, perm=[0, rank(x) - 1, *range(1, rank(x) - 1)])
    scaled = g.Mul(total, constant_like(g, node.alpha, x))
    unit = g.Add(scaled, constant_like(g, node.k, x))
    return g.Mul(x, g.Pow(unit, constant_like(g, -node.beta, x)))


@lowers(FixedDecorrelatedBatchNormalization)
def fixed_decorrelated_batch_normalization(
    w: LoweringContext, node: Any, x: Value, mean: Value, projection: Value
) -> Value:
    """Each group of channels, centred, times its projection."""
    g = w.graph
    dtype, (n, channels, *rest), groups = dtype_of(x), dims_of(x), size_of(node.groups)
    x, mean, projection = promoted(g, x, mean, projection)
    per_group = channels // groups
    swapped = g.Transpose(x, perm=[1, 0, *range(2, rank(x))])
    columns = g.Reshape(
        swapped, g.shape_tensor([groups, per_group, n * product(rest)]), allowzero=1
    )
    centred = g.Sub(columns, g.Unsqueeze(mean, [2]))
    y = g.Reshape(matmul(g, projection, centred), g.shape_tensor([channels, n, *rest]), allowzero=1)
    return cast(g, g.Transpose(y, perm=[1, 0, *range(2, rank(x))]), dtype)
