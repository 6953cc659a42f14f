"""Operators are written in the forms that the most tools know."""

from __future__ import annotations

import numpy as np
import pytest

from onnx_graph import ONNXGraph, dims_of
from onnx_graph.passes import spellings
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.text import I64, F, check

N = [{"n": np.array(n)} for n in (-3, 0, 1, 2, 3)]
X = [{"x": np.arange(rows * 3, dtype=F).reshape(rows, 3) - 4} for rows in (0, 1, 4)]


def test_comparisons_of_integers() -> None:
    def build(g: ONNXGraph) -> None:
        n = g.input("n", I64, ())
        g.output("p", g.LessOrEqual(n, 2))
        g.output("q", g.GreaterOrEqual(n, 1))
        g.output("r", g.GreaterOrEqual(n, np.array([0, 2])))
        g.output("s", g.LessOrEqual(g.Cast(n, to=F), F(2)))
        g.output("t", g.LessOrEqual(n, np.iinfo(np.int64).max))
        g.output("u", g.LessOrEqual(1, n))

    before = """
    p: bool[] = LessOrEqual(n, 2)
    q: bool[] = GreaterOrEqual(n, 1)
    r: bool[2] = GreaterOrEqual(n, [0, 2])
    cast_1: float[] = Cast<to=1>(n)
    s: bool[] = LessOrEqual(cast_1, float32(2.0))
    t: bool[] = LessOrEqual(n, 9223372036854775807)
    u: bool[] = LessOrEqual(1, n)
    """
    after = before.replace("LessOrEqual(n, 2)", "Less(n, 3)")
    after = after.replace("GreaterOrEqual(n, 1)", "Greater(n, 0)")
    after = after.replace("GreaterOrEqual(n, [0, 2])", "Greater(n, [-1, 1])")
    check(spellings, build, before, after, N)


def test_reductions_over_all_axes() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.Concat(g.input("x", F, ("n", 3)), np.zeros((1, 3), F), axis=0)
        g.output("p", g.ReduceMax(x, [0, 1], keepdims=0))
        g.output("q", g.ReduceSumSquare(x, [1, 0]))
        g.output("r", g.ReduceMax(x, [1], keepdims=0))
        g.output("s", g.ReduceSum(x, [0, 1], keepdims=0))

    before = """
    concat_1: float[n + 1, 3] = Concat<axis=0>(x, float32([[0.0, 0.0, 0.0]]))
    p: float[] = ReduceMax<keepdims=0>(concat_1, [0, 1])
    q: float[1, 1] = ReduceSumSquare(concat_1, [1, 0])
    r: float[n + 1] = ReduceMax<keepdims=0>(concat_1, [1])
    s: float[] = ReduceSum<keepdims=0>(concat_1, [0, 1])
    """
    after = before.replace("(concat_1, [1, 0])", "(concat_1)")
    after = after.replace("Max<keepdims=0>(concat_1, [0, 1])", "Max<keepdims=0>(concat_1)")
    check(spellings, build, before, after, X)


def test_reshapes() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("n", 3))
        rows = g.shape_tensor([3, dims_of(x)[0]])
        g.output("p", g.Reshape(x, [-1], allowzero=1))
        g.output("q", g.Reshape(x, rows, allowzero=1))
        g.output("r", g.Reshape(g.Slice(x, [0], [0]), [0, 7], allowzero=1))

    before = """
    shape_1: int64[2] = Shape(x)
    gather_1: int64[] = Gather<axis=0>(shape_1, 0)
    unsqueeze_1: int64[1] = Unsqueeze(gather_1, [0])
    concat_1: int64[2] = Concat<axis=0>([3], unsqueeze_1)
    p: float[3*n] = Reshape<allowzero=1>(x, [-1])
    q: float[3, n] = Reshape<allowzero=1>(x, concat_1)
    slice_1: float[0, 3] = Slice(x, [0], [0])
    r: float[0, 7] = Reshape<allowzero=1>(slice_1, [0, 7])
    """
    after = before.replace("Reshape<allowzero=1>(x, [-1])", "Reshape(x, [-1])")
    check(spellings, build, before, after, X)


@pytest.mark.parametrize("rows", ["n", 2])
def test_what_waits_for_a_check_stays(rows: int | str) -> None:
    """Without allowzero, onnxruntime takes a Reshape out that changes no size, and the check."""
    g = ONNXGraph()
    x = g.input("x", F, (rows, 3))
    token = g.check(g.Less(g.ReduceSum(x, keepdims=0), 9.0), "too large")
    g.output("y", g.tie(x, token))
    assert spellings.run(g) == 0
    g.optimize()
    loaded = session(g.to_model().SerializeToString(), "ORT_ENABLE_ALL")
    loaded.run(None, {"x": np.zeros((2, 3), F)})
    with pytest.raises(Exception, match="too large"):
        loaded.run(None, {"x": np.full((2, 3), 5, F)})
