"""Reads once by one of two indices, where two branches read the same array.

    y = If(c) { Gather(x, i) } { Gather(x, Cast<to=int64>(j)) }

    y = Gather(x, Where(c, i, Cast<to=int64>(j)))

A choice of two numbers takes less time than a branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.marks import SOURCE
from onnx_graph.passes.editing import before, nested, surely_replace
from onnx_graph.values import const_array, rank_of

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {"conditions": "what is left of a branch is what it computes"}

_INTEGERS = (ir.DataType.INT32, ir.DataType.INT64)


def run(graph: ONNXGraph) -> int:
    """Take Gathers out of branches; return how many."""
    changed = 0
    for scope in nested(graph.main.graph):
        for node in list(scope):
            found = _found(node)
            if found is not None:
                _read_once(graph, node, *found)
                changed += 1
    return changed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No two branches only read the same array."""
    for scope in nested(graph.main.graph):
        for node in scope:
            found = _found(node)
            if found is not None:
                yield f"the branches of {node.outputs[0].name}"


def _read_once(
    graph: ONNXGraph, node: ir.Node, read: ir.Node, yes: Value, other: ir.Node, no: Value
) -> None:
    with before(graph, node):
        index = graph.Where(node.inputs[0], _wide(graph, yes), _wide(graph, no))
        made = graph.Gather(read.inputs[0], index, axis=_axis(read))
    kept = made.producer()
    assert kept is not None and node.graph is not None
    kept.meta.update(read.meta)
    made.shape = node.outputs[0].shape
    made.meta.update(node.outputs[0].meta)
    surely_replace(graph, node.outputs[0], made)
    node.graph.remove(node, safe=True)


def _wide(graph: ONNXGraph, index: Value) -> Value:
    number = const_array(index)
    if number is not None:
        return graph.constant(number.astype(np.int64))
    made: Value = index if index.dtype is ir.DataType.INT64 else graph.Cast(index, to=np.int64)
    return made


def _found(node: ir.Node) -> tuple[ir.Node, Value, ir.Node, Value] | None:
    """Return what the branches of an If read, and by which index, if they do nothing else."""
    if node.op_type != "If" or len(node.outputs) != 1 or node.outputs[0].is_graph_output():
        return None
    one, other = (
        _read(node.attributes[name].as_graph()) for name in ("then_branch", "else_branch")
    )
    if one is None or other is None or one[0].inputs[0] is not other[0].inputs[0]:
        return None
    marks = [{**read.meta, SOURCE: None} for read in (one[0], other[0])]
    alike = _axis(one[0]) == _axis(other[0]) and marks[0] == marks[1]
    return (*one, *other) if alike else None


def _axis(read: ir.Node) -> int:
    return read.attributes["axis"].as_int() if "axis" in read.attributes else 0


def _read(body: ir.Graph) -> tuple[ir.Node, Value] | None:
    """Return the Gather that is all that a branch does, and its index as it is outside."""
    read, *casts = list(body)[::-1]
    if read.op_type != "Gather" or body.outputs[0] is not read.outputs[0]:
        return None
    data, index = read.inputs
    if data is None or index is None or data.graph is body or rank_of(index) != 0:
        return None
    made = index.producer()
    if casts:
        if len(casts) > 1 or casts[0] is not made or made.op_type != "Cast":
            return None
        (index,) = made.inputs
    if index is None or index.dtype not in _INTEGERS or index.graph is body:
        return None
    return read, index
