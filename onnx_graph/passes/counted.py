"""Lets a Loop count its turns by itself where its condition does nothing else.

    Loop("", Less(0, n), x) { … Less(Add(iteration, 1), n) }       # becomes
    Loop(n, True, x) { … True }

A loop over the items of a list is written with a condition; where the list became a tensor, nothing
but the count is left of it. On a GPU the condition costs a copy in each turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import bodies, nested
from onnx_graph.values import const_array, rank_of

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {"invariants": "a bound that changes in no turn is outside of the loop"}


def run(graph: ONNXGraph) -> int:
    """Give Loops their number of turns; return how many."""
    changed = 0
    for scope in nested(graph.main.graph):
        for node in scope:
            turns = _turns(node)
            if turns is not None:
                _count(graph, node, turns)
                changed += 1
    return changed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No Loop has a condition that only counts."""
    for scope in nested(graph.main.graph):
        for node in scope:
            if _turns(node) is not None:
                yield f"a Loop that counts by its condition: {node.outputs[0].name}"


def _count(graph: ONNXGraph, node: ir.Node, turns: Value) -> None:
    (body,) = bodies(node)
    true = graph.constant(np.array(True))
    identity = ir.node("Identity", [true])
    result = identity.outputs[0]
    result.type, result.shape = true.type, true.shape
    body.append(identity)
    body.outputs[0] = result
    node.replace_input_with(0, turns)
    node.replace_input_with(1, true)


def _turns(node: ir.Node) -> Value | None:
    """Return the number of turns of a Loop that its condition counts alone."""
    if node.op_type != "Loop" or node.inputs[0] is not None or node.inputs[1] is None:
        return None
    (body,) = bodies(node)
    asked = _bound(body.outputs[0], body)
    before = node.inputs[1].producer()
    if asked is None or before is None or before.op_type != "Less":
        return None
    start, limit = before.inputs
    if limit is not asked or start is None or not _is(start, 0) or body.inputs[1].uses():
        return None
    return asked


def _bound(condition: Value, body: ir.Graph) -> Value | None:
    """Return what the next iteration number has to be less than; None of another condition."""
    less = condition.producer()
    if less is None or less.graph is not body or less.op_type != "Less":
        return None
    following, limit = less.inputs
    step = None if following is None else following.producer()
    if step is None or step.op_type != "Add" or body.inputs[0] not in step.inputs:
        return None
    others = [value for value in step.inputs if value is not body.inputs[0]]
    if len(others) != 1 or others[0] is None or not _is(others[0], 1) or limit is None:
        return None
    if rank_of(limit) != 0 or limit in body.inputs or limit.graph is body:
        return None
    return limit


def _is(value: Value, number: int) -> bool:
    array = const_array(value)
    return array is not None and array.ndim == 0 and int(array) == number
