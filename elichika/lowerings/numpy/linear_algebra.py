"""Matrix and vector products, norms, diagonals."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.chainer.linear_algebra import products
from elichika.lowerings.numpy.arguments import Size, axes_of, axis_of, finish, several, static
from elichika.lowerings.numpy.extremes import extreme, reduced
from elichika.lowerings.numpy.operands import operand, require_numbers, stand, tensor
from elichika.lowerings.numpy.views import read_only
from elichika.numbers import numpy_numbers as numerics
from elichika.numbers.kernels import cast, constant
from elichika.numbers.kernels import matmul as matrix_product_of
from elichika.numbers.operators import matmul
from elichika.numbers.promotion import ask, representative, result_dtype, wrap
from elichika.numbers.sizes import require_same
from elichika.registry import lowers
from elichika.values.kinds import is_array, is_integer
from onnx_graph import ONNXGraph, Value, compare, dims_of, dtype_of, same
from onnx_graph.dims import product

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


@lowers(np.dot, np.ndarray.dot)
def dot(w: LoweringContext, a: Any, b: Any, out: Any = None) -> Any:
    """The product over the last axis of `a` and the second to last of `b`."""
    x, y = operand(w, a), operand(w, b)
    dtype = result_dtype(w, np.dot, x, y)
    left, right = tensor(w, x, dtype), tensor(w, y, dtype)
    ranks = len(dims_of(left)), len(dims_of(right))
    g = w.graph
    if 0 in ranks:
        return finish(w, numerics.multiply(g, left, right), out)
    if ranks[1] <= 2:
        return finish(w, matmul(w, x, y, dtype), out)
    axes = [[ranks[0] - 1], [ranks[1] - 2]]
    return finish(w, contracted(w, left, right, axes), out)


def contracted(w: LoweringContext, left: Value, right: Value, axes: list[list[int]]) -> Value:
    """Sum products over pairs of axes; what is left of both comes in their order."""
    g = w.graph
    one, other = dims_of(left), dims_of(right)
    pairs = [one[i] for i in axes[0]], [other[j] for j in axes[1]]
    require_same(w, *pairs, ValueError, "shape-mismatch for sum")
    free = [i for i in range(len(one)) if i not in axes[0]]
    rest = [j for j in range(len(other)) if j not in axes[1]]
    summed = product(pairs[0])
    rows, columns = product([one[i] for i in free]), product([other[j] for j in rest])
    a = g.Transpose(left, perm=[*free, *axes[0]]) if one else left
    b = g.Transpose(right, perm=[*axes[1], *rest]) if other else right
    a = g.Reshape(a, g.shape_tensor([rows, summed]), allowzero=1)
    b = g.Reshape(b, g.shape_tensor([summed, columns]), allowzero=1)
    found = matrix_product_of(g, a, b)
    shape = [*(one[i] for i in free), *(other[j] for j in rest)]
    return g.Reshape(found, g.shape_tensor(shape), allowzero=1)


@lowers(np.tensordot)
def tensordot(w: LoweringContext, a: Any, b: Any, axes: Any = 2) -> Any:
    """Sum products over pairs of axes."""
    x, y = operand(w, a), operand(w, b)
    dtype = result_dtype(w, lambda one, other: np.tensordot(one, other, 0), x, y)
    left, right = tensor(w, x, dtype), tensor(w, y, dtype)
    ranks = len(dims_of(left)), len(dims_of(right))
    require_numbers(w, axes)
    known = static(w, axes, "axes")
    if is_integer(known):
        pairs = [list(range(ranks[0] - known, ranks[0])), list(range(known))]
    else:
        pairs = [list(several(one)) for one in known]
    if len(pairs[0]) != len(pairs[1]):
        w.raise_static(ValueError("shape-mismatch for sum"))
    pairs = [list(axes_of(w, rank, tuple(p))) for rank, p in zip(ranks, pairs, strict=True)]
    return w.new_array(contracted(w, left, right, pairs))


@lowers(np.inner)
def inner(w: LoweringContext, a: Any, b: Any) -> Any:
    """Sum products over the last axes."""
    x, y = operand(w, a), operand(w, b)
    dtype = result_dtype(w, np.inner, x, y)
    left, right = tensor(w, x, dtype), tensor(w, y, dtype)
    ranks = len(dims_of(left)), len(dims_of(right))
    if 0 in ranks:
        return wrap(w, numerics.multiply(w.graph, left, right))
    return wrap(w, contracted(w, left, right, [[ranks[0] - 1], [ranks[1] - 1]]))


@lowers(np.outer)
def outer(w: LoweringContext, a: Any, b: Any, out: Any = None) -> Any:
    """The product of each pair of elements of flat arrays."""
    x, y = operand(w, a), operand(w, b)
    g = w.graph
    dtype = result_dtype(w, np.outer, x, y)
    left, right = (g.Reshape(tensor(w, v, dtype), [-1]) for v in (x, y))
    product = numerics.multiply(g, g.Unsqueeze(left, [1]), g.Unsqueeze(right, [0]))
    return finish(w, product, out)


@lowers(np.vdot)
def vdot(w: LoweringContext, a: Any, b: Any) -> Any:
    """The product of flat arrays."""
    flat = [w.new_array(w.graph.Reshape(tensor(w, v), [-1])) for v in (a, b)]
    return dot(w, *flat)


def _spelled(equation: str, ranks: list[int]) -> str:
    """Return an equation with letters for each ellipsis, aligned at the right."""
    if "..." not in equation:
        return equation
    before, arrow, after = equation.partition("->")
    terms = before.split(",")
    free = [c for c in string.ascii_letters if c not in equation]
    hidden = [r - len(term.replace("...", "")) for term, r in zip(terms, ranks, strict=True)]
    longest = "".join(free[: max(hidden)])
    ends = [longest[len(longest) - n :] for n in hidden]
    spelled = [term.replace("...", end) for term, end in zip(terms, ends, strict=True)]
    if not arrow:
        named = "".join(terms).replace(".", "")
        after = "..." + "".join(sorted(c for c in set(named) if named.count(c) == 1))
    return ",".join(spelled) + "->" + after.replace("...", longest)


def _on_diagonal(w: LoweringContext, array: Any, term: str) -> tuple[Any, str]:
    """Return an operand whose first repeated index stands once, as its last axis; and the term."""
    letter = next(c for c in term if term.count(c) > 1)
    first, second = [i for i, c in enumerate(term) if c == letter][:2]
    dims = w.dims(array)
    message = f"dimensions in operand for collapsing index '{letter}' don't match"
    require_same(w, [dims[first]], [dims[second]], ValueError, message)
    rest = "".join(c for i, c in enumerate(term) if i not in (first, second))
    return diagonal(w, array, 0, first, second), rest + letter


@lowers(np.einsum)
def einsum(
    w: LoweringContext, *operands: Any, out: Any = None, optimize: Any = False, **kwargs: Any
) -> Any:
    """Einstein's sum, given as text."""
    equation, *arrays = operands
    if not isinstance(equation, str) or kwargs:
        w.refuse(
            "`einsum` is compiled with its equation as text and no options",
            "write `np.einsum('ij->i', x)`",
        )
    given = [operand(w, array) for array in arrays]
    letters = equation.replace(" ", "")
    stands = [stand(w, array) for array in given]
    dtype = np.asarray(ask(w, np.einsum, letters, *stands)).dtype
    letters = _spelled(letters, [len(w.dims(array)) for array in given])
    terms = letters.split("->")[0].split(",")
    if "->" not in letters:
        text = "".join(terms)
        letters += "->" + "".join(sorted(c for c in set(text) if text.count(c) == 1))
    for place, term in enumerate(terms):
        while len(set(term)) != len(term):
            given[place], term = _on_diagonal(w, given[place], term)
        terms[place] = term
    letters = ",".join(terms) + "->" + letters.split("->")[1]
    values = [tensor(w, array, dtype) for array in given]
    carrier = {"int16": "int32", "uint8": "int32", "int8": "int32", "uint16": "int32"}
    carrier |= {"bool": "int32", "uint32": "int64", "uint64": "int64"}
    working = carrier.get(dtype.name, dtype.name)
    values = [cast(w.graph, value, working) for value in values]
    sizes = [size for value in values for size in dims_of(value)]
    # onnxruntime sums before it multiplies, which loses a nan, and divides by zero in products of
    # some empty arrays.
    first = any(letters.count(letter) == 1 for term in terms for letter in term)
    if len(values) == 1 or not (first or any(not compare(size, ">=", 1) for size in sizes)):
        result = w.graph.Einsum(*values, equation=letters)
    else:
        result = products(w.graph, _spread(w.graph, values, terms), terms, letters.split("->")[1])
    made = finish(w, cast(w.graph, result, dtype), out)
    original = operand(w, arrays[0])
    if len(arrays) == 1 and out is None and is_array(made) and is_array(original):
        w.share(made, w.as_array(original))  # where nothing is summed, a view
    return made


