"""Lowerings of `chainer.functions.math` that multiply and transform matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.math.einsum import EinSum
from chainer.functions.math.fft import FFT
from chainer.functions.math.matmul import BatchMatMul, MatMul
from chainer.functions.math.sparse_matmul import CooMatMul
from chainer.functions.math.tensordot import TensorDot

from elichika.errors import UnsupportedFunction
from elichika.lowerings.chainer.connection import promoted
from elichika.lowerings.numeric import as_value, constant_like
from elichika.lowerings.sizes import product, rank, require, require_nonempty, same_shape
from elichika.numbers.kernels import cast, every, matmul
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def _turned(g: ONNXGraph, x: Value) -> Value:
    """Swap the last two axes."""
    if rank(x) == 1:
        return x
    return g.Transpose(x, perm=[*range(rank(x) - 2), rank(x) - 1, rank(x) - 2])


@lowers(MatMul)
def matmul_(w: LoweringContext, node: Any, a: Value, b: Value) -> Value:
    """Vectors are never transposed; a transposed result is b' a'."""
    g = w.graph
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
def batch_matmul(w: LoweringContext, node: Any, a: Value, b: Value) -> Value:
    """A matrix is a batch of columns; Chainer reshapes both, which takes no empty rows."""
    g = w.graph
    rows = product(size for x in (a, b) for size in dims_of(x)[:2])
    a = require(g, a, rows, ">=", 1, "cannot reshape array of size 0")
    a, b = (g.Unsqueeze(x, [2]) if rank(x) == 2 else x for x in (a, b))
    left = _turned(g, a) if node.transa else a
    return matmul(g, left, _turned(g, b) if node.transb else b)


@lowers(EinSum)
def einsum(w: LoweringContext, node: Any, *xs: Value) -> Value:
    """Products of matrices, pair by pair: Einsum of onnxruntime crashes on empty arrays.

    Chainer writes @ for the ellipsis; one that is summed stands for no axis.
    """
    g = w.graph
    terms = node.in_subs.split(",")
    widths = [rank(x) - len(term) + 1 for x, term in zip(xs, terms, strict=True)]
    most = max((width for width, term in zip(widths, terms, strict=True) if "@" in term), default=0)
    wide = "".join(chr(ord("0") + axis) for axis in range(most))
    names = [
        term.replace("@", wide[len(wide) - width :])
        for term, width in zip(terms, widths, strict=True)
    ]
    out = node.out_sub.replace("@", wide)
    values = _of_equal_sizes(g, promoted(g, *xs), names)
    if any(len(set(name)) < len(name) for name in names):
        if len(xs) > 1 or wide:
            raise UnsupportedFunction(f"einsum {node.in_subs!r} takes a diagonal")
        return g.Einsum(values[0], equation=f"{names[0]}->{out}")
    return products(g, values, names, out)


def _of_equal_sizes(g: ONNXGraph, values: Sequence[Value], names: Sequence[str]) -> list[Value]:
    """Return operands, checked to have one size for each letter; the ellipsis may spread."""
    sizes: dict[str, Any] = {}
    checked = []
    for value, name in zip(values, names, strict=True):
        for letter, size in zip(name, dims_of(value), strict=True):
            if not letter.isdigit():
                known = sizes.setdefault(letter, size)
                value = require(g, value, size, "==", known, "sizes of one letter differ")
        checked.append(value)
    return checked


def products(g: ONNXGraph, values: Sequence[Value], names: Sequence[str], out: str) -> Value:
    """Return an Einstein sum, pair by pair; no letter stands twice in a name."""
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
def tensordot(w: LoweringContext, node: Any, a: Value, b: Value) -> Value:
    """A product of matrices, whose rows and columns are the axes that stay."""
    g = w.graph
    if node.a_axes is not None:
        over_a, over_b = list(node.a_axes[1]), list(node.b_axes[0])
    elif isinstance(node.axes, Sequence):
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
    if node.c_axes is not None:  # where a gradient's rows and columns go
        order = {c: kept_a.index(i) for c, i in zip(node.c_axes[0], node.a_axes[0], strict=True)}
        places = zip(node.c_axes[1], node.b_axes[1], strict=True)
        order |= {c: len(kept_a) + kept_b.index(i) for c, i in places}
        y = g.Transpose(y, perm=[order[c] for c in range(len(order))])
    return y if node.dtype is None else cast(g, y, node.dtype)


@lowers(FFT)
def fft(w: LoweringContext, node: Any, real: Value, imaginary: Value) -> tuple[Value, Value]:
    """Along the last axis; ONNX keeps the real and imaginary parts on an axis of their own."""
    g = w.graph
    imaginary = same_shape(g, imaginary, real)
    real = require_nonempty(g, real, [-1], "fft")
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


@lowers(CooMatMul)
def sparse_matmul(w: LoweringContext, node: Any, sparse: Value, dense: Value) -> Value:
    """Add a multiple of a row for each entry, in the order of SciPy: what is missing adds nothing.

    Nor does an entry that is zero, unless there is one column: so SciPy has it, for `0 * inf`.  In
    a batch, entries behind the last one have the row -1.
    """
    g = w.graph
    dtype = np.result_type(dtype_of(sparse), dtype_of(dense))
    working = np.dtype(np.float32) if dtype == np.float16 else dtype
    sparse, dense = cast(g, sparse, working), cast(g, dense, working)
    if node.transb:
        dense = _turned(g, dense)
    sparse, row, column = _entries(g, node, sparse, dense)
    *batch, n = (size for axis, size in enumerate(dims_of(dense)) if axis != rank(dense) - 2)
    shape = g.shape_tensor([*dims_of(sparse), n])
    rows, columns = (g.Expand(g.Unsqueeze(index, [-1]), shape) for index in (row, column))
    factors = g.Unsqueeze(sparse, [-1])
    multiples = g.Mul(factors, g.GatherElements(dense, columns, axis=-2))
    adds = g.Not(g.Equal(factors, constant_like(g, 0, factors)))
    used = g.GreaterOrEqual(g.Unsqueeze(row, [-1]), 0)
    adds = g.Or(adds, g.And(used, g.Equal(g.dim_value(n), 1)))
    multiples = g.Where(adds, multiples, constant_like(g, 0, multiples))
    m = node.sp_shape[1 if node.transa else 0]
    nothing = g.Expand(constant_like(g, 0, multiples), g.shape_tensor([*batch, m, n]))
    y = g.ScatterElements(nothing, rows, multiples, axis=-2, reduction="add")
    y = cast(g, y, node.dtype or dtype)
    return _turned(g, y) if node.transc else y


def _entries(g: ONNXGraph, node: Any, sparse: Value, dense: Value) -> tuple[Value, Value, Value]:
    """Return the numbers of a sparse matrix, and their rows and columns, which are checked.

    Those behind the last one of a batch are zeros at -1, which is the last row and column.
    """
    row, column = (cast(g, as_value(g, index), np.int64) for index in (node.sp_row, node.sp_col))
    m, k = node.sp_shape
    if node.transa:
        row, column, m, k = column, row, k, m
    for index in (row, column):
        for ours, theirs in zip(dims_of(sparse), dims_of(index), strict=True):
            sparse = require(g, sparse, ours, "==", theirs, "a number for each index of the matrix")
    sizes = [*dims_of(sparse)[:-1], k]
    for ours, theirs in zip(sizes, dims_of(dense)[:-1], strict=True):
        sparse = require(g, sparse, ours, "==", theirs, "a sparse matrix fits the other one")
    inside = g.And(g.GreaterOrEqual(row, 0), g.GreaterOrEqual(column, 0))
    inside = g.And(inside, g.And(g.Less(row, m), g.Less(column, k)))
    if rank(sparse) == 2:
        count = g.ReduceSum(g.Cast(g.GreaterOrEqual(row, 0), to=np.int64), [1])
        used = g.Less(g.Range(0, g.size(row, 1), 1), count)
        inside = g.Or(inside, g.Not(used))
        sparse = g.Where(used, sparse, constant_like(g, 0, sparse))
        row, column = (g.Where(used, v, constant_like(g, -1, v)) for v in (row, column))
    fits = g.check(every(g, inside), "an index exceeds the matrix")
    return sparse, g.tie(row, fits), g.tie(column, fits)
