"""Results of If and Loop that nobody uses go, with what is carried for them."""

from __future__ import annotations

import numpy as np

from onnx_graph import ONNXGraph
from onnx_graph.passes import unused_results
from tests.onnx_graph.passes.text import CX, I64, NX, F, check


def _carrying(g: ONNXGraph) -> None:
    x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
    body = g.body("loop", loop=True)
    with body:
        a, b, c = body.input(F, ("N",), "a"), body.input(F, (), "b"), body.input(F, (), "c")
        ends = [g.Add(a, c), g.Mul(b, 2), g.Add(c, 1)]
        scan = g.ReduceSum(a, keepdims=0)
    y, _, _, _ = g.Loop(n, None, body, [x, 1.0, 1.0], carried=ends, scans=[scan])
    g.output("y", y)


def test_unused_results() -> None:
    before = """
    y: float[N], loop_1: float[], loop_2: float[], loop_3: float[unk_1] = Loop(n, True, x, float32(1.0), float32(1.0))
      body (iteration: int64[], condition: bool[], a: float[N], b: float[], c: float[]) => (identity_1, add_1, mul_1, add_2, reducesum_1) {
        add_1: float[N] = Add(a, c)
        mul_1: float[] = Mul(b, float32(2.0))
        add_2: float[] = Add(c, float32(1.0))
        reducesum_1: float[] = ReduceSum<keepdims=0>(a)
        identity_1: bool[] = Identity(True)
      }
    """  # noqa: E501
    after = """
    y: float[N], loop_1: float[] = Loop(n, True, x, float32(1.0))
      body (iteration: int64[], condition: bool[], a: float[N], c: float[]) => (identity_1, add_1, add_2) {
        add_1: float[N] = Add(a, c)
        add_2: float[] = Add(c, float32(1.0))
        identity_1: bool[] = Identity(True)
      }
    """  # noqa: E501
    check(unused_results, _carrying, before, after, NX)


def test_unused_results_of_if() -> None:
    def build(g: ONNXGraph) -> None:
        x, c = g.input("x", F, ("N",)), g.input("c", np.bool_, ())
        then, other = g.body("then"), g.body("else")
        with then:
            a, b = g.Exp(x), g.Sin(x)
        with other:
            d, e = g.Neg(x), g.Cos(x)
        g.output("y", g.If(c, then, [a, b], other, [d, e])[1])

    before = """
    if_1: float[N], y: float[N] = If(c)
      else_branch () => (neg_1, cos_1) {
        neg_1: float[N] = Neg(x)
        cos_1: float[N] = Cos(x)
      }
      then_branch () => (exp_1, sin_1) {
        exp_1: float[N] = Exp(x)
        sin_1: float[N] = Sin(x)
      }
    """
    after = """
    y: float[N] = If(c)
      else_branch () => (cos_1) {
        cos_1: float[N] = Cos(x)
      }
      then_branch () => (sin_1) {
        sin_1: float[N] = Sin(x)
      }
    """
    check(unused_results, build, before, after, CX)
