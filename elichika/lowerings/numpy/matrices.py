"""Matrices with something on, above or below a diagonal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.numpy.arguments import integral, size_item, static
from elichika.lowerings.numpy.creation import dtype_asked
from elichika.lowerings.numpy.linear_algebra import diagonal
from elichika.lowerings.numpy.operands import tensor
from elichika.numbers.kernels import cast, choose, where
from elichika.registry import lowers
from elichika.values.c_order import laid_out
from onnx_graph import Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


@lowers(np.eye)
def eye(
    w: LoweringContext,
    N: Any,  # noqa: N803
    M: Any = None,  # noqa: N803
    k: Any = 0,
    dtype: Any = float,
    order: Any = "C",
    *,
    like: Any = None,
) -> Any:
    """Ones on a diagonal."""
    g = w.graph
    for size in (N, N if M is None else M):
        legal = g.compare(size_item(w, size), ">=", 0)
        w.check(legal, ValueError, "negative dimensions are not allowed", exact=True)
    rows, columns = _range(w, N), _range(w, N if M is None else M)
    shifted = g.Add(g.Unsqueeze(rows, [1]), integral(w, k))
    ones = g.Equal(shifted, g.Unsqueeze(columns, [0]))
    made = w.new_array(cast(g, ones, dtype_asked(w, dtype)))
    return laid_out(w, made, static(w, order, "order"))


def _range(w: LoweringContext, length: Any) -> Value:
    return w.graph.Range(np.int64(0), w.graph.dim_value(size_item(w, length)), np.int64(1))


@lowers(np.tri)
def tri(
    w: LoweringContext,
    N: Any,  # noqa: N803
    M: Any = None,  # noqa: N803
    k: Any = 0,
    dtype: Any = float,
    *,
    like: Any = None,
) -> Any:
    """Ones at and below a diagonal."""
    g = w.graph
    rows, columns = _range(w, N), _range(w, N if M is None else M)
    edge = g.Add(g.Unsqueeze(rows, [1]), _diagonal(w, k))
    below = g.LessOrEqual(g.Unsqueeze(columns, [0]), edge)
    return w.new_array(cast(g, below, dtype_asked(w, dtype)))


def _diagonal(w: LoweringContext, k: Any) -> Value:
    """Return which diagonal a triangle ends at; numpy takes one between two as well."""
    if dtype_of(tensor(w, k)).kind == "f":
        w.refuse("a triangle that ends at a diagonal which is a float is not compiled")
    return integral(w, k)


def _triangle(upper: bool) -> Callable[..., Any]:
    def lowering(w: LoweringContext, m: Any, k: Any = 0) -> Any:
        value = tensor(w, m)
        g = w.graph
        dims = dims_of(value)
        if len(dims) < 2:
            w.refuse("a triangle of an array with less than two axes is not compiled")
        rows = g.Range(np.int64(0), g.dim_value(dims[-2]), np.int64(1))
        columns = g.Range(np.int64(0), g.dim_value(dims[-1]), np.int64(1))
        edge = g.Add(g.Unsqueeze(rows, [1]), _diagonal(w, k))
        columns = g.Unsqueeze(columns, [0])
        left_out = g.Less(columns, edge) if upper else g.Greater(columns, edge)
        return w.new_array(where(g, left_out, g.constant(np.zeros((), dtype_of(value))), value))

    return lowering


lowers(np.triu)(_triangle(True))
lowers(np.tril)(_triangle(False))


@lowers(np.diag)
def diag(w: LoweringContext, v: Any, k: Any = 0) -> Any:
    """A matrix with a vector on a diagonal, or the diagonal of a matrix."""
    value = tensor(w, v)
    g = w.graph
    dims = dims_of(value)
    offset = int(static(w, k, "k"))
    if len(dims) == 2:
        return diagonal(w, v, offset)
    if len(dims) != 1:
        w.raise_static(ValueError("Input must be 1- or 2-d."))
    size = dims[0] + abs(offset)
    indices = g.Range(np.int64(0), g.dim_value(size), np.int64(1))
    on = g.Equal(g.Add(g.Unsqueeze(indices, [1]), np.int64(offset)), g.Unsqueeze(indices, [0]))
    zero = np.zeros((), dtype_of(value))
    pad = g.constant(np.zeros(abs(offset), dtype_of(value)))
    line = (
        value if not offset else g.Concat(*([value, pad] if offset > 0 else [pad, value]), axis=0)
    )
    return w.new_array(choose(g, on, g.Unsqueeze(line, [1]), g.constant(zero)))
