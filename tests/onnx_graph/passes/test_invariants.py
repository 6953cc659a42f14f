"""What a Loop carries and never changes is read from outside; what is equal is carried once."""

from __future__ import annotations

from onnx_graph import ONNXGraph
from onnx_graph.passes import invariants
from tests.onnx_graph.passes.text import I64, NX, F, built, check, same


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


def test_twins() -> None:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
        start = g.Relu(x)
        body = g.body("loop", loop=True)
        with body:
            a, b = body.input(F, ("N",), "a"), body.input(F, ("N",), "b")
            end = g.Add(g.Add(a, b), x)
            copy = g.Identity(end)
        y, z = g.Loop(n, None, body, [start, start], carried=[end, copy])
        g.output("y", g.Sub(y, z))

    before = """
    relu_1: float[N] = Relu(x)
    loop_1: float[N], loop_2: float[N] = Loop(n, True, relu_1, relu_1)
      body (iteration: int64[], condition: bool[], a: float[N], b: float[N]) => (identity_2, add_2, identity_1) {
        add_1: float[N] = Add(a, b)
        add_2: float[N] = Add(add_1, x)
        identity_1: float[N] = Identity(add_2)
        identity_2: bool[] = Identity(True)
      }
    y: float[N] = Sub(loop_1, loop_2)
    """  # noqa: E501
    after = """
    relu_1: float[N] = Relu(x)
    loop_1: float[N] = Loop(n, True, relu_1)
      body (iteration: int64[], condition: bool[], a: float[N]) => (identity_1, add_2) {
        add_1: float[N] = Add(a, a)
        add_2: float[N] = Add(add_1, x)
        identity_1: bool[] = Identity(True)
      }
    y: float[N] = Sub(loop_1, loop_1)
    """
    check(invariants, build, before, after, NX)


def test_what_begins_or_ends_unlike_is_no_twin() -> None:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
        start = g.Relu(x)
        body = g.body("loop", loop=True)
        with body:
            a, b, c = (body.input(F, ("N",), name) for name in "abc")
            end = g.Add(g.Add(a, b), c)
            copy, other = g.Identity(end), g.Sub(a, x)
        y, z, w = g.Loop(n, None, body, [start, x, start], carried=[end, copy, other])
        g.output("y", g.Sub(g.Add(y, z), w))

    graph = built(build)
    assert not invariants.run(graph)
    assert not list(invariants.ensures(graph))
    same(built(build), graph, NX)


def test_twins_that_are_both_results_stay() -> None:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
        start = g.Relu(x)
        body = g.body("loop", loop=True)
        with body:
            a, b = body.input(F, ("N",), "a"), body.input(F, ("N",), "b")
            end = g.Add(a, b)
            copy = g.Identity(end)
        y, z = g.Loop(n, None, body, [start, start], carried=[end, copy])
        g.output("y", y)
        g.output("z", z)

    graph = built(build)
    assert not invariants.run(graph)
    same(built(build), graph, NX)


def test_a_twin_of_what_never_changes() -> None:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
        body = g.body("loop", loop=True)
        with body:
            a, b, c = (body.input(F, ("N",), name) for name in "abc")
            end = g.Add(g.Add(a, b), c)
            copy, again = g.Identity(b), g.Identity(b)
        y, z, w = g.Loop(n, None, body, [g.Relu(x), x, x], carried=[end, copy, again])
        g.output("y", g.Sub(g.Add(y, z), w))

    graph = built(build)
    assert invariants.run(graph) == 2
    same(built(build), graph, NX)
