"""Compares a number with a constant in its own precision, where it was widened for that.

    y = Greater(Cast<to=double>(x), 1.0)     # of a float x: y is Greater(x, float32(1.0))
    y = Less(Cast<to=double>(x), 0.1)        # Less(x, float32(0.1)), the next float32 from 0.1 up
    y = Less(Cast<to=int64>(x), 3)           # of an int32 x: y is Less(x, int32(3))

No float32 lies between a float64 and the next float32 above or below it, so that either side of
such a constant is the same set of numbers. One that is no float32 equals none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import nested
from onnx_graph.values import const_array

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {"truths": "a Not of a comparison may become another one"}

_WIDENED = {
    (ir.DataType.FLOAT, ir.DataType.DOUBLE),
    (ir.DataType.INT32, ir.DataType.INT64),
}
#: Where the number stands on the left: whether the next float32 is that above the constant.
_UPWARDS = {"Greater": False, "LessOrEqual": False, "Less": True, "GreaterOrEqual": True}


def run(graph: ONNXGraph) -> int:
    """Compare narrow numbers; return how many comparisons change."""
    found = list(_found(graph))
    for node, place, x, number in found:
        node.replace_input_with(place, x)
        node.replace_input_with(1 - place, graph.constant(number))
    return len(found)


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No float32 or int32 is widened to be compared with a constant."""
    for node, *_ in _found(graph):
        yield f"this {node.op_type} of a number that was widened"


def _found(graph: ONNXGraph) -> Iterator[tuple[ir.Node, int, Value, npt.NDArray[Any]]]:
    """Yield comparisons, with the place of what was widened, that, and the constant beside it."""
    for scope in nested(graph.main.graph):
        for node in scope:
            for place in (0, 1) if node.op_type in (*_UPWARDS, "Equal") else ():
                x, number = _widened(node.inputs[place]), _number(node.inputs[1 - place])
                near = None if x is None or number is None else _nearest(node, place, number)
                if x is not None and near is not None:
                    yield node, place, x, near
                    break


def _widened(value: Value | None) -> Value | None:
    """Return the float32 that a float64 was, or the int32 that an int64 was."""
    node = None if value is None else value.producer()
    if node is None or node.op_type != "Cast" or node.inputs[0] is None:
        return None
    fits = (node.inputs[0].dtype, node.attributes["to"].as_int()) in _WIDENED
    return node.inputs[0] if fits and const_array(node.inputs[0]) is None else None


def _number(value: Value | None) -> npt.NDArray[Any] | None:
    array = None if value is None else const_array(value)
    return array if array is not None and array.ndim == 0 and not np.isnan(array) else None


def _nearest(node: ir.Node, place: int, number: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """Return the float32 or int32 to compare with; None where none tells the same."""
    if number.dtype == np.int64:
        return number.astype(np.int32) if number == number.astype(np.int32) else None
    with np.errstate(over="ignore", under="ignore"):
        near = number.astype(np.float32)
    if near.astype(np.float64) == number:
        return near
    if node.op_type == "Equal":
        return None
    upwards = _UPWARDS[node.op_type] == (place == 0)
    if upwards != (near > number):
        near = np.nextafter(near, np.float32(np.inf if upwards else -np.inf))
    return np.asarray(near, np.float32)
