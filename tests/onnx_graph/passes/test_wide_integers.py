"""Whole numbers of 64 bits are compared where onnxruntime sees their lower halves with a sign."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph
from onnx_graph.bounds import LONGEST, UNBOUND, bound_of
from onnx_graph.passes import wide_integers
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.text import check

I64 = np.int64
#: Numbers of one upper half and unlike lower ones among them.
WIDE = np.array(
    [
        *(5, 0, -3, 7, 2**31, 2**31 - 1, 2**32 - 1, 2**32, 3 * 10**9, -(2**31), -(2**31) - 1),
        *(-3 * 10**9, -(2**32), -(2**32) + 5, 2**33, 2**53 + 1, 2**63 - 1, -(2**63)),
    ]
)


def test_the_largest_of_two() -> None:
    def build(g: ONNXGraph) -> None:
        x, y = (g.input(name, I64, ("n",)) for name in "xy")
        g.output("z", g.Max(x, y))

    before = "    z: int64[n] = Max(x, y)"
    after = """
    greater_1: bool[n] = Greater(x, y)
    z: int64[n] = Where(greater_1, x, y)
    """
    check(wide_integers, build, before, after, [{"x": WIDE, "y": WIDE[::-1]}])


def test_a_range_counts_from_zero() -> None:
    def build(g: ONNXGraph) -> None:
        n = g.input("n", I64, ())
        g.output("z", g.Range(n, g.Add(n, 3), 1))

    before = """
    add_1: int64[] = Add(n, 3)
    z: int64[unk_1] = Range(n, add_1, 1)
    """
    after = """
    add_1: int64[] = Add(n, 3)
    sub_1: int64[] = Sub(add_1, n)
    range_1: int64[unk_2] = Range(0, sub_1, 1)
    z: int64[unk_1] = Add(range_1, n)
    """
    check(wide_integers, build, before, after, [{"n": np.array(n)} for n in (0, -4)])


#: What a graph computes, and numpy.
SAMES: dict[str, tuple[Callable[[ONNXGraph, Any], Any], Callable[[Any], Any]]] = {
    "Min": (lambda g, x: g.Min(x, 2**31), lambda x: np.minimum(x, 2**31)),
    "Max of three": (
        lambda g, x: g.Max(x, 7, g.Neg(x)),
        lambda x: np.maximum(np.maximum(x, 7), -x),
    ),
    "Clip": (lambda g, x: g.Clip(x, 0, 2**31), lambda x: np.clip(x, 0, 2**31)),
    "Clip from below": (lambda g, x: g.Clip(x, 6), lambda x: np.maximum(x, 6)),
    "Sign": (lambda g, x: g.Sign(x), np.sign),
    "ReduceMax": (lambda g, x: g.ReduceMax(x, [1], keepdims=0), lambda x: x.max(1)),
    "ReduceMin": (lambda g, x: g.ReduceMin(x, [1], keepdims=1), lambda x: x.min(1, keepdims=True)),
    "ReduceMax of all": (lambda g, x: g.ReduceMax(x, None, keepdims=0), np.max),
    "ReduceMin of all": (lambda g, x: g.ReduceMin(x, [0, 1], keepdims=0), np.min),
}


@pytest.mark.parametrize("name", SAMES)
def test_as_numpy(name: str) -> None:
    graph, numpy = SAMES[name]
    g = ONNXGraph()
    g.output("y", graph(g, g.input("x", I64, ("n", "k"))))
    assert wide_integers.run(g) == 1
    assert wide_integers.run(g) == 0
    run = session(g.to_model().SerializeToString())
    draw = np.random.RandomState(0)
    for size in ((3, 18), (1, 1), (2, 5), (7, 2), (18, 18)):
        x = draw.choice(WIDE, size)
        np.testing.assert_array_equal(run.run(None, {"x": x})[0], numpy(x), strict=True)


#: What is surely narrow, and stays.
NARROW: dict[str, Callable[[ONNXGraph, Any], Any]] = {
    "sizes": lambda g, x: g.Max(g.Shape(x), g.Add(g.ArgMax(x, axis=0, keepdims=1), 1)),
    "int32": lambda g, x: g.Min(g.Cast(g.Cast(x, to=np.int32), to=I64), 5),
    "rest": lambda g, x: g.ReduceMax(g.Mod(x, 1000), [0], keepdims=0),
    "float": lambda g, x: g.Cast(g.Max(g.Cast(x, to=np.float32), np.float32(1)), to=I64),
    "single numbers": lambda g, x: g.Max(g.Gather(x, 0), g.Sign(g.Gather(x, 1))),
    "barrier": lambda g, x: g.Max(x),
    "constants": lambda g, x: g.Max(g.constant(np.array([1, 2])), 7),
}


@pytest.mark.parametrize("name", NARROW)
def test_narrow_numbers_stay(name: str) -> None:
    g = ONNXGraph()
    g.output("y", NARROW[name](g, g.input("x", I64, ("n",))))
    assert wide_integers.run(g) == 0


def test_single_numbers_are_compared_as_they_are() -> None:
    g = ONNXGraph()
    x, y = (g.input(name, I64, ()) for name in "xy")
    g.output("z", g.Concat(*(g.Unsqueeze(op(x, y), [0]) for op in (g.Min, g.Max)), axis=0))
    assert wide_integers.run(g) == 0
    run = session(g.to_model().SerializeToString())
    for one in WIDE:
        for other in WIDE:
            expected = [min(one, other), max(one, other)]
            assert run.run(None, {"x": np.array(one), "y": np.array(other)})[0].tolist() == expected


def test_wide_constants_are_not_computed_by_onnxruntime() -> None:
    g = ONNXGraph()
    x = g.input("x", I64, ("n",))
    g.output("y", g.Add(x, g.Min(g.constant(np.array([5, -3])), 2**31)))
    g.optimize()
    assert session(g.to_model().SerializeToString()).run(None, {"x": np.zeros(2, I64)})[
        0
    ].tolist() == [5, -3]


#: Bounds, and whether numbers reach them.
BOUNDS: dict[str, tuple[Callable[[ONNXGraph, Any], Any], int]] = {
    "input": (lambda g, x: x, UNBOUND),
    "size": (lambda g, x: g.Size(x), LONGEST),
    "constant": (lambda g, x: g.constant(np.array([-9, 4])), 9),
    "constant above": (lambda g, x: g.constant(np.array([-9, 9])), 10),
    "sum": (lambda g, x: g.Add(g.Mod(x, 10), g.Mod(x, 5)), 17),
    "negative": (lambda g, x: g.Neg(g.Cast(g.Cast(x, to=np.int8), to=I64)), 129),
    "product": (lambda g, x: g.Mul(*[g.Cast(g.Cast(x, to=np.int8), to=I64)] * 2), 2**14 + 1),
    "unsigned": (lambda g, x: g.Cast(g.Cast(x, to=np.uint32), to=I64), 2**32),
    "chosen": (lambda g, x: g.Where(g.Less(x, 0), g.Mod(x, 3), 8), 9),
    "quotient": (lambda g, x: g.Div(x, 3), UNBOUND),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_bounds(name: str) -> None:
    graph, bound = BOUNDS[name]
    g = ONNXGraph()
    assert bound_of(graph(g, g.input("x", I64, ("n",)))) == bound
