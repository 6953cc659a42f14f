"""How many turns a Loop makes, as a size, as a sum and as a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import Dim, add, compare, maximum
from onnx_graph.passes.checks_first import at_least_one
from onnx_graph.passes.editing import bodies, nested, original
from onnx_graph.passes.recurrences.turns import Linear, linear
from onnx_graph.values import const_array

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

__all__ = ["Count", "count_of", "is_endless"]


@dataclass(frozen=True)
class Count:
    """How many turns there are.

    Attributes:
        size: As a size.
        terms: As a sum of scalars.
        value: Emits it as a scalar.
        first: The number of the first turn: -1 where a turn stands before the loop.
    """

    size: int | Dim
    terms: Linear
    value: Callable[[], Value]
    first: int


def count_of(graph: ONNXGraph, loop: ir.Node, size: int | Dim, more: int = 0) -> Count:
    """Return how many turns an endless Loop makes, and as many before it.

    Args:
        graph: The graph.
        loop: The loop.
        size: Its number of turns; none where that is negative.
        more: How many of its turns stand before it.
    """
    trip, (body,) = loop.inputs[0], bodies(loop)
    assert trip is not None
    terms: dict[Value | None, int] = dict(linear(trip))
    sure = compare(at_least_one(graph, size), ">=", 0) is True or _is_guarded(graph, loop, trip)
    if not sure:
        size = maximum(size, 0)
        terms = {}  # of which no sum is known
    terms[None] = terms.get(None, 0) + more
    kept = {key: factor for key, factor in terms.items() if factor}

    def value() -> Value:
        match list(kept.items()):
            case [(Value() as one, 1)] if sure:
                return one
        count = trip if sure else graph.Max(trip, 0)
        return graph.Add(count, more) if more else count

    unknown: Linear = {body.inputs[1]: 1}  # stands for a number that nothing else is
    return Count(add(size, more), kept if sure else unknown, value, -more)


def is_endless(loop: ir.Node) -> bool:
    """Tell whether nothing but its number of turns ends a Loop."""
    (body,) = bodies(loop)
    conditions = (loop.inputs[1], original(body, body.outputs[0]))
    known = [None if value is None else const_array(value) for value in conditions]
    return all(array is not None and bool(array.all()) for array in known)


def _is_guarded(graph: ONNXGraph, loop: ir.Node, trip: Value) -> bool:
    """Tell whether the loop stands in a branch that asks for so many turns."""
    home = loop.graph
    for scope in nested(graph.main.graph):
        for node in scope:
            if node.op_type == "If" and node.attributes["then_branch"].as_graph() is home:
                return _implies(node.inputs[0], trip)
    return False


def _implies(condition: Value | None, trip: Value) -> bool:
    """Tell whether a condition says that a number is not negative."""
    node = None if condition is None else condition.producer()
    if node is None or node.op_type != "Greater" or None in node.inputs:
        return False
    more, less = (linear(value) for value in node.inputs if value is not None)
    count = linear(trip)
    keys = {*more, *less, *count}
    rest = {key: count.get(key, 0) - more.get(key, 0) + less.get(key, 0) for key in keys}
    number = rest.pop(None, 0)
    return not any(rest.values()) and number >= -1
