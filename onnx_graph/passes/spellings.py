"""Writes operators in the forms that the most tools know.

    LessOrEqual(n, 2)                        # of integers: Less(n, 3)
    GreaterOrEqual(n, 1)                     # Greater(n, 0)
    ReduceMax<keepdims=0>(x, [0, 1])         # of a matrix: ReduceMax<keepdims=0>(x)
    Reshape<allowzero=1>(x, [-1, 3])         # Reshape(x, [-1, 3])

onnx2torch knows no comparison of opset 16 and no `allowzero`, and onnxruntime's symbolic shape
inference does not read the axes of an extreme.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir

from onnx_graph.passes.editing import nested
from onnx_graph.values import const_array, rank_of

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {"empties": "a size that is compared with 0 or 1 is known by its form"}

#: The comparison that holds of the number beside it, and how far that is.
_STRICT = {"LessOrEqual": ("Less", 1), "GreaterOrEqual": ("Greater", -1)}
_EXTREMES = ("ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceSumSquare")


def run(graph: ONNXGraph) -> int:
    """Write operators in other forms; return how many."""
    changed = 0
    for scope in nested(graph.main.graph):
        for node in list(scope):
            changed += _respelled(graph, node)
    return changed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No operator is left that has a form known better."""
    for scope in nested(graph.main.graph):
        for node in scope:
            if _beside(node) is not None or _is_over_all(node) or _is_needless(node):
                yield f"this {node.op_type}"


def _respelled(graph: ONNXGraph, node: ir.Node) -> int:
    changed = 0
    number = _beside(node)
    if number is not None:
        node.op_type = _STRICT[node.op_type][0]
        node.replace_input_with(1, graph.constant(number))
        changed += 1
    if _is_over_all(node):
        node.resize_inputs(1)
        changed += 1
    if _is_needless(node):
        del node.attributes["allowzero"]
        changed += 1
    return changed


def _beside(node: ir.Node) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]] | None:
    """Return what integers are strictly above or below that are not below or above a constant."""
    if node.op_type not in _STRICT or node.inputs[1] is None:
        return None
    number = const_array(node.inputs[1])
    if number is None or number.dtype.kind != "i" or not number.size:
        return None
    step = _STRICT[node.op_type][1]
    limits = np.iinfo(number.dtype)
    if (number == (limits.max if step > 0 else limits.min)).any():
        return None
    return np.asarray(number + number.dtype.type(step), number.dtype)


def _is_over_all(node: ir.Node) -> bool:
    """Tell whether the axes of a reduction are all that there are."""
    if node.op_type not in _EXTREMES or len(node.inputs) < 2 or node.inputs[0] is None:
        return False
    axes = None if node.inputs[1] is None else const_array(node.inputs[1])
    rank = rank_of(node.inputs[0])
    if axes is None or not rank:
        return False
    return len({int(axis) % rank for axis in axes}) == rank


def _is_needless(node: ir.Node) -> bool:
    """Tell whether the sizes of a Reshape are constants, and none is 0.

    Where they are computed it stays, even of sizes that are known: without it onnxruntime takes a
    Reshape out that changes no size, and with it the check that its sizes wait for.
    """
    if node.op_type != "Reshape" or "allowzero" not in node.attributes:
        return False
    sizes = None if node.inputs[1] is None else const_array(node.inputs[1])
    return sizes is not None and bool((sizes != 0).all())
