"""Removes checks that sums and products of whole numbers fit 64 bits, where they surely do.

Loop(n, True, 1) body (i, c, k) {
    Less(Abs(Mul(Cast<to=double>(k), 3.0)), 9.2e18)     # True, for k is at most 1009
    … Add(Mod(Mul(k, 3), 1009), 1)
}
Equal(GreaterOrEqual(Add(x, y), x), GreaterOrEqual(y, 0))   # True where Add(x, y) surely fits
Equal(LessOrEqual(Sub(x, y), x), GreaterOrEqual(y, 0))      # likewise

`onnx_graph/intervals.py` knows how large numbers may be that a Loop carries, or keeps on a stack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.intervals import INT64, Interval, Intervals
from onnx_graph.passes.editing import made_by, nested, replace
from onnx_graph.values import const_array

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {
    "number_lists": "which reads tensors where there were lists",
}

_RISES = {"GreaterOrEqual": "Add", "LessOrEqual": "Sub"}
"""A sum is not below its first operand, or a difference not above it, if the other is natural."""


def run(graph: ONNXGraph) -> int:
    """Put True in the place of what surely holds; return how often."""
    found = list(_found(graph))
    for node in found:
        assert node.graph is not None
        if replace(graph, node.outputs[0], graph.constant(np.array(True))):
            node.graph.remove(node, safe=True)
    return len(found)


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No sum or product that surely fits is looked at."""
    for node in _found(graph):
        yield f"a check of what surely fits: {node.outputs[0].name}"


def _found(graph: ONNXGraph) -> Iterator[ir.Node]:
    """Yield the comparisons that surely hold."""
    asked = [
        node
        for scope in nested(graph.main.graph)
        for node in scope
        if not any(value.is_graph_output() for value in node.outputs)
        and (_sum_of(node) is not None or _asks_for_size(node))
    ]
    if not asked:
        return
    known = Intervals(graph.main.graph)
    for node in asked:
        made = _sum_of(node)
        if made is None:
            size, most = map(known.of, node.inputs)
            if size.is_known and most.is_known and size.high < most.low:
                yield node
        elif _fits(made, known):
            yield node


def _fits(node: ir.Node, known: Intervals) -> bool:
    """Tell whether a sum or difference surely is one of 64 bits."""
    one, other = map(known.of, node.inputs)
    if not (one.is_known and other.is_known):
        return False
    if node.op_type == "Sub":
        other = Interval(-other.high, -other.low)
    return one.low + other.low >= INT64.low and one.high + other.high <= INT64.high


def _asks_for_size(node: ir.Node) -> bool:
    """Tell whether a node asks whether a double is not too large."""
    if node.op_type != "Less" or made_by(node.inputs[0], "Abs") is None:
        return False
    limit = node.inputs[1]
    known = None if limit is None else const_array(limit)
    return known is not None and known.dtype == np.float64 and known.ndim == 0


def _sum_of(node: ir.Node) -> ir.Node | None:
    """Return the sum or difference that a node asks whether it fits."""
    if node.op_type != "Equal":
        return None
    for rises, natural in (node.inputs, node.inputs[::-1]):
        asked = None if rises is None else rises.producer()
        if asked is None or asked.op_type not in _RISES:
            continue
        result, first = asked.inputs
        made = made_by(result, _RISES[asked.op_type])
        if made is None or made.inputs[0] is not first or made.outputs[0].dtype is not _INT64:
            continue
        if _is_natural(natural, made.inputs[1]):
            return made
    return None


_INT64 = ir.DataType.INT64


def _is_natural(truth: Value | None, number: Value | None) -> bool:
    """Tell whether a truth is whether a number is at least 0."""
    node = None if truth is None else truth.producer()
    if node is None or number is None or len(node.inputs) != 2 or node.inputs[0] is not number:
        return False
    limit = node.inputs[1]
    known = None if limit is None else const_array(limit)
    least = {"GreaterOrEqual": 0, "Greater": -1}.get(node.op_type)
    return known is not None and known.ndim == 0 and least is not None and int(known) == least
