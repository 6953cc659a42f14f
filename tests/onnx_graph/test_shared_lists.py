"""Lists that a Loop passes on and that are read after it: onnxruntime would have emptied them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph, Value
from tests.onnx_graph.claims import session

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
