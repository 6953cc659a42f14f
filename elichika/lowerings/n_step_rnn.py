"""Recurrent networks over lists of sequences of unlike lengths, in any order.

The rows of all sequences are packed into one tensor [time, batch, units], ONNX's LSTM, GRU and RNN
run over it with the length of each sequence, and the rows that are there are taken out again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import chainer
import numpy as np
from chainer import links as L
from chainer.functions.rnn import n_step_gru, n_step_lstm, n_step_rnn
from chainer.links.rnn import n_step_rnn as links

from elichika import ragged
from elichika.joins import ArrayType, VarType
from elichika.kernels import cast, matmul
from elichika.lowerings.arguments import require_same
from elichika.lowerings.builtins import takes_choices
from elichika.lowerings.lists import (
    contents,
    require_alike,
    require_descending,
    require_some,
    variables,
)
from elichika.ragged import Ragged
from elichika.registry import lowers
from elichika.values import Choice, DynamicTuple, Scalar
from onnx_graph import ONNXGraph, Value, compare, dims_of, dtype_of

INT64 = np.dtype(np.int64)


@dataclass(frozen=True)
class Cell:
    """How a kind of cell is written in ONNX.

    Attributes:
        op: The operator.
        order: For each of ONNX's gates, the number of Chainer's weight.
        activation: Of an RNN.
    """

    op: str
    order: tuple[int, ...]
    activation: str | None = None

    def run(self, w: Any, **inputs: Any) -> list[Value]:
        """Emit the operator; returns Y, Y_h and, for an LSTM, Y_c."""
        g = w.graph
        if dtype_of(inputs["X"]) != np.float32:  # onnxruntime has kernels for float32 only
            return step_by_step(g, self, inputs)
        two = inputs["W"].shape[0] == 2
        attributes: dict[str, Any] = {"direction": "bidirectional" if two else "forward"}
        attributes["hidden_size"] = inputs.pop("units")
        if self.op == "GRU":
            attributes["linear_before_reset"] = 1
        if self.activation is not None:
            attributes["activations"] = [self.activation] * (2 if two else 1)
        names = ["X", "W", "R", "B", "lengths", "h"] + (["c"] if self.op == "LSTM" else [])
        count = 3 if self.op == "LSTM" else 2
        operands = [inputs.get(name) for name in names]
        return list(g.emit(self.op, operands, attributes, count))


LSTM = Cell("LSTM", (0, 3, 1, 2))  # Chainer's i, f, c, o as ONNX's i, o, f, c
GRU = Cell("GRU", (1, 0, 2))  # Chainer's r, z, h as ONNX's z, r, h
TANH = Cell("RNN", (0,), "Tanh")
RELU = Cell("RNN", (0,), "Relu")


@dataclass(frozen=True)
class Network:
    """What a call computes: the cells, their weights, the states they start from.

    Attributes:
        hs: The initial h and, for an LSTM, c, each [layers * directions, batch, units].
    """

    cell: Cell
    layers: int
    directions: int
    ws: list[list[Any]]
    bs: list[list[Any]]
    hs: list[Value | None]


# -- the links -----------------------------------------------------------------------------------


def _kind(link: Any) -> tuple[Cell, int] | None:
    """Return cell and directions of a link, unless it has an `rnn` of its own."""
    kinds = {
        L.NStepLSTM: (LSTM, 1),
        L.NStepBiLSTM: (LSTM, 2),
        L.NStepGRU: (GRU, 1),
        L.NStepBiGRU: (GRU, 2),
        L.NStepRNNTanh: (TANH, 1),
        L.NStepBiRNNTanh: (TANH, 2),
        L.NStepRNNReLU: (RELU, 1),
        L.NStepBiRNNReLU: (RELU, 2),
    }
    for cls in type(link).__mro__:
        if cls in kinds:
            return kinds[cls] if type(link).rnn is vars(cls)["rnn"] else None
    return None


@lowers(links.NStepRNNBase._call)
@takes_choices
def call_link(w: Any, link: Any, hs: Any, xs: Any, **kwargs: Any) -> Any:
    """Sequences in the caller's order; states start from zero where they are None."""
    xs = w.narrow(xs)
    kind = _kind(link)
    states = [w.narrow(h) for h in w.static_items(hs)]
    if isinstance(xs, Choice):
        w.refuse("the sequences are one of several things", "call the link in the branch")
    if kind is None or kwargs or not isinstance(xs, (list, tuple)):
        return w.walked(links.NStepRNNBase._call, [link, hs, xs], kwargs)
    for index, state in enumerate(states):
        if isinstance(state, Choice):
            return w.choices.apply(
                state,
                lambda v, i=index: call_link(
                    w, link, w.new_list([*states[:i], v, *states[i + 1 :]]), xs
                ),
            )
    cell, directions = kind
    layers = w.get_attribute(link, "n_layers")
    _refuse_dropout(w, layers, w.get_attribute(link, "dropout"))
    network = Network(
        cell,
        layers,
        directions,
        [w.static_items(row) for row in w.static_items(w.get_attribute(link, "ws"))],
        [w.static_items(row) for row in w.static_items(w.get_attribute(link, "bs"))],
        [None if state is None else w.value_of(state) for state in states],
    )
    with w.located():
        arrays = _arrays(w, xs)
        g = w.graph
        shortest = g.ReduceMin(arrays.lengths, [0], keepdims=0)
        some = g.Greater(shortest, g.constant(np.array(0)))
        w.check(w.scalar(bool, some), IndexError, "a sequence of length 0")
        batch = g.size(arrays.lengths, 0)
        network = _with_batch(w, network, batch)
        limit = ragged.longest(g, arrays.lengths)
        packed = ragged.padded(
            g, arrays, limit, g.constant(np.zeros((), dtype_of(arrays.rows))), steps_first=True
        )
        ys, last = run(w, network, packed, arrays.lengths)
        rows = ragged.unpadded(g, arrays, g.Transpose(ys, perm=[1, 0, 2]))
        outputs = _split(w, rows, arrays.lengths, xs, [])
        return w.new_list([w.new_var(h) for h in last]), outputs


