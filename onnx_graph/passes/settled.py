"""Puts a truth in the place of a condition where the If or Loop around it has settled it.

y = If(c) { … Not(c) … } { … c … }      # Not(True) in one branch, False in the other
done = Loop(n, True, False) body (…, done) => (Not(Or(a, done)), Or(a, done))
                                         # a turn begins with done False: Or(a, False)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import bodies, nested
from onnx_graph.values import const_array, is_truth

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


def run(graph: ONNXGraph) -> int:
    """Settle conditions; return how many operands are replaced."""
    changed = 0
    for scope in list(nested(graph.main.graph)):
        for node in scope:
            if node.op_type == "If":
                changed += _branches(graph, node)
            elif node.op_type == "Loop":
                changed += _turns(graph, node)
    return changed


def _branches(graph: ONNXGraph, node: ir.Node) -> int:
    condition = node.inputs[0]
    assert condition is not None
    changed = 0
    for name, truth in (("then_branch", True), ("else_branch", False)):
        body = node.attributes[name].as_graph()
        for value, known in implied(condition, truth):
            changed += _settle(graph, body, value, known)
    return changed


def _turns(graph: ONNXGraph, node: ir.Node) -> int:
    """Settle what is carried and decides whether there is another turn."""
    (body,) = bodies(node)
    known = {id(value): truth for value, truth in implied(body.outputs[0], True)}
    changed = 0
    for start, inner, end in zip(
        node.inputs[2:], list(body.inputs)[2:], list(body.outputs)[1:], strict=False
    ):
        truth = known.get(id(end))
        first = None if start is None else const_array(start)
        if truth is not None and first is not None and bool(first) is truth:
            changed += _settle(graph, body, inner, truth)
    return changed


def implied(condition: Value, truth: bool) -> Iterator[tuple[Value, bool]]:
    """Yield what is known of other values where a condition is known, itself first."""
    if not is_truth(condition):
        return
    yield condition, truth
    node = condition.producer()
    if node is None:
        return
    passes_on = {"Not": not truth, "Identity": truth}
    if node.op_type in passes_on:
        operands, truth = list(node.inputs), passes_on[node.op_type]
    elif node.op_type == ("And" if truth else "Or"):
        operands = list(node.inputs)
    else:
        return
    for value in operands:
        if value is not None:
            yield from implied(value, truth)


def _settle(graph: ONNXGraph, body: ir.Graph, value: Value, truth: bool) -> int:
    """Replace a value in the nodes of a body and of what is inside it."""
    if const_array(value) is not None:
        return 0
    uses = list(value.uses())
    if not uses:
        return 0
    inside = {id(scope) for scope in nested(body)}
    found = [use for use in uses if id(use.node.graph) in inside]
    for use in found:
        use.node.replace_input_with(use.idx, graph.constant(np.array(truth)))
    return len(found)
