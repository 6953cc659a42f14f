"""Leaves out the branch for an empty array where the other branch gives the same.

y = If(Equal(n, 0)) { x } { Gemm(x, w) }     # x: [n, 4], y: [n, 4]: If(False) { … } { Gemm(x, w) }

Where all results of an If have a size that is zero in one branch, they are empty there, and equal
where their sizes are. The other branch must run on empty arrays, too: nothing in it can fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import Dim, same
from onnx_graph.passes.editing import bodies, nested, stays
from onnx_graph.passes.safety import cannot_fail
from onnx_graph.values import const_array, entries_of, is_tensor, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {"settled": "a condition that is settled says nothing of a size"}

#: Comparisons of a size with a number that tell zero from the other sizes, and what they say of it.
_OF_ZERO: Mapping[Any, bool] = {
    ("Equal", 0): True,
    ("Less", 1): True,
    ("LessOrEqual", 0): True,
    ("Greater", 0): False,
    ("GreaterOrEqual", 1): False,
}


def run(graph: ONNXGraph) -> int:
    """Let Ifs go by a constant; return how many."""
    found = list(_found(graph))
    for node, zero in found:
        node.replace_input_with(0, graph.constant(np.array(not zero)))
    return len(found)


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No If gives the same empty arrays either way where a size is zero."""
    for node, _ in _found(graph):
        yield f"an If that {node.outputs[0].name} does not need"


def _found(graph: ONNXGraph) -> Iterator[tuple[ir.Node, bool]]:
    """Yield Ifs to be left out, with what their condition is where the size is zero."""
    for scope in nested(graph.main.graph):
        for node in scope:
            if node.op_type == "If" and (asked := size_asked(node.inputs[0])) is not None:
                size, zero = asked
                if _is_needless(node, size, zero):
                    yield node, zero


def size_asked(condition: Value | None) -> tuple[int | Dim, bool] | None:
    """Return the size that a condition tells from zero, and what it is for zero."""
    node = None if condition is None else condition.producer()
    if node is None or condition is None or const_array(condition) is not None:
        return None
    if node.op_type == "Not":
        asked = size_asked(node.inputs[0])
        return None if asked is None else (asked[0], not asked[1])
    if len(node.inputs) != 2 or None in node.inputs:
        return None
    left, right = (entries_of(value) for value in node.inputs if value is not None)
    if len(left) != 1 or len(right) != 1 or left[0] is None:
        return None
    zero = _OF_ZERO.get((node.op_type, right[0]))
    return None if zero is None else (left[0], zero)


def _is_needless(node: ir.Node, size: int | Dim, zero: bool) -> bool:
    names = ("then_branch", "else_branch")
    empty, other = (node.attributes[name].as_graph() for name in (names if zero else names[::-1]))
    return (
        all(map(cannot_fail, other))
        and not any(map(stays, empty))
        and not any(bodies(inner) for inner in other)
        and all(_are_empty(size, *pair) for pair in zip(empty.outputs, other.outputs, strict=True))
    )


def _are_empty(size: int | Dim, one: Value, other: Value) -> bool:
    """Tell whether two arrays surely have the same sizes, one of them this."""
    if not is_tensor(one) or one.type != other.type:
        return False
    first, second = shape_or_none(one), shape_or_none(other)
    if first is None or second is None or len(first) != len(second):
        return False
    return all(map(same, first, second)) and any(same(dim, size) for dim in first)
