"""Equal nodes are computed once."""

from __future__ import annotations

import numpy as np

from onnx_graph import ONNXGraph
from onnx_graph.passes import duplicates
from tests.onnx_graph.passes.text import CX, F, check


def test_duplicates() -> None:
    def build(g: ONNXGraph) -> None:
        x, c = g.input("x", F, ("N",)), g.input("c", np.bool_, ())
        a = g.Exp(x)
        then, other = g.body("then"), g.body("else")
        with then:
            b = g.Neg(g.Exp(x))
        with other:
            d = g.Neg(g.Exp(x))
        (e,) = g.If(c, then, [b], other, [d])
        g.output("y", g.Add(g.Add(a, e), g.Exp(x)))

    before = """
    exp_1: float[N] = Exp(x)
    if_1: float[N] = If(c)
      else_branch () => (neg_1) {
        exp_2: float[N] = Exp(x)
        neg_1: float[N] = Neg(exp_2)
      }
      then_branch () => (neg_2) {
        exp_3: float[N] = Exp(x)
        neg_2: float[N] = Neg(exp_3)
      }
    add_1: float[N] = Add(exp_1, if_1)
    exp_4: float[N] = Exp(x)
    y: float[N] = Add(add_1, exp_4)
    """
    after = """
    exp_1: float[N] = Exp(x)
    if_1: float[N] = If(c)
      else_branch () => (neg_1) {
        neg_1: float[N] = Neg(exp_1)
      }
      then_branch () => (neg_2) {
        neg_2: float[N] = Neg(exp_1)
      }
    add_1: float[N] = Add(exp_1, if_1)
    y: float[N] = Add(add_1, exp_1)
    """
    check(duplicates, build, before, after, CX)


def test_random_numbers_are_no_duplicates() -> None:
    g = ONNXGraph(random=True)
    x = g.input("x", F, ("N",))
    g.output("y", g.Sub(g.RandomNormalLike(x), g.RandomNormalLike(x)))
    assert duplicates.run(g) == 0
