"""Connectionist temporal classification, and softmax over the leaves of a binary tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.loss.ctc import ConnectionistTemporalClassification
from chainer.links.loss.hierarchical_softmax import BinaryHierarchicalSoftmaxFunction

from elichika import idioms
from elichika.lowerings.numeric import constant_like
from elichika.lowerings.sizes import same_shape
from elichika.numbers.kernels import cast, every, matmul, where
from elichika.registry import always, lowers
from onnx_graph import ONNXGraph, Value, compare, dims_of, dtype_of
from onnx_graph.failing import demanded

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext


def _transition(g: ONNXGraph, before: Value, path: Value, length: Value, none: Value) -> Value:
    """Sum over the ways to each place of the path: from it, the one before and the one before that.

    The last way is closed between equal labels.  `before` is [batch, places].
    """
    no_label = g.constant(np.asarray(np.iinfo(np.int64).min))
    closed = g.Equal(path, _shifted(g, path, 2, no_label))
    two_on = where(g, closed, none, _shifted(g, before, 2, none))
    ways = [before, _shifted(g, before, 1, none), two_on]
    most = g.Max(*ways)
    total = g.Add(*(g.Exp(g.Sub(way, most)) for way in ways[:2]))
    total = g.Add(total, g.Exp(g.Sub(ways[2], most)))
    inside = g.Less(g.Range(0, g.dim_value(dims_of(path)[1]), 1), length)
    return where(g, inside, g.Add(most, g.Log(total)), none)


def _shifted(g: ONNXGraph, x: Value, by: int, filler: Value) -> Value:
    """Move the places of each row to the right; `filler` comes in, what is too far is lost."""
    start = g.Expand(filler, g.shape_tensor([dims_of(x)[0], by]))
    return g.Slice(g.Concat(start, x, axis=1), [0], [-by], [1])


def _turned(g: ONNXGraph, size: Any, length: Value) -> Value:
    """Return the places of a sequence from its end to its start, and then those behind it."""
    total = g.dim_value(size)
    back = g.Sub(g.Sub(total, 1), g.Range(0, total, 1))
    return g.Mod(g.Add(back, length), total)


def _with_blanks(g: ONNXGraph, t: Value, symbol: int) -> Value:
    """Return the labels with a blank before, between and behind them."""
    batch, length = dims_of(t)
    blank = g.constant(np.asarray(symbol, np.int64))
    labels = g.Unsqueeze(g.Cast(t, to=np.int64), [2])
    blanks = g.Expand(blank, g.shape_tensor([batch, length, 1]))
    pairs = g.Concat(blanks, labels, axis=2)
    path = g.Reshape(pairs, g.shape_tensor([batch, length * 2]), allowzero=1)
    return g.Concat(path, g.Expand(blank, g.shape_tensor([batch, 1])), axis=1)


@lowers(ConnectionistTemporalClassification.log_matrix)
@always
def log_matrix(w: ContainerContext, node: Any, x: Any, xp: Any) -> Any:
    """Go by probabilities alone; Chainer masks what has no logarithm."""
    return w.call(idioms.backward.log_or, [x, w.get_attribute(node, "zero_padding")], {})


@lowers(ConnectionistTemporalClassification.label_probability)
@always
def label_probability(
    w: ContainerContext, node: Any, size: Any, path: Any, length: Any, sequences: Any, xp: Any
) -> Any:
    """Sum over the places of each label at once; Chainer goes through them."""
    return w.call(idioms.backward.of_labels, [size, path, length, sequences], {})


@lowers(ConnectionistTemporalClassification)
def connectionist_temporal_classification(
    w: LoweringContext, node: Any, input_length: Value, label_length: Value, t: Value, xs: Value
) -> Value:
    """Chainer's backward recursion, up to the first step of each sequence."""
    g = w.graph
    (steps, batch, _), dtype = dims_of(xs), dtype_of(xs)
    sequences = g.Transpose(xs, perm=[1, 0, 2])
    t, input_length, label_length = (
        same_shape(g, each, sequences, [0]) for each in (t, input_length, label_length)
    )
    none = g.constant(np.asarray(-1e4 if dtype == np.float16 else -1e10, dtype))
    probability = g.Softmax(xs, axis=2)
    known = g.Greater(probability, constant_like(g, 0, xs))
    logs = where(g, known, g.Log(probability), none)
    path, places = _with_blanks(g, t, node.blank_symbol), dims_of(t)[1] * 2
    length = g.Unsqueeze(g.Add(g.Mul(g.Cast(label_length, to=np.int64), 2), 1), [1])
    turn = _turned(g, places + 1, length)
    turned_path = g.GatherElements(path, turn, axis=1)
    lengths = g.Unsqueeze(g.Cast(input_length, to=np.int64), [1])
    order = _turned(g, steps, lengths)

    here = g.Equal(g.Range(0, g.dim_value(places + 1), 1), 0)
    start = g.Expand(
        where(g, here, constant_like(g, 0, xs), none), g.shape_tensor([batch, places + 1])
    )
    backward = _backward(g, logs, start, turned_path, length, order, lengths, none)
    first = demanded(g.GatherElements(g.Gather(logs, np.int64(0), axis=0), path, axis=1))
    forward = g.Add(first, _transition(g, start, path, length, none))
    total = g.Add(g.GatherElements(forward, turn, axis=1), backward)
    most = g.ReduceMax(total, [1])
    loss = g.Add(g.Log(g.ReduceSum(g.Exp(g.Sub(total, most)), [1])), most)
    loss = g.Neg(g.Squeeze(loss, [1]))
    return loss if node.reduce != "mean" else _mean(g, loss)


