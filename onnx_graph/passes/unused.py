"""Removes nodes whose results nobody uses, and initializers that nobody reads.

    y: float[N] = Relu(x)
    z: float[N] = Exp(x)      # gone: no output needs it

A check is used by what it protects, so it stays, and so does every node that holds one, and every
node that fails at some sizes of its operands: the program fails there too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import onnx_ir as ir

from onnx_graph.passes.editing import bodies, nested, stays, used

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {}


def run(graph: ONNXGraph) -> int:
    """Remove unused nodes and initializers; return how many."""
    removed = clean(graph.main.graph)
    initializers = graph.main.graph.initializers
    for name, value in list(initializers.items()):
        if not value.uses() and not value.is_graph_output():
            del initializers[name]
            removed += 1
    return removed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """Each node has a use or stays; each initializer has a use."""
    for scope in nested(graph.main.graph):
        for node in scope:
            if not used(node) and not stays(node):
                yield f"nobody uses this {node.op_type}"
    for name, value in graph.main.graph.initializers.items():
        if not value.uses() and not value.is_graph_output():
            yield f"nobody reads {name}"


def clean(graph: ir.Graph) -> int:
    """Remove the unused nodes of a graph and of what is inside it; return how many."""
    removed = 0
    for node in reversed(graph):
        if used(node) or stays(node):
            removed += sum(clean(body) for body in bodies(node))
            continue
        for body in bodies(node):
            for inner in list(body.all_nodes()):
                for index in range(len(inner.inputs)):
                    inner.replace_input_with(index, None)
        graph.remove(node, safe=True)
        removed += 1
    return removed
