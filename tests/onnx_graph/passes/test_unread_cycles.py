"""What loops, one in the other, carry for nobody is passed on, and then goes."""

from __future__ import annotations

from typing import Any

import pytest

from onnx_graph import ONNXGraph
from onnx_graph.passes import unread_cycles, unused_results
from tests.onnx_graph.passes.text import I64, NX, F, built, check


def _nested(g: ONNXGraph, *, reads: str = "") -> None:
    """Grow `a` and `b` in a loop within a loop; what of `b` is read, if anything is."""
    x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
    outer = g.body("outer", loop=True)
    with outer:
        a, b = outer.input(F, ("N",), "a"), outer.input(F, (), "b")
        inner = g.body("inner", loop=True)
        with inner:
            c, d = inner.input(F, ("N",), "c"), inner.input(F, (), "d")
            ends = [g.Add(c, 1.0), g.Add(d, b if reads == "itself" else 2.0)]
        start = g.Mul(b, 3.0)
        going = g.Less(d, 50.0) if reads == "condition" else None
        c_end, d_end = g.Loop(2, None, inner, [a, start], carried=ends, cond_out=going)
        a_end = g.Add(c_end, d_end) if reads == "turn" else c_end
    y, z = g.Loop(n, None, outer, [x, 1.0], carried=[a_end, d_end])
    g.output("y", y)
    if reads == "end":
        g.output("z", z)


def test_unread_cycles() -> None:
    before = """
    y: float[N], loop_1: float[] = Loop(n, True, x, float32(1.0))
      body (iteration: int64[], condition: bool[], a: float[N], b: float[]) => (identity_2, loop_2, loop_3) {
        mul_1: float[] = Mul(b, float32(3.0))
        loop_2: float[N], loop_3: float[] = Loop(2, True, a, mul_1)
          body (iteration_1: int64[], condition_1: bool[], c: float[N], d: float[]) => (identity_1, add_1, add_2) {
            add_1: float[N] = Add(c, float32(1.0))
            add_2: float[] = Add(d, float32(2.0))
            identity_1: bool[] = Identity(True)
          }
        identity_2: bool[] = Identity(True)
      }
    """  # noqa: E501
    after = """
    y: float[N] = Loop(n, True, x)
      body (iteration: int64[], condition: bool[], a: float[N]) => (identity_2, loop_1) {
        loop_1: float[N] = Loop(2, True, a)
          body (iteration_1: int64[], condition_1: bool[], c: float[N]) => (identity_1, add_1) {
            add_1: float[N] = Add(c, float32(1.0))
            identity_1: bool[] = Identity(True)
          }
        identity_2: bool[] = Identity(True)
      }
    """
    check(unread_cycles, _nested, before, after, NX, then=[unused_results])


@pytest.mark.parametrize("reads", ["turn", "end"])
def test_what_is_read_stays(reads: str) -> None:
    assert unread_cycles.run(built(lambda g: _nested(g, reads=reads))) == 0


def test_what_only_reads_itself_goes() -> None:
    graph = built(lambda g: _nested(g, reads="itself"))
    assert unread_cycles.run(graph) == 1
    unused_results.run(graph)
    assert "b:" not in graph.to_text()


def _checked(g: ONNXGraph) -> Any:
    """Check in the inner loop what the loops carry for nothing else."""
    x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
    outer = g.body("outer", loop=True)
    with outer:
        a, b = outer.input(F, ("N",), "a"), outer.input(F, (), "b")
        inner = g.body("inner", loop=True)
        with inner:
            d = inner.input(F, (), "d")
            g.check(g.Less(d, 9.0), "ValueError: too large")
            end = g.Add(d, 2.0)
        (d_end,) = g.Loop(2, None, inner, [b], carried=[end])
    y, _ = g.Loop(n, None, outer, [x, 1.0], carried=[a, d_end])
    g.output("y", y)


def test_what_a_check_reads_stays() -> None:
    assert unread_cycles.run(built(_checked)) == 0
