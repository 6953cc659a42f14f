"""Keeps a product that is a result apart from a transposition of it that is one as well.

h = Gemm(Transpose(a), Transpose(b)); y = Transpose(h), both results: onnxruntime makes one product
of it, has no `h` then, and cannot load the model. An Identity before the result keeps them apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {
    "identities": "which would take the Identity away again",
    "float64_barriers": "a Transpose behind a barrier becomes a neighbour of its product",
}


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


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No result is a Gemm that a Transpose reads."""
    for name, value in graph.outputs.items():
        node = value.producer()
        turned = any(user.op_type == "Transpose" for user, _ in value.uses())
        if node is not None and node.op_type == "Gemm" and turned:
            yield f"{name} is a product that a Transpose reads"
