"""A Loop whose condition only counts goes by a number of turns."""

# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph
from onnx_graph.passes import counted, counters
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import I64, NX, F, built, check, same


def loop(
    g: ONNXGraph, *, start: int = 0, step: int = 1, more: bool = False, carried: bool = False
) -> None:
    x, n = g.input("x", F, (3,)), g.input("n", I64, ())
    one, first = g.constant(np.array(step)), g.constant(np.array(start))
    body = g.body("turn", loop=True)
    h = body.input(F, (3,), "h")
    limit = body.input(I64, (), "limit") if carried else n
    with body:
        doubled = g.Mul(h, 2.0)
        going = g.Less(g.Add(body.iteration, one), limit)
        same = g.Identity(limit) if carried else None
        if more:
            going = g.And(going, g.Less(g.ReduceSum(h, keepdims=0), 9.0))
    results = g.Loop(
        None,
        g.Less(first, n),
        body,
        [x, n] if carried else [x],
        cond_out=going,
        carried=[doubled, same] if carried else [doubled],
    )
    g.output("y", results[0])


def test_a_count() -> None:
    before = """
    less_1: bool[] = Less(0, n)
    y: float[3] = Loop(-, less_1, x)
      body (iteration: int64[], condition: bool[], h: float[3]) => (less_2, mul_1) {
        mul_1: float[3] = Mul(h, float32(2.0))
        add_1: int64[] = Add(iteration, 1)
        less_2: bool[] = Less(add_1, n)
      }
    """
    after = """
    y: float[3] = Loop(n, True, x)
      body (iteration: int64[], condition: bool[], h: float[3]) => (identity_1, mul_1) {
        mul_1: float[3] = Mul(h, float32(2.0))
        identity_1: bool[] = Identity(True)
      }
    """
    check(counted, loop, before, after, NX)


def carried_count(
    g: ONNXGraph, start: object = 1, *, kept: bool = False, after: int = 1, more: bool = False
) -> None:
    """Count from a start on, and use the count in each turn and at the end."""
    x, n = g.input("x", F, (3,)), g.input("n", I64, ())
    first = g.constant(start)
    body = g.body("turn", loop=True)
    h, k = body.input(F, (3,), "h"), body.input(I64, (), "k")
    last = [body.input(I64, (), "last")] if kept else []
    with body:
        scaled = g.Mul(h, g.Cast(k, to=F))
        following = g.Add(k, after)
        going = g.Less(following, n)
        if more:
            going = g.And(g.Less(g.ReduceSum(scaled, keepdims=0), 9.0), going)
    starts = [x, first, *([first] if kept else [])]
    ends = [scaled, following, *([k] if last else [])]
    made = g.Loop(None, g.Less(first, n), body, starts, cond_out=going, carried=ends)
    for name, value in zip("yzw", made, strict=False):
        g.output(name, value)


def test_a_count_that_is_carried() -> None:
    before = """
    less_1: bool[] = Less(1, n)
    y: float[3], z: int64[] = Loop(-, less_1, x, 1)
      body (iteration: int64[], condition: bool[], h: float[3], k: int64[]) => (less_2, mul_1, add_1) {
        cast_1: float[] = Cast<to=1>(k)
        mul_1: float[3] = Mul(h, cast_1)
        add_1: int64[] = Add(k, 1)
        less_2: bool[] = Less(add_1, n)
      }
    """
    after = """
    z: int64[] = Max(n, 1)
    sub_1: int64[] = Sub(z, 1)
    y: float[3], loop_1: int64[] = Loop(sub_1, True, x, 1)
      body (iteration: int64[], condition: bool[], h: float[3], k: int64[]) => (identity_1, mul_1, add_2) {
        add_1: int64[] = Add(iteration, 1)
        cast_1: float[] = Cast<to=1>(add_1)
        mul_1: float[3] = Mul(h, cast_1)
        add_2: int64[] = Add(add_1, 1)
        identity_1: bool[] = Identity(True)
      }
    """
    check(counted, carried_count, before, after, NX)


def test_a_count_beside_another_condition() -> None:
    def build(g: ONNXGraph) -> None:
        carried_count(g, more=True)

    graph = built(build)
    assert checked(counted).run(graph) == 1
    text = graph.to_text()
    assert "Loop(sub_1, less_1, x, 1)" in text
    assert "And(" not in text
    same(built(build), graph, NX)


def test_a_count_that_a_turn_gives_on() -> None:
    def build(g: ONNXGraph) -> None:
        carried_count(g, 0, kept=True)

    graph = built(build)
    assert counted.run(graph) == 1
    same(built(build), graph, NX)