def _refuse_dropout(w: Any, layers: int, ratio: Any) -> None:
    ratio = w.narrow(ratio)
    if layers > 1 and w.get_attribute(chainer.config, "train") and ratio != 0:
        w.refuse(
            "dropout between the layers of an n-step network draws random numbers",
            "compile with train=False, or with a dropout of 0",
        )


def _arrays(w: Any, xs: Any) -> Ragged:
    """Return the rows of a list of sequences [length, units], of known length or not."""
    g = w.graph
    if w.is_dynamic(xs):
        seq = contents(w, xs)
        _require_matrices(w, seq.element)
        sequence = w.sequences.tensors(seq, "an n-step network")
        require_some(w, seq, IndexError, "list index out of range")
        require_alike(w, seq, TypeError, "the sequences differ along axis 1", 0)
        return ragged.from_sequence(g, sequence)
    items = w.static_items(xs)
    if not items:
        w.raise_static(IndexError("list index out of range"))
    arrays = [w.value_of(item) for item in items]
    if any(len(dims_of(a)) != 2 for a in arrays) or len({dtype_of(a) for a in arrays}) > 1:
        w.refuse("an n-step network takes matrices of one dtype")
    for array in arrays[1:]:
        units = [dims_of(a)[1] for a in (arrays[0], array)]
        require_same(w, units[:1], units[1:], TypeError, "the sequences differ along axis 1")
    return ragged.from_arrays(g, arrays)


def _require_matrices(w: Any, element: Any) -> None:
    array = element.array if isinstance(element, VarType) else element
    if not isinstance(array, ArrayType) or len(array.dims) != 2:
        w.refuse("an n-step network takes a list of matrices of one dtype")


def _with_batch(w: Any, network: Network, batch: Value) -> Network:
    """Cut initial states to the batch, as indexing by the order of the sequences does."""
    g = w.graph
    hs: list[Value | None] = []
    for h in network.hs:
        if h is None:
            hs.append(None)
            continue
        if len(dims_of(h)) != 3:
            w.refuse("the initial state of an n-step network has three axes")
        enough = g.GreaterOrEqual(g.size(h, 1), batch)
        w.check(w.scalar(bool, enough), IndexError, "fewer initial states than sequences")
        hs.append(g.Slice(h, [0], g.Unsqueeze(batch, [0]), [1]))
    return Network(network.cell, network.layers, network.directions, network.ws, network.bs, hs)


