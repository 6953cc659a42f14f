"""What depends on constants is computed now, unless it fails."""

from __future__ import annotations

import numpy as np
import pytest

from onnx_graph import ONNXGraph
from onnx_graph.passes import constants
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.text import F, X, check


def test_constants() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N",))
        two = g.Cast(g.Add([1, 1], g.Shape(np.zeros((3, 4)))), to=F)
        g.output("y", g.Mul(x, g.ReduceMax(two, keepdims=0)))

    before = """
    constant_1: double[3, 4] = initializer
    shape_1: int64[2] = Shape(constant_1)
    add_1: int64[2] = Add([1, 1], shape_1)
    cast_1: float[2] = Cast<to=1>(add_1)
    reducemax_1: float[] = ReduceMax<keepdims=0>(cast_1)
    y: float[N] = Mul(x, reducemax_1)
    """
    after = """
    y: float[N] = Mul(x, float32(5.0))
    """
    check(constants, build, before, after, X)


def test_what_fails_is_not_folded() -> None:
    g = ONNXGraph()
    x = g.input("x", F, ("N",))
    g.output("y", g.Add(x, g.Cast(g.Div(1, 0), to=F)))
    g.optimize()
    assert "Div(1, 0)" in g.to_text()


def test_a_check_that_holds_is_a_constant() -> None:
    def build(g: ONNXGraph) -> None:
        c = g.input("c", np.bool_, ())
        then, other = g.body("then"), g.body("else")
        with then:
            a = g.check(c, "held")
        with other:
            b = g.check(c, "failed")
        g.output("y", g.If(c, then, [a], other, [b])[0])

    g = ONNXGraph()
    build(g)
    g.optimize()
    text = g.to_text()
    assert "held" not in text and "failed" in text
    run = session(g.to_model().SerializeToString())
    assert run.run(None, {"c": np.array(True)}) == [0]
    with pytest.raises(Exception, match="failed"):
        run.run(None, {"c": np.array(False)})


def test_what_reads_a_constant_result_reads_the_constant() -> None:
    """onnxruntime takes in an If that it decides itself, and loses results that are constants."""
    g = ONNXGraph()
    c, x = g.input("c", np.bool_, ()), g.input("x", F, ("N",))
    then, other = g.body("then"), g.body("else")
    with then:
        both = g.And(g.constant(np.array(True)), g.constant(np.array(True)))
        inner, rest = g.body("then"), g.body("else")
        with inner:
            five = g.Identity(g.constant(np.array([5], np.int64)))
        with rest:
            size = g.Shape(x)
        (one,) = g.If(both, inner, [five], rest, [size])
        first = [both, one, g.Concat(one, g.Shape(x), axis=0)]
    with other:
        second = [g.Identity(c), g.Shape(x), g.Concat(g.Shape(x), g.Shape(x), axis=0)]
    for number, result in enumerate(g.If(c, then, first, other, second)):
        g.output(f"y{number}", result)
    g.optimize()
    assert g.to_text().count("If(") + g.to_text().count("If <") == 1
    run = session(g.to_model().SerializeToString())
    for truth, expected in ((True, [[5], [5, 2]]), (False, [[2], [2, 2]])):
        found = run.run(None, {"c": np.array(truth), "x": np.zeros(2, np.float32)})
        assert found[0] == truth
        assert [one.tolist() for one in found[1:]] == expected
