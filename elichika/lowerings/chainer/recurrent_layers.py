"""Stacked recurrent layers over packed sequences: ONNX's LSTM, GRU and RNN, or a Loop.

Chainer's weights are rearranged into those of the operators; onnxruntime has kernels for float32
only, other dtypes run step by step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.numeric import constant_like
from elichika.lowerings.numpy.random_numbers import kept
from elichika.numbers.kernels import cast, matmul
from onnx_graph import ONNXGraph, Value, compare, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

__all__ = ["GRU", "LSTM", "RELU", "TANH", "Cell", "Network", "run"]

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

    def run(self, w: LoweringContext, **inputs: Any) -> list[Value]:
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
        dropout: The ratio of what each direction leaves out of the output of the layer before.
    """

    cell: Cell
    layers: int
    directions: int
    ws: list[list[Any]]
    bs: list[list[Any]]
    hs: list[Value | None]
    dropout: float = 0.0


def run(
    w: LoweringContext, network: Network, x: Value, lengths: Value
) -> tuple[Value, list[Value]]:
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
        inputs: dict[str, Any] = dict(_weights(w, network, list(rows)))
        inputs["units"] = w.dims(network.ws[first][-1])[0]
        starts = [
            None if h is None else g.Slice(h, [first], [first + network.directions], [0])
            for h in network.hs
        ]
        _require_fit(w, network, inputs, x, starts)
        if layer > 0 and network.dropout:
            x, inputs["W"] = _dropped(g, network, x, inputs["W"])
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


def _dropped(g: ONNXGraph, network: Network, x: Value, weight: Value) -> tuple[Value, Value]:
    """Leave out other values for each direction.

    They lie side by side, and the weights of a direction are zero for those of the other one.
    """
    scale = constant_like(g, 1.0 / (1 - network.dropout), x)
    parts = []
    for _ in range(network.directions):
        mask = cast(g, kept(g, dims_of(x), network.dropout, "dropout"), dtype_of(x))
        parts.append(g.Mul(x, g.Mul(mask, scale)))
    if len(parts) == 1:
        return parts[0], weight
    one, other = g.Split(weight, axis=0, num_outputs=2, outputs=2)
    zero = g.Sub(one, one)
    rows = [g.Concat(one, zero, axis=2), g.Concat(zero, other, axis=2)]
    return g.Concat(*parts, axis=2), g.Concat(*rows, axis=0)


def _weights(w: LoweringContext, network: Network, rows: list[int]) -> dict[str, Value]:
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


def _at_least_single(w: LoweringContext, cell: Any, arguments: dict[str, Any]) -> list[Value]:
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
    w: LoweringContext,
    network: Network,
    weights: dict[str, Any],
    x: Value,
    starts: list[Value | None],
) -> None:
    """Refuse what Chainer computes in mixed dtypes, and sizes that do not fit."""
    dtype = dtype_of(x)
    if dtype.kind != "f":
        w.refuse(f"an n-step network of {dtype} is not supported")
    own = {dtype_of(weights[name]) for name in "WRB"}
    started = any(start is not None and dtype_of(start) != dtype for start in starts)
    if started or own != {dtype}:
        w.refuse(f"sequences, states and weights of an n-step network must all be {dtype}")
    _require_size(w, dims_of(x)[2], dims_of(weights["W"])[2], "Inconsistent input size")
    for start in starts:
        if start is not None:
            count, _, units = dims_of(start)
            _require_size(w, count, network.directions, "the initial state has another size")
            _require_size(w, units, weights["units"], "the initial state has another size")


def _require_size(w: LoweringContext, size: Any, wanted: Any, message: str) -> None:
    g, equal = w.graph, compare(size, "==", wanted)
    if equal is False:
        w.raise_static(ValueError(f"{message}: {size} != {wanted}"))
    if equal is None:
        fits = g.Equal(g.dim_value(size), g.dim_value(wanted))
        w.check(fits, ValueError, message)


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
