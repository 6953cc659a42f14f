"""What a graph computes lies in the intervals that are known of it."""

from __future__ import annotations

import random

import numpy as np
import pytest

from onnx_graph import ONNXGraph, Value
from onnx_graph.intervals import INT64, LENGTH, Interval, Intervals
from tests.onnx_graph.claims import session

I64 = np.int64
EDGES = (0, 1, -1, 7, 1009, 2**31, -(2**31), 2**40, 2**62, 2**63 - 1, -(2**63))
GIVEN = [
    {"n": np.array(n), "a": np.array(a), "b": np.array(b)}
    for n, a, b in [(0, 3, 4), (1, 2**62, 2**62), (5, -3, 9), (9, 2**63 - 1, -1), (3, -(2**63), 0)]
]


class Maker:
    """Makes a graph with loops that carry numbers and stacks of them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.g = ONNXGraph()
        self.n, self.a, self.b = (self.g.input(name, I64, ()) for name in "nab")

    def number(self, known: list[Value]) -> Value:
        """Return a number that is computed of some."""
        g, pick = self.g, self.random.choice
        one, other = pick(known), pick([*known, g.constant(np.array(pick(EDGES)))])
        match self.random.randrange(10):
            case 0 | 1:
                return g.Add(one, other)
            case 2:
                return g.Sub(one, other)
            case 3:
                return g.Mul(one, other)
            case 4:
                return g.Mod(one, g.constant(np.array(pick((1, 2, 97, 1009, 2**40)))))
            case 5:
                return g.Where(g.Less(one, other), other, one)
            case 6:
                return g.Neg(one)
            case 7:
                return g.Cast(g.Greater(one, other), to=np.int64)
            case 8:
                return g.Abs(one)
        return g.Min(g.Max(one, np.int64(-50)), np.int64(99))

    def loop(self, known: list[Value], depth: int) -> list[Value]:
        """Return what a loop gives that carries three numbers and a stack."""
        g, pick = self.g, self.random.choice
        body = g.body("turn", loop=True)
        heads = [body.input(I64, ()) for _ in range(3)]
        stack = body.input(I64, (None,))
        with body:
            some = [*heads, g.Gather(stack, -1), body.iteration, *known]
            some += [self.number(some) for _ in range(4)]
            if depth:
                some += self.loop(some, depth - 1)
            ends = [pick(some) for _ in range(3)]
            ends = [g.Add(end, 1) if pick((0, 1)) else g.Identity(end) for end in ends]
            pushed = g.Concat(stack, g.Unsqueeze(pick(some), [0]), axis=0)
            left = g.Slice(pushed, [0], [-1], [0]) if pick((0, 1)) else pushed
            asked = g.Less(ends[0], np.int64(pick(EDGES)))
            going = pick([g.constant(np.array(True)), asked, g.And(asked, g.Less(-9, ends[1]))])
            going = g.Identity(going)
        start = [pick([*known, g.constant(np.array(pick(EDGES)))]) for _ in range(3)]
        first = pick([True, g.And(g.Less(start[0], 50), g.Less(-9, start[1]))])
        trip = g.Min(self.n, np.int64(6))
        stacked = [*start, g.constant(np.array([pick(EDGES)]))]
        return g.Loop(trip, first, body, stacked, cond_out=going, carried=[*ends, left])[:3]

    def graph(self) -> ONNXGraph:
        """Return a graph all of whose numbers are results."""
        known = [self.a, self.b]
        for _ in range(3):
            known.append(self.number(known))
        known += self.loop(known, self.random.choice((0, 1, 1, 2)))
        known += [self.number(known) for _ in range(4)]
        for place, value in enumerate(known[2:]):
            self.g.output(f"y{place}", self.g.Identity(value))
        return self.g


@pytest.mark.parametrize("start", range(0, 40, 20))
def test_random_loops(start: int) -> None:
    found = 0
    for seed in range(start, start + 20):
        graph = Maker(seed).graph()
        known = Intervals(graph.main.graph)
        bounds = {name: known.of(value) for name, value in graph.outputs.items()}
        found += sum(bound != INT64 for bound in bounds.values())
        run = session(graph.to_model().SerializeToString(), "ORT_DISABLE_ALL")
        for feeds in GIVEN:
            for name, value in zip(bounds, run.run(list(bounds), feeds), strict=True):
                low, high = bounds[name]
                assert low <= int(value) <= high, f"{seed} {feeds}: {name}\n{graph.to_text()}"
    assert found > 40


def test_a_remainder_that_a_loop_carries() -> None:
    g = ONNXGraph()
    n = g.input("n", I64, ())
    body = g.body("turn", loop=True)
    k = body.input(I64, ())
    with body:
        following = g.Add(g.Mod(g.Mul(k, 3), np.int64(1009)), 1)
    (last,) = g.Loop(n, None, body, [np.int64(1)], carried=[following])
    g.output("y", last)
    known = Intervals(g.main.graph)
    assert known.of(last).low >= 0
    assert known.of(last).high <= 2**31
    assert known.of(body.iteration) == LENGTH


def test_a_count_is_bounded_by_what_lets_a_turn_begin() -> None:
    g = ONNXGraph()
    n = g.input("n", I64, ())
    body = g.body("turn", loop=True)
    k = body.input(I64, ())
    with body:
        following = g.Add(k, 1)
        going = g.Less(following, 1000)
    start = g.Max(n, np.int64(0))
    made = g.Loop(None, g.Less(start, 1000), body, [start], cond_out=going, carried=[following])
    g.output("y", made[0])
    known = Intervals(g.main.graph)
    assert known.of(k) == Interval(0, 999)
    assert known.of(following) == Interval(1, 1000)


@pytest.mark.parametrize(("how", "most"), [("none", 5), ("add", INT64.high)])
def test_what_is_scattered(how: str, most: int) -> None:
    g = ONNXGraph()
    a = g.Mod(g.input("a", I64, ["n"]), np.int64(4))
    places, ones = g.constant(np.array([0, 0])), g.constant(np.array([5, 5]))
    found = g.ScatterElements(a, places, ones, axis=0, reduction=how)
    g.output("y", found)
    assert Intervals(g.main.graph).of(found).high == most
