"""Which turn a number counts, and the turn before a loop that is one of its turns."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import original
from onnx_graph.passes.recurrences.sums import plain_gemm
from onnx_graph.values import const_array

__all__ = ["FirstTurn", "Linear", "at_turn", "linear"]

Linear = Mapping["Value | None", int]
"""A sum of integer scalars times factors; that of None is the constant."""


def linear(value: Value) -> Linear:
    """Return an integer scalar as a sum of others."""
    array, node = const_array(value), value.producer()
    if array is not None:
        return _kept({None: int(array)} if array.ndim == 0 else {value: 1})
    if node is not None and node.op_type in ("Add", "Sub") and None not in node.inputs:
        left, right = (linear(part) for part in node.inputs if part is not None)
        sign = 1 if node.op_type == "Add" else -1
        keys = {*left, *right}
        return _kept({key: left.get(key, 0) + sign * right.get(key, 0) for key in keys})
    if node is not None and node.op_type == "Mul" and None not in node.inputs:
        one, other = (linear(part) for part in node.inputs if part is not None)
        for factor, terms in ((one, other), (other, one)):
            if not factor.keys() - {None}:
                return _kept({key: factor.get(None, 0) * number for key, number in terms.items()})
    return {value: 1}


def _kept(terms: Mapping[Value | None, int]) -> Linear:
    return {key: factor for key, factor in terms.items() if factor}


def at_turn(terms: Linear, iteration: Value, turn: int) -> Linear:
    """Return what a sum is at a turn."""
    rest = {key: factor for key, factor in terms.items() if key is not iteration}
    rest[None] = rest.get(None, 0) + turn * terms.get(iteration, 0)
    return _kept(rest)


class FirstTurn:
    """Compares a body with nodes before its loop: are they the turn before the first one?

    Attributes:
        states: What each carried input is in that turn; None for a state of zeros that the nodes
            leave out, since its product with finite weights is zero.
        reads: What reads the items of that turn, among others perhaps.
    """

    def __init__(self, body: ir.Graph) -> None:
        """Compare nothing yet."""
        self._body = body
        self._pairs: dict[Value, Value] = {}
        self.states: dict[Value, Value | None] = {}
        self.reads: list[ir.Node] = []

    def alike(self, inner: Value, outer: Value) -> bool:
        """Tell whether a value outside is what the body computes in the turn before the first."""
        inner = original(self._body, inner)
        if inner in self._pairs:
            return self._pairs[inner] is outer
        before, pairs = dict(self.states), dict(self._pairs)
        if self._same(inner, outer):
            self._pairs[inner] = outer
            return True
        self.states, self._pairs = before, pairs
        return self._without_state(inner, outer)

    def _same(self, inner: Value, outer: Value) -> bool:
        if any(inner is carried for carried in list(self._body.inputs)[2:]):
            return self.states.setdefault(inner, outer) is outer
        if inner.graph is not self._body:
            return inner is outer or _equal(inner, outer)
        node, other = inner.producer(), outer.producer()
        if node is None or other is None or node.op_type != other.op_type:
            return False
        if inner.index() != outer.index() or _attributes(node) != _attributes(other):
            return False
        if node.op_type == "Gather" and self._reads(node, other):
            return True
        if len(node.inputs) != len(other.inputs) or not node.inputs:
            return False
        return all(
            one is another or (one is not None and another is not None and self.alike(one, another))
            for one, another in zip(node.inputs, other.inputs, strict=True)
        )

    def _reads(self, node: ir.Node, other: ir.Node) -> bool:
        data, index, number = node.inputs[0], node.inputs[1], other.inputs[1]
        if index is None or number is None or data is not other.inputs[0]:
            return False
        iteration = self._body.inputs[0]
        terms = linear(index)
        if iteration not in terms or at_turn(terms, iteration, -1) != linear(number):
            return False
        self.reads.append(other)
        return True

    def _without_state(self, inner: Value, outer: Value) -> bool:
        """Try whether the outer side has no product of a state, as that of zeros."""
        node = inner.producer()
        if node is None or node.op_type != "Add" or inner.graph is not self._body:
            return False
        for number in (0, 1):
            part, rest = node.inputs[number], node.inputs[1 - number]
            state = None if part is None else self._state_of_product(part)
            if state is None or rest is None or self.states.get(state) is not None:
                continue
            before, pairs = dict(self.states), dict(self._pairs)
            self.states[state] = None
            if self.alike(rest, outer):
                self._pairs[inner] = outer
                return True
            self.states, self._pairs = before, pairs
        return False

    def _state_of_product(self, value: Value) -> Value | None:
        node = value.producer()
        if node is None or node.op_type not in ("Gemm", "MatMul") or len(node.inputs) != 2:
            return None
        state, weight = node.inputs
        array = None if weight is None else const_array(weight)
        plain = node.op_type == "MatMul" or plain_gemm(node)
        carried = any(state is value for value in list(self._body.inputs)[2:])
        if array is None or not carried or not plain or not np.isfinite(array).all():
            return None
        return state


def _equal(one: Value, other: Value) -> bool:
    left, right = const_array(one), const_array(other)
    if left is None or right is None or left.dtype != right.dtype:
        return False
    return left.shape == right.shape and left.tobytes() == right.tobytes()


def _attributes(node: ir.Node) -> dict[str, object]:
    return {name: attribute.value for name, attribute in node.attributes.items()}
