"""Tells which values of a graph are equal because they are computed alike.

    a = Gather(x, 0)
    b = Gather(x, 0)      # the number of b is that of a

What is drawn, what loops give and what goes into them is equal to itself alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.schemas import HOLDERS, RANDOM

_DEEPEST = 12
_WAYS = ("then_branch", "else_branch")


class ValueNumbers:
    """Numbers for values; what has one number has one content in every run."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._keys: dict[Hashable, int] = {}
        self._kept: list[Value] = []

    def of(self, value: Value, deepest: int = _DEEPEST) -> int:
        """Return the number of a value, looking `deepest` nodes back from it."""
        number = self._numbers.get(id(value))
        if number is None:
            key = self._key(value, deepest)
            number = self._numbers[id(value)] = self._keys.setdefault(key, len(self._kept))
            self._kept.append(value)
        return number

    def _key(self, value: Value, deepest: int) -> Hashable:
        node = value.producer()
        if node is None or not deepest or node.op_type in RANDOM:
            return id(value)
        if node.op_type == "If":  # whose bodies have no operands of their own
            then, other = (node.attributes[name].as_graph() for name in _WAYS)
            at = node.outputs.index(value)
            parts = node.inputs[0], then.outputs[at], other.outputs[at]
            return tuple(self.of(part, deepest - 1) for part in parts if part is not None)
        if node.op_type in HOLDERS:
            return id(value)
        return node_key(node, lambda one: self.of(one, deepest - 1)), value.index()


def node_key(node: ir.Node, of: Callable[[Value], Hashable]) -> Hashable:
    """Return what two nodes share that compute alike, of what tells their operands apart."""
    attributes = ((name, one.type, _frozen(one)) for name, one in node.attributes.items())
    operands = tuple(None if value is None else of(value) for value in node.inputs)
    kept = tuple(sorted(attributes, key=lambda item: item[0]))
    return node.op_type, operands, kept, len(node.outputs)


def _frozen(attribute: ir.Attr) -> Hashable:
    if attribute.type is ir.AttributeType.TENSOR:
        tensor = attribute.as_tensor()
        return tensor.dtype, tuple(tensor.shape), tensor.numpy().tobytes()
    return repr(attribute.value)
