"""Methods of ufuncs: reduce, accumulate, outer and at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.indexing import assigned, broadcast_into, plan, positions
from elichika.lowerings.numpy import reductions
from elichika.lowerings.numpy.arguments import only_default
from elichika.lowerings.numpy.operands import operand, stand, tensor
from elichika.lowerings.numpy.running import cumprod, cumsum
from elichika.numbers.kernels import cast
from elichika.numbers.promotion import ask
from elichika.registry import lowers
from onnx_graph import dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


_REDUCTIONS: dict[Any, str] = {
    np.add: "sum",
    np.multiply: "prod",
    np.maximum: "max",
    np.minimum: "min",
    np.logical_and: "all",
    np.logical_or: "any",
}


@lowers(np.ufunc.reduce)
def reduce(
    w: LoweringContext,
    ufunc: np.ufunc,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    **kwargs: Any,
) -> Any:
    """Reduce along axes."""
    if ufunc in (np.fmax, np.fmin):
        only_default(w, "reduce", **kwargs)
        return reductions.extreme_number(w, ufunc, array, axis, out, keepdims)
    name = _REDUCTIONS.get(ufunc)
    if name is None:
        w.refuse(f"`{ufunc.__name__}.reduce` is not compiled", "write it as a loop over the rows")
    function = getattr(reductions, f"{name}_")
    if name in ("sum", "prod"):
        return function(w, array, axis, dtype, out, keepdims, **kwargs)
    return function(w, array, axis, out, keepdims, **kwargs)


@lowers(np.ufunc.accumulate)
def accumulate(
    w: LoweringContext,
    ufunc: np.ufunc,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """Running sums and products."""
    if not w.dims(operand(w, array)):
        w.raise_static(TypeError("cannot accumulate on a scalar"))
    if ufunc is np.add:
        return cumsum(w, array, axis, dtype, out)
    if ufunc is np.multiply:
        return cumprod(w, array, axis, dtype, out)
    w.refuse(f"`{ufunc.__name__}.accumulate` is not compiled", "write it as a loop over the rows")


@lowers(np.ufunc.outer)
def outer(w: LoweringContext, ufunc: np.ufunc, A: Any, B: Any) -> Any:  # noqa: N803
    """Combine each pair of elements."""
    a, b = tensor(w, A), tensor(w, B)
    rank, more = len(dims_of(a)), len(dims_of(b))
    wide = w.graph.Unsqueeze(a, list(range(rank, rank + more))) if more else a
    left = w.new_array(wide) if dims_of(wide) else w.scalar(dtype_of(wide).type, wide)
    return w.call(ufunc, [left, B], {})


def _added(w: LoweringContext, b: Any, dtype: np.dtype[Any]) -> Any:
    """Return what tells numpy whether it adds `b` to arrays of a dtype: of a number, its value."""
    b = operand(w, b)
    if not w.is_symbolic(b):
        return b if np.ndim(b) == 0 else np.ones(1, np.asarray(b).dtype)
    given = np.asarray(stand(w, b)).dtype
    if not dims_of(tensor(w, b)) and not np.can_cast(given, dtype, "same_kind"):
        w.refuse(
            f"whether this number fits into {dtype} is known only when the model runs",
            f"convert it first: `np.{dtype}(...)`",
        )
    return np.ones(1, given)


@lowers(np.ufunc.at)
def at(w: LoweringContext, ufunc: np.ufunc, a: Any, indices: Any, b: Any = None) -> None:
    """Add at indices, each time an index occurs."""
    if ufunc not in (np.add, np.subtract):
        w.refuse(f"`{ufunc.__name__}.at` is not compiled", "write it as a loop over the indices")
    target = w.as_array(a)
    g, base = w.graph, w.read(target)
    dtype = dtype_of(base)
    ask(w, np.add, np.ones(1, dtype), _added(w, b, dtype), out=np.ones(1, dtype))
    carrier: Any = {"f": np.float32}.get(dtype.kind, np.int64)
    if dtype == np.float64:
        carrier = np.float64
    chosen = plan(w, dims_of(base), indices)
    places = chosen.read(g, positions(g, base))
    new = cast(g, broadcast_into(w, assigned(w, b, dtype), dims_of(places)), carrier)
    if ufunc is np.subtract:
        new = g.Neg(new)
    flat = g.Reshape(cast(g, base, carrier), [-1])
    total = g.ScatterElements(
        flat, g.Reshape(places, [-1]), g.Reshape(new, [-1]), axis=0, reduction="add"
    )
    shaped = g.Reshape(total, g.shape_tensor(dims_of(base)), allowzero=1)
    shaped.shape = base.shape
    w.write(target, cast(g, shaped, dtype))
