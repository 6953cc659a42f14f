"""Writes what onnxruntime may take for the addition of a single zero as a difference.

    y = Add(x, z)                            # z depends on constants alone
    y = Sub(z, Neg(x))

onnxruntime computes z before it runs, and takes the addition of 0.0 away, which makes 0.0 of -0.0.
The builder writes the sum with a zero so; this is for what becomes a zero later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import compare, symbols
from onnx_graph.marks import SOURCE
from onnx_graph.passes.editing import bodies, nested, replace
from onnx_graph.schemas import RANDOM
from onnx_graph.signed_zeros import has_no_minus_zero, is_zero
from onnx_graph.values import const_array, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {"constants": "what is constant at last decides what is a zero"}

DEEP = 100
"""After how many nodes a value counts as a constant."""
_FLOATS = (ir.DataType.FLOAT, ir.DataType.DOUBLE, ir.DataType.FLOAT16)


def run(graph: ONNXGraph) -> int:
    """Rewrite such sums; return how many."""
    changed, known = 0, _Known()
    for scope in nested(graph.main.graph):
        for node in list(scope):
            zero = _zero(node, known)
            if zero is not None:
                _rewrite(graph, node, zero)
                changed += 1
    return changed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No sum is left that may be one with a zero."""
    known = _Known()
    for scope in nested(graph.main.graph):
        for node in scope:
            if _zero(node, known) is not None:
                yield f"this {node.op_type} of what may be a zero"


def _rewrite(graph: ONNXGraph, node: ir.Node, zero: Value) -> None:
    (result,) = node.outputs
    scope = graph.owner(result)
    left, right = node.inputs
    negated = left if zero is right else right
    (minus,) = graph.emit_into(scope, "Neg", [negated], {}, after=result)
    made, last = [minus], minus
    if node.op_type == "Sub":
        (zero,) = graph.emit_into(scope, "Neg", [zero], {}, after=last)
        made, last = [minus, zero], zero
    (y,) = graph.emit_into(scope, "Sub", [zero, minus], {}, after=last)
    y.shape = result.shape
    for value in (*made, y):
        producer = value.producer()
        assert producer is not None
        if SOURCE in node.meta:
            producer.meta[SOURCE] = node.meta[SOURCE]
    replaced = replace(graph, result, y)
    assert replaced and node.graph is not None
    node.graph.remove(node, safe=True)


def _zero(node: ir.Node, known: _Known) -> Value | None:
    """Return the operand that onnxruntime may find to be a single zero that counts."""
    if node.op_type not in ("Add", "Sub") or node.outputs[0].dtype not in _FLOATS:
        return None
    left, right = node.inputs
    if left is None or right is None:
        return None
    pairs = ((left, right),) if node.op_type == "Sub" else ((left, right), (right, left))
    for number, zero in pairs:
        if not known.holds(zero) or known.holds(number) or has_no_minus_zero(number):
            continue
        if const_array(zero) is None:
            sizes = shape_or_none(zero)
            if sizes is None or all(compare(size, "==", 1) is not False for size in sizes):
                return zero
        elif is_zero(zero, negative=node.op_type == "Sub"):
            return zero
    return None


class _Known:
    """Which values onnxruntime knows before it runs: what depends on constants alone."""

    def __init__(self) -> None:
        self._known: dict[Value, bool] = {}

    def holds(self, value: Value | None, depth: int = 0) -> bool:
        """Tell whether a value may be known."""
        if value is None or depth == DEEP:
            return True
        if value not in self._known:
            self._known[value] = self._found(value, depth)
        return self._known[value]

    def _found(self, value: Value, depth: int) -> bool:
        if const_array(value) is not None or value.is_initializer():
            return True
        node = value.producer()
        if node is None or node.op_type == "Loop" or node.op_type in RANDOM:
            return False
        if node.op_type == "If" or bodies(node):
            return self.holds(node.inputs[0], depth + 1)
        if node.op_type in ("Shape", "Size") and node.inputs[0] is not None:
            sizes = shape_or_none(node.inputs[0])
            return sizes is not None and not any(map(symbols, sizes))
        return all(self.holds(operand, depth + 1) for operand in node.inputs)
