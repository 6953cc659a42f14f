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


def append(g: ONNXGraph, *, start: bool = False, twice: bool = False, ragged: bool = False) -> Any:
    """Append to a list in a loop, and return the list."""
    x, n = g.input("x", F, ["N"]), g.input("n", np.int64, [])
    body = g.body("turns", loop=True)
    grown = body.sequence_input(F, [None] if ragged else ["N"])
    with body:
        element = g.Mul(x, g.Cast(body.iteration, to=F))
        if ragged:
            edge = g.Unsqueeze(body.iteration, [0])
            element = g.Slice(element, [0], edge, [0])
        end = g.SequenceInsert(grown, element)
        if twice:
            end = g.SequenceInsert(end, element)
    first = g.SequenceConstruct(x) if start else g.SequenceEmpty(dtype=np.dtype(F))
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


@pytest.mark.parametrize("options", [{"start": True}, {"twice": True}, {"ragged": True}])
def test_other_lists_stay(options: dict[str, bool]) -> None:
    changed, text = run(lambda g: g.output("l", append(g, **options)))
    assert changed == 0
    assert "SequenceInsert" in text
