"""Lowerings of `chainer.functions.math` that invert and factor matrices of any order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.distributions.multivariate_normal import TriangularInv
from chainer.functions.math.cholesky import Cholesky
from chainer.functions.math.det import BatchDet
from chainer.functions.math.inv import BatchInv, Inv

from elichika.lowerings.sizes import rank, require
from elichika.numbers.kernels import cast, matmul
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def _eliminated(g: ONNXGraph, x: Value) -> tuple[Value, Value, Value]:
    """Gauss-Jordan with partial pivoting on [x | 1], for a batch of matrices of any order.

    Returns:
        The inverses, the determinants, and 0 if a pivot of any is 0, else 1.
    """
    batch, order, _ = dims_of(x)
    dtype, one = dtype_of(x), g.constant(np.ones((), dtype_of(x)))
    numbers = g.Range(0, g.dim_value(order), 1)
    eye = g.Cast(g.Equal(numbers, g.Unsqueeze(numbers, [1])), to=dtype)
    x = g.Reshape(x, g.shape_tensor([batch, order, order]), allowzero=1)
    rows = g.Concat(x, g.Expand(eye, g.shape_tensor([batch, order, order])), axis=2)
    initial = [rows, g.Expand(one, g.shape_tensor([batch])), one]
    body = g.body("eliminate", loop=True)
    with body:
        rows, det, least = (body.input(dtype, dims_of(value)) for value in initial)
        step = body.iteration
        column = g.Abs(g.Gather(rows, step, axis=2))
        column = g.Where(g.IsNaN(column), np.inf, column)  # nan is taken, and not passed over
        below = g.Where(g.GreaterOrEqual(numbers, step), column, g.Neg(one))
        best = g.ArgMax(below, axis=1, keepdims=1)
        moved = g.Expand(g.Unsqueeze(best, [2]), g.shape_tensor([batch, 1, order * 2]))
        top = g.GatherElements(rows, moved, axis=1)
        here = g.Gather(rows, g.Unsqueeze(step, [0]), axis=1)
        is_step = g.Unsqueeze(g.Equal(numbers, step), [1])
        is_best = g.Unsqueeze(g.Equal(numbers, best), [2])
        rows = g.Where(is_step, top, g.Where(is_best, here, rows))
        pivot = g.Gather(top, step, axis=2)
        swapped = g.Where(g.Equal(best, step), pivot, g.Neg(pivot))
        det = g.Where(g.Equal(det, 0.0), 0.0, g.Mul(det, g.Squeeze(swapped, [1])))
        some = g.Cast(g.Not(g.Equal(pivot, 0.0)), to=dtype)  # after a pivot of 0, all is nan
        least = g.Min(least, g.ReduceMin(some, keepdims=0))
        scaled = g.Div(top, g.Unsqueeze(pivot, [2]))
        factors = g.Gather(rows, g.Unsqueeze(step, [0]), axis=2)
        rows = g.Where(is_step, scaled, g.Sub(rows, g.Mul(factors, scaled)))
        rows = g.Reshape(rows, g.shape_tensor([batch, order, order * 2]), allowzero=1)
    rows, det, least = g.Loop(g.dim_value(order), None, body, initial, carried=[rows, det, least])
    inverse = g.Slice(rows, g.shape_tensor([order]), g.shape_tensor([order * 2]), [2])
    return inverse, det, least


def _square(g: ONNXGraph, x: Value) -> Value:
    rows, columns = dims_of(x)[-2:]
    return require(g, x, rows, "==", columns, "matrices are not square")


@lowers(Inv, BatchInv)
def inv(w: LoweringContext, node: Any, x: Value) -> Value:
    """Fails, as numpy does, on a matrix with a pivot of 0."""
    g = w.graph
    dtype = dtype_of(x)
    wide = _square(g, cast(g, x, np.float32) if dtype == np.float16 else x)
    y, _, least = _eliminated(g, g.Unsqueeze(wide, [0]) if rank(x) == 2 else wide)
    y = g.tie(y, g.check(g.Not(g.Equal(least, 0.0)), "Input has singular matrices."))
    return cast(g, g.Squeeze(y, [0]) if rank(x) == 2 else y, dtype)


@lowers(BatchDet)
def det(w: LoweringContext, node: Any, x: Value) -> Value:
    """Det; in float64, the product of the pivots, 0 where one is."""
    g = w.graph
    x = _square(g, x)
    if dtype_of(x) != np.float64:
        return cast(g, g.Det(cast(g, x, np.float32)), dtype_of(x))
    _, y, _ = _eliminated(g, x)
    return y


@lowers(Cholesky)
def cholesky(w: LoweringContext, node: Any, x: Value) -> Value:
    """Column by column; fails, as numpy does, where the matrix is not positive definite."""
    g = w.graph
    if dtype_of(x) == np.float16:
        w.raise_static(TypeError("array type float16 is unsupported in linalg"))
    x = _square(g, x)
    size, zero = dims_of(x)[0], g.constant(np.zeros((), dtype_of(x)))
    x = g.Reshape(x, g.shape_tensor([size, size]), allowzero=1)
    numbers = g.Range(0, g.dim_value(size), 1)
    initial = [g.Expand(zero, g.shape_tensor([size, size])), g.constant(np.array(True))]
    body = g.body("cholesky", loop=True)
    with body:
        held, fine = (body.input(dtype_of(value), dims_of(value)) for value in initial)
        step = body.iteration
        row = g.Unsqueeze(g.Gather(held, step, axis=0), [1])
        rest = g.Sub(g.Gather(x, step, axis=1), g.Squeeze(matmul(g, held, row), [1]))
        square = g.Gather(rest, step, axis=0)
        root = g.Sqrt(square)
        column = g.Where(g.Greater(numbers, step), g.Div(rest, root), zero)
        column = g.Unsqueeze(g.Where(g.Equal(numbers, step), root, column), [1])
        held = g.Where(g.Equal(numbers, step), column, held)
        held = g.Reshape(held, g.shape_tensor([size, size]), allowzero=1)
        fine = g.And(fine, g.Not(g.LessOrEqual(square, 0.0)))
    y, fine = g.Loop(g.dim_value(size), None, body, initial, carried=[held, fine])
    return g.tie(y, g.check(fine, "Matrix is not positive definite"))


@lowers(TriangularInv)
def triangular_inv(w: LoweringContext, node: Any, x: Value) -> Value:
    """Look at one triangle only, as SciPy does, but for nan and infinities, which it refuses."""
    g = w.graph
    nothing = g.ReduceSum(g.Sub(x, x), keepdims=0)  # which is nan of what is not finite
    finite = g.check(g.Equal(nothing, 0.0), "ValueError: array must not contain infs or NaNs")
    triangle = g.Trilu(g.tie(_square(g, x), finite), upper=int(not node._lower))
    y, _, least = _eliminated(g, g.Unsqueeze(triangle, [0]))
    regular = g.check(g.Not(g.Equal(least, 0.0)), "singular matrix")
    return g.tie(g.Squeeze(y, [0]), regular)
