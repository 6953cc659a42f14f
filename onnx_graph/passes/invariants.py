"""Turns carried values that never change into captures, and carries those that are equal once.

h, w = Loop(n, True, h0, w0) body (…, h, w) => (True, Add(h, w), w)
h = Loop(n, True, h0)        body (…, h)    => (True, Add(h, w0))

h, k = Loop(n, True, h0, h0) body (…, h, k) => (True, s := Add(h, x), Identity(s))
h = Loop(n, True, h0)        body (…, h)    => (True, Add(h, x))               # k is h
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import same
from onnx_graph.passes.editing import bodies, may_replace, nested, original, rebuilt, replace
from onnx_graph.values import shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {"identities": "a copy of what is carried hides that it stays the same"}


def run(graph: ONNXGraph) -> int:
    """Replace what need not be carried; return how many carried values are gone."""
    gone = 0
    for scope in list(nested(graph.main.graph)):
        for node in list(scope):
            if node.op_type == "Loop":
                gone += _drop(graph, node)
    return gone


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """What a Loop carries changes and is carried once, or is its only result, or returned twice."""
    for scope in nested(graph.main.graph):
        for node in scope:
            if node.op_type == "Loop" and len(node.outputs) > 1:
                for index, (_, outer) in _needless(node):
                    if may_replace(graph, node.outputs[index], outer):
                        yield f"carried value {index} of a Loop stays what it is, or is another"


def _needless(node: ir.Node) -> Iterator[tuple[int, tuple[Value, Value]]]:
    """Yield which carried values need not be, and what is the same within a turn and after all."""
    (body,) = bodies(node)
    seen: dict[tuple[int, int], int] = {}
    for index, start in enumerate(node.inputs[2:]):
        inner, end = body.inputs[index + 2], original(body, body.outputs[index + 1])
        if start is None:
            continue
        own = body.outputs[index + 1] is inner
        twin = seen.setdefault((id(start), id(end)), index)
        if sum(value is inner for value in body.outputs) > int(own):
            continue
        if end is inner or end is body.inputs[twin + 2]:
            yield index, (start, start)
        elif twin != index and _alike(inner, body.inputs[twin + 2]):
            yield index, (body.inputs[twin + 2], node.outputs[twin])


def _drop(graph: ONNXGraph, node: ir.Node) -> int:
    (body,) = bodies(node)
    gone: dict[int, Value] = {}
    for index, (inner, outer) in _needless(node):
        only = len(node.outputs) - len(gone) == 1
        if not only and replace(graph, node.outputs[index], outer):
            gone[index] = inner
    if not gone:
        return 0
    outputs = list(body.outputs)
    body.outputs.clear()
    body.outputs.extend(value for index, value in enumerate(outputs) if index - 1 not in gone)
    inputs = list(body.inputs)
    for index, inner in gone.items():
        inputs[index + 2].replace_all_uses_with(inner)
    body.inputs.clear()
    body.inputs.extend(value for index, value in enumerate(inputs) if index - 2 not in gone)
    operands = [value for index, value in enumerate(node.inputs) if index - 2 not in gone]
    rebuilt(graph, node, operands, [i for i in range(len(node.outputs)) if i not in gone])
    return len(gone)


def _alike(one: Value, other: Value) -> bool:
    """Tell whether as much is known of the sizes of one value as of another."""
    first, second = shape_or_none(one), shape_or_none(other)
    if first is None or second is None:
        return first is second
    return len(first) == len(second) and all(map(same, first, second))
