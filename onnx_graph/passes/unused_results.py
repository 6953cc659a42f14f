"""Removes results of If and Loop that nobody uses, with what is carried only for them.

h, t = Loop(n, True, h0, t0)      # t is not used after the loop, nor for h
h = Loop(n, True, h0)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import OUTPUTS_FIRST, bodies, captures, nested, rebuilt, stays
from onnx_graph.passes.unused import clean

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {"unused": "what nobody uses may read a result"}


def run(graph: ONNXGraph) -> int:
    """Remove unused results, and those used only by what was for them; return how many."""
    removed = 0
    while gone := _removed(graph):
        removed += gone
        clean(graph.main.graph)
    return removed


def _removed(graph: ONNXGraph) -> int:
    return sum(
        _shrink(graph, node)
        for scope in list(nested(graph.main.graph))
        for node in list(reversed(scope))
        if node.op_type in OUTPUTS_FIRST
    )


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """Each result of an If or Loop is used, or what is carried for it is; one stays in any case."""
    for scope in nested(graph.main.graph):
        for node in scope:
            if node.op_type in OUTPUTS_FIRST and len(_kept(node)) < len(node.outputs):
                yield f"an unused result of this {node.op_type}"


def _kept(node: ir.Node) -> list[int]:
    """Return which results stay."""
    used = [
        index for index, value in enumerate(node.outputs) if value.uses() or value.is_graph_output()
    ]
    if node.op_type == "Loop":
        return _needed(node, used) or _needed(node, [0])
    return used or [0]


def _shrink(graph: ONNXGraph, node: ir.Node) -> int:
    kept = _kept(node)
    gone = [index for index in range(len(node.outputs)) if index not in kept]
    if not gone:
        return 0
    first = OUTPUTS_FIRST[node.op_type]
    carried = len(node.inputs) - 2 if node.op_type == "Loop" else 0
    for body in bodies(node):
        outputs = list(body.outputs)
        body.outputs.clear()
        body.outputs.extend(
            value for index, value in enumerate(outputs) if index - first not in gone
        )
    inputs: Sequence[Value | None] = node.inputs
    if node.op_type == "Loop":
        (body,) = bodies(node)
        dead = [index for index in gone if index < carried]
        inputs = [value for index, value in enumerate(inputs) if index - 2 not in dead]
        _drop_inputs(body, dead)
    for body in bodies(rebuilt(graph, node, inputs, kept)):
        clean(body)  # what was computed for them may be the last use of a result before this node
    return len(gone)


def _drop_inputs(body: ir.Graph, dead: Sequence[int]) -> None:
    """Remove carried inputs with the nodes that use them: none of these is needed."""
    doomed = {id(body.inputs[index + 2]) for index in dead}
    for node in list(body):
        if any(id(value) in doomed for value in captures(node)):
            doomed.update(id(value) for value in node.outputs)
            for inner in [node, *(deep for inside in bodies(node) for deep in inside.all_nodes())]:
                for index in range(len(inner.inputs)):
                    inner.replace_input_with(index, None)
            body.remove(node)
    kept = [value for index, value in enumerate(body.inputs) if index - 2 not in dead]
    body.inputs.clear()
    body.inputs.extend(kept)


def _needed(node: ir.Node, used: Sequence[int]) -> list[int]:
    """Return the results that are used, or that a used result or a node that stays depends on."""
    (body,) = bodies(node)
    carried = len(node.inputs) - 2
    position = {id(value): index for index, value in enumerate(list(body.inputs)[2:])}
    needed = set(used)
    seen: set[int] = set()
    pending = [body.outputs[0], *(body.outputs[index + 1] for index in sorted(needed))]
    for inner in body:
        if stays(inner):
            pending.extend(captures(inner))
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        index = position.get(id(value))
        if index is not None and index not in needed:
            needed.add(index)
        if index is not None:
            pending.append(body.outputs[index + 1])
        producer = value.producer()
        if producer is not None and producer.graph is body and id(producer) not in seen:
            seen.add(id(producer))
            pending.extend(captures(producer))
    assert all(index < carried or index in used for index in needed)
    return sorted(needed)
