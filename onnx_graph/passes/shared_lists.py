"""Copies a list that a Loop begins with where somebody else may read it.

l, m = Loop(n, True, a, b) body (l, m) => (True, m, l); SequenceLength(a)

onnxruntime hands a list on from turn to turn without a copy and empties it when the Loop ends: what
a body passes on may be the very list that the Loop began with, and `a` has no elements then. Where
it may be, and the list is not of this Loop alone, the Loop begins with a copy. Each copy is made by
way of an element of another shape, for onnxruntime makes one node of two that compute the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import bodies, nested
from onnx_graph.values import is_sequence

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {
    "unused": "a Loop that nobody uses reads no list",
    "duplicates": "which may give two Loops one list to begin with",
}


def run(graph: ONNXGraph) -> int:
    """Copy such lists; return how many."""
    copies = 0
    for scope in nested(graph.main.graph):
        for node in list(scope):
            for index in _passed_on(node) if node.op_type == "Loop" else ():
                value = node.inputs[index]
                if value is not None and is_sequence(value) and not _is_own(value, scope):
                    copies += 1
                    element = graph.constant(np.zeros((0, copies), _dtype(value)))
                    node.replace_input_with(index, _copy_before(node, value, element))
    return copies


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """A list that a Loop passes on is made for this Loop alone."""
    for scope in nested(graph.main.graph):
        for node in scope:
            for index in _passed_on(node) if node.op_type == "Loop" else ():
                value = node.inputs[index]
                if value is not None and is_sequence(value) and not _is_own(value, scope):
                    yield f"the list that operand {index} of a Loop begins with has other readers"


def _passed_on(node: ir.Node) -> list[int]:
    """Return which operands of a Loop its body returns as they are, perhaps as another one."""
    (body,) = bodies(node)
    return [index for index, value in enumerate(body.inputs) if value.is_graph_output()]


def _dtype(value: Value) -> np.dtype[Any]:
    assert value.dtype is not None
    return value.dtype.numpy()


def _is_own(value: Value, scope: ir.Graph) -> bool:
    """Tell whether a list is made in a scope for its one use there."""
    made_here = value.producer() is not None and value.graph is scope
    return made_here and len(value.uses()) == 1 and not value.is_graph_output()


def _copy_before(node: ir.Node, value: Value, element: Value) -> Value:
    """Put a copy of a list before a node: an element more, and that one less."""
    longer = ir.Node("", "SequenceInsert", [value, element])
    copy = ir.Node("", "SequenceErase", [longer.outputs[0]])
    longer.outputs[0].type = copy.outputs[0].type = value.type
    copy.outputs[0].shape = value.shape
    assert node.graph is not None
    node.graph.insert_before(node, [longer, copy])
    return copy.outputs[0]
