"""Lowerings of `chainer.functions.math` that reduce or scan axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.math.average import Mean
from chainer.functions.math.batch_l2_norm_squared import BatchL2NormSquared
from chainer.functions.math.cumprod import Cumprod
from chainer.functions.math.cumsum import Cumsum
from chainer.functions.math.logsumexp import LogSumExp
from chainer.functions.math.minmax import ArgMax, ArgMin, Max, Min
from chainer.functions.math.prod import Prod
from chainer.functions.math.sum import Sum, SumTo

from elichika.lowerings.chainer.array import reshaped
from elichika.lowerings.numpy.extremes import extreme, place_of
from elichika.lowerings.sizes import (
    axes_from_the_front,
    known_now,
    product,
    rank,
    require,
    require_nonempty,
    size_of,
)
from elichika.numbers.kernels import cast
from elichika.numbers.promotion import ask
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, compare, dims_of, dtype_of, same

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def reduced(g: ONNXGraph, op: str, x: Value, axes: Any, keepdims: bool = False) -> Value:
    """Reduce by any of ONNX's Reduce operators; None is all axes, () is none."""
    if axes is None:
        return g.emit(op, [x], {"keepdims": int(keepdims)})
    if not axes:
        return x
    return g.emit(op, [x, axes_from_the_front(x, axes)], {"keepdims": int(keepdims)})


def _axes(x: Value, axes: Any) -> list[int]:
    return list(range(rank(x))) if axes is None else axes_from_the_front(x, axes)


@lowers(Sum)
def sum_(w: LoweringContext, node: Any, x: Value) -> Value:
    """The sum of nothing is 0."""
    return reduced(w.graph, "ReduceSum", x, node.axis, node.keepdims)


@lowers(Prod)
def prod(w: LoweringContext, node: Any, x: Value) -> Value:
    """The product of nothing is 1."""
    return reduced(w.graph, "ReduceProd", x, node.axis, node.keepdims)


@lowers(Mean)
def mean(w: LoweringContext, node: Any, x: Value) -> Value:
    """The mean of nothing fails: Chainer divides by how many there are; ReduceMean gives 0."""
    g = w.graph
    for axis in _axes(x, node.axis):
        x = require(g, x, dims_of(x)[axis], ">=", 1, "ZeroDivisionError: float division by zero")
    return reduced(g, "ReduceMean", x, node.axis, node.keepdims)


def averaged(g: ONNXGraph, x: Value, axes: Any, keepdims: bool = False) -> Value:
    """Take the mean over axes; float16 is summed in float32, as numpy does.

    The mean of nothing is nan, where ReduceMean gives 0: divide where there may be nothing.
    """
    count = product(dims_of(x)[axis] for axis in _axes(x, axes))
    if compare(count, ">=", 1):
        return reduced(g, "ReduceMean", x, axes, keepdims)
    dtype = dtype_of(x)
    wide = cast(g, x, np.float32) if dtype == np.float16 else x
    total = reduced(g, "ReduceSum", wide, axes, keepdims)
    return cast(g, g.Div(total, g.Cast(g.dim_value(count), to=dtype_of(wide))), dtype)


def _extreme(g: ONNXGraph, op: str, node: Any, x: Value) -> Value:
    axes = _axes(x, node.axis)
    x = require_nonempty(g, x, axes, "reduction operation which has no identity")
    return extreme(g, op, x, tuple(axes), int(node.keepdims))


@lowers(Max)
def max_(w: LoweringContext, node: Any, x: Value) -> Value:
    """There is no largest of nothing; of some with nan among them it is nan."""
    return _extreme(w.graph, "ReduceMax", node, x)


@lowers(Min)
def min_(w: LoweringContext, node: Any, x: Value) -> Value:
    """There is no smallest of nothing; of some with nan among them it is nan."""
    return _extreme(w.graph, "ReduceMin", node, x)


def _index(g: ONNXGraph, op: str, node: Any, x: Value) -> Value:
    if node.axis is None:
        x = reshaped(g, x, [-1])
    axis = (node.axis or 0) % rank(x)
    x = require_nonempty(g, x, [axis], "arg reduction")
    return g.Cast(place_of(g, op, x, axis, 0), to=np.int32)


