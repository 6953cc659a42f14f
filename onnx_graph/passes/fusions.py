"""Keeps a product that is a result apart from a transposition of it that is one as well.

h = Gemm(Transpose(a), Transpose(b)); y = Transpose(h), both results: onnxruntime makes one product
of it, has no `h` then, and cannot load the model. An Identity before the result keeps them apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


def run(graph: ONNXGraph) -> int:
    """Put an Identity before such results; return how many."""
    results, changed = graph.main.graph.outputs, 0
    for name, value in graph.outputs.items():
        node = value.producer()
        if node is None or node.op_type != "Gemm":
            continue
        if not any(user.op_type == "Transpose" for user, _ in value.uses()):
            continue
        kept = graph.Identity(value)
        results[:] = [kept if result is value else result for result in results]
        graph.outputs[name] = kept
        changed += 1
    return changed
