"""Checks of a body, for all turns at once: one that holds in each turn that comes to it."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.marks import CHECK
from onnx_graph.passes.at_once.planned import Planned

if TYPE_CHECKING:
    from onnx_graph.passes.at_once.turns import Turns

__all__ = ["checked", "comes_to"]


def checked(turns: Turns, size: ir.Node) -> Planned | None:
    """Plan the token of a check, the size of what the check gives; None of another size."""
    node = None if size.inputs[0] is None else size.inputs[0].producer()
    condition = None if node is None else _condition(node)
    holds = None if condition is None else turns.plan(condition)
    if node is None or holds is None or holds.rank:
        return None
    comes, g, message = comes_to(turns, node), turns.graph, node.meta[CHECK]
    if comes is None:
        return None
    fails = reduce(turns.both, comes, turns.negated(holds))
    turns.planned.add(node)
    return Planned(0, 0, lambda: g.check(g.Not(_some(turns, fails)), message), is_token=True)


def _condition(node: ir.Node) -> Value | None:
    """Return what a check asks for; None of another node."""
    step = node.inputs[2].producer() if CHECK in node.meta and node.inputs[2] else None
    return None if step is None or step.op_type != "Cast" else step.inputs[0]


def comes_to(turns: Turns, node: ir.Node) -> list[Planned] | None:
    """Plan what is true, all of it together, in the turns that come to a node."""
    truths: list[Planned] = []
    place = node.graph
    while place is not turns.body:
        found = next((of for branch, of in turns.branches.items() if branch is place), None)
        if found is None:
            return None
        branching, is_then = found
        condition = branching.inputs[0]
        test = None if condition is None else turns.plan(condition)
        if test is None:
            return None
        truths.append(test if is_then else turns.negated(test))
        place = branching.graph
    outer = turns.outer
    while outer is not None:
        truths += [] if outer.made is None else [outer.made]
        outer = outer.outer
    return truths


def _some(turns: Turns, planned: Planned) -> Value:
    """Emit whether a truth holds in any turn."""
    g = turns.graph
    truths = g.Cast(turns.every_truth(planned), to=np.int64)
    return g.Less(0, g.ReduceSum(truths, list(range(turns.depth)), keepdims=0))