@lowers(ArgMax)
def argmax(w: LoweringContext, node: Any, x: Value) -> Value:
    """The first nan, else the first one, an int32; without an axis, of the flattened array."""
    return _index(w.graph, "ArgMax", node, x)


@lowers(ArgMin)
def argmin(w: LoweringContext, node: Any, x: Value) -> Value:
    """The first nan, else the first one, an int32; without an axis, of the flattened array."""
    return _index(w.graph, "ArgMin", node, x)


@lowers(LogSumExp)
def logsumexp(w: LoweringContext, node: Any, x: Value) -> Value:
    """Written out around the maximum, so that large inputs do not overflow."""
    g = w.graph
    axes = _axes(x, node.axis)
    x = require_nonempty(g, x, axes, "reduction operation maximum which has no identity")
    if not axes:
        return g.Add(g.Log(g.Exp(g.Sub(x, x))), x)
    top = g.ReduceMax(x, axes)
    total = g.Log(g.ReduceSum(g.Exp(g.Sub(x, top)), axes, keepdims=0))
    return g.Add(total, g.Squeeze(top, axes))


@lowers(BatchL2NormSquared)
def batch_l2_norm_squared(w: LoweringContext, node: Any, x: Value) -> Value:
    """The sum of the squares of each element of the batch, which may not be empty."""
    g = w.graph
    x = require_nonempty(g, x, [0], "batch_l2_norm_squared")
    return g.ReduceSumSquare(x, list(range(1, rank(x))), keepdims=0)


@lowers(Cumsum)
def cumsum(w: LoweringContext, node: Any, x: Value) -> Value:
    """Without an axis, of the flattened array."""
    g = w.graph
    if node.axis is None:
        return g.CumSum(reshaped(g, x, [-1]), 0)
    return g.CumSum(x, node.axis % rank(x))


@lowers(Cumprod)
def cumprod(w: LoweringContext, node: Any, x: Value) -> Value:
    """The products of the elements up to each place, with ones behind it."""
    g = w.graph
    if node.axis is None:
        x = reshaped(g, x, [-1])
    axis = (node.axis or 0) % rank(x)
    others = [i for i in range(rank(x)) if i != axis]
    rows = g.Unsqueeze(g.Transpose(x, perm=[*others, axis]), [rank(x) - 1])
    steps = g.Range(0, g.dim_value(dims_of(x)[axis]), 1)
    seen = g.LessOrEqual(g.Unsqueeze(steps, [0]), g.Unsqueeze(steps, [1]))
    kept = g.Where(seen, rows, g.constant(np.ones((), dtype_of(x))))
    y = g.ReduceProd(kept, [rank(x)], keepdims=0)
    return g.Transpose(y, perm=[int(i) for i in np.argsort([*others, axis])])


@lowers(SumTo)
def sum_to(w: LoweringContext, node: Any, x: Value) -> Value:
    """Undo a broadcast: sum what the shape lacks, and what it has as 1; Chainer asks no more."""
    g = w.graph
    shape = [size_of(item) for item in node._shape]
    lead = rank(x) - len(shape)
    open_axes = [
        axis
        for axis, size in enumerate(shape, lead)
        if not known_now(size)
        and (axis < 0 or isinstance(size, Value) or not same(dims_of(x)[axis], size))
    ]
    if open_axes:
        sizes = g.shape_tensor([shape[axis - lead] for axis in open_axes])
        summed = g.Compress(g.constant(np.array(open_axes)), g.Equal(sizes, g.constant([1])))
        x = g.ReduceSum(x, summed, keepdims=1, noop_with_empty_axes=1)
    ones = [axis for axis, size in enumerate(shape, lead) if known_now(size) and size == 1]
    ask(w, np.ones((1,) * rank(x)).sum, tuple(ones))
    ones = [axis for axis in ones if not same(dims_of(x)[axis], 1)]
    lead_axes = list(range(lead))
    y = reduced(g, "ReduceSum", x, ones, True)
    return reduced(g, "ReduceSum", y, lead_axes, False)
