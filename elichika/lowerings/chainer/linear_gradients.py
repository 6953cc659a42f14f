"""The gradients of `F.linear`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chainer.functions.connection.linear import LinearGradData, LinearGradWeight

from elichika.numbers.kernels import cast, matmul
from elichika.registry import lowers
from onnx_graph import Value, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


@lowers(LinearGradData)
def by_data(w: LoweringContext, node: Any, weight: Value, gy: Value) -> Any:
    """The gradient of the output times the weight."""
    if dtype_of(weight) != dtype_of(gy):
        return NotImplemented
    return matmul(w.graph, gy, weight)


@lowers(LinearGradWeight)
def by_weight(w: LoweringContext, node: Any, x: Value, gy: Value) -> Any:
    """The gradient of the output, transposed, times the input."""
    if dtype_of(x) != dtype_of(gy):
        return NotImplemented
    turned = w.graph.Transpose(gy, perm=[1, 0])
    return cast(w.graph, matmul(w.graph, turned, x), node._w_dtype)
