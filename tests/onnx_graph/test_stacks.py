"""Lists that a Loop only appends to become stacks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph
from onnx_graph.passes import stacks, unused
from tests.onnx_graph.claims import session

F = np.float32
FEEDS = [{"x": np.arange(3, dtype=F), "n": np.array(n)} for n in (0, 1, 4)]


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
    plain, passed = ONNXGraph(), ONNXGraph()
    build(plain)
    build(passed)
    changed = stacks.run(passed)
    unused.run(passed)
    assert stacks.run(passed) == 0
    first, second = (session(g.to_model().SerializeToString()) for g in (plain, passed))
    for feed in FEEDS:
        for one, other in zip(first.run(None, feed), second.run(None, feed), strict=True):
            assert type(one) is type(other)
            pairs = zip(one, other, strict=True) if isinstance(one, list) else [(one, other)]
            for a, b in pairs:
                np.testing.assert_array_equal(a, b, strict=True)
    return changed, passed.to_text()


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
