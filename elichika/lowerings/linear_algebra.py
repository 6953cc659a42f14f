"""Lowerings of `chainer.functions.math` that multiply, invert and transform matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from chainer.functions.math.det import BatchDet
from chainer.functions.math.einsum import EinSum
from chainer.functions.math.fft import FFT
from chainer.functions.math.inv import BatchInv, Inv
from chainer.functions.math.matmul import BatchMatMul, MatMul
from chainer.functions.math.tensordot import TensorDot

from elichika.errors import UnsupportedFunction
from elichika.kernels import cast
from elichika.lowerings.connection import promoted
from elichika.lowerings.numeric import matmul
from elichika.lowerings.sizes import product, rank, require, same_shape
from elichika.registry import lowers
from onnx_graph import Dim, ONNXGraph, Value, dims_of, dtype_of

LARGEST_UNROLLED = 32


def _turned(g: ONNXGraph, x: Value) -> Value:
    """Swap the last two axes."""
    if rank(x) == 1:
        return x
    return g.Transpose(x, perm=[*range(rank(x) - 2), rank(x) - 1, rank(x) - 2])


@lowers(MatMul)
def matmul_(g: ONNXGraph, node: Any, a: Value, b: Value) -> Value:
    """Vectors are never transposed; a transposed result is b' a'."""
    first, second, turn_first, turn_second = a, b, node.transa, node.transb
    if node.transc:
        first, second, turn_first, turn_second = b, a, not node.transb, not node.transa
    first, second = promoted(g, first, second)
    left = _turned(g, first) if turn_first else first
    y = _product(g, left, _turned(g, second) if turn_second else second)
    return y if node.dtype is None else cast(g, y, node.dtype)


def _product(g: ONNXGraph, a: Value, b: Value) -> Value:
    """onnxruntime refuses an empty matrix times a vector."""
    if rank(a) > 1 and rank(b) == 1:
        return g.Squeeze(matmul(g, a, g.Unsqueeze(b, [1])), [-1])
    if rank(a) == 1 and rank(b) > 1:
        return g.Squeeze(matmul(g, g.Unsqueeze(a, [0]), b), [-2])
    return matmul(g, a, b)


@lowers(BatchMatMul)
def batch_matmul(g: ONNXGraph, node: Any, a: Value, b: Value) -> Value:
    """A matrix is a batch of columns."""
    a, b = (g.Unsqueeze(x, [2]) if rank(x) == 2 else x for x in (a, b))
    left = _turned(g, a) if node.transa else a
    return matmul(g, left, _turned(g, b) if node.transb else b)


@lowers(EinSum)
def einsum(g: ONNXGraph, node: Any, *xs: Value) -> Value:
    """Products of matrices, pair by pair: Einsum of onnxruntime crashes on empty arrays.

    Chainer writes @ for the ellipsis; one that is summed stands for no axis.
    """
    terms = node.in_subs.split(",")
    widths = [rank(x) - len(term) + 1 for x, term in zip(xs, terms, strict=True)]
    most = max((w for w, term in zip(widths, terms, strict=True) if "@" in term), default=0)
    wide = "".join(chr(ord("0") + axis) for axis in range(most))
    names = [
        term.replace("@", wide[len(wide) - width :])
        for term, width in zip(terms, widths, strict=True)
    ]
    out = node.out_sub.replace("@", wide)
    values = promoted(g, *xs)
    if any(len(set(name)) < len(name) for name in names):
        if len(xs) > 1 or wide:
            raise UnsupportedFunction(f"einsum {node.in_subs!r} takes a diagonal")
        return g.Einsum(values[0], equation=f"{names[0]}->{out}")
    x, name = values[0], names[0]
    for index, (y, other) in enumerate(zip(values[1:], names[1:], strict=True), 2):
        needed = set(out).union(*names[index:])
        x, name = _contracted(g, x, name, y, other, needed)
    x, name = _summed(g, x, name, set(out))
    return g.Transpose(x, perm=[name.index(letter) for letter in out]) if out else x


def _summed(g: ONNXGraph, x: Value, name: str, needed: set[str]) -> tuple[Value, str]:
    axes = [axis for axis, letter in enumerate(name) if letter not in needed]
    kept = "".join(letter for letter in name if letter in needed)
    return (g.ReduceSum(x, axes, keepdims=0) if axes else x), kept


def _contracted(
    g: ONNXGraph, x: Value, left: str, y: Value, right: str, needed: set[str]
) -> tuple[Value, str]:
    """Multiply two factors and sum over the letters that nothing else needs."""
    x, left = _summed(g, x, left, needed | set(right))
    y, right = _summed(g, y, right, needed | set(left))
    batch = [letter for letter in left if letter in right and letter in needed]
    inner = [letter for letter in left if letter in right and letter not in needed]
    rows = [letter for letter in left if letter not in right]
    columns = [letter for letter in right if letter not in left]
    sizes = dict(zip(right, dims_of(y), strict=True)) | dict(zip(left, dims_of(x), strict=True))

    def matrices(value: Value, name: str, order: list[str], shape: list[list[str]]) -> Value:
        turned = g.Transpose(value, perm=[name.index(letter) for letter in order])
        dims = [product(sizes[letter] for letter in group) for group in shape]
        return g.Reshape(turned, g.shape_tensor(dims), allowzero=1)

    first = matrices(x, left, batch + rows + inner, [batch, rows, inner])
    second = matrices(y, right, batch + inner + columns, [batch, inner, columns])
    result = batch + rows + columns
    shape = g.shape_tensor([sizes[letter] for letter in result])
    return g.Reshape(matmul(g, first, second), shape, allowzero=1), "".join(result)


@lowers(TensorDot)
def tensordot(g: ONNXGraph, node: Any, a: Value, b: Value) -> Value:
    """A product of matrices, whose rows and columns are the axes that stay."""
    if node.a_axes is not None:
        raise UnsupportedFunction("tensordot with the axes of its gradient")
    if isinstance(node.axes, Sequence):
        over_a, over_b = (list(np.atleast_1d(axes)) for axes in node.axes)
    else:
        over_a, over_b = list(range(rank(a) - node.axes, rank(a))), list(range(node.axes))
    over_a, over_b = [int(i) % rank(a) for i in over_a], [int(i) % rank(b) for i in over_b]
    kept_a = [i for i in range(rank(a)) if i not in over_a]
    kept_b = [i for i in range(rank(b)) if i not in over_b]
    for i, j in zip(over_a, over_b, strict=True):
        a = require(g, a, dims_of(a)[i], "==", dims_of(b)[j], "shape mismatch")
    a, b = promoted(g, a, b)
    rows, columns = ([dims_of(x)[i] for i in kept] for x, kept in ((a, kept_a), (b, kept_b)))
    inner = product(dims_of(b)[j] for j in over_b)
    left, right = g.Transpose(a, perm=kept_a + over_a), g.Transpose(b, perm=over_b + kept_b)
    left = g.Reshape(left, g.shape_tensor([product(rows), inner]), allowzero=1)
    right = g.Reshape(right, g.shape_tensor([inner, product(columns)]), allowzero=1)
    y = g.Reshape(matmul(g, left, right), g.shape_tensor([*rows, *columns]), allowzero=1)
    return y if node.dtype is None else cast(g, y, node.dtype)


@lowers(FFT)
def fft(g: ONNXGraph, node: Any, real: Value, imaginary: Value) -> tuple[Value, Value]:
    """Along the last axis; ONNX keeps the real and imaginary parts on an axis of their own."""
    imaginary = same_shape(g, imaginary, real)
    if dtype_of(real) == np.float64:
        return _fourier(g, real, imaginary, node._method == "ifft")
    pair = g.Concat(g.Unsqueeze(real, [rank(real)]), g.Unsqueeze(imaginary, [rank(real)]), axis=-1)
    if rank(real) == 1:
        pair = g.Unsqueeze(pair, [0])
    axis = rank(pair) - 2
    inverse = int(node._method == "ifft")
    if g.opset < 20:
        y = g.DFT(pair, axis=axis, inverse=inverse)
    else:
        y = g.DFT(pair, None, g.constant(axis), inverse=inverse)
    y = g.Reshape(y, g.shape_tensor([*dims_of(real), 2]), allowzero=1)
    parts = g.Split(y, axis=rank(real), num_outputs=2, outputs=2)
    return g.Squeeze(parts[0], [rank(real)]), g.Squeeze(parts[1], [rank(real)])


def _fourier(g: ONNXGraph, real: Value, imaginary: Value, inverse: bool) -> tuple[Value, Value]:
    """Multiply with the matrix of roots of one: DFT is not precise enough for float64."""
    size = dims_of(real)[-1]
    steps = g.Range(0, g.dim_value(size), 1)
    turns = g.Mod(g.Mul(g.Unsqueeze(steps, [0]), g.Unsqueeze(steps, [1])), g.dim_value(size))
    count = g.Cast(g.dim_value(size), to=np.float64)
    angles = g.Div(g.Mul(g.Cast(turns, to=np.float64), 2 * np.pi), count)
    cos, sin = g.Cos(angles), g.Sin(angles)
    if not inverse:
        sin = g.Neg(sin)
    first = g.Sub(_product(g, real, cos), _product(g, imaginary, sin))
    second = g.Add(_product(g, real, sin), _product(g, imaginary, cos))
    return (g.Div(first, count), g.Div(second, count)) if inverse else (first, second)


def _order(x: Value, what: str) -> int:
    rows, columns = dims_of(x)[-2:]
    size = rows if isinstance(rows, int) else columns
    if isinstance(size, Dim) or size > LARGEST_UNROLLED:
        raise UnsupportedFunction(f"{what} of matrices of order {size}; it is unrolled up to 32")
    return size


def _eliminated(g: ONNXGraph, x: Value, order: int) -> tuple[Value, list[Value], Value]:
    """Gauss-Jordan with partial pivoting on [x | 1], for a batch of matrices.

    Returns:
        The inverse, the pivots, and the sign of the row permutation.
    """
    dtype = dtype_of(x)
    eye = g.constant(np.eye(order, dtype=dtype))
    beside = g.Expand(eye, g.shape_tensor([dims_of(x)[0], order, order]))
    rows = g.Concat(x, beside, axis=2)
    numbers = g.constant(np.arange(order, dtype=np.int64))
    sign, pivots = g.constant(np.ones((), dtype)), []
    for step in range(order):
        column = g.Abs(g.Slice(rows, [step], [step + 1], [2]))
        below = g.Where(_from(g, numbers, step), column, -1.0)
        best = g.ArgMax(below, axis=1, keepdims=1)
        moved = g.Expand(best, g.shape_tensor([dims_of(x)[0], 1, 2 * order]))
        top = g.GatherElements(rows, moved, axis=1)
        here = g.Slice(rows, [step], [step + 1], [1])
        is_step = g.constant((np.arange(order) == step).reshape(1, order, 1))
        is_best = g.Equal(g.Reshape(numbers, [1, order, 1]), best)
        rows = g.Where(is_step, top, g.Where(is_best, here, rows))
        swapped = g.Where(g.Equal(best, step), g.constant(np.ones((), dtype)), -1.0)
        sign = g.Mul(sign, g.Reshape(swapped, [-1]))
        pivot = g.Slice(top, [step], [step + 1], [2])
        pivots.append(g.Reshape(pivot, [-1]))
        scaled = g.Div(top, pivot)
        factors = g.Slice(rows, [step], [step + 1], [2])
        rows = g.Where(is_step, scaled, g.Sub(rows, g.Mul(factors, scaled)))
    return g.Slice(rows, [order], [2 * order], [2]), pivots, sign


def _from(g: ONNXGraph, numbers: Value, step: int) -> Value:
    return g.Unsqueeze(g.GreaterOrEqual(numbers, step), [0, 2])


@lowers(Inv, BatchInv)
def inv(g: ONNXGraph, node: Any, x: Value) -> Value:
    """Fails, as numpy does, on a matrix with a pivot of 0."""
    order = _order(x, "inv")
    dtype = dtype_of(x)
    wide = cast(g, x, np.float32) if dtype == np.float16 else x
    batch = g.Unsqueeze(wide, [0]) if rank(x) == 2 else wide
    y, pivots, _ = _eliminated(g, batch, order)
    least = g.ReduceMin(g.Abs(g.Concat(*pivots, axis=0)), keepdims=0)
    y = g.tie(y, g.check(g.Not(g.Equal(least, 0.0)), "Input has singular matrices."))
    return cast(g, g.Squeeze(y, [0]) if rank(x) == 2 else y, dtype)


@lowers(BatchDet)
def det(g: ONNXGraph, node: Any, x: Value) -> Value:
    """Det; in float64, the product of the pivots."""
    x = require(g, x, dims_of(x)[1], "==", dims_of(x)[2], "matrices are not square")
    if dtype_of(x) != np.float64:
        return cast(g, g.Det(cast(g, x, np.float32)), dtype_of(x))
    _, pivots, y = _eliminated(g, x, _order(x, "det"))
    for pivot in pivots:
        y = g.Mul(y, pivot)
    return y
