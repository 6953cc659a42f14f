"""Turns carried values that never change into captures.

h, w = Loop(n, True, h0, w0) body (…, h, w) => (True, Add(h, w), w)
h = Loop(n, True, h0)        body (…, h)    => (True, Add(h, w0))
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import bodies, may_replace, nested, rebuilt, replace

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {"identities": "a copy of what is carried hides that it stays the same"}


def run(graph: ONNXGraph) -> int:
    """Capture what never changes; return how many carried values are gone."""
    captured = 0
    for scope in list(nested(graph.main.graph)):
        for node in list(scope):
            if node.op_type == "Loop":
                captured += _capture(graph, node)
    return captured


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """What a Loop carries changes, or is its only result, or is returned in another place, too."""
    for scope in nested(graph.main.graph):
        for node in scope:
            if node.op_type != "Loop" or len(node.outputs) == 1:
                continue
            (body,) = bodies(node)
            for index, start in enumerate(node.inputs[2:]):
                inner, end = body.inputs[index + 2], body.outputs[index + 1]
                elsewhere = sum(value is inner for value in body.outputs) > int(end is inner)
                if start is None or elsewhere or not _unchanged(body, index):
                    continue
                if may_replace(graph, node.outputs[index], start):
                    yield f"carried value {index} of a Loop stays what it is"


def _capture(graph: ONNXGraph, node: ir.Node) -> int:
    (body,) = bodies(node)
    carried = range(len(node.inputs) - 2)
    still = [index for index in carried if _unchanged(body, index)]
    gone: list[int] = []
    for index in still:
        inner, start = body.inputs[index + 2], node.inputs[index + 2]
        only = len(node.outputs) - len(gone) == 1
        used_as_result = sum(value is inner for value in body.outputs)
        own = body.outputs[index + 1] is inner
        if only or start is None or used_as_result > int(own):
            continue
        if not replace(graph, node.outputs[index], start):
            continue
        gone.append(index)
    if not gone:
        return 0
    outputs = list(body.outputs)
    body.outputs.clear()
    body.outputs.extend(value for index, value in enumerate(outputs) if index - 1 not in gone)
    inputs = list(body.inputs)
    for index in gone:
        start = node.inputs[index + 2]
        assert start is not None
        inputs[index + 2].replace_all_uses_with(start)
    body.inputs.clear()
    body.inputs.extend(value for index, value in enumerate(inputs) if index - 2 not in gone)
    operands = [value for index, value in enumerate(node.inputs) if index - 2 not in gone]
    rebuilt(graph, node, operands, [i for i in range(len(node.outputs)) if i not in gone])
    return len(gone)


def _unchanged(body: ir.Graph, index: int) -> bool:
    value: Value | None = body.outputs[index + 1]
    while value is not None and value is not body.inputs[index + 2]:
        producer = value.producer()
        if producer is None or producer.op_type != "Identity" or producer.graph is not body:
            return False
        value = producer.inputs[0]
    return value is not None
