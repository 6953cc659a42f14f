"""Lists that a Loop passes on and that are read after it: onnxruntime would have emptied them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph, Value
from onnx_graph.passes import shared_lists
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.text import check

I64 = np.int64
Pair = tuple[Any, Any]
TURNS: dict[str, Callable[[Any, Pair], Pair]] = {
    "passed on": lambda longer, lists: lists,
    "swapped": lambda longer, lists: (lists[1], lists[0]),
    "the last one kept": lambda longer, lists: (longer(lists[0]), lists[0]),
    "made": lambda longer, lists: (longer(lists[0]), longer(lists[1])),
}


def turned(g: ONNXGraph, n: Value, a: Value, lists: Pair, turn: str) -> Value:
    """Return the lengths of two lists after a loop, then of those that it began with."""
    body = g.body("turn", loop=True)
    with body:
        own = body.sequence_input(I64, (1,), "p"), body.sequence_input(I64, (1,), "q")
        ends = TURNS[turn](lambda one: g.SequenceInsert(one, a), own)
    results = g.Loop(n, None, body, lists, carried=ends)
    after = [g.SequenceLength(one) for one in results]
    zero = g.Sub(after[0], after[0])  # so that the others are read later
    first = [g.Size(g.SequenceAt(one, zero)) for one in lists]
    before = [
        g.Add(g.Sub(g.SequenceLength(one), 1), size) for one, size in zip(lists, first, strict=True)
    ]
    return g.Concat(*(g.Reshape(one, [1]) for one in (*after, *before)), axis=0)


def expected(n: int, lists: Pair, turn: str) -> list[int]:
    first = lists
    for _ in range(n):
        lists = TURNS[turn](lambda one: one + 1, lists)
    return [*lists, *first]


def test_text() -> None:
    def build(g: ONNXGraph) -> None:
        n, a = g.input("n", I64, ()), g.input("a", I64, (1,))
        body = g.body("turn", loop=True)
        p, q = body.sequence_input(I64, (1,), "p"), body.sequence_input(I64, (1,), "q")
        lists = g.SequenceConstruct(a, a), g.SequenceConstruct(a)
        first, _ = g.Loop(n, None, body, lists, carried=[q, p])
        g.output("length", g.Mul(g.SequenceLength(first), g.SequenceLength(lists[1])))

    before = """
    sequenceconstruct_1: seq(int64[1]) = SequenceConstruct(a, a)
    sequenceconstruct_2: seq(int64[1]) = SequenceConstruct(a)
    loop_1: seq(int64[1]), loop_2: seq(int64[1]) = Loop(n, True, sequenceconstruct_1, sequenceconstruct_2)
      body (iteration: int64[], condition: bool[], p: seq(int64[1]), q: seq(int64[1])) => (identity_1, q, p) {
        identity_1: bool[] = Identity(True)
      }
    sequencelength_1: int64[] = SequenceLength(loop_1)
    sequencelength_2: int64[] = SequenceLength(sequenceconstruct_2)
    length: int64[] = Mul(sequencelength_1, sequencelength_2)
    """  # noqa: E501
    after = """
    sequenceconstruct_1: seq(int64[1]) = SequenceConstruct(a, a)
    sequenceconstruct_2: seq(int64[1]) = SequenceConstruct(a)
    sequenceinsert_1: seq(int64[?]) = SequenceInsert(sequenceconstruct_2, [])
    sequenceerase_1: seq(int64[1]) = SequenceErase(sequenceinsert_1)
    loop_1: seq(int64[1]), loop_2: seq(int64[1]) = Loop(n, True, sequenceconstruct_1, sequenceerase_1)
      body (iteration: int64[], condition: bool[], p: seq(int64[1]), q: seq(int64[1])) => (identity_1, q, p) {
        identity_1: bool[] = Identity(True)
      }
    sequencelength_1: int64[] = SequenceLength(loop_1)
    sequencelength_2: int64[] = SequenceLength(sequenceconstruct_2)
    length: int64[] = Mul(sequencelength_1, sequencelength_2)
    """  # noqa: E501
    check(
        shared_lists,
        build,
        before,
        after,
        [{"n": np.array(n), "a": np.ones(1, I64)} for n in range(3)],
    )


@pytest.mark.parametrize("place", ["main", "branch", "loop", "loop that keeps them"])
@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("turn", TURNS)
def test_lists_stay(turn: str, same: bool, place: str) -> None:
    g = ONNXGraph()
    n, a, yes = g.input("n", I64, ()), g.input("a", I64, (1,)), g.input("yes", np.bool_, ())
    lists = g.SequenceConstruct(a, a), g.SequenceConstruct(a)
    lists = (lists[0], lists[0]) if same else lists
    if place == "main":
        g.output("lengths", turned(g, n, a, lists, turn))
    elif place == "branch":
        one, other = g.body("one"), g.body("other")
        with one:
            lengths = turned(g, n, a, lists, turn)
        with other:
            zeros = g.Expand(0, [4])
        g.output("lengths", g.If(yes, one, [lengths], other, [zeros])[0])
    else:
        body, keeps = g.body("outer", loop=True), place != "loop"
        with body:
            own = [body.sequence_input(I64, (1,)) for _ in lists] if keeps else lists
            lengths = turned(g, n, a, tuple(own), turn)
        first, last = (lists, own) if keeps else ((), ())
        outer = g.Loop(3, None, body, first, carried=last, scans=[lengths])
        g.output("lengths", outer[-1])
    g.optimize()
    run = session(g.to_model().SerializeToString())
    for turns in (0, 1, 2, 3):
        feeds = {"n": np.array(turns), "a": np.array([5]), "yes": np.array(True)}
        feeds = {one.name: feeds[one.name] for one in run.get_inputs()}
        (found,) = run.run(None, feeds)
        want = expected(turns, (2, 2) if same else (2, 1), turn)
        assert found.reshape(-1, 4).tolist() == [want] * (1 if found.ndim == 1 else 3)


def test_two_loops_begin_with_one_list() -> None:
    g = ONNXGraph()
    n, a = g.input("n", I64, ()), g.input("a", I64, (1,))
    lists = g.SequenceConstruct(a, a), g.SequenceConstruct(a)
    for name in ("first", "second"):
        g.output(name, turned(g, n, a, lists, "swapped"))
    g.optimize()
    run = session(g.to_model().SerializeToString())
    for turns in (0, 1, 2, 3):
        for found in run.run(None, {"n": np.array(turns), "a": np.array([5])}):
            assert found.tolist() == expected(turns, (2, 1), "swapped")


def test_a_list_of_one_loop_is_not_copied() -> None:
    g = ONNXGraph()
    n, a = g.input("n", I64, ()), g.input("a", I64, (1,))
    body = g.body("turn", loop=True)
    with body:
        p, q = body.sequence_input(I64, (1,)), body.sequence_input(I64, (1,))
        longer = g.SequenceInsert(p, a)
    lists = g.SequenceConstruct(a, a), g.SequenceConstruct(a)
    p, q = g.Loop(n, None, body, lists, carried=[longer, p])
    g.output("lengths", g.Add(g.SequenceLength(p), g.SequenceLength(q)))
    assert g.optimize()["shared_lists"] == 0
