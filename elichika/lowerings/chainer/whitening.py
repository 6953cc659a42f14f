"""Whitening by the statistics of the batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.normalization.decorrelated_batch_normalization import (
    DecorrelatedBatchNormalization,
)

from elichika.errors import UnsupportedFunction
from elichika.lowerings.chainer.normalization import running
from elichika.lowerings.numeric import as_value
from elichika.lowerings.sizes import product, rank, require_nonempty, size_of
from elichika.numbers.kernels import cast, matmul
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

ROUNDS = 64
"""Of Newton's iteration: each makes a small eigenvalue 9/4 times as large, which reaches 1e-20."""
INEXACT = 1e-6


@lowers(DecorrelatedBatchNormalization)
def decorrelated_batch_normalization(w: LoweringContext, node: Any, x: Value) -> Value:
    """Each group of channels, centred, times the inverse root of its covariance.

    Chainer takes the root by eigenvalues, of which ONNX has none; it is the same matrix.
    """
    g = w.graph
    dtype, (n, channels, *rest), groups = dtype_of(x), dims_of(x), size_of(node.groups)
    if dtype == np.float16:
        raise UnsupportedFunction("numpy has no eigenvalues of float16 matrices")
    order = [1, 0, *range(2, rank(x))]
    count = n * product(rest)
    x = g.Transpose(require_nonempty(g, x, range(rank(x)), "whitening"), perm=order)
    shape = g.shape_tensor([groups, channels // groups, count])
    columns = g.Reshape(cast(g, x, np.float64), shape)
    mean = g.ReduceMean(columns, [2])
    centred = g.Sub(columns, mean)
    m = g.Cast(g.dim_value(count), to=np.float64)
    squares = g.Div(matmul(g, centred, g.Transpose(centred, perm=[0, 2, 1])), m)
    root = _inverse_root(
        g, g.Add(squares, g.Mul(_one(g, squares), float(np.asarray(node.eps, dtype))))
    )
    if node.running_mean is not None:
        moved = g.Squeeze(mean, [2])
        node.running_mean = running(g, node.running_mean, moved, as_value(g, node.decay))
    if node.running_projection is not None:
        unbiased = g.Div(m, g.Max(g.Sub(m, 1.0), 1.0))
        node.running_projection = running(
            g, node.running_projection, root, as_value(g, node.decay), unbiased
        )
    y = g.Reshape(matmul(g, root, centred), g.shape_tensor([channels, n, *rest]))
    return cast(g, g.Transpose(y, perm=order), dtype)


def _one(g: ONNXGraph, matrices: Value) -> Value:
    return g.EyeLike(g.Gather(matrices, 0, axis=0), dtype=np.float64)


def _inverse_root(g: ONNXGraph, a: Value) -> Value:
    """Iterate towards the inverse square roots of positive definite matrices, checked to be so.

    Newton's iteration in Schulz's form, for the root and its inverse together: Higham, Functions
    of Matrices, 6.7.  It starts from a matrix with eigenvalues up to 1.
    """
    one = _one(g, a)
    trace = g.ReduceSum(g.Mul(a, one), [1, 2])
    start = g.Div(a, trace)
    body = g.body("inverse_root", loop=True)
    initial = [start, g.Add(g.Mul(a, 0.0), one)]
    with body:
        root, inverse = (body.input(np.float64, dims_of(value)) for value in initial)
        step = g.Mul(g.Sub(g.Mul(one, 3.0), matmul(g, inverse, root)), 0.5)
        ends = [matmul(g, root, step), matmul(g, step, inverse)]
    root, inverse = g.Loop(g.constant(ROUNDS), None, body, initial, carried=ends)
    error = g.ReduceMax(g.Abs(g.Sub(matmul(g, inverse, root), one)), keepdims=0)
    exact = g.check(g.LessOrEqual(error, INEXACT), "the covariance is not positive definite")
    return g.tie(g.Div(inverse, g.Sqrt(trace)), exact)
