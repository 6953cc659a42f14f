"""Removes the Max of one operand around a float64 MatMul where no factor is near.

onnxruntime makes a product by a constant part of a MatMul next to it and rounds the factor to
float32; a Max between them keeps it from that. Of what stands between a MatMul and a product it may
drop anything here that changes nothing: hence all of `PASSED` counts as next to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import bodies, may_replace, nested, replace
from onnx_graph.values import const_array

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {
    "unused": "a product that nobody uses is no neighbour",
    "constants": "what is constant at last decides which factor is one",
}

PASSED = {
    *("Add", "Cast", "Concat", "Dropout", "Expand", "Flatten", "Gather", "Identity", "Max", "Min"),
    *("Neg", "Reshape", "Slice", "Squeeze", "Sub", "Sum", "Transpose", "Unsqueeze", "Where"),
}
FACTORS = ("Mul", "Div")
FAR = 100
"""After how many nodes the search ends, and the barrier stays."""


def run(graph: ONNXGraph) -> int:
    """Remove barriers that nothing stands behind; return how many."""
    removed = 0
    constant = _Constants()
    for scope in nested(graph.main.graph):
        for node in list(scope):
            if not _is_barrier(node) or _has_factor(node, constant):
                continue
            source = node.inputs[0]
            assert source is not None
            before = source.shape
            if replace(graph, node.outputs[0], source):
                source.shape = before
                scope.remove(node, safe=True)
                removed += 1
    return removed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """Each barrier has a constant factor near."""
    constant = _Constants()
    for scope in nested(graph.main.graph):
        for node in scope:
            if _is_barrier(node) and not _has_factor(node, constant):
                source = node.inputs[0]
                if source is not None and may_replace(graph, node.outputs[0], source):
                    yield "a barrier with no constant factor near"


def _is_barrier(node: ir.Node) -> bool:
    value = node.inputs[0] if len(node.inputs) == 1 else None
    return node.op_type == "Max" and value is not None and value.dtype is ir.DataType.DOUBLE


def _has_factor(barrier: ir.Node, constant: _Constants) -> bool:
    """Tell whether a product by a constant may come to stand at a MatMul without the barrier."""
    return any(
        node.op_type in PASSED  # the search has ended
        or (node.op_type in FACTORS and any(constant.holds(value) for value in node.inputs))
        for node in (*_around(barrier, backward=True), *_around(barrier, backward=False))
    )


def _around(start: ir.Node, *, backward: bool) -> Iterator[ir.Node]:
    """Yield the first nodes before or after one that are not passed, whatever lies between."""
    todo, seen = [start], {start}
    while todo:
        node = todo.pop()
        for other in _producers(node) if backward else _users(node):
            if other in seen:
                continue
            seen.add(other)
            if other.op_type in PASSED and len(seen) < FAR:
                todo.append(other)
            else:
                yield other


def _producers(node: ir.Node) -> Iterator[ir.Node]:
    for value in node.inputs:
        producer = None if value is None else value.producer()
        if producer is not None:
            yield producer


def _users(node: ir.Node) -> Iterator[ir.Node]:
    for value in node.outputs:
        for user, _ in value.uses():
            yield user


class _Constants:
    """Which values onnxruntime may know before it runs."""

    def __init__(self) -> None:
        self._known: dict[Value, bool] = {}

    def holds(self, value: Value | None, depth: int = 0) -> bool:
        """Tell whether a value may be a constant, or made of constants and shapes alone."""
        if value is None:
            return False
        if depth == FAR:
            return True
        if value not in self._known:
            self._known[value] = self._found(value, depth)
        return self._known[value]

    def _found(self, value: Value, depth: int) -> bool:
        if const_array(value) is not None or value.is_initializer():
            return True
        node = value.producer()
        if node is None:
            return False
        if node.op_type in ("Shape", "Size") or bodies(node):
            return True
        operands = (operand for operand in node.inputs if operand is not None)
        return all(self.holds(operand, depth + 1) for operand in operands)
