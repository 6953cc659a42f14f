"""What one branch alone reads is computed in it, within loops."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from onnx_graph import ONNXGraph, Value
from onnx_graph.passes import sinking
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import I64, NX, F, built, check, same

Made = Callable[[ONNXGraph, Value, Value], tuple[Value, Value, Value]]


def looped(g: ONNXGraph, made: Made) -> None:
    """Carry a vector: in some turns something is put to it."""
    x, n = g.input("x", F, (3,)), g.input("n", I64, ())
    body = g.body("loop", loop=True)
    with body:
        h = body.input(F, (3,), "h")
        end = chosen(g, *made(g, h, body.iteration))
    g.output("y", g.Loop(n, True, body, [x], carried=[end])[0])


def chosen(g: ONNXGraph, test: Value, one: Value, two: Value) -> Value:
    then, other = g.body("then"), g.body("else")
    with then:
        a = g.Mul(two, g.ReduceSum(one, None, keepdims=0))
    with other:
        b = g.Sub(two, F(1))
    result: Value = g.If(test, then, [a], other, [b])[0]
    return result


def odd(g: ONNXGraph, turn: Value) -> Value:
    result: Value = g.Equal(g.Mod(turn, 2), 1)
    return result


def one_side(g: ONNXGraph, h: Value, turn: Value) -> tuple[Value, Value, Value]:
    return odd(g, turn), g.Exp(g.Neg(h)), h


def test_in_a_loop() -> None:
    before = """
    y: float[3] = Loop(n, True, x)
      body (iteration: int64[], condition: bool[], h: float[3]) => (identity_1, if_1) {
        mod_1: int64[] = Mod(iteration, 2)
        equal_1: bool[] = Equal(mod_1, 1)
        neg_1: float[3] = Neg(h)
        exp_1: float[3] = Exp(neg_1)
        if_1: float[3] = If(equal_1)
          else_branch () => (sub_1) {
            sub_1: float[3] = Sub(h, float32(1.0))
          }
          then_branch () => (mul_1) {
            reducesum_1: float[] = ReduceSum<keepdims=0>(exp_1)
            mul_1: float[3] = Mul(h, reducesum_1)
          }
        identity_1: bool[] = Identity(True)
      }
    """
    after = """
    y: float[3] = Loop(n, True, x)
      body (iteration: int64[], condition: bool[], h: float[3]) => (identity_1, if_1) {
        mod_1: int64[] = Mod(iteration, 2)
        equal_1: bool[] = Equal(mod_1, 1)
        if_1: float[3] = If(equal_1)
          else_branch () => (sub_1) {
            sub_1: float[3] = Sub(h, float32(1.0))
          }
          then_branch () => (mul_1) {
            neg_1: float[3] = Neg(h)
            exp_1: float[3] = Exp(neg_1)
            reducesum_1: float[] = ReduceSum<keepdims=0>(exp_1)
            mul_1: float[3] = Mul(h, reducesum_1)
          }
        identity_1: bool[] = Identity(True)
      }
    """
    check(sinking, lambda g: looped(g, one_side), before, after, NX)


def of_loops_within(g: ONNXGraph) -> None:
    """The branch has a loop of its own, which reads it."""
    x, n = g.input("x", F, (3,)), g.input("n", I64, ())
    body = g.body("loop", loop=True)
    with body:
        h = body.input(F, (3,), "h")
        step = g.Neg(h)
        then, other = g.body("then"), g.body("else")
        with then:
            inner = g.body("inner", loop=True)
            with inner:
                more = g.Add(inner.input(F, (3,), "k"), step)
            (a,) = g.Loop(2, True, inner, [h], carried=[more])
        with other:
            b = g.Identity(h)
        (end,) = g.If(odd(g, body.iteration), then, [a], other, [b])
    g.output("y", g.Loop(n, True, body, [x], carried=[end])[0])


def test_before_a_loop_within_the_branch() -> None:
    passed = built(of_loops_within)
    assert checked(sinking).run(passed) == 1
    same(built(of_loops_within), passed, NX)


def both_sides(g: ONNXGraph, h: Value, turn: Value) -> tuple[Value, Value, Value]:
    step = g.Neg(h)
    return odd(g, turn), step, step


def what_decides(g: ONNXGraph, h: Value, turn: Value) -> tuple[Value, Value, Value]:
    step = g.Neg(h)
    return g.Less(g.Gather(step, 0), F(1)), step, h


def what_may_fail(g: ONNXGraph, h: Value, turn: Value) -> tuple[Value, Value, Value]:
    return odd(g, turn), g.Gather(h, g.Unsqueeze(g.Add(turn, 1), [0])), h


@pytest.mark.parametrize("made", [both_sides, what_decides, what_may_fail])
def test_what_stays(made: Made) -> None:
    g = built(lambda g: looped(g, made))
    sinking.run(g)
    (body,) = (
        node.attributes["body"].as_graph() for node in g.main.graph if node.op_type == "Loop"
    )
    assert {"Neg", "Gather"} & {node.op_type for node in body}


def test_outside_loops_all_stays() -> None:
    g = ONNXGraph()
    x, c = g.input("x", F, (3,)), g.input("c", np.bool_, ())
    g.output("y", chosen(g, c, g.Neg(x), x))
    assert sinking.run(g) == 0
