"""Decides comparisons of integers by what the numbers of turns and the lengths of lists are.

Loop(n) body (i, …) { Less(i, n) … }     # True: a turn's number is below that of turns
Loop(Max(n - k, 0)) body (j, …) { Less(Add(k, j), n) }  # True as well
y = Max(SequenceLength(l), 0)            # SequenceLength(l)
y = Slice(x, [0], Unsqueeze(n), [0])     # x, if it has no more rows than n

So an index within a loop over the same list is not checked at each turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.integers import Integers
from onnx_graph.passes.editing import copied_before, may_replace, nested, replace
from onnx_graph.passes.sizes import learn

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {"duplicates": "one comparison is decided once"}

_COMPARISONS = ("Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal")


def run(graph: ONNXGraph) -> int:
    """Put truths and operands in the place of what is decided; return how many nodes are gone."""
    gone: dict[Value, Value] = {}
    for node, known in list(_decided(graph)):
        value = graph.constant(np.array(known)) if type(known) is bool else known
        while value in gone:  # the operand of a Max or Slice is one that is gone
            value = gone[value]
        if node.op_type == "Slice":  # who has asked for the size of its result hears of it
            learn(graph, node.outputs[0], value)
        if not may_replace(graph, node.outputs[0], value):
            value = copied_before(node, value)
        if replace(graph, node.outputs[0], value):
            assert node.graph is not None
            node.graph.remove(node, safe=True)
            gone[node.outputs[0]] = value
    return len(gone)


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No comparison comes out one way; no Max or Slice always is one of its operands."""
    for node, known in _decided(graph):
        yield f"this {node.op_type}, which is {known if type(known) is bool else 'one operand'}"


def _decided(graph: ONNXGraph) -> Iterator[tuple[ir.Node, bool | Value]]:
    """Yield what comparisons come out as, and the operands that a Max or Slice always is."""
    integers = Integers(graph.main.graph)
    for scope in nested(graph.main.graph):
        for node in scope:
            if node.op_type in _COMPARISONS and not node.outputs[0].is_graph_output():
                truth = integers.decide(node)
                if truth is not None:
                    yield node, truth
            elif node.op_type in ("Max", "Slice"):
                value = (integers.larger if node.op_type == "Max" else integers.front)(node)
                if value is not None and _is_simpler(graph, node, value):
                    yield node, value


def _is_simpler(graph: ONNXGraph, node: ir.Node, operand: Value) -> bool:
    """Tell whether an operand may be used for what a node gives, or copied within a body."""
    inside = node.graph is not graph.main.graph
    return may_replace(graph, node.outputs[0], operand) or (node.op_type == "Slice" and inside)