def _backward(
    g: ONNXGraph,
    logs: Value,
    start: Value,
    path: Value,
    length: Value,
    order: Value,
    lengths: Value,
    none: Value,
) -> Value:
    """Return, for each sequence, what its last step before the first gives.

    Args:
        g: The graph.
        logs: Logarithms of probabilities, [steps, batch, labels].
        start: Those of each place of the path before any step, [batch, places].
        path: The labels, from the end to the start.
        length: How many places of the path there are, [batch, 1].
        order: Steps from the end to the start, [batch, steps].
        lengths: How many steps there are, [batch, 1].
        none: The logarithm that stands for a probability of 0.
    """
    steps, batch, _ = dims_of(logs)
    body = g.body("steps", loop=True)
    with body:
        before, kept = (body.input(dtype_of(start), dims_of(start)) for _ in range(2))
        ways = _transition(g, before, path, length, none)
        last = g.Equal(g.Mod(g.Sub(lengths, 1), g.dim_value(steps)), body.iteration)
        kept = where(g, last, ways, kept)
        now = g.Gather(order, body.iteration, axis=1)
        rows = g.Range(0, g.dim_value(batch), 1)
        place = g.Concat(g.Unsqueeze(now, [1]), g.Unsqueeze(rows, [1]), axis=1)
        seen = g.GatherElements(g.GatherND(logs, place), path, axis=1)
        after = g.Add(ways, seen)
    return g.Loop(g.dim_value(steps), None, body, [start, start], carried=[after, kept])[1]


def _mean(g: ONNXGraph, loss: Value) -> Value:
    """Return the mean over the batch, nan of none."""
    if compare(dims_of(loss)[0], ">=", 1):
        return g.ReduceMean(loss, keepdims=0)
    return g.Div(g.ReduceSum(loss, keepdims=0), cast(g, g.Size(loss), dtype_of(loss)))


@lowers(BinaryHierarchicalSoftmaxFunction)
def binary_hierarchical_softmax(
    w: LoweringContext, node: Any, x: Value, t: Value, weight: Value
) -> Value:
    """The inner nodes on the way to each leaf, in a table; shorter ways are filled up."""
    g = w.graph
    counts = np.diff(node.begins)
    width = int(counts.max())
    paths = np.zeros((len(counts), width), np.int64)
    codes = np.zeros((len(counts), width), dtype_of(x))
    for leaf, (begin, count) in enumerate(zip(node.begins, counts, strict=False)):
        paths[leaf, :count] = node.paths[begin : begin + count]
        codes[leaf, :count] = node.codes[begin : begin + count]
    fine = every(g, g.GreaterOrEqual(g.Cast(t, to=np.int64), 0))
    t = g.tie(same_shape(g, t, x, [0]), g.check(fine, "labels are from 0 up"))
    sides = demanded(g.Gather(g.constant(codes), t, axis=0))
    nodes = g.Gather(weight, g.Gather(g.constant(paths), t, axis=0), axis=0)
    scores = g.Squeeze(matmul(g, nodes, g.Unsqueeze(x, [2])), [2])
    wide = cast(g, g.Neg(g.Mul(scores, sides)), np.float64)
    loss = g.Add(g.Max(wide, 0.0), g.Log(g.Add(g.Exp(g.Neg(g.Abs(wide))), 1.0)))
    used = g.Not(g.Equal(sides, constant_like(g, 0, x)))
    total = g.ReduceSum(where(g, used, loss, g.constant(np.zeros(()))), keepdims=0)
    return cast(g, total, dtype_of(x))