def _split(w: Any, rows: Value, lengths: Value, xs: Any, like: Any) -> Any:
    """Return rows as a list or tuple of the arrays they are made of, as many as in `xs`."""
    g = w.graph
    if w.is_dynamic(xs):
        pieces = g.SplitToSequence(rows, lengths, axis=0)
        return variables(w, pieces, DynamicTuple() if like == () else [])
    count = len(w.static_items(xs))
    parts = (rows,) if count == 1 else g.Split(rows, lengths, axis=0, outputs=count)
    made = [w.new_var(part) for part in parts]
    return tuple(made) if like == () else w.new_list(made)


# -- the functions: sequences come transposed, one array for each time ---------------------------


@lowers(n_step_lstm.n_step_lstm_base)
@takes_choices
def lstm_base(
    w: Any,
    n_layers: Any,
    dropout_ratio: Any,
    hx: Any,
    cx: Any,
    ws: Any,
    bs: Any,
    xs: Any,
    use_bi_direction: Any,
) -> Any:
    """States h and c."""
    return _transposed(w, LSTM, n_layers, dropout_ratio, [hx, cx], ws, bs, xs, use_bi_direction)


@lowers(n_step_gru.n_step_gru_base)
@takes_choices
def gru_base(
    w: Any,
    n_layers: Any,
    dropout_ratio: Any,
    hx: Any,
    ws: Any,
    bs: Any,
    xs: Any,
    use_bi_direction: Any,
) -> Any:
    """State h."""
    return _transposed(w, GRU, n_layers, dropout_ratio, [hx], ws, bs, xs, use_bi_direction)


@lowers(n_step_rnn.n_step_rnn_base)
@takes_choices
def rnn_base(
    w: Any,
    n_layers: Any,
    dropout_ratio: Any,
    hx: Any,
    ws: Any,
    bs: Any,
    xs: Any,
    activation: Any,
    use_bi_direction: Any,
) -> Any:
    """State h."""
    if activation not in ("tanh", "relu"):
        w.raise_static(ValueError(f"Invalid activation: {activation}"))
    cell = TANH if activation == "tanh" else RELU
    return _transposed(w, cell, n_layers, dropout_ratio, [hx], ws, bs, xs, use_bi_direction)


def _transposed(
    w: Any,
    cell: Cell,
    layers: Any,
    ratio: Any,
    hs: list[Any],
    ws: Any,
    bs: Any,
    xs: Any,
    two_ways: Any,
) -> Any:
    g = w.graph
    _refuse_dropout(w, layers, ratio)
    states = [w.narrow(h) for h in hs]
    if any(isinstance(v, (Choice, Scalar)) or v is None for v in (*states, w.narrow(xs))):
        w.refuse("an n-step network takes states and sequences that are there for certain")
    network = Network(
        cell,
        layers,
        2 if two_ways else 1,
        [w.static_items(row) for row in w.static_items(ws)],
        [w.static_items(row) for row in w.static_items(bs)],
        [w.value_of(state) for state in states],
    )
    with w.located():
        arrays = _arrays(w, w.narrow(xs))
        steps = arrays.lengths
        if not isinstance(xs, (list, tuple)) or w.is_dynamic(xs) or len(w.static_items(xs)) > 1:
            require_descending(w, steps)
        h = network.hs[0]
        assert h is not None
        if len(dims_of(h)) != 3:
            w.refuse("the initial state of an n-step network has three axes")
        batch = g.size(h, 1)
        fits = g.LessOrEqual(ragged.longest(g, steps), batch)
        w.check(w.scalar(bool, fits), ValueError, "fewer initial states than sequences")
        network = _with_batch(w, network, batch)
        packed = ragged.padded(
            g, arrays, batch, g.constant(np.zeros((), dtype_of(arrays.rows))), steps_first=False
        )
        numbers = g.Unsqueeze(ragged.count_up(g, batch), [1])
        there = g.Less(numbers, g.Unsqueeze(steps, [0]))
        lengths = g.ReduceSum(g.Cast(there, to=INT64), [1], keepdims=0)
        ys, last = run(w, network, packed, lengths)
        rows = ragged.unpadded(g, arrays, ys)
        return (*map(w.new_var, last), _split(w, rows, steps, xs, ()))


# -- the network ---------------------------------------------------------------------------------


