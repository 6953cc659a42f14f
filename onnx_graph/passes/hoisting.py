"""Moves nodes that compute the same on every turn out of Loops.

    Loop body: { e = Exp(w); h = Mul(h, e) }
    e = Exp(w); Loop body: { h = Mul(h, e) }

Only nodes that cannot fail move, since a loop may make no turn. Nothing leaves a branch of an If.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from onnx_graph.passes.editing import bodies, nested
from onnx_graph.passes.safety import cannot_fail

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


def run(graph: ONNXGraph) -> int:
    """Hoist, inner loops first; return how many nodes moved."""
    moved = 0
    for scope in list(nested(graph.main.graph)):
        for node in list(scope):
            if node.op_type == "Loop":
                (body,) = bodies(node)
                moved += _hoist(scope, node, body)
    return moved


def _hoist(scope: ir.Graph, loop: ir.Node, body: ir.Graph) -> int:
    moved = 0
    for node in list(body):
        inside = any(value is not None and value.graph is body for value in node.inputs)
        returned = any(value.is_graph_output() for value in node.outputs)
        if inside or returned or not node.inputs or not cannot_fail(node):
            continue
        body.remove(node)
        scope.insert_before(loop, node)
        moved += 1
    return moved
