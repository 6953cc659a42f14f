"""Simplifies And, Or and Not of truths, one of which is known.

y = Or(c, False)          # y is c
y = And(c, False)         # y is False
y = Or(c, c)              # y is c
y = Not(Greater(i, j))    # y is LessOrEqual(i, j) where i and j are integers
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.marks import SOURCE
from onnx_graph.passes.editing import nested, replace
from onnx_graph.values import const_array, is_truth

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {"settled": "which puts the constants there"}

_NEGATED = {
    "Greater": "LessOrEqual",
    "GreaterOrEqual": "Less",
    "Less": "GreaterOrEqual",
    "LessOrEqual": "Greater",
}


def run(graph: ONNXGraph) -> int:
    """Simplify truths; return how many nodes are gone."""
    changed = 0
    for scope in nested(graph.main.graph):
        for node in list(scope):
            if node.op_type not in ("And", "Or", "Not"):
                continue
            result = node.outputs[0]
            simple = _negated(node) if node.op_type == "Not" else _plain(graph, node)
            if simple is not None and replace(graph, result, simple):
                scope.remove(node, safe=True)
                changed += 1
    return changed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No And or Or of truths has a constant operand or the same one twice, but as a result."""
    for scope in nested(graph.main.graph):
        for node in scope:
            if node.op_type not in ("And", "Or") or node.outputs[0].is_graph_output():
                continue
            operands = [value for value in node.inputs if value is not None and is_truth(value)]
            known = any(const_array(value) is not None for value in operands)
            if len(operands) == 2 and (known or operands[0] is operands[1]):
                yield f"an {node.op_type} that is one of its operands, or known"


def _plain(graph: ONNXGraph, node: ir.Node) -> Value | None:
    """Return what an And or Or is by itself."""
    left, right = node.inputs
    assert left is not None and right is not None
    if not (is_truth(left) and is_truth(right)):
        return None
    if left is right:
        return left
    ends = node.op_type == "Or"
    for value, other in ((left, right), (right, left)):
        known = const_array(value)
        if known is not None and bool(known) is not ends:
            return other
        if known is not None and not node.outputs[0].is_graph_output():  # ONNX returns no constant
            return graph.constant(np.array(ends))
    return None


def _negated(node: ir.Node) -> Value | None:
    """Put the opposite comparison before a Not that alone uses a comparison of integers."""
    value = node.inputs[0]
    comparison = None if value is None else value.producer()
    if value is None or comparison is None or comparison.op_type not in _NEGATED:
        return None
    operand = comparison.inputs[0]
    if operand is None or operand.dtype is None or not operand.dtype.is_integer():
        return None
    if len(value.uses()) != 1 or value.is_graph_output() or node.graph is not comparison.graph:
        return None
    made = ir.Node("", _NEGATED[comparison.op_type], comparison.inputs)
    made.outputs[0].type, made.outputs[0].shape = value.type, value.shape
    if SOURCE in node.meta:
        made.meta[SOURCE] = node.meta[SOURCE]
    assert node.graph is not None
    node.graph.insert_before(node, made)
    return made.outputs[0]
