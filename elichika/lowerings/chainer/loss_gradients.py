"""Gradients of losses whose own code depends on the sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.loss import softmax_cross_entropy as sce

from elichika.lowerings.numeric import as_value
from elichika.lowerings.sizes import product, rank, require, same_shape
from elichika.numbers.kernels import cast
from elichika.registry import lowers
from onnx_graph import Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


@lowers(sce._SoftmaxCrossEntropyGrad_NoDoubleBackprop)
def softmax_cross_entropy_grad(
    w: LoweringContext, node: Any, x: Value, t: Value, gloss: Value
) -> Value:
    """The probabilities less the targets; of no elements, Chainer gives one gradient too many."""
    g = w.graph
    x = require(g, x, product(dims_of(x)), ">=", 1, "number of gradients returned from backward")
    dtype = dtype_of(x)
    y = g.Softmax(x, axis=1) if node.y is None else as_value(g, node.y)
    if node.soft_target:
        valid = g.Not(g.Equal(t, cast(g, as_value(g, node.ignore_label), dtype_of(t))))
        t = same_shape(g, t, x)
        gx = g.Sub(y, cast(g, g.Mul(t, g.Cast(valid, to=dtype_of(t))), dtype))
    else:
        ids = cast(g, same_shape(g, t, x, [0]), np.int64)
        valid = g.Not(g.Equal(ids, int(node.ignore_label)))
        index = g.Unsqueeze(g.Where(valid, ids, 0), [1])
        counts = g.Unsqueeze(g.Cast(valid, to=np.float32 if dtype == np.float16 else dtype), [1])
        wide = cast(g, y, dtype_of(counts))
        ones = g.Expand(g.constant(np.array(-1, dtype_of(counts))), g.Shape(index))
        wide = g.ScatterElements(wide, index, ones, axis=1, reduction="add")
        if node.class_weight is not None:
            shape = [1, -1, *([1] * (rank(x) - 2))]
            weight = cast(g, as_value(g, node.class_weight), dtype_of(counts))
            spread = g.Expand(g.Reshape(weight, shape), g.Shape(x))
            counts = g.Mul(counts, g.GatherElements(spread, index, axis=1))
        gx = cast(g, g.Mul(wide, counts), dtype)
    if node.coeff is None:
        return g.Mul(gx, cast(g, g.Unsqueeze(gloss, [1]), dtype))
    coeff = as_value(g, node.coeff)
    wide_scale = g.Mul(cast(g, gloss, dtype_of(coeff)), coeff)
    return g.Mul(gx, cast(g, wide_scale, dtype))
