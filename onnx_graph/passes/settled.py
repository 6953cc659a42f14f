"""Puts a truth in the place of a condition where the If or Loop around it has settled it.

y = If(c) { … Not(c) … } { … c … }      # Not(True) in one branch, False in the other
done = Loop(n, True, False) body (…, done) => (Not(Or(a, done)), Or(a, done))
                                         # a turn begins with done False: Or(a, False)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import bodies, nested
from onnx_graph.values import const_array, is_truth

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {
    "conditions": "an If that goes by a constant has no branches to look at"
}


class Places:
    """Which graph is inside which, while none is added or taken away."""

    def __init__(self, main: ir.Graph) -> None:
        """Number the graphs, those inside one before it."""
        self._number: dict[int, int] = {}
        self._first: dict[int, int] = {}
        self._enter(main)

    def _enter(self, graph: ir.Graph) -> None:
        self._first[id(graph)] = len(self._number)
        for node in graph:
            for body in bodies(node):
                self._enter(body)
        self._number[id(graph)] = len(self._number)

    def is_inside(self, graph: ir.Graph | None, outer: ir.Graph) -> bool:
        """Tell whether a graph is `outer` or inside it."""
        number = self._number.get(id(graph), -1)
        return self._first[id(outer)] <= number <= self._number[id(outer)]


def run(graph: ONNXGraph) -> int:
    """Settle conditions; return how many operands are replaced."""
    changed = 0
    places = Places(graph.main.graph)
    for scope in list(nested(graph.main.graph)):
        for node in scope:
            for body, value, truth in _known(node):
                changed += _settle(graph, body, value, truth, places)
    return changed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """Nobody reads in a branch or a turn what has let it begin, nor what that says of others."""
    places = Places(graph.main.graph)
    for scope in nested(graph.main.graph):
        for node in scope:
            for body, value, truth in _known(node):
                if const_array(value) is None and _uses_inside(body, value, places):
                    yield f"a truth that is {truth} within this {node.op_type}"


def _known(node: ir.Node) -> Iterator[tuple[ir.Graph, Value, bool]]:
    """Yield what an If or Loop has settled: a body, and a value that is known within it."""
    if node.op_type == "If":
        yield from _branches(node)
    elif node.op_type == "Loop":
        yield from _turns(node)


def _branches(node: ir.Node) -> Iterator[tuple[ir.Graph, Value, bool]]:
    condition = node.inputs[0]
    assert condition is not None
    for name, truth in (("then_branch", True), ("else_branch", False)):
        body = node.attributes[name].as_graph()
        for value, known in implied(condition, truth):
            yield body, value, known


def _turns(node: ir.Node) -> Iterator[tuple[ir.Graph, Value, bool]]:
    """Yield what is carried and decides whether there is another turn."""
    (body,) = bodies(node)
    known = {id(value): truth for value, truth in implied(body.outputs[0], True)}
    for start, inner, end in zip(
        node.inputs[2:], list(body.inputs)[2:], list(body.outputs)[1:], strict=False
    ):
        truth = known.get(id(end))
        first = None if start is None else const_array(start)
        if truth is not None and first is not None and bool(first) is truth:
            yield body, inner, truth


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


def _settle(graph: ONNXGraph, body: ir.Graph, value: Value, truth: bool, places: Places) -> int:
    """Replace a value in the nodes of a body and of what is inside it."""
    if const_array(value) is not None:
        return 0
    found = _uses_inside(body, value, places)
    for user, index in found:
        user.replace_input_with(index, graph.constant(np.array(truth)))
    return len(found)


def _uses_inside(body: ir.Graph, value: Value, places: Places) -> list[tuple[ir.Node, int]]:
    return [use for use in value.uses() if places.is_inside(use.node.graph, body)]
