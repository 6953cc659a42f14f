"""Lowerings of `chainer.functions.rnn`: single steps of gated cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.rnn.lstm import LSTM
from chainer.functions.rnn.slstm import SLSTM
from chainer.functions.rnn.tree_lstm import TreeLSTM

from elichika.lowerings.sizes import Size, known_now, rank, require, same_shape
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of, same

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext


def _interleaved(g: ONNXGraph, x: Value, c: Value) -> tuple[Value, ...]:
    """The four gates of each unit stand side by side."""
    n, _, *rest = dims_of(x)
    gates = g.Reshape(x, g.shape_tensor([n, dims_of(c)[1], 4, *rest]), allowzero=1)
    return tuple(g.Squeeze(gate, [2]) for gate in g.Split(gates, axis=2, num_outputs=4, outputs=4))


@lowers(LSTM)
def lstm(w: LoweringContext, node: Any, c: Value, x: Value) -> tuple[Value, Value]:
    """Cells beyond the batch of x, of sequences that have ended, pass through."""
    g = w.graph
    x = same_shape(g, x, c, range(2, rank(x)))
    a, i, f, o = _interleaved(g, x, c)
    batch, whole = dims_of(x)[0], dims_of(c)[0]
    before, rest = c, None
    if not same(batch, whole):
        c = require(g, c, batch, "<=", whole, "more inputs than cells")
        edge = g.shape_tensor([batch])
        before = g.Slice(c, [0], edge, [0])
        rest = g.Slice(c, edge, [np.iinfo(np.int64).max], [0])
    after = g.Add(g.Mul(g.Tanh(a), g.Sigmoid(i)), g.Mul(g.Sigmoid(f), before))
    h = g.Mul(g.Sigmoid(o), g.Tanh(after))
    return (after if rest is None else g.Concat(after, rest, axis=0)), h


@lowers(SLSTM)
def slstm(w: LoweringContext, node: Any, c1: Value, c2: Value, x1: Value, x2: Value) -> Any:
    """Two cells become one; their output gates are added before the sigmoid."""
    g = w.graph
    others = [axis for axis in range(rank(x1)) if axis != 1]
    c2, x1, x2 = same_shape(g, c2, c1), same_shape(g, x1, c1, others), same_shape(g, x2, c1, others)
    a1, i1, f1, o1 = _interleaved(g, x1, c1)
    a2, i2, f2, o2 = _interleaved(g, x2, c2)
    one = g.Add(g.Mul(g.Tanh(a1), g.Sigmoid(i1)), g.Mul(g.Sigmoid(f1), c1))
    other = g.Add(g.Mul(g.Tanh(a2), g.Sigmoid(i2)), g.Mul(g.Sigmoid(f2), c2))
    c = g.Add(one, other)
    return c, g.Mul(g.Sigmoid(g.Add(o1, o2)), g.Tanh(c))


@lowers(TreeLSTM)
def tree_lstm(w: LoweringContext, node: Any, *inputs: Value) -> tuple[Value, Value]:
    """The gates a, i, o and one f for each child stand one behind the other."""
    g = w.graph
    *cells, x = inputs
    count = 3 + len(cells)
    x = same_shape(g, x, cells[0], [0, *range(2, rank(x))])
    x = require(g, x, dims_of(x)[1], "==", dims_of(cells[0])[1] * count, "as many gates as units")
    units = dims_of(cells[0])[1]
    if known_now(units):
        a, others = g.Split(x, [units, (count - 1) * units], axis=1, outputs=2)
        gates = g.Split(g.Sigmoid(others), [units] * (count - 1), axis=1, outputs=count - 1)
    else:
        a, *others = _behind(g, x, count, units)
        gates = [g.Sigmoid(gate) for gate in others]
    i, o, *fs = gates
    c = g.Mul(g.Tanh(a), i)
    for f, cell in zip(fs, cells, strict=True):
        c = g.Add(c, g.Mul(f, same_shape(g, cell, cells[0])))
    return c, g.Mul(o, g.Tanh(c))


def _behind(g: ONNXGraph, x: Value, count: int, units: Size) -> list[Value]:
    """The gates that stand one behind the other, of a number of units that the run knows."""
    n, _, *rest = dims_of(x)
    gates = g.Reshape(x, g.shape_tensor([n, count, units, *rest]), allowzero=1)
    parts = g.Split(gates, axis=1, num_outputs=count, outputs=count)
    return [g.Squeeze(gate, [1]) for gate in parts]
