"""Moves nodes that compute the same on every turn out of Loops.

    Loop body: { e = Exp(w); h = Mul(h, e) }
    e = Exp(w); Loop body: { h = Mul(h, e) }

Only nodes that cannot fail move, since a loop may make no turn. Nothing leaves a branch of an If.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import onnx_ir as ir

from onnx_graph.passes.editing import bodies, nested
from onnx_graph.passes.safety import cannot_fail

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {"invariants": "what reads a carried value that stays the same can move"}


def run(graph: ONNXGraph) -> int:
    """Hoist, inner loops first; return how many nodes moved."""
    moved = 0
    for scope in list(nested(graph.main.graph)):
        for node in list(scope):
            if node.op_type == "Loop":
                (body,) = bodies(node)
                moved += _hoist(scope, node, body)
    return moved


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """A node in a Loop that cannot fail reads a value of the body, or is a result of it."""
    for scope in nested(graph.main.graph):
        for loop in scope:
            if loop.op_type == "Loop":
                (body,) = bodies(loop)
                for node in body:
                    if _moves(node, body):
                        yield f"this {node.op_type} computes the same on every turn"


def _hoist(scope: ir.Graph, loop: ir.Node, body: ir.Graph) -> int:
    moved = 0
    for node in list(body):
        if _moves(node, body):
            body.remove(node)
            scope.insert_before(loop, node)
            moved += 1
    return moved


def _moves(node: ir.Node, body: ir.Graph) -> bool:
    """Tell whether a node of a body may as well stand before the Loop."""
    inside = any(value is not None and value.graph is body for value in node.inputs)
    returned = any(value.is_graph_output() for value in node.outputs)
    return not inside and not returned and bool(node.inputs) and cannot_fail(node)
