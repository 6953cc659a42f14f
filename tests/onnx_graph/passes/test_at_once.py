"""Loops whose turns do not depend on one another become operators."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument

from onnx_graph import ONNXGraph, Value
from onnx_graph.passes import at_once, unused
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import I64, Build, F, built, check, same, text_of

Test = Callable[[ONNXGraph, Value, Value, list[Value]], Value]
Made = Callable[[ONNXGraph, Value, Value], list[Value]]
ROWS = ([], [1], [2], [3, 1, 2, 5], [np.nan, 3], [3, np.nan, 4, 4], [0.0, -0.0, 0.0], [5, 5, 1, 1])
EQUALS = [{"x": np.array(x, F)} for x in (*ROWS, [np.inf, 2], [-np.inf, -np.inf], [np.nan])]
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


def replaced(g: ONNXGraph, test: Test, new: Made, *starts: Value) -> None:
    """Carry what a turn replaces by something else where a test holds."""
    x = g.input("x", F, ["n"])
    body = g.body("turns", loop=True)
    held = [body.input(start.dtype.numpy(), ()) for start in starts if start.dtype is not None]
    with body:
        row = g.Gather(x, body.iteration, axis=0)
        then, other = g.body("then"), g.body("else")
        truth = test(g, x, row, held)
        with then:
            taken = [g.Identity(value) for value in new(g, row, body.iteration)]
        with other:
            kept = [g.Identity(value) for value in held]
        ends = g.If(truth, then, taken, other, kept)
    made = g.Loop(g.Gather(g.Shape(x), 0), None, body, starts, carried=ends)
    for number, value in enumerate(made):
        g.output(f"y{number}", value)


def best(name: str) -> Build:
    """The best number, and its place."""
    return lambda g: replaced(
        g,
        lambda g, x, row, held: g.emit(name, [row, held[0]]),
        lambda g, row, turn: [row, turn],
        g.constant(F(2)),
        g.constant(-1),
    )


def best_place(name: str) -> Build:
    """The place of the best number, which each turn looks up."""
    return lambda g: replaced(
        g,
        lambda g, x, row, held: g.emit(name, [row, g.Gather(x, held[0], axis=0)]),
        lambda g, row, turn: [turn],
        g.constant(0),
    )


def last_one(g: ONNXGraph) -> None:
    """Twice the last number above 1."""
    starts = [g.constant(F(-1))]
    replaced(
        g,
        lambda g, x, row, held: g.Greater(row, F(1)),
        lambda g, row, _: [g.Mul(row, 2.0)],
        *starts,
    )


def text_of_results(build: Build) -> str:
    passed = built(build)
    assert checked(at_once).run(passed) == 1
    checked(unused).run(passed)
    return text_of(passed)


def test_the_text_of_what_is_kept() -> None:
    assert text_of_results(last_one) == KEPT.strip()


def test_the_text_of_the_best() -> None:
    assert text_of_results(best("Greater")) == BEST.strip()


@pytest.mark.parametrize("name", ["Greater", "GreaterOrEqual", "Less", "LessOrEqual"])
@pytest.mark.parametrize("made", [best, best_place])
def test_the_first_and_the_last_of_equals(name: str, made: Callable[[str], Build]) -> None:
    passed = built(made(name))
    assert checked(at_once).run(passed) == 1
    assert "Loop" not in passed.to_text()
    same(built(made(name)), passed, EQUALS)


def test_the_last_one() -> None:
    passed = built(last_one)
    assert at_once.run(passed) == 1
    same(built(last_one), passed, EQUALS)


def test_the_best_of_others_stays() -> None:
    """What a turn keeps is not what it compared."""

    def build(g: ONNXGraph) -> None:
        replaced(
            g,
            lambda g, x, row, held: g.Greater(row, held[0]),
            lambda g, row, turn: [g.Mul(row, 2.0)],
            g.constant(F(0)),
        )

    assert not at_once.run(built(build))


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
KEPT = """
greater_1: bool[n] = Greater(x, float32(1.0))
unsqueeze_1: bool[1] = Unsqueeze(True, [0])
concat_1: bool[n + 1] = Concat<axis=0>(unsqueeze_1, greater_1)
cast_1: int32[n + 1] = Cast<to=6>(concat_1)
argmax_1: int64[] = ArgMax<axis=0, keepdims=0, select_last_index=1>(cast_1)
unsqueeze_2: float[1] = Unsqueeze(float32(-1.0), [0])
mul_1: float[n] = Mul(x, float32(2.0))
concat_2: float[n + 1] = Concat<axis=0>(unsqueeze_2, mul_1)
y0: float[] = Gather<axis=0>(concat_2, argmax_1)
"""
BEST = """
shape_1: int64[1] = Shape(x)
gather_1: int64[] = Gather(shape_1, 0)
unsqueeze_1: float[1] = Unsqueeze(float32(2.0), [0])
concat_1: float[n + 1] = Concat<axis=0>(unsqueeze_1, x)
unsqueeze_2: int64[1] = Unsqueeze(gather_1, [0])
expand_1: bool[n] = Expand(True, unsqueeze_2)
unsqueeze_3: bool[1] = Unsqueeze(True, [0])
concat_2: bool[n + 1] = Concat<axis=0>(unsqueeze_3, expand_1)
isnan_1: bool[n + 1] = IsNaN(concat_1)
not_1: bool[n + 1] = Not(isnan_1)
and_1: bool[n + 1] = And(concat_2, not_1)
where_1: float[n + 1] = Where(and_1, concat_1, float32(-inf))
argmax_1: int64[] = ArgMax<axis=0, keepdims=0>(where_1)
isnan_2: bool[1] = IsNaN(unsqueeze_1)
squeeze_1: bool[] = Squeeze(isnan_2, [0])
where_2: int64[] = Where(squeeze_1, 0, argmax_1)
unsqueeze_4: float[1] = Unsqueeze(float32(2.0), [0])
concat_3: float[n + 1] = Concat<axis=0>(unsqueeze_4, x)
y0: float[] = Gather<axis=0>(concat_3, where_2)
unsqueeze_5: int64[1] = Unsqueeze(-1, [0])
range_1: int64[n] = Range(0, gather_1, 1)
concat_4: int64[n + 1] = Concat<axis=0>(unsqueeze_5, range_1)
y1: int64[] = Gather<axis=0>(concat_4, where_2)
"""
