"""What the last of the turns that satisfy a test makes, and what there was before without one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.at_once.planned import Planned, once
from onnx_graph.passes.at_once.turns import Turns
from onnx_graph.passes.editing import original

__all__ = ["kept", "picked"]


@dataclass(frozen=True)
class _Taken:
    """What takes the place of a carried value.

    Attributes:
        value: What it is.
        test: In which turns; None for all.
        key: Equal for what is taken in the same turns.
    """

    value: Value
    test: Planned | None = None
    key: tuple[ir.Node, bool] | None = None


def kept(turns: Turns, number: int) -> Planned | None:
    """Plan a result that each turn makes anew, or each that satisfies a test."""
    begin, taken = turns.of_start(number), _taken(turns, number)
    made = None if taken is None else turns.plan(taken.value)
    if begin is None or taken is None or made is None or made.rank or begin.rank:
        return None
    g, axis = turns.graph, turns.depth - 1
    true = Planned(0, 0, lambda: g.constant(np.array(True)))

    def place() -> Value:
        truths = turns.every_truth(taken.test or true)
        whole = g.Cast(g.Concat(turns.column(true), truths, axis=axis), to=np.int32)
        return g.ArgMax(whole, axis=axis, keepdims=0, select_last_index=1)

    shared = turns.shared(("kept", taken.key), place)
    return Planned(axis, 0, once(lambda: picked(turns, begin, made, shared())))


def _taken(turns: Turns, number: int) -> _Taken | None:
    """Return what is taken, and in which turns: all, or those of one branch."""
    end, inner = original(turns.body, turns.body.outputs[1 + number]), turns.body.inputs[2 + number]
    node = end.producer()
    if node is None or node.op_type != "If" or node.graph is not turns.body:
        return _Taken(end)
    branches, index = turns.enter(node), end.index() or 0
    test = None if node.inputs[0] is None else turns.plan(node.inputs[0])
    if branches is None or test is None:
        return None
    one, other = (original(branch, branch.outputs[index]) for branch in branches)
    if other is inner:
        return _Taken(one, test, (node, True))
    if one is inner:
        return _Taken(other, turns.negated(test), (node, False))
    return _Taken(end)


def picked(turns: Turns, begin: Planned, made: Planned, place: Value) -> Value:
    """Emit what was made in a turn, by its number from 1 on; 0 is what there was before."""
    g, axis = turns.graph, turns.depth - 1
    whole = g.Concat(turns.column(begin), turns.full(made), axis=axis)
    if not axis:
        return g.Gather(whole, place, axis=0)
    return g.Squeeze(g.GatherElements(whole, g.Unsqueeze(place, [axis]), axis=axis), [axis])
