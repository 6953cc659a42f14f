"""Lowerings of `chainer.functions.evaluation`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.evaluation.accuracy import Accuracy
from chainer.functions.evaluation.binary_accuracy import BinaryAccuracy
from chainer.functions.evaluation.classification_summary import ClassificationSummary
from chainer.functions.evaluation.r2_score import R2_score

from elichika.lowerings.chainer.array import reshaped
from elichika.lowerings.chainer.reductions import averaged
from elichika.lowerings.numpy.extremes import place_of
from elichika.lowerings.sizes import rank, require_nonempty, same_shape
from elichika.numbers.kernels import cast
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def _count(g: ONNXGraph, condition: Value) -> Value:
    return g.ReduceSum(g.Cast(condition, to=np.int64), keepdims=0)


def _predicted(g: ONNXGraph, y: Value, t: Value) -> Value:
    """The best class at each place of `t`; trailing axes of `y` are of size 1."""
    y = require_nonempty(g, y, [1], "argmax of an empty sequence")
    best = place_of(g, "ArgMax", y, 1, 0)
    extra = list(range(rank(t), rank(best)))
    best = g.Squeeze(best, extra) if extra else best
    return same_shape(g, best, t)


@lowers(Accuracy)
def accuracy(w: LoweringContext, node: Any, y: Value, t: Value) -> Value:
    """Right ones over those that count; 0 where none counts but some could be ignored."""
    g = w.graph
    ids = cast(g, t, np.int64)
    right = g.Equal(_predicted(g, y, t), ids)
    if node.ignore_label is None:
        return cast(g, averaged(g, cast(g, right, np.float64), None), dtype_of(y))
    counted = g.Not(g.Equal(ids, int(node.ignore_label)))
    total = _count(g, counted)
    hits = cast(g, _count(g, g.And(right, counted)), np.float64)
    return cast(g, g.Div(hits, cast(g, g.Max(total, g.constant(1)), np.float64)), dtype_of(y))


@lowers(BinaryAccuracy)
def binary_accuracy(w: LoweringContext, node: Any, y: Value, t: Value) -> Value:
    """Right signs over the labels that count."""
    g = w.graph
    ids = cast(g, same_shape(g, t, y), np.int64)
    positive = g.Cast(g.GreaterOrEqual(y, cast(g, g.constant(0.0), dtype_of(y))), to=np.int64)
    total = g.Max(_count(g, g.Not(g.Equal(ids, int(node.ignore_label)))), g.constant(1))
    hits = cast(g, _count(g, g.Equal(positive, ids)), np.float64)
    return cast(g, g.Div(hits, cast(g, total, np.float64)), dtype_of(y))


@lowers(R2_score)
def r2_score(w: LoweringContext, node: Any, predicted: Value, true: Value) -> Value:
    """1 - the residual over the variance; 0 where there is no variance."""
    g = w.graph
    difference = g.Sub(same_shape(g, predicted, true), true)
    residual = g.ReduceSumSquare(difference, [0], keepdims=0)
    centred = g.Sub(true, averaged(g, true, [0], True))
    spread = g.ReduceSumSquare(centred, [0], keepdims=0)
    one = g.constant(np.ones((), dtype_of(true)))
    flat = g.Equal(spread, g.Sub(one, one))
    score = g.Sub(one, g.Div(residual, g.Where(flat, one, spread)))
    score = cast(g, g.Where(flat, g.Sub(one, one), score), dtype_of(predicted))
    return averaged(g, score, None) if node.multioutput == "uniform_average" else score


@lowers(ClassificationSummary)
def classification_summary(w: LoweringContext, node: Any, y: Value, t: Value) -> tuple[Value, ...]:
    """Precision, recall, F-beta and support of each class; nan where there is none."""
    g = w.graph
    ids = reshaped(g, cast(g, t, np.int64), [-1])
    best = reshaped(g, _predicted(g, y, t), [-1])
    counted = g.Not(g.Equal(ids, int(node.ignore_label)))
    below = g.Cast(g.And(counted, g.Less(ids, 0)), to=np.int64)
    none = g.Equal(g.ReduceSum(below, keepdims=0), 0)
    ids = g.tie(ids, g.check(none, "ValueError: a label is below 0"))
    if node.label_num is None:
        many = g.Add(g.ReduceMax(require_nonempty(g, ids, [0], "maximum"), keepdims=0), 1)
    else:
        many = g.constant(int(node.label_num))
    classes = g.Unsqueeze(g.Range(0, many, 1), [1])

    def counts(values: Value, where: Value) -> Value:
        hits = g.And(g.Equal(classes, g.Unsqueeze(values, [0])), g.Unsqueeze(where, [0]))
        return g.ReduceSum(g.Cast(hits, to=np.int64), [1], keepdims=0)

    support = counts(ids, counted)
    found = cast(g, counts(ids, g.And(counted, g.Equal(ids, best))), np.float64)
    precision = g.Div(found, cast(g, counts(best, counted), np.float64))
    recall = g.Div(found, cast(g, support, np.float64))
    square = float(node.beta) ** 2
    above = g.Mul(g.Mul(precision, recall), 1 + square)
    fbeta = g.Div(above, g.Add(g.Mul(precision, square), recall))
    return precision, recall, fbeta, support
