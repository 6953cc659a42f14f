"""A list that is a stack in one branch and empty in the other leaves the If as a stack."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph, Value
from onnx_graph.passes import branched_stacks, stacks, unused
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import I64, NX, F, built, check, same

ROWS = [{"x": np.arange(2 * n, dtype=F).reshape(n, 2)} for n in (0, 1, 4)]


def test_text() -> None:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
        then, other = g.body("then"), g.body("else")
        with then:
            a = g.SplitToSequence(g.Unsqueeze(x, [0]), axis=0, keepdims=0)
        with other:
            b = g.SequenceEmpty(dtype=np.dtype(F))
        g.output("y", g.SequenceLength(g.If(g.Greater(n, 0), then, [a], other, [b])[0]))

    before = """
    greater_1: bool[] = Greater(n, 0)
    if_1: seq(float[N]) = If(greater_1)
      else_branch () => (sequenceempty_1) {
        sequenceempty_1: seq(float[?]) = SequenceEmpty<dtype=1>()
      }
      then_branch () => (splittosequence_1) {
        unsqueeze_1: float[1, N] = Unsqueeze(x, [0])
        splittosequence_1: seq(float[N]) = SplitToSequence<axis=0, keepdims=0>(unsqueeze_1)
      }
    y: int64[] = SequenceLength(if_1)
    """
    after = """
    greater_1: bool[] = Greater(n, 0)
    if_1: float[unk_1, N] = If(greater_1)
      else_branch () => (expand_1) {
        shape_1: int64[1] = Shape<end=1, start=0>(x)
        concat_1: int64[2] = Concat<axis=0>([0], shape_1)
        expand_1: float[0, N] = Expand(float32(0.0), concat_1)
      }
      then_branch () => (unsqueeze_1) {
        unsqueeze_1: float[1, N] = Unsqueeze(x, [0])
      }
    splittosequence_1: seq(float[N]) = SplitToSequence<axis=0, keepdims=0>(if_1)
    y: int64[] = SequenceLength(splittosequence_1)
    """
    check(branched_stacks, build, before, after, NX)


def _all_rows(g: ONNXGraph, x: Value, how: str) -> Any:
    """Return the rows of x as a list: the first one, and the others appended in a loop."""
    size = g.size(x, 0)
    then, other = g.body("then"), g.body("else")
    with then:
        first = g.SequenceConstruct(g.Gather(x, 0, axis=0))
        body = g.body("turns", loop=True)
        grown = body.sequence_input(F, [2])
        with body:
            row = g.Gather(x, g.Add(body.iteration, g.constant(np.array(1))), axis=0)
            end = g.SequenceInsert(grown, row)
        (a,) = g.Loop(g.Sub(size, g.constant(np.array(1))), None, body, [first], carried=[end])
    with other:
        b = g.SequenceEmpty(dtype=np.dtype(F))
    if how == ">":
        return g.If(g.Greater(size, 0), then, [a], other, [b])[0]
    return g.If(g.GreaterOrEqual(size, 1), then, [a], other, [b])[0]


@pytest.mark.parametrize("how", [">", ">="])
def test_one_turn_before_the_loop_and_the_others_are_as_many_as_there_are_rows(how: str) -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N", 2))
        g.output("y", g.SequenceLength(_all_rows(g, x, how)))

    passed = built(build)
    for _ in range(2):
        checked(stacks).run(passed)
        checked(branched_stacks).run(passed)
        checked(unused).run(passed)
    text = passed.to_text()
    assert "Sequence" not in text
    assert "float[N, 2] = If(" in text
    same(built(build), passed, ROWS)


def test_a_size_that_nothing_outside_has_keeps_the_list() -> None:
    def build(g: ONNXGraph) -> None:
        x, n = g.input("x", F, ("N",)), g.input("n", I64, ())
        then, other = g.body("then"), g.body("else")
        with then:
            some = g.Compress(x, g.Greater(x, F(1)), axis=0)
            a = g.SplitToSequence(g.Unsqueeze(some, [0]), axis=0, keepdims=0)
        with other:
            b = g.SequenceEmpty(dtype=np.dtype(F))
        g.output("y", g.SequenceLength(g.If(g.Greater(n, 0), then, [a], other, [b])[0]))

    graph = built(build)
    assert not branched_stacks.run(graph)
    same(built(build), graph, NX)