def run(w: Any, network: Network, x: Value, lengths: Value) -> tuple[Value, list[Value]]:
    """Run all layers on [time, batch, units].

    Returns:
        What the last layer gives, [time, batch, directions * units], and the last states.
    """
    g = w.graph
    short = g.Cast(lengths, to=np.dtype(np.int32))
    absent = g.Equal(lengths, g.constant(np.array(0)))
    finals: list[list[Value]] = [[] for _ in network.hs]
    for layer in range(network.layers):
        first = layer * network.directions
        rows = range(first, first + network.directions)
        inputs = _weights(w, network, list(rows))
        inputs["units"] = w.dims(network.ws[first][-1])[0]
        starts = [
            None if h is None else g.Slice(h, [first], [first + network.directions], [0])
            for h in network.hs
        ]
        _require_fit(w, network, inputs, x, starts)
        arguments = {"X": x, "lengths": short, **inputs, **dict(zip("hc", starts, strict=False))}
        y, *states = _at_least_single(w, network.cell, arguments)
        for final, state, start in zip(finals, states, starts, strict=True):
            if start is not None:
                state = g.Where(g.Unsqueeze(absent, [0, 2]), start, state)
            final.append(state)
        steps, _, batch, units = dims_of(y)
        x = g.Transpose(y, perm=[0, 2, 1, 3])
        x = g.Reshape(x, g.shape_tensor([steps, batch, network.directions * units]), allowzero=1)
    last = [f[0] if len(f) == 1 else g.Concat(*f, axis=0) for f in finals]
    return x, last


def _weights(w: Any, network: Network, rows: list[int]) -> dict[str, Value]:
    """Return W, R and B of a layer: gates one below the other, directions along axis 0."""
    g = w.graph
    gates = len(network.cell.order)
    parts: dict[str, list[Value]] = {"W": [], "R": [], "B": []}
    for row in rows:
        ws = [w.value_of(v) for v in network.ws[row]]
        bs = [w.value_of(v) for v in network.bs[row]]
        if len(ws) != 2 * gates or len(bs) != 2 * gates:
            w.refuse(f"this network has {len(ws)} weights, not {2 * gates}")
        recurrent = [gate + gates for gate in network.cell.order]
        for name, values in (
            ("W", [ws[i] for i in network.cell.order]),
            ("R", [ws[i] for i in recurrent]),
            ("B", [bs[i] for i in (*network.cell.order, *recurrent)]),
        ):
            joined = values[0] if len(values) == 1 else g.Concat(*values, axis=0)
            parts[name].append(g.Unsqueeze(joined, [0]))
    return {k: v[0] if len(v) == 1 else g.Concat(*v, axis=0) for k, v in parts.items()}


def _at_least_single(w: Any, cell: Any, arguments: dict[str, Any]) -> list[Value]:
    """Run a layer, in float32 where the sequences are float16."""
    g, dtype = w.graph, dtype_of(arguments["X"])
    if dtype != np.float16:
        return list(cell.run(w, **arguments))
    wide = {
        name: cast(g, held, np.float32)
        if isinstance(held, Value) and dtype_of(held) == np.float16
        else held
        for name, held in arguments.items()
    }
    return [cast(g, result, dtype) for result in cell.run(w, **wide)]


def _require_fit(
    w: Any, network: Network, weights: dict[str, Any], x: Value, starts: list[Value | None]
) -> None:
    """Refuse what Chainer computes in mixed dtypes, and sizes that do not fit."""
    g = w.graph
    dtype = dtype_of(x)
    if dtype.kind != "f":
        w.refuse(f"an n-step network of {dtype} is not supported")
    own = {dtype_of(weights[name]) for name in "WRB"}
    mixed = dtype == np.float16 and own == {np.dtype(np.float32)}
    started = any(start is not None and dtype_of(start) != dtype for start in starts)
    if started or not (mixed or own == {dtype}):
        w.refuse(f"sequences, states and weights of an n-step network must all be {dtype}")
    size, wanted = dims_of(x)[2], dims_of(weights["W"])[2]
    if compare(size, "==", wanted) is False:
        w.raise_static(
            ValueError(
                f"Inconsistent input size in input values and weight parameters: {size} != {wanted}"
            )
        )
    if compare(size, "==", wanted) is None:
        fits = g.Equal(g.dim_value(size), g.dim_value(wanted))
        w.check(w.scalar(bool, fits), ValueError, "Inconsistent input size")
    for start in starts:
        if start is None:
            continue
        dims = dims_of(start)
        for size, wanted in ((dims[0], network.directions), (dims[2], weights["units"])):
            equal = compare(size, "==", wanted)
            if equal is False:
                w.raise_static(ValueError("the initial state has another size"))
            if equal is None:
                fits = g.Equal(g.dim_value(size), g.dim_value(wanted))
                w.check(w.scalar(bool, fits), ValueError, "the initial state has another size")


