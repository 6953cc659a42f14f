"""Values of turns, and what can be said of a value or a loop before there is any plan for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import all_known
from onnx_graph.passes.editing import original
from onnx_graph.values import const_array, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

__all__ = ["Planned", "begins", "condition_of", "is_small", "once"]

_SMALL = 64
"""How many numbers what a turn computes may have."""


@dataclass(frozen=True)
class Planned:
    """A value for all turns.

    Attributes:
        depth: How many axes of turns it begins with, the outermost loop's first; each has the
            number of turns, or 1 where all turns are alike.
        rank: How many axes it has in one turn.
        emit: Emits it.
        is_token: Whether it is the 0 that a check gives, for all turns.
    """

    depth: int
    rank: int
    emit: Callable[[], Value]
    is_token: bool = False

    def aligned(self, g: ONNXGraph, depth: int, rank: int) -> Value:
        """Emit it with axes of size 1 for those that it lacks of others."""
        value = self.emit()
        missing = depth - self.depth + rank - self.rank
        if not self.depth or not missing:
            return value
        return g.Unsqueeze(value, list(range(self.depth, self.depth + missing)))


def once(emit: Callable[[], Value]) -> Callable[[], Value]:
    """Return what emits a value the first time alone."""
    made: list[Value] = []

    def emitted() -> Value:
        if not made:
            made.append(emit())
        return made[0]

    return emitted


def begins(loop: ir.Node) -> bool:
    """Tell whether a loop has a number of turns at most, and no other condition to begin."""
    first = None if loop.inputs[1] is None else const_array(loop.inputs[1])
    return loop.inputs[0] is not None and first is not None and bool(first.all())


def condition_of(body: ir.Graph) -> Value | None:
    """Return by what a turn decides whether there is another one; None if there always is."""
    condition = original(body, body.outputs[0])
    array = const_array(condition)
    return None if array is not None and bool(array.all()) else condition


def is_small(value: Value) -> bool:
    """Tell whether a tensor has few numbers, and how many is known."""
    dims = shape_or_none(value)
    return dims is not None and all_known(dims) and prod(dims) <= _SMALL
