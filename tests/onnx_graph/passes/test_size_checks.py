"""A check that two sizes are equal is a Reshape, where no other sizes have as many elements."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from onnx_graph import ONNXGraph
from onnx_graph.passes import optimize, size_checks, unused
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.text import F, check

SIZES = [{"x": np.ones((n, 3), F), "y": np.full((n, 3), 2, F)} for n in (0, 1, 2)]
UNLIKE = [((0, 3), (1, 3)), ((1, 3), (0, 3)), ((2, 3), (1, 3)), ((1, 3), (2, 3)), ((6, 3), (2, 3))]


def of_the_tied(g: ONNXGraph) -> None:
    x, y = g.input("x", F, ("n", 3)), g.input("y", F, ("m", 3))
    token = g.check(g.Equal(g.size(x, 0), g.size(y, 0)), "sizes differ")
    g.output("z", g.Mul(g.tie(x, token), y))


def of_what_it_comes_from(g: ONNXGraph) -> None:
    x, y = g.input("x", F, ("n", 3)), g.input("y", F, ("m", 3))
    product = g.MatMul(x, np.ones((3, 2), F))
    token = g.check(g.Equal(g.size(product, 0), g.size(y, 0)), "sizes differ")
    g.output("z", g.Concat(g.tie(product, token), y, axis=1))


def test_a_check_of_the_tied_array() -> None:
    before = """
    shape_1: int64[2] = Shape(y)
    gather_1: int64[] = Gather<axis=0>(shape_1, 0)
    shape_2: int64[2] = Shape(x)
    gather_2: int64[] = Gather<axis=0>(shape_2, 0)
    equal_1: bool[] = Equal(gather_2, gather_1)
    cast_1: double[] = Cast<to=11>(equal_1)
    range_1: double[unk_1] = Range(float64(0.0), float64(0.0), cast_1)  # check: sizes differ
    size_1: int64[] = Size(range_1)
    shape_3: int64[2] = Shape(x)
    add_1: int64[2] = Add(shape_3, size_1)
    reshape_1: float[n, 3] = Reshape<allowzero=1>(x, add_1)
    z: float[unk_2, 3] = Mul(reshape_1, y)
    """
    after = """
    shape_1: int64[2] = Shape(y)
    reshape_1: float[n, 3] = Reshape<allowzero=1>(x, shape_1)  # check: sizes differ
    z: float[unk_2, 3] = Mul(reshape_1, y)
    """
    check(size_checks, of_the_tied, before, after, SIZES)


@pytest.mark.parametrize("build", [of_the_tied, of_what_it_comes_from])
@pytest.mark.parametrize(("one", "other"), UNLIKE)
def test_it_fails_where_the_check_does(
    build: Callable[[ONNXGraph], None], one: tuple[int, ...], other: tuple[int, ...]
) -> None:
    g = ONNXGraph()
    build(g)
    optimize(g)
    assert "Range" not in g.to_text()
    feed = {"x": np.ones(one, F), "y": np.ones(other, F)}
    with pytest.raises(Exception, match="sizes differ"):
        session(g.to_model().SerializeToString()).run(None, feed)


@pytest.mark.parametrize("sizes", [("k", "n"), (0, "n")])
def test_other_shapes_of_as_many_elements_are_compared_as_before(sizes: tuple[object, str]) -> None:
    g = ONNXGraph()
    x, y = g.input("x", F, (sizes[0], "n")), g.input("y", F, (sizes[0], "m"))
    token = g.check(g.Equal(g.size(x, 1), g.size(y, 1)), "sizes differ")
    g.output("z", g.Concat(g.tie(x, token), y, axis=0))
    assert size_checks.run(g) == 0
    assert unused.run(g) == 0


def test_what_waits_for_another_check_too_stays() -> None:
    g = ONNXGraph()
    x, y = g.input("x", F, ("n", 3)), g.input("y", F, ("m", 3))
    token = g.check(g.Equal(g.size(x, 0), g.size(y, 0)), "sizes differ")
    g.output("z", g.tie(x, token))
    g.output("u", g.tie(y, token))
    assert size_checks.run(g) == 0
