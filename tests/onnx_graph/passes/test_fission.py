"""What turns compute without their state leaves the loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph
from onnx_graph.passes import fission
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import built, check

F = np.float32


def before_it(
    g: ONNXGraph, *, trip: str = "rows", ends: bool = False, wide: bool = False, few: bool = False
) -> None:
    """Compute much of rows of x, in each turn, and add it to a state."""
    x = g.input("x", F, ["T", 3])
    turns: Any = {"rows": g.size(x, 0), "1": g.constant(1), "input": None}[trip]
    if turns is None:
        turns = g.input("n", np.int64, [])
    body = g.body("turns", loop=True)
    size = 3 if not wide else 3000
    h = body.input(F, [size, size] if wide else [size])
    with body:
        row = g.Gather(x, body.iteration, axis=0)
        if wide:
            row = g.Expand(g.Gather(row, 0), g.constant([size, size]))
        a = g.Tanh(row) if few else g.Tanh(g.Exp(g.Neg(g.Sigmoid(row))))
        b = a if few else g.Mul(g.Add(a, row), g.Sqrt(g.Abs(row)))
        k = g.Tanh(g.Add(h, b))
        going = g.Less(body.iteration, 3) if ends else None
    start = g.constant(np.zeros((size, size), F) if wide else np.array([-0.0, 1, 2], F))
    results = g.Loop(turns, None, body, initial=[start], cond_out=going, carried=[k], scans=[h])
    g.output("h", results[0])
    g.output("all", results[1])


def after_it(g: ONNXGraph, *, kind: str = "") -> None:
    """Compute much of the state of each turn, and add numbers up."""
    x, w = g.input("x", F, ["T", 3]), g.input("w", F, [5, 3])
    body = g.body("turns", loop=True)
    h, s = body.input(F, [2, 3]), body.input(F, [])
    with body:
        row = g.Gather(x, body.iteration, axis=0)
        k = g.Tanh(g.Add(h, row))
        y = g.LogSoftmax(g.Gemm(k, w, np.arange(5, dtype=F), transB=1), axis=1)
        picked = g.GatherElements(y, np.array([[1], [4]]), axis=1)
        wide = g.Transpose(g.Unsqueeze(y, [0]), perm=[2, 0, 1])
        parts = g.Split(g.Reshape(y, [5, 2]), axis=1, num_outputs=2, outputs=2)
        loss = g.Neg(g.ReduceSum(g.Mul(g.Squeeze(picked, [-1]), 2.5), keepdims=0))
        if kind == "squeeze":
            wide = g.Squeeze(wide)
        if kind == "scan":
            k = g.Add(k, s)
        total = g.Add(s, loss)
    start = [g.constant(np.zeros((2, 3), F)), g.constant(F(-0.0))]
    with body:
        scans = [g.Exp(y), g.Where(g.Greater(y, -1.0), y, 0.5), wide, g.Neg(parts[1])]
    results = g.Loop(
        g.size(x, 0), None, body, initial=start, cond_out=None, carried=[k, total], scans=scans
    )
    for number, value in enumerate(results):
        g.output(f"y{number}", value)


FEEDS = [{"x": np.random.RandomState(t).randn(t, 3).astype(F)} for t in (0, 1, 2, 7)]
W = np.random.RandomState(9).randn(5, 3).astype(F)


def test_text() -> None:
    before = """
    shape_1: int64[2] = Shape(x)
    gather_1: int64[] = Gather<axis=0>(shape_1, 0)
    h: float[3], all: float[T, 3] = Loop(gather_1, True, float32([-0.0, 1.0, 2.0]))
      body (iteration: int64[], condition: bool[], carried: float[3]) => (identity_1, tanh_2, carried) {
        gather_2: float[3] = Gather<axis=0>(x, iteration)
        sigmoid_1: float[3] = Sigmoid(gather_2)
        neg_1: float[3] = Neg(sigmoid_1)
        exp_1: float[3] = Exp(neg_1)
        tanh_1: float[3] = Tanh(exp_1)
        add_1: float[3] = Add(tanh_1, gather_2)
        abs_1: float[3] = Abs(gather_2)
        sqrt_1: float[3] = Sqrt(abs_1)
        mul_1: float[3] = Mul(add_1, sqrt_1)
        add_2: float[3] = Add(carried, mul_1)
        tanh_2: float[3] = Tanh(add_2)
        identity_1: bool[] = Identity(True)
      }
    """  # noqa: E501
    after = """
    shape_1: int64[2] = Shape(x)
    gather_1: int64[] = Gather<axis=0>(shape_1, 0)
    sigmoid_1: float[T, 3] = Sigmoid(x)
    neg_1: float[T, 3] = Neg(sigmoid_1)
    exp_1: float[T, 3] = Exp(neg_1)
    tanh_1: float[T, 3] = Tanh(exp_1)
    add_1: float[T, 3] = Add(tanh_1, x)
    abs_1: float[T, 3] = Abs(x)
    sqrt_1: float[T, 3] = Sqrt(abs_1)
    mul_1: float[T, 3] = Mul(add_1, sqrt_1)
    h: float[3], all: float[T, 3] = Loop(gather_1, True, float32([-0.0, 1.0, 2.0]))
      body (iteration: int64[], condition: bool[], carried: float[3]) => (identity_1, tanh_2, carried) {
        gather_2: float[3] = Gather(mul_1, iteration)
        add_2: float[3] = Add(carried, gather_2)
        tanh_2: float[3] = Tanh(add_2)
        identity_1: bool[] = Identity(True)
      }
    """  # noqa: E501
    check(fission, before_it, before, after, FEEDS)


@pytest.mark.parametrize(
    "options",
    [
        {"trip": "1"},  # there is nothing to put together
        {"trip": "input"},  # there may be fewer rows than turns
        {"ends": True},  # later turns would be computed, too
        {"wide": True},  # more would be kept than the loop reads
        {"few": True},
    ],
)
def test_others_stay(options: dict[str, Any]) -> None:
    assert checked(fission).run(built(lambda g: before_it(g, **options))) == 0


@pytest.mark.parametrize("sizes", [[-1, 1], [1, -1], [3, 1]])
def test_other_shapes(sizes: list[int]) -> None:
    """A size that a Reshape finds out is known: of no turns it could not be found."""

    def program(g: ONNXGraph) -> None:
        x = g.input("x", F, ["T", 3])
        body = g.body("turns", loop=True)
        h = body.input(F, [3])
        with body:
            row = g.Tanh(g.Exp(g.Sigmoid(g.Gather(x, body.iteration, axis=0))))
            again = g.Reshape(g.Sqrt(g.Abs(g.Reshape(row, sizes))), [3])
            k = g.Tanh(g.Add(h, again))
        start = g.constant(np.zeros(3, F))
        (end,) = g.Loop(
            g.size(x, 0), None, body, initial=[start], cond_out=None, carried=[k], scans=[]
        )
        g.output("h", end)

    plain, passed = built(program), built(program)
    assert checked(fission).run(passed) == 1
    one, other = (session(graph.to_model().SerializeToString()) for graph in (plain, passed))
    for feed in FEEDS:
        np.testing.assert_allclose(other.run(None, feed)[0], one.run(None, feed)[0], rtol=1e-5)


@pytest.mark.parametrize("kind", ["", "scan", "squeeze"])
def test_after(kind: str) -> None:
    """Scans and sums are those of the loop, with no turn as with many."""
    plain, passed = (built(lambda g: after_it(g, kind=kind)) for _ in range(2))
    assert checked(fission).run(passed) == 1
    one, other = (session(graph.to_model().SerializeToString()) for graph in (plain, passed))
    for feed in FEEDS:
        for expected, found in zip(
            one.run(None, {**feed, "w": W}), other.run(None, {**feed, "w": W}), strict=True
        ):
            assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
            np.testing.assert_allclose(found, expected, rtol=1e-5)
            assert (np.signbit(found) == np.signbit(expected)).all()
