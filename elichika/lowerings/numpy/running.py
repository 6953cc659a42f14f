"""Running sums and products, and differences of neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.numpy.arguments import (
    along,
    finish,
    require_out,
    static,
)
from elichika.lowerings.numpy.operands import stand, tensor
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
