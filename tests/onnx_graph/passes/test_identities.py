"""Nodes that give back their operand go."""

from __future__ import annotations

import numpy as np

from onnx_graph import ONNXGraph
from onnx_graph.passes import identities
from tests.onnx_graph.passes.text import I64, NX, F, X, check


def test_identities() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N",))
        y = g.Transpose(g.Cast(g.Identity(g.Relu(g.Identity(x))), to=F), perm=[0])
        g.output("y", g.Identity(y))
        g.output("z", x)
        g.output("t", g.Or(g.Not(g.Not(g.IsNaN(y))), g.IsInf(x)))

    before = """
    identity_1: float[N] = Identity(x)
    relu_1: float[N] = Relu(identity_1)
    identity_2: float[N] = Identity(relu_1)
    cast_1: float[N] = Cast<to=1>(identity_2)
    transpose_1: float[N] = Transpose<perm=(0,)>(cast_1)
    y: float[N] = Identity(transpose_1)
    z: float[N] = Identity(x)
    isnan_1: bool[N] = IsNaN(transpose_1)
    not_1: bool[N] = Not(isnan_1)
    not_2: bool[N] = Not(not_1)
    isinf_1: bool[N] = IsInf(x)
    t: bool[N] = Or(not_2, isinf_1)
    """
    after = """
    y: float[N] = Relu(x)
    z: float[N] = Identity(x)
    isnan_1: bool[N] = IsNaN(y)
    isinf_1: bool[N] = IsInf(x)
    t: bool[N] = Or(isnan_1, isinf_1)
    """
    check(identities, build, before, after, X)


def test_neutral_numbers() -> None:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
        for name, value in (
            ("p", g.Mul(x, 1.0)),
            ("q", g.Div(x, 1.0)),
            ("r", g.Add(x, 0.0)),
            ("s", g.Mul(x, g.constant(np.ones((1, 1), F)))),
            ("t", g.Add(g.Mul(n, 1), 0)),
            ("u", g.Sub(n, 0)),
            ("v", g.Sub(0, n)),
        ):
            g.output(name, g.Identity(value))

    before = """
    mul_1: float[N] = Mul(x, float32(1.0))
    div_1: float[N] = Div(x, float32(1.0))
    neg_1: float[N] = Neg(x)
    sub_1: float[N] = Sub(float32(0.0), neg_1)
    mul_2: float[1, N] = Mul(x, float32([[1.0]]))
    mul_3: int64[] = Mul(n, 1)
    add_1: int64[] = Add(mul_3, 0)
    sub_2: int64[] = Sub(n, 0)
    sub_3: int64[] = Sub(0, n)
    p: float[N] = Identity(mul_1)
    q: float[N] = Identity(div_1)
    r: float[N] = Identity(sub_1)
    s: float[1, N] = Identity(mul_2)
    t: int64[] = Identity(add_1)
    u: int64[] = Identity(sub_2)
    v: int64[] = Identity(sub_3)
    """
    after = """
    neg_1: float[N] = Neg(x)
    r: float[N] = Sub(float32(0.0), neg_1)
    s: float[1, N] = Mul(x, float32([[1.0]]))
    v: int64[] = Sub(0, n)
    p: float[N] = Identity(x)
    q: float[N] = Identity(x)
    t: int64[] = Identity(n)
    u: int64[] = Identity(n)
    """
    check(identities, build, before, after, NX)


def test_what_a_known_choice_gives() -> None:
    def build(g: ONNXGraph) -> None:
        x, c = g.input("x", F, ("N",)), g.input("c", np.bool_, ())
        row = g.Gather(g.Unsqueeze(x, g.constant(np.array([0]))), 0)
        then, other = g.body("then"), g.body("else")
        with then:
            one = g.Where(g.constant(np.array(True)), x, g.constant(np.ones(1, F)))
        with other:
            two = g.Where(g.constant(np.array(False)), row, x)
        g.output("y", g.If(c, then, [one], other, [two])[0])
        g.output("z", g.Where(g.constant(np.array(True)), g.ReduceSum(x, keepdims=0), x))
        g.output("w", g.Relu(row))

    before = """
    unsqueeze_1: float[1, N] = Unsqueeze(x, [0])
    gather_1: float[N] = Gather(unsqueeze_1, 0)
    y: float[N] = If(c)
      else_branch () => (where_1) {
        where_1: float[N] = Where(False, gather_1, x)
      }
      then_branch () => (where_2) {
        where_2: float[N] = Where(True, x, float32([1.0]))
      }
    reducesum_1: float[] = ReduceSum<keepdims=0>(x)
    z: float[N] = Where(True, reducesum_1, x)
    w: float[N] = Relu(gather_1)
    """
    after = """
    y: float[N] = If(c)
      else_branch () => (identity_1) {
        identity_1: float[N] = Identity(x)
      }
      then_branch () => (identity_2) {
        identity_2: float[N] = Identity(x)
      }
    reducesum_1: float[] = ReduceSum<keepdims=0>(x)
    z: float[N] = Where(True, reducesum_1, x)
    w: float[N] = Relu(x)
    """
    feeds = [
        dict(feed, **choice)
        for feed in X
        for choice in ({"c": np.array(True)}, {"c": np.array(False)})
    ]
    check(identities, build, before, after, feeds)
