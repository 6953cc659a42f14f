"""Within a branch or a turn, what let it begin is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from onnx_graph import ONNXGraph, Value
from onnx_graph.passes import settled
from tests.onnx_graph.passes.text import I64, NX, F, check


def test_a_branch_knows_its_condition() -> None:
    def build(g: ONNXGraph) -> None:
        c, d = g.input("c", np.bool_, ()), g.input("d", np.bool_, ())
        then, other = g.body("then"), g.body("else")
        with then:
            a = g.Xor(g.Xor(c, d), g.Not(c))
        with other:
            b = g.Xor(c, d)
        g.output("y", g.If(g.And(c, g.Not(d)), then, [a], other, [b])[0])

    before = """
    not_1: bool[] = Not(d)
    and_1: bool[] = And(c, not_1)
    y: bool[] = If(and_1)
      else_branch () => (xor_1) {
        xor_1: bool[] = Xor(c, d)
      }
      then_branch () => (xor_3) {
        xor_2: bool[] = Xor(c, d)
        not_2: bool[] = Not(c)
        xor_3: bool[] = Xor(xor_2, not_2)
      }
    """
    after = """
    not_1: bool[] = Not(d)
    and_1: bool[] = And(c, not_1)
    y: bool[] = If(and_1)
      else_branch () => (xor_1) {
        xor_1: bool[] = Xor(c, d)
      }
      then_branch () => (xor_3) {
        xor_2: bool[] = Xor(True, False)
        not_2: bool[] = Not(True)
        xor_3: bool[] = Xor(xor_2, not_2)
      }
    """
    truths_ = [np.array(False), np.array(True)]
    check(settled, build, before, after, [{"c": c, "d": d} for c in truths_ for d in truths_])


def _searching(start: bool) -> Callable[[ONNXGraph], None]:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
        body = g.body("loop", loop=True)
        with body:
            done = body.input(np.bool_, (), "done")
            now = g.Or(g.Less(np.float32(1), g.ReduceSum(x, keepdims=0)), done)
        (last,) = g.Loop(n, None, body, [start], cond_out=g_not(g, body, now), carried=[now])
        g.output("y", last)

    return build


def g_not(g: ONNXGraph, body: Any, value: Value) -> Value:
    with body:
        result: Value = g.Not(value)
    return result


def test_a_turn_begins_with_what_let_it_begin() -> None:
    before = """
    y: bool[] = Loop(n, True, False)
      body (iteration: int64[], condition: bool[], done: bool[]) => (not_1, or_1) {
        reducesum_1: float[] = ReduceSum<keepdims=0>(x)
        less_1: bool[] = Less(float32(1.0), reducesum_1)
        or_1: bool[] = Or(less_1, done)
        not_1: bool[] = Not(or_1)
      }
    """
    after = """
    y: bool[] = Loop(n, True, False)
      body (iteration: int64[], condition: bool[], done: bool[]) => (not_1, or_1) {
        reducesum_1: float[] = ReduceSum<keepdims=0>(x)
        less_1: bool[] = Less(float32(1.0), reducesum_1)
        or_1: bool[] = Or(less_1, False)
        not_1: bool[] = Not(or_1)
      }
    """
    check(settled, _searching(False), before, after, NX)
    g = ONNXGraph()
    _searching(True)(g)  # the first turn begins with True
    assert not settled.run(g)
