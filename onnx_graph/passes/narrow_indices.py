"""Reads by an index as it is, where it was widened for that.

y = Gather(x, Cast<to=int64>(i))         # of an int32 i: y is Gather(x, i)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes import unused
from onnx_graph.passes.editing import nested

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {"number_lists": "which reads tensors where there were lists"}


def run(graph: ONNXGraph) -> int:
    """Let Gathers take int32; return how many."""
    found = list(_found(graph))
    for node, index in found:
        node.replace_input_with(1, index)
    if found:
        unused.run(graph)
    return len(found)


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No index is widened for a Gather alone."""
    for node, _ in _found(graph):
        yield f"this Gather by what was widened: {node.outputs[0].name}"


def _found(graph: ONNXGraph) -> Iterator[tuple[ir.Node, Value]]:
    """Yield Gathers with the int32 index that was widened for them."""
    for scope in nested(graph.main.graph):
        for node in scope:
            index = node.inputs[1] if node.op_type == "Gather" else None
            cast = None if index is None else index.producer()
            if cast is None or cast.op_type != "Cast":
                continue
            narrow, to = cast.inputs[0], cast.attributes["to"].as_int()
            if narrow is not None and (narrow.dtype, to) == (ir.DataType.INT32, ir.DataType.INT64):
                yield node, narrow
