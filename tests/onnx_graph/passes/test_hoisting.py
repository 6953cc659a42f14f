"""What is the same on every turn is computed before the Loop."""

from __future__ import annotations

from onnx_graph import ONNXGraph
from onnx_graph.passes import hoisting
from tests.onnx_graph.passes.text import I64, NX, F, check


def test_hoisting() -> None:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
        body = g.body("loop", loop=True)
        with body:
            a = body.input(F, ("N",), "a")
            can_fail = g.Gather(x, g.constant([7]))
            end = g.Add(a, g.Add(g.Exp(x), can_fail))
        g.output("y", g.Loop(n, None, body, [x], carried=[end])[0])

    before = """
    y: float[N] = Loop(n, True, x)
      body (iteration: int64[], condition: bool[], a: float[N]) => (identity_1, add_2) {
        gather_1: float[1] = Gather(x, [7])
        exp_1: float[N] = Exp(x)
        add_1: float[N] = Add(exp_1, gather_1)
        add_2: float[N] = Add(a, add_1)
        identity_1: bool[] = Identity(True)
      }
    """
    after = """
    exp_1: float[N] = Exp(x)
    y: float[N] = Loop(n, True, x)
      body (iteration: int64[], condition: bool[], a: float[N]) => (identity_1, add_2) {
        gather_1: float[1] = Gather(x, [7])
        add_1: float[N] = Add(exp_1, gather_1)
        add_2: float[N] = Add(a, add_1)
        identity_1: bool[] = Identity(True)
      }
    """
    check(hoisting, build, before, after, NX[:1])
