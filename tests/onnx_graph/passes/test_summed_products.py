"""Sums of products over the turns of a Loop become one product after it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph
from onnx_graph.passes import summed_products
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import built, check

F = np.float32


def values(rows: int, turns: int) -> dict[str, Any]:
    """Return whole numbers, of which sums are exact in any order."""
    random = np.random.RandomState(rows)
    return {
        "x": random.randint(-3, 4, (rows, 3)).astype(F),
        "y": random.randint(-3, 4, (rows, 2)).astype(F),
        "n": np.array(turns),
    }


FEEDS = [values(rows, turns) for rows in (0, 1, 4) for turns in (0, 1, 5)]


def summed(g: ONNXGraph, *, kind: str = "product", reads: str = "", ragged: bool = False) -> None:
    """Add up, in each turn, a product of what it makes of x and y, or rows at indices, or all rows.

    The sum begins with -0.0 and is read within the loop (`reads` is "carried" or "end"), or not.
    """
    x, y = g.input("x", F, ["N", 3]), g.input("y", F, ["N", 2])
    n = g.input("n", np.int64, [])
    body = g.body("turns", loop=True)
    total = body.input(F, [2] if kind == "all rows" else [3, 2])
    with body:
        number = g.Cast(body.iteration, to=F)
        a, b = g.Mul(x, number), g.Sub(y, number)
        if ragged:
            edge = g.Unsqueeze(body.iteration, [0])
            a, b = g.Slice(a, [0], edge, [0]), g.Slice(b, [0], edge, [0])
        product = g.MatMul(g.Transpose(a, perm=[1, 0]), b)
        if kind == "rows":
            ids = g.Cast(g.Mod(g.Cast(g.Abs(g.Mul(b, F(9))), to=np.int64), 3), to=np.int64)
            zeros = np.zeros((3, 2), F)
            product = g.ScatterElements(zeros, ids, b, axis=0, reduction="add")
        if kind == "all rows":
            product = g.ReduceSum(b, [0], keepdims=0)
        if kind == "both":
            product = g.Add(product, g.MatMul(g.Transpose(x, perm=[1, 0]), b))
        if kind == "two":
            product = g.Add(product, g.MatMul(g.Transpose(g.Neg(a), perm=[1, 0]), b))
        end = g.Add(total, product)
        scans = [g.Neg({"carried": total, "end": end}[reads])] if reads else []
    start = g.constant(np.array([[-0.0, 1], [2, -0.0], [0, 3]], F))
    if kind == "all rows":
        start = g.constant(np.array([-0.0, 1], F))
    results = g.Loop(n, None, body, initial=[start], cond_out=None, carried=[end], scans=scans)
    g.output("s", results[0])


def test_text() -> None:
    before = """
    s: float[3, 2] = Loop(n, True, float32([[-0.0, 1.0], [2.0, -0.0], [0.0, 3.0]]))
      body (iteration: int64[], condition: bool[], carried: float[3, 2]) => (identity_1, add_1) {
        cast_1: float[] = Cast<to=1>(iteration)
        mul_1: float[N, 3] = Mul(x, cast_1)
        sub_1: float[N, 2] = Sub(y, cast_1)
        transpose_1: float[3, N] = Transpose<perm=(1, 0)>(mul_1)
        matmul_1: float[3, 2] = MatMul(transpose_1, sub_1)
        add_1: float[3, 2] = Add(carried, matmul_1)
        identity_1: bool[] = Identity(True)
      }
    """
    after = """
    loop_1: float[unk_2, unk_3, 3], loop_2: float[unk_2, unk_4, 2] = Loop(n, True)
      body (iteration: int64[], condition: bool[]) => (identity_1, mul_1, sub_1) {
        cast_1: float[] = Cast<to=1>(iteration)
        mul_1: float[N, 3] = Mul(x, cast_1)
        sub_1: float[N, 2] = Sub(y, cast_1)
        identity_1: bool[] = Identity(True)
      }
    reshape_1: float[N*unk_2, 3] = Reshape(loop_1, [-1, 3])
    reshape_2: float[N*unk_2, 2] = Reshape(loop_2, [-1, 2])
    s: float[3, 2] = Gemm<transA=1>(reshape_1, reshape_2, float32([[-0.0, 1.0], [2.0, -0.0], [0.0, 3.0]]))
    """  # noqa: E501
    check(summed_products, summed, before, after, FEEDS)


@pytest.mark.parametrize("kind", ["product", "rows", "two", "all rows"])
def test_sums(kind: str) -> None:
    """They are those of the loop; what it begins with is kept as it is without a turn."""
    plain, passed = (built(lambda g: summed(g, kind=kind)) for _ in range(2))
    assert checked(summed_products).run(passed) == 1
    sessions = [session(graph.to_model().SerializeToString()) for graph in (plain, passed)]
    for feed in FEEDS:
        expected, found = (one.run(None, feed)[0] for one in sessions)
        np.testing.assert_array_equal(found, expected, strict=True)
        if feed["n"] == 0:
            assert (np.signbit(found) == np.signbit(expected)).all()


@pytest.mark.parametrize(
    "options", [{"kind": "both"}, {"reads": "carried"}, {"reads": "end"}, {"ragged": True}]
)
def test_others_stay(options: dict[str, Any]) -> None:
    """What is the same in each turn, what the loop reads, and what has other sizes in each."""
    assert checked(summed_products).run(built(lambda g: summed(g, **options))) == 0
