"""Lowerings of `chainer.functions.loss`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.loss.absolute_error import AbsoluteError
from chainer.functions.loss.contrastive import Contrastive
from chainer.functions.loss.cross_covariance import CrossCovariance
from chainer.functions.loss.decov import DeCov
from chainer.functions.loss.hinge import Hinge
from chainer.functions.loss.huber_loss import HuberLoss
from chainer.functions.loss.mean_absolute_error import MeanAbsoluteError
from chainer.functions.loss.mean_squared_error import MeanSquaredError
from chainer.functions.loss.negative_sampling import NegativeSamplingFunction
from chainer.functions.loss.sigmoid_cross_entropy import SigmoidCrossEntropy
from chainer.functions.loss.softmax_cross_entropy import SoftmaxCrossEntropy
from chainer.functions.loss.squared_error import SquaredError
from chainer.functions.loss.triplet import Triplet
from chainer.utils.type_check import InvalidType

from elichika.lowerings.chainer.activation import log_softmax_of
from elichika.lowerings.chainer.reductions import averaged
from elichika.lowerings.numeric import as_value, constant_like
from elichika.lowerings.sizes import product, rank, require, require_nonempty, same_shape
from elichika.numbers.kernels import cast, matmul
from elichika.numbers.special_functions import log1p
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of, same
from onnx_graph.failing import demanded

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def _size(g: ONNXGraph, x: Value, axis: int, dtype: Any) -> Value:
    return cast(g, g.size(x, axis), dtype)


def _difference(g: ONNXGraph, x: Value, y: Value) -> Value:
    return g.Sub(same_shape(g, x, y), y)


@lowers(AbsoluteError)
def absolute_error(w: LoweringContext, node: Any, x: Value, y: Value) -> Value:
    """|x - y|."""
    g = w.graph
    return g.Abs(_difference(g, x, y))


@lowers(SquaredError)
def squared_error(w: LoweringContext, node: Any, x: Value, y: Value) -> Value:
    """(x - y)^2."""
    g = w.graph
    difference = _difference(g, x, y)
    return g.Mul(difference, difference)


@lowers(MeanSquaredError)
def mean_squared_error(w: LoweringContext, node: Any, x: Value, y: Value) -> Value:
    """The mean of (x - y)^2."""
    return averaged(w.graph, squared_error(w, node, x, y), None)


@lowers(MeanAbsoluteError)
def mean_absolute_error(w: LoweringContext, node: Any, x: Value, y: Value) -> Value:
    """The mean of |x - y|."""
    return averaged(w.graph, absolute_error(w, node, x, y), None)


@lowers(HuberLoss)
def huber_loss(w: LoweringContext, node: Any, x: Value, y: Value) -> Value:
    """Half the square, linear beyond delta."""
    g = w.graph
    distance = g.Abs(_difference(g, x, y))
    delta: Any = dtype_of(x).type(node.delta)
    square = constant_like(g, delta * delta, x)
    linear = g.Sub(g.Mul(distance, constant_like(g, 2 * delta, x)), square)
    loss = g.Mul(g.Min(g.Mul(distance, distance), g.Max(linear, square)), 0.5)
    return loss if node.reduce == "no" else g.ReduceSum(loss, [1], keepdims=0)


@lowers(SoftmaxCrossEntropy)
def softmax_cross_entropy(w: LoweringContext, node: Any, x: Value, t: Value) -> Value:
    """Labels pick from the log probabilities; the mean is over the labels that count."""
    g = w.graph
    x = require_nonempty(g, x, [1], "reduction operation maximum")
    scores = log_softmax_of(g, x, 1)
    node.y = g.Exp(scores) if node.cache_score else None
    node.soft_target = rank(t) == rank(x)
    if dtype_of(t).kind == "f":
        return _soft_targets(g, node, x, t, scores)
    if node.class_weight is not None:
        weight = cast(g, as_value(g, node.class_weight), dtype_of(x))
        x = require(g, x, dims_of(x)[1], "==", dims_of(weight)[0], "a weight for each class")
        axes = list(range(1, rank(x) - 1))
        scores = g.Mul(scores, g.Unsqueeze(weight, axes) if axes else weight)
    for axis in range(1, rank(t)):
        t = same_shape(g, t, g.Squeeze(g.Slice(x, [0], [1], [1]), [1]), [axis])
    t = same_shape(g, t, x, [0])
    ids = cast(g, t, np.int64)
    valid = g.Not(g.Equal(ids, int(node.ignore_label)))
    index = g.Unsqueeze(g.Where(valid, ids, 0), [1])
    picked = g.Squeeze(demanded(g.GatherElements(scores, index, axis=1)), [1])
    picked = g.Mul(picked, g.Cast(valid, to=dtype_of(x)))
    if node.reduce == "no":
        return g.Neg(picked)
    wide = np.float32 if dtype_of(x) == np.float16 else dtype_of(x)
    total = g.ReduceSum(cast(g, picked, wide), keepdims=0)
    count = _counted(g, node, x, valid, wide)
    node._coeff = g.Reciprocal(cast(g, count, np.float64))
    return cast(g, g.Neg(g.Div(total, count)), dtype_of(x))


def _counted(g: ONNXGraph, node: Any, x: Value, valid: Value, dtype: Any) -> Value:
    """How many the mean is over: the valid ones, or the batch; at least 1."""
    count = g.size(x, 0)
    if node.normalize:
        count = g.ReduceSum(g.Cast(valid, to=np.int64), keepdims=0)
    return cast(g, g.Max(count, g.constant(1)), dtype)


def _soft_targets(g: ONNXGraph, node: Any, x: Value, t: Value, scores: Value) -> Value:
    t = cast(g, same_shape(g, t, x), dtype_of(x))
    if node.soft_target_loss == "kl-divergence":
        log = g.Log(g.Add(t, constant_like(g, node.eps, x)))
        loss = g.ReduceSum(g.Mul(t, g.Sub(log, scores)), [1], keepdims=0)
    else:
        loss = g.Neg(g.ReduceSum(g.Mul(t, scores), [1], keepdims=0))
    if node.reduce == "no":
        return loss
    rows = g.dim_value(product(dims_of(loss)))
    node._coeff = g.Reciprocal(cast(g, rows, np.float64))
    return averaged(g, require_nonempty(g, loss, range(rank(loss)), "the mean"), None)


@lowers(SigmoidCrossEntropy)
def sigmoid_cross_entropy(w: LoweringContext, node: Any, x: Value, t: Value) -> Value:
    """Where the label is not ignored, log(1 + exp(-|x|)) - x (t - [x >= 0])."""
    g = w.graph
    dtype = dtype_of(x)
    t = same_shape(g, t, x)
    valid = g.Not(g.Equal(cast(g, t, np.int64), int(node.ignore_label)))
    positive = g.Cast(g.GreaterOrEqual(x, constant_like(g, 0, x)), to=dtype)
    line = g.Mul(x, g.Sub(cast(g, t, dtype), positive))
    loss = g.Sub(log1p(g, g.Exp(g.Neg(g.Abs(x)))), line)
    loss = g.Mul(loss, g.Cast(valid, to=dtype))
    if node.reduce == "no":
        return loss
    wide = np.float32 if dtype == np.float16 else dtype
    count = _counted(g, node, x, valid, wide)
    return cast(g, g.Div(g.ReduceSum(cast(g, loss, wide), keepdims=0), count), dtype)


@lowers(Hinge)
def hinge(w: LoweringContext, node: Any, x: Value, t: Value) -> Value:
    """max(0, 1 + x), with the score of the label negated."""
    g = w.graph
    t = same_shape(g, t, x, [0])
    classes = g.Range(0, g.size(x, 1), 1)
    ids = cast(g, t, np.int64)
    ids = g.Where(g.Less(ids, 0), g.Add(ids, g.size(x, 1)), ids)
    known = g.And(g.GreaterOrEqual(ids, 0), g.Less(ids, g.size(x, 1)))
    wrong = g.ReduceSum(g.Cast(g.Not(known), to=np.int64), keepdims=0)
    ids = g.tie(ids, g.check(g.Equal(wrong, 0), "a label is out of range"))
    here = g.Equal(g.Unsqueeze(ids, [1]), classes)
    loss = g.Relu(g.Add(g.Where(here, g.Neg(x), x), 1.0))
    if node.norm == "L2":
        loss = g.Mul(loss, loss)
    if node.reduce == "no":
        return loss
    return g.Div(g.ReduceSum(loss, keepdims=0), _size(g, x, 0, dtype_of(x)))


@lowers(Contrastive)
def contrastive(w: LoweringContext, node: Any, x: Value, other: Value, y: Value) -> Value:
    """Similar pairs pay their squared distance, others what they lack to the margin."""
    g = w.graph
    x = require_nonempty(g, x, [0], "contrastive")
    difference = _difference(g, x, other)
    label = cast(g, same_shape(g, y, x, [0]), dtype_of(x))
    square = g.ReduceSumSquare(difference, [1], keepdims=0)
    lack = g.Relu(g.Sub(constant_like(g, node.margin, x), g.Sqrt(square)))
    far = g.Mul(g.Sub(1.0, label), g.Mul(lack, lack))
    loss = g.Mul(g.Add(g.Mul(label, square), far), 0.5)
    if node.reduce == "no":
        return loss
    return g.Div(g.ReduceSum(loss, keepdims=0), _size(g, x, 0, dtype_of(x)))


@lowers(Triplet)
def triplet(
    w: LoweringContext, node: Any, anchor: Value, positive: Value, negative: Value
) -> Value:
    """What the positive is farther than the negative, plus the margin."""
    g = w.graph
    anchor = require_nonempty(g, anchor, [0], "triplet")
    near, far = _difference(g, anchor, positive), _difference(g, anchor, negative)
    gap = g.ReduceSum(g.Sub(g.Mul(near, near), g.Mul(far, far)), [1], keepdims=0)
    loss = g.Relu(g.Add(gap, constant_like(g, node.margin, anchor)))
    if node.reduce == "no":
        return loss
    return g.Div(g.ReduceSum(loss, keepdims=0), _size(g, anchor, 0, dtype_of(anchor)))


def _centred_products(g: ONNXGraph, y: Value, z: Value) -> Value:
    y, z = (g.Sub(x, averaged(g, x, [0], True)) for x in (y, z))
    return matmul(g, g.Transpose(y, perm=[1, 0]), z)


def _half_squares(g: ONNXGraph, node: Any, x: Value) -> Value:
    return x if node.reduce == "no" else g.Mul(g.ReduceSumSquare(x, keepdims=0), 0.5)


@lowers(CrossCovariance)
def cross_covariance(w: LoweringContext, node: Any, y: Value, z: Value) -> Value:
    """The covariance of two batches of vectors."""
    g = w.graph
    products = _centred_products(g, y, same_shape(g, z, y, [0]))
    return _half_squares(g, node, g.Div(products, _size(g, y, 0, dtype_of(y))))


@lowers(DeCov)
def decov(w: LoweringContext, node: Any, h: Value) -> Value:
    """The covariance of units, without their variances."""
    g = w.graph
    products = _centred_products(g, h, h)
    units = g.Range(0, g.size(h, 1), 1)
    diagonal = g.Equal(g.Unsqueeze(units, [1]), g.Unsqueeze(units, [0]))
    kept = g.Where(diagonal, constant_like(g, 0, h), products)
    return _half_squares(g, node, g.Div(kept, _size(g, h, 0, dtype_of(h))))


@lowers(NegativeSamplingFunction)
def negative_sampling(w: LoweringContext, node: Any, x: Value, t: Value, weight: Value) -> Any:
    """Chainer's own code, which would spread the labels: there are as many as rows."""
    g = w.graph
    if not same(dims_of(x)[0], dims_of(t)[0]):
        alike = g.Equal(g.size(x, 0), g.size(t, 0))
        w.check(alike, InvalidType, "x.shape[0] == t.shape[0]")
    return NotImplemented