def _spread(g: ONNXGraph, values: list[Value], terms: list[str]) -> list[Value]:
    """Return operands whose axes of one letter have one size: numpy spreads sizes of 1."""
    spread = []
    for place, (value, term) in enumerate(zip(values, terms, strict=True)):
        for number, (other, theirs) in enumerate(zip(values, terms, strict=True)):
            shape: list[Any] = [1] * len(term)
            for letter, size in zip(theirs, dims_of(other), strict=True):
                if letter in term and not same(size, dims_of(value)[term.index(letter)]):
                    shape[term.index(letter)] = size
            if number != place and any(size != 1 for size in shape):
                value = g.Expand(value, g.shape_tensor(shape))
        spread.append(value)
    return spread


@lowers(np.diagonal, np.ndarray.diagonal)
def diagonal(w: LoweringContext, a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    """A read-only view of diagonals, as the last axis."""
    a = operand(w, a)
    rank = len(w.dims(a))
    offset = int(static(w, offset, "offset"))
    if rank < 2:
        w.raise_static(ValueError("diag requires an array of at least two dimensions"))
    first, second = axis_of(w, rank, axis1), axis_of(w, rank, axis2)
    if first == second:
        w.raise_static(ValueError("axis1 and axis2 cannot be the same"))
    return read_only(w, a, lambda g, base: _diagonals(g, base, offset, first, second))


def _diagonals(g: ONNXGraph, value: Value, offset: int, first: int, second: int) -> Value:
    rank = len(dims_of(value))
    order = [first, second, *(i for i in range(rank) if i not in (first, second))]
    moved = g.Transpose(value, perm=order) if order != list(range(rank)) else value
    rows, columns = (g.dim_value(size) for size in dims_of(moved)[:2])
    down, right = max(-offset, 0), max(offset, 0)
    length = g.Min(g.Sub(rows, np.int64(down)), g.Sub(columns, np.int64(right)))
    line = g.Range(np.int64(0), g.Max(length, np.int64(0)), np.int64(1))
    pairs = g.Concat(
        g.Unsqueeze(g.Add(line, np.int64(down)), [1]),
        g.Unsqueeze(g.Add(line, np.int64(right)), [1]),
        axis=1,
    )
    picked: Value = g.GatherND(moved, pairs)
    if rank == 2:
        return picked
    return g.Transpose(picked, perm=[*range(1, rank - 1), 0])


@lowers(np.ndarray.trace)
def trace(
    w: LoweringContext,
    a: Any,
    offset: Any = 0,
    axis1: Any = 0,
    axis2: Any = 1,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """The sum of a diagonal."""
    found = ask(w, np.trace, stand(w, a), dtype=static(w, dtype, "dtype")).dtype
    line = w.value_of(diagonal(w, a, offset, axis1, axis2))
    last = len(dims_of(line)) - 1
    value = reduced(w.graph, "ReduceSum", cast(w.graph, line, found), (last,), 0)
    return finish(w, value, out)


@lowers(np.linalg.norm)
def norm(
    w: LoweringContext, x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False
) -> Any:
    """The norm of vectors, or the Frobenius norm."""
    how, known = static(w, ord, "ord"), static(w, axis, "axis")
    x = operand(w, x)
    rank = len(w.dims(x))
    keep = int(bool(static(w, keepdims, "keepdims")))
    sizes = representative(w, x)
    dtype = np.asarray(ask(w, np.linalg.norm, sizes, how, known, bool(keep))).dtype
    g, value = w.graph, tensor(w, x)
    work = np.dtype(np.float64) if dtype_of(value).kind != "f" else dtype_of(value)
    value = cast(g, value, np.float32 if work == np.float16 else work)
    axes = axes_of(w, rank, known)
    vector = how is None or len(axes) == 1
    if not vector and how != "fro":
        return finish(w, cast(g, _matrix_norm(w, value, how, axes, keep), dtype))
    if how is None or how == 2 or how == "fro":
        result = g.Sqrt(reduced(g, "ReduceSum", g.Mul(value, value), axes, keep))
    elif how == 1:
        result = reduced(g, "ReduceSum", g.Abs(value), axes, keep)
    elif how in (np.inf, -np.inf):
        _require_some(w, dims_of(value)[axes[0]])
        op = "ReduceMax" if how > 0 else "ReduceMin"
        result = extreme(g, op, g.Abs(value), axes, keep)
    elif how == 0:
        some = cast(g, g.Not(g.Equal(value, constant(g, 0, value))), dtype_of(value))
        result = reduced(g, "ReduceSum", some, axes, keep)
    else:
        power = np.float64(how)
        raised = numerics.float_power(g, g.Abs(value), constant(g, power, value))
        total = reduced(g, "ReduceSum", raised, axes, keep)
        result = numerics.float_power(g, total, constant(g, 1 / power, value))
    return finish(w, cast(g, result, dtype))


def _matrix_norm(
    w: LoweringContext, value: Value, how: Any, axes: tuple[int, ...], keep: int
) -> Value:
    """The greatest or least sum of a column or row; norms by singular values are refused."""
    if how not in (1, -1, np.inf, -np.inf):
        w.refuse(
            f"the matrix norm {how!r} is not compiled: ONNX has no decomposition into singular "
            "values"
        )
    g = w.graph
    summed, found = axes if abs(how) == 1 else axes[::-1]
    total = g.ReduceSum(g.Abs(value), [summed], keepdims=1)
    _require_some(w, dims_of(value)[found])
    result = extreme(g, "ReduceMax" if how > 0 else "ReduceMin", total, (found,), 1)
    return result if keep else g.Squeeze(result, sorted(axes))


def _require_some(w: LoweringContext, size: Size) -> None:
    message = "zero-size array to reduction operation maximum which has no identity"
    w.check(w.graph.compare(size, ">", 0), ValueError, message)
