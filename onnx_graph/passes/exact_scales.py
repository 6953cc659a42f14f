"""Keeps onnxruntime from rounding the factors of float64 products to float32.

    m = MatMul(x, y)                         m0 = MatMul(x, y)
    z = Mul(m, c)                            m = Max(m0)
                                             z = Mul(m, c)

onnxruntime fuses a constant factor before or behind a MatMul into it as an attribute, which is a
float32 (its MatMulScaleFusion): a relative error of 1e-8. A Max of one operand is a copy that its
optimizer leaves alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import nested, replace
from onnx_graph.sources import SOURCE

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

SCALES = frozenset({"Mul", "Div"})
TRANSPARENT = frozenset({"Identity", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten"})


def run(graph: ONNXGraph) -> int:
    """Put a copy between float64 products and their factors; return how many."""
    copied = 0
    for scope in nested(graph.main.graph):
        for node in list(scope):
            if node.op_type != "MatMul" or node.outputs[0].dtype is not ir.DataType.DOUBLE:
                continue
            for index, operand in enumerate(node.inputs):
                if operand is not None and _from_scale(operand):
                    node.replace_input_with(index, _copy(scope, node, operand, before=True))
                    copied += 1
            product = node.outputs[0]
            if any(use.op_type in SCALES for use in _uses(product)):
                new = _copy(scope, node, product, before=False)
                if replace(graph, product, new):
                    producer = new.producer()
                    assert producer is not None
                    producer.replace_input_with(0, product)
                    copied += 1
    return copied


def _from_scale(value: Value) -> bool:
    node = value.producer()
    while node is not None and node.op_type in TRANSPARENT and node.inputs[0] is not None:
        node = node.inputs[0].producer()
    return node is not None and node.op_type in SCALES


def _uses(value: Value) -> Iterator[ir.Node]:
    for node, _ in value.uses():
        yield node
        if node.op_type in TRANSPARENT:
            yield from _uses(node.outputs[0])


def _copy(scope: ir.Graph, node: ir.Node, value: Value, *, before: bool) -> Value:
    made = Value(type=value.type, shape=value.shape)
    made.meta.update(value.meta)
    copy = ir.Node("", "Max", [value], outputs=[made])
    if SOURCE in node.meta:
        copy.meta[SOURCE] = node.meta[SOURCE]
    (scope.insert_before if before else scope.insert_after)(node, copy)
    return made