# -- without onnxruntime's kernels ---------------------------------------------------------------


def step_by_step(g: ONNXGraph, cell: Cell, inputs: dict[str, Any]) -> list[Value]:
    """Write a layer out as a Loop over time for each direction; results as the operator's."""
    directions = dims_of(inputs["W"])[0]
    assert isinstance(directions, int)
    results = [_one_way(g, cell, inputs, way) for way in range(directions)]
    y = [g.Unsqueeze(r[0], [1]) for r in results]
    joined = [y[0] if len(y) == 1 else g.Concat(*y, axis=1)]
    for states in list(zip(*results, strict=True))[1:]:
        parts = [g.Unsqueeze(state, [0]) for state in states]
        joined.append(parts[0] if len(parts) == 1 else g.Concat(*parts, axis=0))
    return joined


def _one_way(g: ONNXGraph, cell: Cell, inputs: dict[str, Any], way: int) -> list[Value]:
    """Return [time, batch, units] and the last states, [batch, units] each."""
    x, units, gates = inputs["X"], inputs["units"], len(cell.order)
    weight, recurrent, bias = (
        g.Gather(inputs[name], g.constant(np.array(way)), axis=0) for name in ("W", "R", "B")
    )
    first, second = g.Split(bias, [gates * units] * 2, axis=0, outputs=2)
    given = g.Add(matmul(g, x, g.Transpose(weight, perm=[1, 0])), first)
    turned = g.Transpose(recurrent, perm=[1, 0])
    steps = g.size(x, 0)
    lengths = g.Cast(inputs["lengths"], to=INT64)
    zero = g.Expand(g.constant(np.zeros((), dtype_of(x))), g.shape_tensor([dims_of(x)[1], units]))
    starts = [
        zero
        if (start := inputs.get(name)) is None
        else g.Gather(start, g.constant(np.array(way)), axis=0)
        for name in ("hc" if cell.op == "LSTM" else "h")
    ]
    body = g.body("steps", loop=True)
    held = [body.input(dtype_of(x), dims_of(zero)) for _ in starts]
    with body:
        step = body.iteration
        if way == 1:
            step = g.Sub(g.Sub(steps, g.constant(np.array(1))), step)
        now = g.Gather(given, step, axis=0)
        then = g.Add(matmul(g, held[0], turned), second)
        new = _step(g, cell, now, then, held)
        there = g.Unsqueeze(g.Less(step, lengths), [1])
        kept = [g.Where(there, a, b) for a, b in zip(new, held, strict=True)]
        shown = g.Where(there, new[0], g.constant(np.zeros((), dtype_of(x))))
    *last, ys = g.Loop(
        steps, None, body, initial=starts, cond_out=None, carried=kept, scans=[shown]
    )
    if way == 1:
        ys = g.Slice(ys, [-1], [np.iinfo(np.int64).min], [0], [-1])
    return [ys, *last]


def _step(g: ONNXGraph, cell: Cell, x: Value, h: Value, held: list[Value]) -> list[Value]:
    """Return the next states; `x` and `h` hold the gates, side by side in ONNX's order."""
    count = len(cell.order)
    if cell.op == "RNN":
        return [g.emit(str(cell.activation), [g.Add(x, h)])]
    if cell.op == "LSTM":
        i, o, f, c = g.Split(g.Add(x, h), axis=1, num_outputs=count, outputs=count)
        new = g.Mul(g.Sigmoid(i), g.Tanh(c))
        memory = g.Add(g.Mul(g.Sigmoid(f), held[1]), new)
        return [g.Mul(g.Sigmoid(o), g.Tanh(memory)), memory]
    xz, xr, xn = g.Split(x, axis=1, num_outputs=count, outputs=count)
    hz, hr, hn = g.Split(h, axis=1, num_outputs=count, outputs=count)
    z, r = g.Sigmoid(g.Add(xz, hz)), g.Sigmoid(g.Add(xr, hr))
    n = g.Tanh(g.Add(xn, g.Mul(r, hn)))
    one = g.constant(np.ones((), dtype_of(x)))
    return [g.Add(g.Mul(g.Sub(one, z), n), g.Mul(z, held[0]))]


__all__ = ["Network", "run"]
