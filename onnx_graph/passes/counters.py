"""Lets a loop of matrix products read by a counter of its own.

    Loop(n, True, h) body (i, c, h) => (True, Gemm(Gather(x, i), h))
    Loop(n, True, h, 0) body (i, c, h, k) => (True, Gemm(Gather(x, k), h), Add(k, 1))

On a GPU the iteration number is on the CPU, and an index beside the array: it would be copied in
each turn. What is carried stays where it is. An addition is little beside a product; a loop without
one is not worth a GPU, and stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.marks import SOURCE
from onnx_graph.passes.editing import bodies, nested, surely_replace

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {"counted": "what only counts the turns is no reader of their number"}

_PRODUCTS = frozenset({"Gemm", "MatMul", "Conv", "ConvTranspose", "Einsum", "LSTM", "GRU", "RNN"})


def run(graph: ONNXGraph) -> int:
    """Give counters to Loops; return how many."""
    changed = 0
    for scope in nested(graph.main.graph):
        for node in list(scope):
            readers = _readers(node)
            if readers:
                counter = _counting(graph, node)
                for reader in readers:
                    reader.replace_input_with(1, counter)
                changed += 1
    return changed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No Loop of products reads by the number of its turn."""
    for scope in nested(graph.main.graph):
        for node in scope:
            if _readers(node):
                yield f"a Loop that reads by its iteration number: {node.outputs[0].name}"


def _readers(node: ir.Node) -> list[ir.Node]:
    """Return what reads by the iteration number of a Loop of products."""
    if node.op_type != "Loop":
        return []
    (body,) = bodies(node)
    if not any(inner.op_type in _PRODUCTS for inner in body):
        return []
    return [
        inner for inner in body if inner.op_type == "Gather" and inner.inputs[1] is body.inputs[0]
    ]


def _counting(graph: ONNXGraph, node: ir.Node) -> Value:
    """Let a Loop carry a counter, last of what it carries; return it as the body has it."""
    (body,) = bodies(node)
    carried = len(body.inputs) - 2
    kind = body.inputs[0].type
    counter = Value(type=kind, shape=ir.Shape([]))
    following = ir.Node("", "Add", [counter, graph.constant(np.array(1))])
    following.outputs[0].type, following.outputs[0].shape = kind, ir.Shape([])
    if SOURCE in node.meta:
        following.meta[SOURCE] = node.meta[SOURCE]
    body.append(following)
    body.inputs.append(counter)
    body.outputs.insert(1 + carried, following.outputs[0])
    results = [Value(type=old.type, shape=old.shape) for old in node.outputs]
    for old, new in zip(node.outputs, results, strict=True):
        new.meta.update(old.meta)
    last = Value(type=kind, shape=ir.Shape([]))
    attributes = list(node.attributes.values())
    node.attributes.clear()
    loop = ir.Node(
        "",
        "Loop",
        [*node.inputs, graph.constant(np.array(0))],
        attributes,
        outputs=[*results[:carried], last, *results[carried:]],
    )
    loop.meta.update(node.meta)
    assert node.graph is not None
    node.graph.insert_before(node, loop)
    for old, new in zip(node.outputs, results, strict=True):
        surely_replace(graph, old, new)
    node.graph.remove(node, safe=True)
    return counter
