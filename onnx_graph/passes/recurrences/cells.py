"""What a turn computes of its state: a cell of an LSTM, a GRU or an RNN of tanh units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import original
from onnx_graph.passes.recurrences.sums import Sum, sum_of
from onnx_graph.values import const_array, shape_or_none

__all__ = ["LARGEST", "Cell", "cells_of"]

Array = npt.NDArray[Any]
LARGEST = 1e18
"""Up to what absolute values may add up: products of such and of weights are far from infinity."""


@dataclass
class Cell:
    """A cell as ONNX has it.

    Attributes:
        op: LSTM, GRU or RNN.
        states: The numbers of the carried values that are its h and, of an LSTM, its c.
        h: What h is after a turn.
        inputs: Values of the turn that it reads, side by side.
        weights: W, R and B of the operator.
        names: Of what W, R and B are made of.
        after_product: Whether a GRU resets the product of h, and not h.
    """

    op: str
    states: tuple[int, ...]
    h: Value
    inputs: list[Value]
    weights: tuple[Array, Array, Array]
    names: list[str]
    after_product: bool = False

    @property
    def units(self) -> int:
        """How many units it has."""
        return int(self.weights[1].shape[2])


def cells_of(body: ir.Graph, carried: int) -> list[Cell] | None:
    """Return the cells that carry all the state of a body, None where something else is carried."""
    before = list(body.inputs)[2:]
    after = [original(body, value) for value in list(body.outputs)[1 : carried + 1]]
    found: list[Cell] = []
    for number in range(carried):
        for cell in _matches(before, after, number):
            if cell.h.dtype is ir.DataType.FLOAT and _is_tame(cell):
                found.append(cell)
                break
    numbers = sorted(number for cell in found for number in cell.states)
    return found if numbers == list(range(carried)) else None


def _is_tame(cell: Cell) -> bool:
    """Tell whether no sum of products overflows for inputs that are not huge."""
    w, r, b = cell.weights
    largest = sum(float(np.abs(array).max(initial=0)) for array in (w, r, b))
    return largest * (w.shape[2] + r.shape[2]) < LARGEST / 100  # nan: False


def _matches(before: Sequence[Value], after: Sequence[Value], number: int) -> Iterator[Cell]:
    for match in (_lstm, _gru, _rnn):
        cell = match(before, after, number)
        if cell is not None:
            yield cell


def _inputs(value: Value | None, op_type: str) -> tuple[Value, ...]:
    """Return the operands of what makes a value, if it is such an operator."""
    node = None if value is None else value.producer()
    if node is None or node.op_type != op_type:
        return ()
    return tuple(operand for operand in node.inputs if operand is not None)


def _either(value: Value | None, op_type: str) -> Iterator[tuple[Value, Value]]:
    """Yield the two operands of an operator in both orders."""
    match _inputs(value, op_type):
        case (one, other):
            yield one, other
            yield other, one


def _gate(value: Value, op_type: str) -> Sum | None:
    match _inputs(value, op_type):
        case (operand,):
            return sum_of(operand)
    return None


def _lstm(before: Sequence[Value], after: Sequence[Value], number: int) -> Cell | None:
    """Match h = sigmoid(o) * tanh(c), c = sigmoid(f) * c + sigmoid(i) * tanh(g)."""
    for left, right in _either(after[number], "Mul"):
        output, memory = _gate(left, "Sigmoid"), _inputs(right, "Tanh")
        cells = [k for k, value in enumerate(after) if memory and value is memory[0]]
        if output is None or len(cells) != 1 or cells[0] == number:
            continue
        (place,) = cells
        for kept, new in _either(memory[0], "Add"):
            forget = next(
                (_gate(a, "Sigmoid") for a, b in _either(kept, "Mul") if b is before[place]), None
            )
            pairs = [(_gate(a, "Sigmoid"), _gate(b, "Tanh")) for a, b in _either(new, "Mul")]
            for take, content in pairs:
                gates = [take, output, forget, content]
                if all(gate is not None for gate in gates):
                    return _cell("LSTM", before, after, (number, place), gates)
    return None


def _rnn(before: Sequence[Value], after: Sequence[Value], number: int) -> Cell | None:
    """Match h = tanh(a)."""
    gate = _gate(after[number], "Tanh")
    return None if gate is None else _cell("RNN", before, after, (number,), [gate])


def _gru(before: Sequence[Value], after: Sequence[Value], number: int) -> Cell | None:
    """Match h = z * h + (1 - z) * tanh(g) and, as Chainer has it, h = (1 - z) * h + z * tanh(g)."""
    h = before[number]
    for old, new in _either(after[number], "Add"):
        for share, state in _either(old, "Mul"):
            for rest, content in _either(new, "Mul"):
                if state is not h or not _inputs(content, "Tanh"):
                    continue
                if _complements(rest, share):
                    update = _gate(share, "Sigmoid")
                elif _complements(share, rest):
                    update = _negated(_gate(rest, "Sigmoid"))
                else:
                    continue
                return _reset(before, after, number, update, _gate(content, "Tanh"))
    return None


def _complements(value: Value, other: Value) -> bool:
    """Tell whether a value is 1 minus another."""
    match _inputs(value, "Sub"):
        case (one, taken):
            array = const_array(one)
            return taken is other and array is not None and array.size == 1 and array.item() == 1
    return False


def _negated(gate: Sum | None) -> Sum | None:
    if gate is None or gate.rest:
        return None
    terms = {value: -weight for value, weight in gate.terms.items()}
    return Sum(terms, -gate.bias, [], gate.names)


def _reset(
    before: Sequence[Value],
    after: Sequence[Value],
    number: int,
    update: Sum | None,
    content: Sum | None,
) -> Cell | None:
    """Match what is reset of a GRU: h, or its product."""
    h = before[number]
    if update is None or content is None or h in content.terms:
        return None
    for value in [*content.terms, *content.rest]:
        for gate, reset in _either(value, "Mul"):
            one = _gate(gate, "Sigmoid")
            if one is None:
                continue
            terms = {source: w for source, w in content.terms.items() if source is not value}
            rest = [other for other in content.rest if other is not value]
            if value in content.terms and reset is h:
                whole = Sum({**terms, h: content.terms[value]}, content.bias, rest, content.names)
                return _cell("GRU", before, after, (number,), [update, one, whole])
            product = sum_of(reset)
            if value in content.rest and product is not None and [*product.terms] == [h]:
                whole = Sum({**terms, **product.terms}, content.bias, rest, content.names)
                gates = [update, one, whole]
                return _cell("GRU", before, after, (number,), gates, product.bias)
    return None


def _cell(
    op: str,
    before: Sequence[Value],
    after: Sequence[Value],
    states: tuple[int, ...],
    gates: Sequence[Sum | None],
    inner: Array | None = None,
) -> Cell | None:
    """Put the gates together; None where they do not all read the same values, h among them."""
    h = before[states[0]]
    sums = [gate for gate in gates if gate is not None]
    inputs = [value for value in sums[0].terms if value is not h]
    units = (shape_or_none(h) or (0,))[-1]
    for gate in sums:
        if gate.rest or set(gate.terms) != {h, *inputs} or len(gate.bias) != units:
            return None
        if gate.terms[h].shape[0] != units:
            return None
    if not inputs or any(value in before for value in inputs):
        return None
    w = np.concatenate([np.concatenate([s.terms[v] for v in inputs]).T for s in sums])
    r = np.concatenate([gate.terms[h].T for gate in sums])
    second = [np.zeros_like(gate.bias) for gate in sums]
    if inner is not None:
        second[-1] = inner
    b = np.concatenate([*(gate.bias for gate in sums), *second])
    weights = tuple(np.ascontiguousarray(array[None], np.float32) for array in (w, r, b))
    names = [name for gate in sums for name in gate.names]
    one, two, three = weights
    return Cell(op, states, after[states[0]], inputs, (one, two, three), names, inner is not None)
