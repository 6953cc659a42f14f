"""What a Loop carries and never changes is read from outside."""

from __future__ import annotations

from onnx_graph import ONNXGraph
from onnx_graph.passes import invariants
from tests.onnx_graph.passes.text import I64, NX, F, check


def test_invariants() -> None:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
        body = g.body("loop", loop=True)
        with body:
            a, b = body.input(F, ("N",), "a"), body.input(F, ("N",), "b")
            end = g.Add(a, b)
        y, z = g.Loop(n, None, body, [g.Relu(x), x], carried=[end, b])
        g.output("y", g.Add(y, z))

    before = """
    relu_1: float[N] = Relu(x)
    loop_1: float[N], loop_2: float[N] = Loop(n, True, relu_1, x)
      body (iteration: int64[], condition: bool[], a: float[N], b: float[N]) => (identity_1, add_1, b) {
        add_1: float[N] = Add(a, b)
        identity_1: bool[] = Identity(True)
      }
    y: float[N] = Add(loop_1, loop_2)
    """  # noqa: E501
    after = """
    relu_1: float[N] = Relu(x)
    loop_1: float[N] = Loop(n, True, relu_1)
      body (iteration: int64[], condition: bool[], a: float[N]) => (identity_1, add_1) {
        add_1: float[N] = Add(a, x)
        identity_1: bool[] = Identity(True)
      }
    y: float[N] = Add(loop_1, x)
    """
    check(invariants, build, before, after, NX)
