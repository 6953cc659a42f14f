"""What a turn of a loop begins with, told by what the turn before it has ended with.

while place < len(found):     # Loop body (…, place, found) => (Less(place', Size(found')), …)
    node = found[place]       # place < Size(found): the turn before this one has asked

The first turn is another one: what holds of the others must hold of what it begins with, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import Dim, add, multiply
from onnx_graph.passes.sizes import counted
from onnx_graph.values import dims_of, rank_of

__all__ = ["carried_on", "renewed"]

_SIGNS = {"Add": 1, "Sub": -1}


def carried_on(node: ir.Node, body: ir.Graph) -> tuple[dict[Value, Value], dict[Value, Value]]:
    """Return for what a turn ends with: where the next one finds it, and where the first one does.

    A value that stands for two that are carried is left out.
    """
    ends = body.outputs[1 : len(node.inputs) - 1]
    starts = [value for value in node.inputs[2:] if value is not None]
    once = [place for place, end in enumerate(ends) if ends.count(end) == 1]
    if len(starts) != len(ends):
        return {}, {}
    return (
        {ends[place]: body.inputs[place + 2] for place in once},
        {ends[place]: starts[place] for place in once},
    )


def renewed(
    form: Callable[[Value], int | Dim],
    is_counted: Callable[[int | Dim], bool],
    value: Value | None,
    held: Mapping[Value, Value],
    body: ir.Graph,
) -> int | Dim | None:
    """Return the form of a number of a body, where others stand for what the body ends with.

    Args:
        form: Gives the forms of integers, and the lengths of lists.
        is_counted: Tells whether arithmetic with a form surely does not overflow.
        value: An integer of no axes.
        held: What stands for what.
        body: The body.

    Returns:
        None where the number depends on something else of the turn.
    """
    if value is None:
        return None
    if value in held:
        return form(held[value])
    if value.graph is not body:
        return form(value)
    node = value.producer()
    if node is None:
        return None
    if node.op_type not in _SIGNS:
        return _length(form, node, held)
    sides = [renewed(form, is_counted, side, held, body) for side in node.inputs]
    left, right = (side if side is not None and is_counted(side) else None for side in sides)
    return (
        None if left is None or right is None else add(left, multiply(right, _SIGNS[node.op_type]))
    )


def _length(
    form: Callable[[Value], int | Dim], node: ir.Node, held: Mapping[Value, Value]
) -> int | Dim | None:
    """Return how long is what stands for a list, or a vector, of which a node gives the length."""
    is_list = node.op_type == "SequenceLength"
    source = node.inputs[0] if is_list else counted(node.outputs[0])
    if source is None or source not in held:
        return None
    new = held[source]
    if is_list:
        return form(new)
    return dims_of(new)[0] if rank_of(new) == 1 else None
