"""Graph passes; none of them is needed for correctness."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


def optimize(graph: ONNXGraph) -> dict[str, int]:
    """Run all passes and return how many changes each made."""
    return {}
