"""Lists that a Loop appends to in some of its turns become stacks and a choice of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from onnx_graph import Body, ONNXGraph, Value
from onnx_graph.passes import conditional_stacks, unused
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import Build, built, check, same

F = np.float32
FEEDS = [
    {"x": np.random.RandomState(size).randn(size).astype(F), "low": np.array(low, F)}
    for size in (0, 1, 2, 7, 30)
    for low in (-9, -0.5, 0.3, 9)
]


def kept(g: ONNXGraph, list_: Value) -> Value:
    """Give back a list of an outer scope, as a branch has to."""
    dummy = g.constant(np.zeros(0, list_.dtype.numpy() if list_.dtype else None))
    result: Value = g.SequenceErase(g.SequenceInsert(list_, dummy))
    return result


def loop(
    g: ONNXGraph, count: int, turn: Callable[[Body, Value, list[Value], Value], list[Value]]
) -> tuple[Value, ...]:
    """Go over `x` with some empty lists, and return them."""
    x, low = g.input("x", F, ["N"]), g.input("low", F, [])
    body = g.body("turns", loop=True)
    lists = [body.sequence_input(F, []) for _ in range(count)]
    with body:
        item = g.Gather(x, body.iteration, axis=0)
        ends = turn(body, item, lists, low)
    initial = [g.SequenceEmpty(dtype=np.dtype(F)) for _ in lists]
    return g.Loop(g.size(x, 0), None, body, initial=initial, carried=ends)


def either(g: ONNXGraph, condition: Any, then: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """Emit an If of what two functions give."""
    one, two = g.body("then"), g.body("else")
    with one:
        left = then()
    with two:
        right = other()
    return g.If(condition, one, left, two, right)


def filtered(g: ONNXGraph) -> None:
    """Append an item of the body and one of the branch to two lists; the other stays."""

    def turn(body: Body, item: Value, lists: list[Value], low: Value) -> list[Value]:
        def append() -> list[Value]:
            return [g.SequenceInsert(lists[0], item), g.SequenceInsert(lists[1], g.Exp(item))]

        return list(either(g, g.Less(low, item), append, lambda: [kept(g, one) for one in lists]))

    for number, list_ in enumerate(loop(g, 2, turn)):
        g.output(f"y{number}", list_)


def deep(g: ONNXGraph) -> None:
    """Append in two of four branches, other items; the length is read afterwards."""

    def turn(body: Body, item: Value, lists: list[Value], low: Value) -> list[Value]:
        (list_,) = lists

        def inner() -> Any:
            small = g.Less(item, np.float32(0))
            grown = either(
                g, small, lambda: [g.SequenceInsert(list_, g.Neg(item))], lambda: [kept(g, list_)]
            )
            return [grown[0], g.Exp(item)]

        def outer() -> Any:
            return [g.SequenceInsert(list_, g.Sin(item)), g.Cos(item)]

        return [either(g, g.Less(low, item), inner, outer)[0]]

    (found,) = loop(g, 1, turn)
    g.output("y", found)
    g.output("n", g.SequenceLength(found))


def twice(g: ONNXGraph) -> None:
    """Append two items at once: no rows to pick."""

    def turn(body: Body, item: Value, lists: list[Value], low: Value) -> list[Value]:
        def append() -> list[Value]:
            return [g.SequenceInsert(g.SequenceInsert(lists[0], item), item)]

        return list(either(g, g.Less(low, item), append, lambda: [kept(g, lists[0])]))

    g.output("y", loop(g, 1, turn)[0])


def read(g: ONNXGraph) -> None:
    """Ask for the length in each turn: the list has to be there."""

    def turn(body: Body, item: Value, lists: list[Value], low: Value) -> list[Value]:
        few = g.Less(g.SequenceLength(lists[0]), 3)

        def append() -> list[Value]:
            return [g.SequenceInsert(lists[0], item)]

        return list(either(g, few, append, lambda: [kept(g, lists[0])]))

    g.output("y", loop(g, 1, turn)[0])


def run(build: Build, after: Callable[[ONNXGraph], Any]) -> str:
    """Compare a graph with itself after a pass; return its text."""
    passed = built(build)
    after(passed)
    unused.run(passed)
    same(built(build), passed, FEEDS)
    return passed.to_text()


def test_text() -> None:
    before = """
    shape_1: int64[1] = Shape(x)
    gather_1: int64[] = Gather<axis=0>(shape_1, 0)
    sequenceempty_1: seq(float[?]) = SequenceEmpty<dtype=1>()
    sequenceempty_2: seq(float[?]) = SequenceEmpty<dtype=1>()
    y0: seq(float[]), y1: seq(float[]) = Loop(gather_1, True, sequenceempty_1, sequenceempty_2)
      body (iteration: int64[], condition: bool[], carried: seq(float[]), carried_1: seq(float[])) => (identity_1, if_1, if_2) {
        gather_2: float[] = Gather<axis=0>(x, iteration)
        less_1: bool[] = Less(low, gather_2)
        if_1: seq(float[]), if_2: seq(float[]) = If(less_1)
          else_branch () => (sequenceerase_1, sequenceerase_2) {
            sequenceinsert_1: seq(float[?]) = SequenceInsert(carried, float32([]))
            sequenceerase_1: seq(float[]) = SequenceErase(sequenceinsert_1)
            sequenceinsert_2: seq(float[?]) = SequenceInsert(carried_1, float32([]))
            sequenceerase_2: seq(float[]) = SequenceErase(sequenceinsert_2)
          }
          then_branch () => (sequenceinsert_3, sequenceinsert_4) {
            sequenceinsert_3: seq(float[]) = SequenceInsert(carried, gather_2)
            exp_1: float[] = Exp(gather_2)
            sequenceinsert_4: seq(float[]) = SequenceInsert(carried_1, exp_1)
          }
        identity_1: bool[] = Identity(True)
      }
    """  # noqa: E501
    after = """
    shape_1: int64[1] = Shape(x)
    gather_1: int64[] = Gather<axis=0>(shape_1, 0)
    loop_1: float[unk_1], loop_2: float[unk_1], loop_3: bool[unk_1] = Loop(gather_1, True)
      body (iteration: int64[], condition: bool[]) => (identity_4, gather_2, if_1, if_2) {
        gather_2: float[] = Gather<axis=0>(x, iteration)
        less_1: bool[] = Less(low, gather_2)
        if_1: float[], if_2: bool[] = If(less_1)
          else_branch () => (identity_1, identity_2) {
            identity_1: float[] = Identity(float32(0.0))
            identity_2: bool[] = Identity(False)
          }
          then_branch () => (exp_1, identity_3) {
            exp_1: float[] = Exp(gather_2)
            identity_3: bool[] = Identity(True)
          }
        identity_4: bool[] = Identity(True)
      }
    compress_1: float[unk_2] = Compress<axis=0>(loop_2, loop_3)
    y1: seq(float[]) = SplitToSequence<axis=0, keepdims=0>(compress_1)
    compress_2: float[unk_2] = Compress<axis=0>(loop_1, loop_3)
    y0: seq(float[]) = SplitToSequence<axis=0, keepdims=0>(compress_2)
    """
    check(conditional_stacks, filtered, before, after, FEEDS)


@pytest.mark.parametrize(("build", "lists"), [(filtered, 2), (deep, 1)])
def test_rows_are_picked(build: Build, lists: int) -> None:
    def twice_is_once(g: ONNXGraph) -> None:
        pass_ = checked(conditional_stacks)
        assert (pass_.run(g), pass_.run(g)) == (lists, 0)

    text = run(build, twice_is_once)
    assert "SequenceInsert" not in text
    assert text.count("Compress<axis=0>") == lists
    assert "SequenceInsert" not in run(build, ONNXGraph.optimize)


@pytest.mark.parametrize("build", [twice, read])
def test_other_lists_stay(build: Build) -> None:
    assert "Compress" not in run(build, conditional_stacks.run)
    assert "Compress" not in run(build, ONNXGraph.optimize)
