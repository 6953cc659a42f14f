"""The gradients of `F.linear` and `F.embed_id`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.connection.embed_id import EmbedIDGrad
from chainer.functions.connection.linear import LinearGradData, LinearGradWeight

from elichika.lowerings.chainer.array import reshaped
from elichika.lowerings.sizes import known, product, require
from elichika.numbers.kernels import cast, matmul
from elichika.registry import lowers
from onnx_graph import Value, dims_of, dtype_of

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


@lowers(EmbedIDGrad)
def by_table(w: LoweringContext, node: Any, ids: Value, gy: Value) -> Any:
    """Add each row where its id says, one after the other as Chainer does.

    With several threads onnxruntime's ScatterND may lose one of two rows with the same id.
    """
    rows, columns = node.w_shape
    if len(known(node.w_shape)) < 2:
        return NotImplemented
    g, dtype = w.graph, dtype_of(gy)
    count = product(dims_of(ids))
    gy = require(g, gy, count, ">=", 1, "gradients of no ids to be reshaped")
    given = reshaped(g, gy, [count, columns])
    places = cast(g, reshaped(g, ids, [-1, 1]), np.int64)
    wide = np.dtype(np.float32) if dtype == np.float16 else dtype
    given = cast(g, given, wide)
    if node.ignore_label is not None:
        ignored = g.Equal(places, int(node.ignore_label))
        places = g.Where(ignored, 0, places)
        given = g.Where(ignored, g.constant(np.zeros((), wide)), given)
    total = g.ScatterElements(
        g.constant(np.zeros((rows, columns), wide)),
        g.Expand(places, g.Shape(given)),
        given,
        axis=0,
        reduction="add",
    )
    return cast(g, total, dtype)
