"""The operator of a cell, with the branch around it that onnxruntime needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx_ir import Value

from onnx_graph.dims import compare
from onnx_graph.passes.checks_first import at_least_one
from onnx_graph.passes.recurrences.cells import LARGEST, Cell
from onnx_graph.values import const_array, dims_of

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

__all__ = ["Layer", "Told", "is_zero"]


_CHANGES_NAN = ("LSTM", "GRU")
"""Operators that onnxruntime has give numbers for what is no number, or infinite."""


def is_zero(value: Value | None) -> bool:
    """Tell whether a state is known to be zeros; None stands for such."""
    if value is None:
        return True
    node = value.producer()
    if node is not None and node.op_type == "Expand" and node.inputs[0] is not None:
        value = node.inputs[0]
    array = const_array(value)
    return array is not None and not array.any()


@dataclass(frozen=True)
class Told:
    """What told that an operator is right.

    Attributes:
        test: A condition; None where that is known.
        of_size: Whether it asks for nothing but turns and a batch.
    """

    test: Value | None
    of_size: bool


@dataclass
class Layer:
    """What is emitted of a cell.

    Attributes:
        x: What it reads in all turns, [turns, batch, inputs].
        starts: Its first states; None for zeros.
        sure: Whether `x` is known to be finite, or to be so where `below` holds.
        below: What told so of the layers that it reads.
        results: Which of its results are used: all h, the last h, the last c.
    """

    cell: Cell
    x: Value
    starts: list[Value | None]
    sure: bool
    below: list[Told]
    results: tuple[bool, bool, bool]

    @property
    def asks(self) -> bool:
        """Whether its operands are to be finite."""
        return self.cell.op in _CHANGES_NAN

    def emit(
        self, g: ONNXGraph, weights: Callable[[bool], Sequence[Value]]
    ) -> tuple[list[Value], Told]:
        """Emit it; return the results that are used and what told that the operator is right.

        Args:
            g: The graph.
            weights: Adds the weights, with the axis of directions or without.
        """
        # an x of no width is as empty as one of no turns
        small = (self.sure or not self.asks) and self.cell.weights[0].shape[-1] > 0
        small = small and all(start is None for start in self.starts)
        small = small and all(told.of_size for told in self.below)
        test = self._test(g)
        if test is None and g.scope is g.main:
            return self._operator(g, weights(True)), Told(None, small)
        flat = weights(False)
        if test is None:
            return self._operator(g, _with_directions(g, flat)), Told(None, small)
        then, other = g.body("then"), g.body("else")
        with then:
            results = self._operator(g, _with_directions(g, flat))
        with other:
            others = self._nothing(g) if small else self._loop(g, flat)
        return g.If(test, then, results, other, others), Told(test, small)

    def _test(self, g: ONNXGraph) -> Value | None:
        """Return what asks for turns, for a batch, and for inputs that are finite and not huge."""
        tests = [told.test for told in self.below if told.test is not None]
        sizes = [at_least_one(g, size) for size in dims_of(self.x)]
        if not tests and not all(compare(size, ">", 0) is True for size in sizes):
            tests.append(g.Greater(g.Size(self.x), 0))
        asked = [start for start in self.starts if start is not None]
        if not self.sure:
            asked = [self.x, *asked]
        for value in asked if self.asks else ():
            tests.append(g.LessOrEqual(g.ReduceL1(value, keepdims=0), np.float32(LARGEST)))
        while len(tests) > 1:
            tests[:2] = [g.And(*tests[:2])]
        return tests[0] if tests else None

    def _operator(self, g: ONNXGraph, weights: Sequence[Value]) -> list[Value]:
        """Emit the operator."""
        cell, starts = self.cell, self.starts
        w, r, b = weights
        first = [None if start is None else g.Unsqueeze(start, [0]) for start in starts]
        attributes: dict[str, Any] = {"hidden_size": cell.units}
        if cell.after_product:
            attributes["linear_before_reset"] = 1
        count = max(number for number, used in enumerate(self.results) if used) + 1
        operands = [self.x, w, r, b, None, *first]
        made = g.emit(cell.op, operands, attributes, max(count, 2))
        axes = ([1], [0], [0])
        return [g.Squeeze(made[k], axes[k]) for k in range(3) if self.results[k]]

    def _start(self, g: ONNXGraph, number: int) -> Value:
        start = self.starts[number]
        if start is not None:
            return start
        batch = dims_of(self.x)[1]
        sizes = g.Concat(g.Shape(self.x, start=1, end=2), g.constant([self.cell.units]), axis=0)
        return self._typed(g, "Expand", [g.constant(np.float32(0)), sizes], (batch,))

    def _typed(
        self,
        g: ONNXGraph,
        op: str,
        operands: list[Value | None],
        dims: tuple[Any, ...],
        **more: Any,
    ) -> Value:
        """Emit what has the type of states of these sizes."""
        types = [(self.x.type, (*dims, self.cell.units))]
        (value,) = g.emit_into(g.scope, op, operands, more, types=types)  # type: ignore[arg-type]
        return value

    def _all(self, g: ONNXGraph, op: str, value: Value) -> Value:
        """Return an array of all states, [turns, batch, units]."""
        units = g.constant([self.cell.units])
        sizes = g.Concat(g.Shape(self.x, end=2), units, axis=0)
        more = {"allowzero": 1} if op == "Reshape" else {}
        return self._typed(g, op, [value, sizes], dims_of(self.x)[:2], **more)

    def _nothing(self, g: ONNXGraph) -> list[Value]:
        """Return what there is after no turn, or for an empty batch."""
        stacked, *last = self.results
        made = [self._all(g, "Expand", g.constant(np.float32(0)))] if stacked else []
        return made + [self._start(g, k) for k, used in enumerate(last) if used]

    def _loop(self, g: ONNXGraph, weights: Sequence[Value]) -> list[Value]:
        """Emit the cell as a loop, which passes nan and infinities on."""
        cell = self.cell
        starts = [self._start(g, number) for number in range(len(cell.states))]
        if all(start is None for start in self.starts):
            starts = starts[:1] * len(starts)
        w, r, both = weights
        width = len(cell.weights[2][0]) // 2
        b = g.Split(both, [width, width], axis=1, outputs=2)
        body = g.body("step", loop=True)
        dims = (dims_of(self.x)[1], cell.units)
        with body:
            state = [body.input(np.float32, dims) for _ in starts]
            x = g.Gather(self.x, body.iteration, axis=0)
            after = _STEPS[cell.op](g, cell, x, state, (w, r, *b))
        count = g.Squeeze(g.Shape(self.x, end=1), [0])
        scans = [after[0]] if self.results[0] else []
        made = g.Loop(count, None, body, starts, carried=after, scans=scans)
        stacked, *last = self.results
        all_ = [self._all(g, "Reshape", made[-1])] if stacked else []
        return all_ + [made[k] for k, used in enumerate(last) if used]


def _with_directions(g: ONNXGraph, weights: Sequence[Value]) -> list[Value]:
    """Emit weights with their axis of directions.

    In a branch, onnxruntime packs no weight of an outer graph beforehand, but one that it has
    computed within the branch while it loads the model, as it does these.
    """
    w, r, b = weights
    return [g.Unsqueeze(w, [0]), g.Unsqueeze(r, [0]), b]


def _products(g: ONNXGraph, x: Value, h: Value, weights: Sequence[Value]) -> tuple[Value, Value]:
    w, r, wb, rb = weights
    return g.Gemm(x, w, wb, transB=1), g.Gemm(h, r, rb, transB=1)


def _lstm(
    g: ONNXGraph, cell: Cell, x: Value, state: Sequence[Value], weights: Sequence[Value]
) -> list[Value]:
    h, c = state
    z = g.Add(*_products(g, x, h, weights))
    i, o, f, a = g.Split(z, [cell.units] * 4, axis=1, outputs=4)
    c = g.Add(g.Mul(g.Sigmoid(f), c), g.Mul(g.Sigmoid(i), g.Tanh(a)))
    return [g.Mul(g.Sigmoid(o), g.Tanh(c)), c]


def _gru(
    g: ONNXGraph, cell: Cell, x: Value, state: Sequence[Value], weights: Sequence[Value]
) -> list[Value]:
    (h,), n = state, cell.units
    w, r, wb, rb = weights
    inner = g.Split(g.Gemm(x, w, wb, transB=1), [n] * 3, axis=1, outputs=3)
    gates, content = g.Split(r, [2 * n, n], axis=0, outputs=2)
    both, last = g.Split(rb, [2 * n, n], axis=1, outputs=2)
    outer = g.Split(g.Gemm(h, gates, both, transB=1), [n] * 2, axis=1, outputs=2)
    z, reset = (g.Sigmoid(g.Add(*pair)) for pair in zip(inner, outer, strict=False))
    if cell.after_product:
        product = g.Mul(reset, g.Gemm(h, content, last, transB=1))
    else:
        product = g.Gemm(g.Mul(reset, h), content, last, transB=1)
    a = g.Tanh(g.Add(inner[2], product))
    return [g.Add(g.Mul(g.Sub(np.float32(1), z), a), g.Mul(z, h))]


def _rnn(
    g: ONNXGraph, cell: Cell, x: Value, state: Sequence[Value], weights: Sequence[Value]
) -> list[Value]:
    return [g.Tanh(g.Add(*_products(g, x, state[0], weights)))]


_STEPS = {"LSTM": _lstm, "GRU": _gru, "RNN": _rnn}
