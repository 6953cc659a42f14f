"""Loops whose turns do not depend on one another become operators."""

from __future__ import annotations

import numpy as np
import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument

from onnx_graph import ONNXGraph
from onnx_graph.passes import at_once
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.text import I64, F, built, check, same, text_of

X = [{"x": np.array(x, F)} for x in ([], [1], [3, 1, 2, np.nan, 5])]


def count(g: ONNXGraph, *, reads_count: bool = False) -> None:
    """Count the rows above 1, perhaps above how many there were."""
    x = g.input("x", F, ["n"])
    body = g.body("turns", loop=True)
    held = body.input(I64, ())
    with body:
        more, fewer = g.body("more"), g.body("fewer")
        bound = g.Cast(held, to=F) if reads_count else F(1)
        test = g.Greater(g.Gather(x, body.iteration, axis=0), bound)
        with more:
            longer = g.Add(held, 1)
        with fewer:
            alike = g.Identity(held)
        end = g.If(test, more, [longer], fewer, [alike])
    (made,) = g.Loop(g.Gather(g.Shape(x), 0), None, body, [g.constant(0)], carried=end)
    g.output("count", made)


def test_text() -> None:
    check(at_once, count, BEFORE, AFTER, X)


def test_what_reads_its_sum_stays() -> None:
    def build(g: ONNXGraph) -> None:
        count(g, reads_count=True)

    passed = built(build)
    assert not at_once.run(passed)


def test_a_number_of_turns_that_nothing_bounds() -> None:
    """A branch keeps the loop."""

    def build(g: ONNXGraph) -> None:
        n = g.input("n", I64, [])
        body = g.body("turns", loop=True)
        held = body.input(np.float64, ())
        with body:
            end = g.Add(held, g.Cast(body.iteration, to=np.float64))
            scan = g.Mul(body.iteration, 2)
        sums = g.Loop(n, None, body, [g.constant(np.float64(0.5))], carried=[end], scans=[scan])
        g.output("sum", sums[0])
        g.output("all", sums[1])

    passed = built(build)
    assert at_once.run(passed) == 1
    assert not at_once.run(passed)
    text = passed.to_text()
    assert "LessOrEqual" in text
    assert "Loop" in text
    same(built(build), passed, [{"n": np.array(n)} for n in (0, 1, 5, -3)])


def rising(g: ONNXGraph) -> None:
    """Sum the rows up, and check of those above 3 that the sum has grown."""
    x = g.input("x", I64, ["n"])
    body = g.body("turns", loop=True)
    token, held = body.input(I64, ()), body.input(I64, ())
    with body:
        row = g.Gather(x, body.iteration, axis=0)
        end = g.Add(held, row)
        then, other = g.body("then"), g.body("other")
        with then:
            checked = g.Add(token, g.check(g.Greater(end, held), "grown"))
        with other:
            kept = g.Identity(token)
        tokens = g.If(g.Greater(row, 3), then, [checked], other, [kept])
    begin = [g.constant(0), g.constant(5)]
    made = g.Loop(g.Gather(g.Shape(x), 0), None, body, begin, carried=[*tokens, end])
    g.output("token", made[0])


def test_a_check_in_a_branch() -> None:
    """It fails where a turn comes to it and it does not hold."""
    passed = built(rising)
    assert at_once.run(passed) == 1
    rows = [np.array(row, I64) for row in ([], [4], [-2, 0, 7, 4], [2**62])]
    same(built(rising), passed, [{"x": row} for row in rows])
    for graph in (built(rising), passed):
        ran = session(graph.to_model().SerializeToString())
        with pytest.raises(InvalidArgument, match="grown"):
            ran.run(None, {"x": np.array([2**62, 3, 2**62], I64)})
    assert [line for line in text_of(passed).splitlines() if "CumSum" in line or "And" in line] == [
        "cumsum_1: int64[n] = CumSum<exclusive=1>(x, 0)",
        "and_1: bool[n] = And(not_1, greater_2)",
    ]


BEFORE = """
    shape_1: int64[1] = Shape(x)
    gather_1: int64[] = Gather(shape_1, 0)
    count: int64[] = Loop(gather_1, True, 0)
      body (iteration: int64[], condition: bool[], carried: int64[]) => (identity_2, if_1) {
        gather_2: float[] = Gather<axis=0>(x, iteration)
        greater_1: bool[] = Greater(gather_2, float32(1.0))
        if_1: int64[] = If(greater_1)
          else_branch () => (identity_1) {
            identity_1: int64[] = Identity(carried)
          }
          then_branch () => (add_1) {
            add_1: int64[] = Add(carried, 1)
          }
        identity_2: bool[] = Identity(True)
      }
"""
AFTER = """
    greater_1: bool[n] = Greater(x, float32(1.0))
    cast_1: int64[n] = Cast<to=7>(greater_1)
    reducesum_1: int64[] = ReduceSum<keepdims=0>(cast_1, [0])
    count: int64[] = Add(0, reducesum_1)
"""
