"""Lists that a Loop only appends to become stacks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph
from onnx_graph.passes import stacks, unused
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import NX, built, check, same

F = np.float32


def append(
    g: ONNXGraph,
    *,
    start: bool = False,
    other: bool = False,
    twice: bool = False,
    ragged: bool = False,
) -> Any:
    """Append to a list in a loop, and return the list.

    It begins with two elements of the size of the others (`start`), or with one of an `other` size.
    """
    x, n = g.input("x", F, ["N"]), g.input("n", np.int64, [])
    body = g.body("turns", loop=True)
    grown = body.sequence_input(F, [None] if ragged or other else ["N"])
    with body:
        element = g.Mul(x, g.Cast(body.iteration, to=F))
        if ragged:
            edge = g.Unsqueeze(body.iteration, [0])
            element = g.Slice(element, [0], edge, [0])
        end = g.SequenceInsert(grown, element)
        if twice:
            end = g.SequenceInsert(end, element)
    first = g.SequenceEmpty(dtype=np.dtype(F))
    if start:
        first = g.SequenceConstruct(x, g.Neg(x))
    if other:
        first = g.SequenceConstruct(g.Concat(x, x, axis=0))
    (result,) = g.Loop(n, None, body, initial=[first], cond_out=None, carried=[end], scans=[])
    return result


def run(build: Any) -> tuple[int, str]:
    """Compare a graph with itself after the pass; return the changes and the text."""
    passed = built(build)
    changed = checked(stacks).run(passed)
    unused.run(passed)
    assert stacks.run(passed) == 0
    same(built(build), passed, NX)
    return changed, passed.to_text()


def test_text() -> None:
    before = """
    sequenceempty_1: seq(float[?]) = SequenceEmpty<dtype=1>()
    l: seq(float[N]) = Loop(n, True, sequenceempty_1)
      body (iteration: int64[], condition: bool[], carried: seq(float[N])) => (identity_1, sequenceinsert_1) {
        cast_1: float[] = Cast<to=1>(iteration)
        mul_1: float[N] = Mul(x, cast_1)
        sequenceinsert_1: seq(float[N]) = SequenceInsert(carried, mul_1)
        identity_1: bool[] = Identity(True)
      }
    """  # noqa: E501
    after = """
    loop_1: float[unk_2, unk_3] = Loop(n, True)
      body (iteration: int64[], condition: bool[]) => (identity_1, mul_1) {
        cast_1: float[] = Cast<to=1>(iteration)
        mul_1: float[N] = Mul(x, cast_1)
        identity_1: bool[] = Identity(True)
      }
    l: seq(float[N]) = SplitToSequence<axis=0, keepdims=0>(loop_1)
    """
    check(stacks, lambda g: g.output("l", append(g)), before, after, NX)


def test_a_list_becomes_a_stack() -> None:
    changed, text = run(lambda g: g.output("l", append(g)))
    assert changed == 1
    assert "SequenceInsert" not in text
    assert "SplitToSequence<axis=0, keepdims=0>" in text


def test_readings_need_no_list() -> None:
    def build(g: ONNXGraph) -> None:
        made = append(g)
        g.output("n_out", g.SequenceLength(made))

    changed, text = run(build)
    assert changed == 2
    assert "Sequence" not in text


@pytest.mark.parametrize("options", [{"twice": True}, {"ragged": True}, {"other": True}])
def test_other_lists_stay(options: dict[str, bool]) -> None:
    changed, text = run(lambda g: g.output("l", append(g, **options)))
    assert changed == 0
    assert "SequenceInsert" in text


def test_elements_that_a_list_begins_with_stand_before_the_stack() -> None:
    changed, text = run(lambda g: g.output("l", append(g, start=True)))
    assert changed == 1
    assert "SequenceInsert" not in text
    assert "Concat<axis=0>" in text


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_a_stack_on_any_axis_reads_the_tensor(axis: int) -> None:
    def build(g: ONNXGraph) -> None:
        made = append(g, start=True)
        g.output("y", g.Neg(g.ConcatFromSequence(made, axis=axis, new_axis=1)))

    changed, text = run(build)
    assert changed == 2
    assert "Sequence" not in text


def test_a_size_that_was_unknown_is_called_what_it_is() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ["N", 2])
        body = g.body("turns", loop=True)
        grown = body.sequence_input(F, [2])
        with body:
            end = g.SequenceInsert(grown, g.Gather(x, body.iteration, axis=0))
        empty = g.SequenceEmpty(dtype=np.dtype(F))
        (made,) = g.Loop(g.size(x, 0), None, body, initial=[empty], carried=[end])
        g.output("y", g.Neg(g.ConcatFromSequence(made, axis=1, new_axis=1)))

    passed = built(build)
    assert "y: float[2, unk_" in passed.to_text()
    assert checked(stacks).run(passed) == 2
    assert "y: float[2, N]" in passed.to_text()
    same(built(build), passed, [{"x": np.ones((n, 2), F)} for n in (1, 4)])