@pytest.mark.parametrize("options", [{"start": -1}, {"after": 2}], ids=str)
def test_counts_that_stay(options: Any) -> None:
    g = built(lambda g: carried_count(g, **options))
    assert not list(counted.ensures(g)) and not counted.run(g)


@pytest.mark.parametrize(
    "options", [{"start": 1}, {"step": 2}, {"more": True}, {"carried": True}], ids=str
)
def test_other_conditions_stay(options: Any) -> None:
    g = built(lambda g: loop(g, **options))
    assert not list(counted.ensures(g)) and not counted.run(g)


def products(g: ONNXGraph) -> None:
    x, n = g.input("x", F, (3,)), g.input("n", I64, ())
    for product in (True, False):
        body = g.body("turn", loop=True)
        h = body.input(F, (1, 1), "h")
        with body:
            item = g.Reshape(g.Gather(x, body.iteration), [1, 1])
            h = g.MatMul(h, item) if product else g.Mul(h, item)
            number = g.Identity(body.iteration)
        turns = g.Min(n, g.size(x, 0))
        start = g.constant(np.ones((1, 1), F))
        last, scanned = g.Loop(turns, None, body, [start], carried=[h], scans=[number])
        g.output(f"last{product:d}", last)
        g.output(f"scanned{product:d}", scanned)


def test_a_counter_of_products() -> None:
    before = """
    min_1: int64[] = Min(n, 3)
    last1: float[1, 1], scanned1: int64[unk_1] = Loop(min_1, True, float32([[1.0]]))
      body (iteration: int64[], condition: bool[], h: float[1, 1]) => (identity_2, matmul_1, identity_1) {
        gather_1: float[] = Gather(x, iteration)
        reshape_1: float[1, 1] = Reshape(gather_1, [1, 1])
        matmul_1: float[1, 1] = MatMul(h, reshape_1)
        identity_1: int64[] = Identity(iteration)
        identity_2: bool[] = Identity(True)
      }
    min_2: int64[] = Min(n, 3)
    last0: float[1, 1], scanned0: int64[unk_2] = Loop(min_2, True, float32([[1.0]]))
      body (iteration_1: int64[], condition_1: bool[], h_1: float[1, 1]) => (identity_4, mul_1, identity_3) {
        gather_2: float[] = Gather(x, iteration_1)
        reshape_2: float[1, 1] = Reshape(gather_2, [1, 1])
        mul_1: float[1, 1] = Mul(h_1, reshape_2)
        identity_3: int64[] = Identity(iteration_1)
        identity_4: bool[] = Identity(True)
      }
    """
    loop, rest = before.split("    min_2", 1)
    loop = loop.replace("scanned1: int64[unk_1]", "loop_1: int64[], scanned1: int64[unk_1]")
    loop = loop.replace("True, float32([[1.0]]))", "True, float32([[1.0]]), 0)")
    loop = loop.replace("h: float[1, 1])", "h: float[1, 1], carried: int64[])")
    loop = loop.replace("matmul_1, identity_1)", "matmul_1, add_1, identity_1)")
    loop = loop.replace("Gather(x, iteration)", "Gather(x, carried)")
    loop = loop.replace("(True)\n", "(True)\n        add_1: int64[] = Add(carried, 1)\n")
    after = f"{loop}    min_2{rest}"
    check(counters, products, before, after, NX)


def two_conditions(g: ONNXGraph, limit: int = 1000, start: int = 0) -> None:
    n = g.input("n", I64, ())
    body = g.body("turn", loop=True)
    left, depth = body.input(I64, (), "left"), body.input(I64, (), "depth")
    with body:
        less, deeper = g.Sub(left, 1), g.Add(depth, 1)
        going = g.And(g.Greater(less, 0), g.Less(deeper, limit))
    made = g.Loop(
        *(None, g.Greater(n, 0), body, [n, np.int64(start)]),
        cond_out=going,
        carried=[less, deeper],
    )
    g.output("y", made[0])
    g.output("z", made[1])


@pytest.mark.parametrize(("limit", "start"), [(1000, 0), (4, 0), (1, 0), (5, 3)])
def test_a_bound_that_surely_holds_at_first(limit: int, start: int) -> None:
    def build(g: ONNXGraph) -> None:
        two_conditions(g, limit, start)

    graph = built(build)
    assert checked(counted).run(graph) == 1
    text = graph.to_text()
    assert "And(" not in text
    same(built(build), graph, [{"n": np.array(n)} for n in (-1, 0, 1, 2, 3, 4, 5, 9)])


@pytest.mark.parametrize(("limit", "start"), [(0, 0), (3, 4), (3, -1), (10_000, 0)])
def test_a_bound_that_stays(limit: int, start: int) -> None:
    assert not counted.run(built(lambda g: two_conditions(g, limit, start)))
