"""Comparisons of integers that numbers of turns and lengths of lists decide."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from onnx_graph import ONNXGraph, Value
from onnx_graph.passes import ranges
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import I64, F, built, same

FEEDS = [
    {"x": np.arange(n, dtype=F), "n": np.array(m)} for n in (0, 1, 2, 5) for m in (-1, 0, 1, 3)
]
Tests = Callable[[ONNXGraph, Value, Value], list[Value]]


def counted(g: ONNXGraph, start: Value, tests: list[Value]) -> Value:
    """Return how many hold, 1, 10, 100 … for each."""
    for place, test in enumerate(tests):
        start = g.Add(start, g.Mul(g.Cast(test, to=I64), 10**place))
    return start


def turns(g: ONNXGraph, trip: Value, tests: Callable[[Value], list[Value]]) -> Value:
    """Return how often each holds in a Loop, whose number of a turn they take."""
    body = g.body("loop", loop=True)
    with body:
        total = counted(g, body.input(I64, (), "total"), tests(body.iteration))
    return g.Loop(trip, True, body, [g.constant(0)], carried=[total])[0]


def indices(g: ONNXGraph, size: Value, n: Value) -> list[Value]:
    def outer(i: Value) -> list[Value]:
        def inner(j: Value) -> list[Value]:
            at = g.Add(g.Add(i, 1), j)
            return [g.Less(at, size), g.GreaterOrEqual(at, g.Neg(size)), g.Equal(at, i)]

        left = g.Max(g.Sub(size, g.Add(i, 1)), 0)
        return [g.Less(i, size), g.Less(turns(g, left, inner), 7)]

    return [g.Less(turns(g, size, outer), 1000)]


def after_max(g: ONNXGraph, size: Value, n: Value) -> list[Value]:
    def found(i: Value) -> list[Value]:
        return [g.Less(i, n), g.Greater(0, i)]

    return [g.Less(turns(g, g.Max(n, 0), found), 1), g.Less(size, 0)]


def a_max_of_a_max(g: ONNXGraph, size: Value, n: Value) -> list[Value]:
    body = g.body("loop", loop=True)
    with body:
        more = g.Add(body.input(I64, (), "total"), 1)
    (total,) = g.Loop(g.Max(g.Max(size, 0), 0), True, body, [g.constant(0)], carried=[more])
    return [g.Greater(total, n)]


def a_place(g: ONNXGraph, size: Value, n: Value) -> list[Value]:
    """A turn may take a later place for the one that it has; n is none of them."""

    def outer(i: Value) -> list[Value]:
        body, x = g.body("loop", loop=True), g.Sin(g.Cast(i, to=F))
        place, other = body.input(I64, (), "place"), body.input(I64, (), "other")
        with body:
            at = g.Add(g.Add(i, 1), body.iteration)
            test = g.Greater(g.Cos(g.Cast(at, to=F)), x)
            then, rest = g.body("then"), g.body("else")
            with then:
                taken = [g.Identity(at), g.Identity(n)]
            with rest:
                kept = [g.Identity(place), g.Identity(other)]
            ends = g.If(test, then, taken, rest, kept)
            asked = [g.Less(place, size), g.GreaterOrEqual(place, g.Neg(size)), g.Less(other, size)]
            more = counted(g, body.input(I64, (), "total"), asked)
        left = g.Max(g.Sub(size, g.Add(i, 1)), 0)
        last, _, total = g.Loop(left, True, body, [i, i, g.constant(0)], carried=[*ends, more])
        return [g.Less(last, size), g.Less(-1, last), g.Less(last, i), g.Less(total, 3)]

    return [g.Less(turns(g, size, outer), 1000)]


def a_list_that_grows(g: ONNXGraph, size: Value, n: Value) -> list[Value]:
    body = g.body("loop", loop=True)
    with body:
        grown = body.sequence_input(F, (), "grown")
        longer = g.SequenceInsert(grown, g.constant(np.array(1, F)))
        within = g.Less(0, g.SequenceLength(longer))
        more = counted(g, body.input(I64, (), "total"), [within])
    begun = g.SequenceConstruct(g.constant(np.array(1, F)))
    last, total = g.Loop(size, True, body, [begun, g.constant(0)], carried=[longer, more])
    return [g.Less(0, g.SequenceLength(last)), g.Less(3, total)]


def of_branches(g: ONNXGraph, size: Value, n: Value) -> list[Value]:
    then, other = g.body("then"), g.body("else")
    with then:
        one = g.And(g.Greater(size, 1), g.Less(n, size))
    with other:
        two = g.LessOrEqual(size, 2)
    return g.If(g.Greater(size, 2), then, [one], other, [two])


def begun(g: ONNXGraph, start: Value, limit: Value, tests: Tests, *, step: int = 1) -> Value:
    """Return how often each holds in `while start < limit`, which begins by that or anyhow."""
    body = g.body("loop", loop=True)
    with body:
        at = body.input(I64, (), "at")
        total = counted(g, body.input(I64, (), "total"), tests(g, at, limit))
        more = g.Add(at, step)
        goes_on = g.Less(more, limit)
    first = g.Less(start, limit)
    carried = [more, total]
    return g.Loop(7, first, body, [start, g.constant(0)], cond_out=goes_on, carried=carried)[1]


def what_lets_a_turn_begin(g: ONNXGraph, size: Value, n: Value) -> list[Value]:
    def asked(g: ONNXGraph, at: Value, limit: Value) -> list[Value]:
        return [g.Less(at, limit), g.GreaterOrEqual(limit, at), g.Less(g.Add(at, 1), limit)]

    return [g.Less(begun(g, g.constant(0), size, asked), 1000)]


def a_first_turn_that_nobody_asked_for(g: ONNXGraph, size: Value, n: Value) -> list[Value]:
    body = g.body("loop", loop=True)
    with body:
        at = body.input(I64, (), "at")
        total = counted(g, body.input(I64, (), "total"), [g.Less(at, size)])
        more = g.Add(at, 1)
        goes_on = g.Less(more, size)
    start = [g.constant(0), g.constant(0)]
    ends = g.Loop(7, True, body, start, cond_out=goes_on, carried=[more, total])
    return [g.Less(ends[1], 1000)]


def what_the_turn_before_had(g: ONNXGraph, size: Value, n: Value) -> list[Value]:
    """The condition is about what the turn before began with, not what this one begins with."""
    body = g.body("loop", loop=True)
    with body:
        at = body.input(I64, (), "at")
        total = counted(g, body.input(I64, (), "total"), [g.Less(at, size)])
        more = g.Add(at, 1)
        goes_on = g.Less(at, size)
    start = [g.constant(0), g.constant(0)]
    ends = g.Loop(7, g.Less(0, size), body, start, cond_out=goes_on, carried=[more, total])
    return [g.Less(ends[1], 1000)]


def a_vector_that_grows(g: ONNXGraph, size: Value, n: Value) -> list[Value]:
    """`while at < len(found)`, where some turns put to what is found."""
    x = g.Range(g.constant(0), g.Max(n, 0), g.constant(1))
    body = g.body("loop", loop=True)
    with body:
        at, found = body.input(I64, (), "at"), body.input(I64, ("f",), "found")
        tests = [g.Less(at, g.Size(found)), g.Less(at, size)]
        total = counted(g, body.input(I64, (), "total"), tests)
        then, other = g.body("then"), g.body("else")
        with then:
            a = g.Concat(found, g.Unsqueeze(at, [0]), axis=0)
        with other:
            b = g.Identity(found)
        (longer,) = g.If(g.Less(total, 3), then, [a], other, [b])
        more = g.Add(at, 1)
        goes_on = g.Less(more, g.Size(longer))
    first = g.Less(0, g.Size(x))
    start = [g.constant(0), x, g.constant(0)]
    ends = g.Loop(7, first, body, start, cond_out=goes_on, carried=[more, longer, total])
    return [g.Less(ends[2], 1000)]


def a_number_that_is_read_by(g: ONNXGraph, size: Value, n: Value) -> list[Value]:
    """The graph fails where `n` is no place, so that the next number is no small one."""
    table = g.constant(np.arange(-3, 3, dtype=I64))
    found = g.Gather(table, n)
    return [g.Less(n, g.Add(n, 1)), g.Less(found, g.Add(found, 1)), g.Less(n, 6)]


def a_number_that_a_branch_reads_by(g: ONNXGraph, size: Value, n: Value) -> list[Value]:
    then, other = g.body("then"), g.body("else")
    with then:
        one = g.Gather(g.constant(np.arange(6)), n)
    with other:
        two = g.Identity(g.constant(0))
    (found,) = g.If(g.Less(n, 6), then, [one], other, [two])
    return [g.Less(n, g.Add(n, 1)), g.Less(found, 3)]


def whole_slices(g: ONNXGraph, size: Value, n: Value) -> list[Value]:
    x = g.Range(g.constant(0), size, g.constant(1))
    more = g.Concat(x, g.constant([7]), axis=0)
    ends = [g.Add(size, 1), size, n, g.Sub(size, 1)]
    cuts = [g.Slice(more, [0], g.Unsqueeze(end, [0]), [0]) for end in ends]
    cuts.append(g.Slice(more, [1], g.Unsqueeze(ends[0], [0]), [0]))
    return [g.Less(g.ReduceSum(cut, None, keepdims=0), 9) for cut in cuts]


def open_questions(g: ONNXGraph, size: Value, n: Value) -> list[Value]:
    body = g.body("loop", loop=True)
    with body:
        doubled = body.input(I64, (), "doubled")
        more = g.Mul(doubled, 3)
    (last,) = g.Loop(size, True, body, [g.constant(1)], carried=[more])
    return [
        g.Less(n, g.Add(n, 1)),  # the largest number has none above it
        g.Less(g.Sub(n, 1), n),
        g.Less(0, g.Add(g.Max(n, 0), 1)),
        g.Greater(last, 0),  # 3 ** 41 is below 0
        g.Less(0, size),
    ]


#: How many nodes are decided of each: comparisons, and Max.
CASES = {
    indices: 5,
    after_max: 3,
    a_max_of_a_max: 2,
    a_place: 5,
    a_list_that_grows: 2,
    of_branches: 1,
    what_lets_a_turn_begin: 2,
    a_first_turn_that_nobody_asked_for: 0,
    what_the_turn_before_had: 0,
    a_vector_that_grows: 1,
    a_number_that_is_read_by: 1,
    a_number_that_a_branch_reads_by: 0,
    whole_slices: 2,
    open_questions: 0,
}


@pytest.mark.parametrize(("tests", "decided"), CASES.items(), ids=[case.__name__ for case in CASES])
def test_what_is_decided(tests: Tests, decided: int) -> None:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
        g.output("y", counted(g, g.constant(0), tests(g, g.size(x, 0), n)))

    passed = built(build)
    assert checked(ranges).run(passed) == decided
    same(built(build), passed, FEEDS)
