"""Keeps a Range apart from the Gather that it indexes.

onnxruntime makes a Slice of the two, from the first number to the last: a Slice stops at the end of
an axis where a Gather fails, and a negative number that it begins or ends with counts from there.
A Max of one operand between them keeps them as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import compare
from onnx_graph.values import const_array, dims_of, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

_PASSED = {
    *("Add", "Cast", "Concat", "Div", "Expand", "Identity", "Min", "Mul", "Reshape", "Squeeze"),
    *("Sub", "Transpose", "Unsqueeze"),
}
"""What onnxruntime may drop where it changes nothing."""

_STEPS = 4


def apart(graph: ONNXGraph, values: list[Value | None], axis: object) -> list[Value | None]:
    """Return the operands of a Gather, with a barrier before its index where it needs one."""
    data, index = values
    if data is None or index is None:
        return values
    node = _range_behind(index, _STEPS)
    if node is None or (index.producer() is node and _fits(node, data, int(str(axis)))):
        return values
    return [data, graph.emit("Max", [index])]


def _range_behind(value: Value, steps: int) -> ir.Node | None:
    node = value.producer()
    if node is None or node.op_type == "Range" or not steps:
        return node if node is not None and node.op_type == "Range" else None
    if node.op_type not in _PASSED:
        return None
    found = (_range_behind(operand, steps - 1) for operand in node.inputs if operand is not None)
    return next((one for one in found if one is not None), None)


def _fits(node: ir.Node, data: Value, axis: int) -> bool:
    """Tell whether the numbers are surely places of an axis, from the front to the back."""
    start, _, step = (None if v is None else const_array(v) for v in node.inputs)
    if start is None or step is None or start < 0 or step < 1 or shape_or_none(data) is None:
        return False
    (count,) = dims_of(node.outputs[0])
    last = (count - 1) * int(step) + int(start)
    return compare(last, "<", dims_of(data)[axis]) is True
