"""Turns a weight that several products read transposed, so that they read it as it is.

a = Gemm<transB=1>(x, W, b); c = Gemm<transB=1>(y, W, b)      W: [5, 3]
a = Gemm(x, W.T, b); c = Gemm(y, W.T, b)                      W.T: [3, 5], in the place of W

onnxruntime's quantizer turns the weight of such a product in its place, and believes that nobody
else reads it: with two readers its model does not load, or gives other numbers where W is square.
A weight that is read in other ways as well stays, and the products read a Transpose of it, which
onnxruntime computes once, when it loads the model; the quantizer leaves these products alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import nested

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {
    "unused": "what nobody uses reads no weight",
    "duplicates": "which leaves one of two products that are alike",
    "float64_barriers": "what stands between a weight and its product is no reader of the kind",
}
TRANSPOSED = ".T"
"""What the name of a weight gets, that is stored transposed."""
WEIGHT = 1
"""Which operand of a Gemm is turned by `transB`."""


def run(graph: ONNXGraph) -> int:
    """Turn such weights; return how many."""
    shared = list(_shared(graph))
    for value, turning in shared:
        turned = _turned(graph, value, whole=len(turning) == len(value.uses()))
        for node in turning:
            node.replace_input_with(WEIGHT, turned)
            del node.attributes["transB"]
        if not value.uses() and value.name is not None:
            del graph.main.graph.initializers[value.name]
    return len(shared)


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No weight that a product turns has another reader."""
    for value, _ in _shared(graph):
        yield f"{value.name} is turned by a product, and has other readers"


def _shared(graph: ONNXGraph) -> Iterator[tuple[Value, list[ir.Node]]]:
    """Yield weights with several readers, and the products that turn them."""
    turning: dict[int, list[ir.Node]] = {}
    for scope in nested(graph.main.graph):
        for node in scope:
            weight = node.inputs[WEIGHT] if node.op_type == "Gemm" else None
            if weight is not None and weight.is_initializer() and turns(node):
                turning.setdefault(id(weight), []).append(node)
    for value in list(graph.main.graph.initializers.values()):
        nodes = turning.get(id(value), [])
        if nodes and (len(value.uses()) > 1 or value.is_graph_output()):
            yield value, nodes


def turns(node: ir.Node) -> bool:
    """Tell whether a Gemm reads its second operand transposed."""
    return "transB" in node.attributes and node.attributes["transB"].as_int() == 1


def _turned(graph: ONNXGraph, value: Value, *, whole: bool) -> Value:
    """Return a weight transposed: another weight, or a node where it is needed as it is, too."""
    array = graph.array_of(value)
    if whole:
        return graph.initializer(f"{value.name}{TRANSPOSED}", array.T)
    node = ir.Node("", "Transpose", [value], [ir.AttrInt64s("perm", [1, 0])])
    (turned,) = node.outputs
    turned.type, turned.shape = value.type, ir.Shape(array.T.shape)
    graph.main.graph.insert_before(graph.main.graph[0], node)
    return turned
