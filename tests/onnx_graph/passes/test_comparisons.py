"""Numbers that were widened for a comparison with a constant are compared as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph
from onnx_graph.passes import comparisons
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import F, built, check, same

LARGEST, LEAST = np.finfo(F).max, F(1e-45)
NUMBERS = [
    *(1.0, 0.1, -0.1, 0.0, -0.0, 1e300, -1e300, np.inf, -np.inf),
    *(1e-50, -1e-50, 1e-40, 1 + 2e-9),
]


def near(number: float) -> Any:
    """Return float32 numbers on both sides of a number."""
    with np.errstate(over="ignore"):
        one = F(number)
    sides = [np.nextafter(one, F(np.inf)), one, np.nextafter(one, F(-np.inf))]
    more = [0.0, -0.0, LEAST, -LEAST, LARGEST, -LARGEST, np.inf, -np.inf, np.nan]
    return np.array([*sides, *more], F)


def test_a_number_between_two() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.Cast(g.input("x", F, ("n",)), to=np.float64)
        g.output("y", g.Greater(x, np.float64(1)))
        g.output("z", g.Less(np.float64(0.1), x))

    before = """
    cast_1: double[n] = Cast<to=11>(x)
    y: bool[n] = Greater(cast_1, float64(1.0))
    z: bool[n] = Less(float64(0.1), cast_1)
    """
    after = """
    y: bool[n] = Greater(x, float32(1.0))
    z: bool[n] = Less(float32(0.09999999403953552), x)
    """
    check(comparisons, build, before, after, [{"x": near(1.0)}, {"x": near(0.1)}])


@pytest.mark.parametrize("op", ["Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Equal"])
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("place", [0, 1])
def test_either_side_of_all_numbers(op: str, number: float, place: int) -> None:
    def build(g: ONNXGraph) -> None:
        x, constant = g.Cast(g.input("x", F, ("n",)), to=np.float64), np.float64(number)
        g.output("y", g.emit(op, [constant, x] if place else [x, constant]))

    graph = built(build)
    with np.errstate(over="ignore"):
        exact = np.float64(F(number)) == number
    assert checked(comparisons).run(graph) == (op != "Equal" or exact)
    same(built(build), graph, [{"x": near(number)}])


def test_what_stays() -> None:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("n",)), g.input("i", np.int64, ("n",))
        wide = g.Cast(x, to=np.float64)
        g.output("y", g.Greater(wide, np.float64(np.nan)))
        g.output("z", g.Greater(wide, g.input("d", np.float64, ())))
        g.output("w", g.Greater(g.Cast(n, to=np.float64), np.float64(1)))
        g.output("v", g.Greater(wide, np.array([0.5, 1.5])))

    assert not comparisons.run(built(build))


def test_an_int32_is_compared_with_what_is_one() -> None:
    def build(g: ONNXGraph) -> None:
        n = g.Cast(g.input("n", np.int32, ("k",)), to=np.int64)
        g.output("y", g.Greater(n, -1))
        g.output("z", g.Less(n, 2**31))
        g.output("u", g.Equal(2**31 - 1, n))

    before = """
    cast_1: int64[k] = Cast<to=7>(n)
    y: bool[k] = Greater(cast_1, -1)
    z: bool[k] = Less(cast_1, 2147483648)
    u: bool[k] = Equal(2147483647, cast_1)
    """
    after = """
    cast_1: int64[k] = Cast<to=7>(n)
    y: bool[k] = Greater(n, int32(-1))
    z: bool[k] = Less(cast_1, 2147483648)
    u: bool[k] = Equal(int32(2147483647), n)
    """
    numbers = np.array([-(2**31), -2, -1, 0, 2**31 - 1], np.int32)
    check(comparisons, build, before, after, [{"n": numbers}, {"n": numbers[:0]}])
