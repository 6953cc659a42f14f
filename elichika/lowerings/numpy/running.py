"""Running sums and products, and differences of neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.numpy.arguments import (
    NOT_GIVEN,
    along,
    axis_of,
    finish,
    require_out,
    static,
)
from elichika.lowerings.numpy.operands import operand, stand, tensor
from elichika.numbers.kernels import apply, constant
from elichika.numbers.promotion import ask
from elichika.registry import lowers
from onnx_graph import Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def _running(function: Any) -> Callable[..., Any]:
    def lowering(
        w: LoweringContext, a: Any, axis: Any = None, dtype: Any = None, out: Any = None
    ) -> Any:
        g = w.graph
        dtype = static(w, dtype, "dtype")
        found = ask(w, function, stand(w, a), dtype=dtype).dtype
        require_out(w, out, found)
        value = tensor(w, a, found)
        if axis is not None and not dims_of(value):
            value = g.Unsqueeze(value, [0])
        value, one = along(w, value, axis)
        if function is np.cumsum:
            return finish(w, apply(g, "CumSum", [value, g.constant(np.int64(one))]), out)
        return finish(w, _running_product(w, value, one), out)

    return lowering


def _running_product(w: LoweringContext, value: Value, axis: int) -> Value:
    """Multiply along an axis in a Loop: ONNX has no cumulative product."""
    g = w.graph
    rank = len(dims_of(value))
    if dtype_of(value) == np.bool_:
        w.refuse("a running product of bools is not compiled", "make ints of them first")
    order = [axis, *(i for i in range(rank) if i != axis)]
    front = g.Transpose(value, perm=order) if axis else value
    rest = list(dims_of(front)[1:])
    one = constant(g, 1, value)
    start = g.Expand(one, g.shape_tensor(rest)) if rest else one
    body = g.body("running", loop=True)
    with body:
        carried = body.input(dtype_of(value), rest)
        row = g.Gather(front, body.iteration, axis=0)
        total = g.Mul(carried, row)
        total.shape = carried.shape
    length = g.dim_value(dims_of(front)[0])
    always = g.constant(np.array(True))
    _, rows = g.Loop(
        length, always, body, [start], carried=[total], scans=[total], cond_out=body.condition
    )
    back = [int(i) for i in np.argsort(order)]
    result: Value = g.Transpose(rows, perm=back) if axis else rows
    result.shape = value.shape
    return result


cumsum = lowers(np.cumsum, np.ndarray.cumsum)(_running(np.cumsum))
cumprod = lowers(np.cumprod, np.ndarray.cumprod)(_running(np.cumprod))


def _extended(w: LoweringContext, a: Any, axis: int, prepend: Any, append: Any) -> Any:
    """Return an array with what is put before and behind it along an axis."""
    parts = [operand(w, a)]
    dims = w.dims(parts[0])
    for place, end in ((0, prepend), (len(parts), append)):
        if end is NOT_GIVEN:
            continue
        end = operand(w, end)
        if not w.dims(end):
            sizes = w.graph.shape_tensor([1 if i == axis else d for i, d in enumerate(dims)])
            end = w.new_array(w.graph.Expand(tensor(w, end), sizes))
        parts.insert(place if place == 0 else len(parts), end)
    if len(parts) == 1:
        return a
    return w.call(np.concatenate, [tuple(parts)], {"axis": axis})


@lowers(np.diff)
def diff(
    w: LoweringContext,
    a: Any,
    n: Any = 1,
    axis: Any = -1,
    prepend: Any = NOT_GIVEN,
    append: Any = NOT_GIVEN,
) -> Any:
    """Differences of neighbours."""
    times = int(static(w, n, "n"))
    if times == 0:
        return a
    if times < 0:
        w.raise_static(ValueError(f"order must be non-negative but got {times!r}"))
    if not w.dims(operand(w, a)):
        w.raise_static(ValueError("diff requires input that is at least one dimensional"))
    g, one = w.graph, axis_of(w, len(w.dims(operand(w, a))), axis)
    value = tensor(w, _extended(w, a, one, prepend, append))
    for _ in range(times):
        low, high = np.array([0]), np.array([2**63 - 1])
        first = g.Slice(value, low, np.array([-1]), np.array([one]))
        later = g.Slice(value, np.array([1]), high, np.array([one]))
        differ = dtype_of(value) == np.bool_
        value = g.Xor(later, first) if differ else g.Sub(later, first)
    return finish(w, value)
