"""Checks that inputs are not empty come first, and decide what comes after them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from onnx_graph import ONNXGraph, Value
from onnx_graph.checks import check as add_check
from onnx_graph.checks import tie
from onnx_graph.passes import checks_first, conditions, identities
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import F, X, built, check


def size_of(g: ONNXGraph, x: Value, axis: int = 0) -> Value:
    result: Value = g.Gather(g.Shape(x), axis, axis=0)
    return result


def some_rows(g: ONNXGraph, x: Value) -> tuple[Value, Value]:
    """Return what is computed of rows if there are any, and whether there are."""
    test = g.Greater(size_of(g, x), 0)
    then, other = g.body("then"), g.body("else")
    with then:
        one = g.Exp(x)
    with other:
        two = g.Neg(x)
    return g.If(test, then, [one], other, [two])[0], test


def test_a_check_after_a_branch() -> None:
    def build(g: ONNXGraph) -> None:
        y, test = some_rows(g, g.input("x", F, ("n",)))
        g.output("y", tie(g, y, add_check(g, test, "no rows")))

    before = """
    shape_1: int64[1] = Shape(x)
    gather_1: int64[] = Gather<axis=0>(shape_1, 0)
    greater_1: bool[] = Greater(gather_1, 0)
    if_1: float[n] = If(greater_1)
      else_branch () => (neg_1) {
        neg_1: float[n] = Neg(x)
      }
      then_branch () => (exp_1) {
        exp_1: float[n] = Exp(x)
      }
    cast_1: double[] = Cast<to=11>(greater_1)
    range_1: double[unk_1] = Range(float64(0.0), float64(0.0), cast_1)  # check: no rows
    size_1: int64[] = Size(range_1)
    shape_2: int64[1] = Shape(if_1)
    add_1: int64[1] = Add(shape_2, size_1)
    y: float[n] = Reshape<allowzero=1>(if_1, add_1)
    """
    after = """
    shape_1: int64[1] = Shape(x)
    gather_1: int64[] = Gather<axis=0>(shape_1, 0)
    cast_1: double[] = Cast<to=11>(gather_1)
    range_1: double[unk_1] = Range(float64(0.0), float64(0.0), cast_1)  # check: no rows
    size_1: int64[] = Size(range_1)
    shape_2: int64[1] = Shape(x)
    add_1: int64[1] = Add(shape_2, size_1)
    reshape_1: float[n] = Reshape<allowzero=1>(x, add_1)
    y: float[n] = Exp(reshape_1)
    """
    check(checks_first, build, before, after, X[:1], then=[conditions, identities])


def test_it_still_fails_on_nothing() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("n", "m"))
        y, test = some_rows(g, x)
        more = g.Greater(size_of(g, x, 1), 0)
        g.output("y", tie(g, y, g.Add(add_check(g, test, "rows"), add_check(g, more, "columns"))))
        g.output("z", g.Cos(x))

    graph = built(build)
    assert checked(checks_first).run(graph) == 3
    assert graph.positive == {"n", "m"}
    assert not checks_first.run(graph)
    checked(conditions).run(graph)
    assert "If" not in graph.to_text()
    model = session(graph.to_model().SerializeToString())
    assert model.run(None, {"x": np.zeros((1, 2), F)})[0].tolist() == [[1, 1]]
    for shape in ((0, 2), (2, 0), (0, 0)):
        with pytest.raises(Exception, match="delta"):
            model.run(["z"], {"x": np.zeros(shape, F)})


def decides_nothing(g: ONNXGraph) -> None:
    x = g.input("x", F, ("n",))
    g.output("y", tie(g, g.Exp(x), add_check(g, g.Greater(size_of(g, x), 0), "rows")))


def result_apart(g: ONNXGraph) -> None:
    x = g.input("x", F, ("n",))
    y, test = some_rows(g, x)
    g.output("y", tie(g, y, add_check(g, test, "rows")))
    g.output("z", g.Identity(g.input("w", F, ("m",))))


def after_another_check(g: ONNXGraph) -> None:
    x, c = g.input("x", F, ("n",)), g.input("c", np.bool_, ())
    y, test = some_rows(g, x)
    g.output("y", tie(g, y, g.Add(add_check(g, c, "first"), add_check(g, test, "rows"))))


def in_a_branch(g: ONNXGraph) -> None:
    x, c = g.input("x", F, ("n",)), g.input("c", np.bool_, ())
    y, test = some_rows(g, x)
    then, other = g.body("then"), g.body("else")
    with then:
        one = tie(g, y, add_check(g, test, "rows"))
    g.output("y", g.If(c, then, [one], other, [y])[0])


def of_another_size(g: ONNXGraph) -> None:
    x = g.input("x", F, ("n", "m"))
    y, _ = some_rows(g, x)
    g.output("y", tie(g, y, add_check(g, g.Greater(size_of(g, x, 1), 0), "columns")))


def of_more_than_one(g: ONNXGraph) -> None:
    x = g.input("x", F, ("n",))
    y, _ = some_rows(g, x)
    g.output("y", tie(g, y, add_check(g, g.Greater(size_of(g, x), 1), "two rows")))


STAY = [
    decides_nothing,
    result_apart,
    after_another_check,
    in_a_branch,
    of_another_size,
    of_more_than_one,
]


@pytest.mark.parametrize("build", STAY)
def test_others_stay(build: Callable[[ONNXGraph], None]) -> None:
    graph = built(build)
    assert not list(checks_first.ensures(graph))
    assert not checks_first.run(graph)
