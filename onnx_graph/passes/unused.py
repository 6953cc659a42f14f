"""Removes nodes whose results nobody uses, and initializers that nobody reads.

    y: float[N] = Relu(x)
    z: float[N] = Exp(x)      # gone: no output needs it

A check is used by what it protects, so it stays, and so does every node that holds one, and every
node that fails at some sizes of its operands: the program fails there too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir

from onnx_graph.passes.editing import bodies, stays

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


def run(graph: ONNXGraph) -> int:
    """Remove unused nodes and initializers; return how many."""
    removed = _clean(graph.main.graph)
    initializers = graph.main.graph.initializers
    for name, value in list(initializers.items()):
        if not value.uses() and not value.is_graph_output():
            del initializers[name]
            removed += 1
    return removed


def _clean(graph: ir.Graph) -> int:
    removed = 0
    for node in reversed(graph):
        used = any(value.uses() or value.is_graph_output() for value in node.outputs)
        if used or stays(node):
            removed += sum(_clean(body) for body in bodies(node))
            continue
        for body in bodies(node):
            for inner in list(body.all_nodes()):
                for index in range(len(inner.inputs)):
                    inner.replace_input_with(index, None)
        graph.remove(node, safe=True)
        removed += 1
    return removed
