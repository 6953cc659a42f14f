"""Where both branches of an If give the same empty array, there is one."""

from __future__ import annotations

import numpy as np
import pytest

from onnx_graph import ONNXGraph, Value
from onnx_graph.passes import conditions, empties
from tests.onnx_graph.passes.text import Build, F, built, check, same

ROWS = [{"x": np.arange(2 * n, dtype=F).reshape(n, 2)} for n in (0, 1, 3)]
W = np.array([[1, 2, 3], [4, 5, 6]], F)


def test_a_product_of_no_rows_is_no_rows() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N", 2))
        then, other = g.body("then"), g.body("else")
        with then:
            a = g.Expand(g.constant(F(0)), g.Concat(g.Unsqueeze(g.size(x, 0), [0]), [3], axis=0))
        with other:
            b = g.Gemm(x, g.constant(W))
        g.output("y", g.If(g.Equal(g.size(x, 0), 0), then, [a], other, [b])[0])

    before = """
    shape_1: int64[2] = Shape(x)
    gather_1: int64[] = Gather<axis=0>(shape_1, 0)
    equal_1: bool[] = Equal(gather_1, 0)
    y: float[N, 3] = If(equal_1)
      else_branch () => (gemm_1) {
        gemm_1: float[N, 3] = Gemm(x, float32([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
      }
      then_branch () => (expand_1) {
        unsqueeze_1: int64[1] = Unsqueeze(gather_1, [0])
        concat_1: int64[2] = Concat<axis=0>(unsqueeze_1, [3])
        expand_1: float[N, 3] = Expand(float32(0.0), concat_1)
      }
    """
    after = """
    y: float[N, 3] = Gemm(x, float32([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    """
    check(empties, build, before, after, ROWS, then=[conditions])


def _asked(g: ONNXGraph, x: Value, how: str) -> tuple[Value, bool]:
    """Return a comparison, and whether it holds for no rows."""
    size = g.size(x, 0)
    made = {
        "==": (g.Equal(size, 0), True),
        "<": (g.Less(size, 1), True),
        "<=": (g.LessOrEqual(size, 0), True),
        ">": (g.Greater(size, 0), False),
        ">=": (g.GreaterOrEqual(size, 1), False),
        "not >": (g.Not(g.Greater(size, 0)), True),
    }
    return made[how]


@pytest.mark.parametrize("how", ["==", "<", "<=", ">", ">=", "not >"])
def test_every_way_to_ask(how: str) -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N", 2))
        condition, zero = _asked(g, x, how)
        then, other = g.body("then"), g.body("else")
        with then:
            a = g.Identity(x) if zero else g.Tanh(x)
        with other:
            b = g.Tanh(x) if zero else g.Identity(x)
        g.output("y", g.If(condition, then, [a], other, [b])[0])

    passed = built(build)
    assert empties.run(passed) == 1
    conditions.run(passed)
    assert "If" not in passed.to_text()
    same(built(build), passed, ROWS)


def _kept(build: Build) -> None:
    graph = built(build)
    assert empties.run(graph) == 0
    same(built(build), graph, ROWS)


@pytest.mark.parametrize("size", [1, 2])
def test_another_number_is_no_emptiness(size: int) -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N", 2))
        then, other = g.body("then"), g.body("else")
        with then:
            a = g.Neg(x)
        with other:
            b = g.Tanh(x)
        g.output("y", g.If(g.Equal(g.size(x, 0), size), then, [a], other, [b])[0])

    _kept(build)


def test_a_result_without_that_size_is_not_empty() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N", 2))
        then, other = g.body("then"), g.body("else")
        with then:
            a, c = g.Neg(x), g.constant(F(1))
        with other:
            b, d = g.Tanh(x), g.ReduceSum(x, keepdims=0)
        y, z = g.If(g.Equal(g.size(x, 0), 0), then, [a, c], other, [b, d])
        g.output("y", y)
        g.output("z", z)

    _kept(build)


def test_other_sizes_must_agree() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N", 2))
        then, other = g.body("then"), g.body("else")
        with then:
            a = g.Expand(g.constant(F(0)), g.Concat(g.Unsqueeze(g.size(x, 0), [0]), [4], axis=0))
        with other:
            b = g.Gemm(x, g.constant(W))
        g.output("y", g.If(g.Equal(g.size(x, 0), 0), then, [a], other, [b])[0])

    _kept(build)


def test_what_fails_for_no_rows_stays_behind_its_condition() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N", 2))
        then, other = g.body("then"), g.body("else")
        with then:
            a = g.Neg(x)
        with other:
            b = g.Mul(x, g.ReduceMax(x, keepdims=0))
        g.output("y", g.If(g.Equal(g.size(x, 0), 0), then, [a], other, [b])[0])

    _kept(build)
