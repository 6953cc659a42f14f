"""Lists that Loops push to, pop from and write become tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph, Value
from onnx_graph.passes import number_lists, unused
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import built, check, same

I64 = np.int64
FEEDS = [
    {"x": np.arange(1, 5).reshape(2, 2), "go": np.array(go, bool), "n": np.array(len(go))}
    for go in ([], [1], [1, 1, 0], [1, 0, 1, 1, 1, 0, 0, 1])
]


def stack(g: ONNXGraph, kind: str = "number", *, start: bool = True) -> tuple[Value, Value, Value]:
    """Push in the turns that `go` says, pop in the others; return x, the list and its last sum."""
    x, go, n = g.input("x", I64, [2, 2]), g.input("go", np.bool_, ["N"]), g.input("n", I64, [])
    dims = {"number": (), "square": (2, 2), "ragged": (None,), "wide": (20,)}[kind]

    def element(i: Any) -> Value:
        number = g.Add(g.ReduceSum(x, keepdims=0), i)
        match kind:
            case "square":
                return g.Add(x, i)
            case "ragged":
                return g.Range(g.constant(0), number, g.constant(1))
            case "wide":
                return g.Expand(number, g.constant(np.array([20])))
        return number

    body = g.body("turns", loop=True)
    held = body.sequence_input(I64, dims)
    last = body.input(I64, ())
    with body:
        push, pop = g.body("push"), g.body("pop")
        with push:
            longer = g.SequenceInsert(held, element(body.iteration))
            same_sum = g.Identity(last)
        with pop:
            sums = g.ReduceSum(g.SequenceAt(held, -1), keepdims=0)
            shorter = g.SequenceErase(held, -1)
        test = g.Gather(go, body.iteration, axis=0)
        ends = g.If(test, push, [longer, same_sum], pop, [shorter, sums])
    first = [element(I64(7)), element(I64(5))] if start else []
    begin = g.SequenceConstruct(*first) if start else g.SequenceEmpty(dtype=np.dtype(I64))
    return x, *g.Loop(n, None, body, [begin, g.constant(0)], carried=ends)


def run(build: Any) -> tuple[int, str]:
    """Compare a graph with itself after the pass; return the changes and the text."""
    passed = built(build)
    changed = checked(number_lists).run(passed)
    checked(unused).run(passed)
    assert number_lists.run(passed) == 0
    same(built(build), passed, FEEDS)
    return changed, passed.to_text()


@pytest.mark.parametrize("kind", ["number", "square"])
@pytest.mark.parametrize("start", [True, False])
def test_a_stack_is_a_tensor(kind: str, start: bool) -> None:
    def build(g: ONNXGraph) -> None:
        _, made, last = stack(g, kind, start=start)
        g.output("length", g.SequenceLength(made))
        g.output("last", last)
        if start:
            g.output("first", g.SequenceAt(made, 0))

    changed, text = run(build)
    assert changed == 1
    assert "Sequence" not in text


def test_a_list_in_a_loop_in_a_branch() -> None:
    def build(g: ONNXGraph) -> None:
        _, made, last = stack(g)
        positive = g.Greater(last, 0)
        copied, other = g.body("copied"), g.body("other")
        with copied:
            element = g.constant(np.zeros((0, 3), I64))
            one = g.SequenceErase(g.SequenceInsert(made, element))
        with other:
            two = g.SequenceErase(g.SequenceConstruct(last, last, last))
        (either,) = g.If(positive, copied, [one], other, [two])
        g.output("length", g.SequenceLength(either))
        g.output("last", g.SequenceAt(either, -1))

    changed, text = run(build)
    assert changed == 1
    assert "Sequence" not in text


@pytest.mark.parametrize("kind", ["ragged", "wide"])
def test_other_elements_stay(kind: str) -> None:
    changed, text = run(lambda g: g.output("last", stack(g, kind)[2]))
    assert changed == 0
    assert "SequenceErase" in text


def test_a_list_that_is_a_result_is_split() -> None:
    changed, text = run(lambda g: g.output("list", stack(g)[1]))
    assert changed == 1
    assert "SequenceErase" not in text
    assert "SplitToSequence" in text


def test_text() -> None:
    def build(g: ONNXGraph) -> None:
        n = g.input("n", I64, [])
        body = g.body("turns", loop=True)
        held = body.sequence_input(I64, ())
        with body:
            longer = g.SequenceInsert(held, body.iteration)
            end = g.SequenceInsert(g.SequenceErase(longer, -1), g.SequenceAt(longer, 0))
        (made,) = g.Loop(n, None, body, [g.SequenceConstruct(n)], carried=[end])
        g.output("length", g.SequenceLength(made))

    check(number_lists, build, BEFORE, AFTER, [{"n": np.array(n)} for n in (0, 1, 4)])


BEFORE = """
    sequenceconstruct_1: seq(int64[]) = SequenceConstruct(n)
    loop_1: seq(int64[]) = Loop(n, True, sequenceconstruct_1)
      body (iteration: int64[], condition: bool[], carried: seq(int64[])) => (identity_1, sequenceinsert_2) {
        sequenceinsert_1: seq(int64[]) = SequenceInsert(carried, iteration)
        sequenceerase_1: seq(int64[]) = SequenceErase(sequenceinsert_1, -1)
        sequenceat_1: int64[] = SequenceAt(sequenceinsert_1, 0)
        sequenceinsert_2: seq(int64[]) = SequenceInsert(sequenceerase_1, sequenceat_1)
        identity_1: bool[] = Identity(True)
      }
    length: int64[] = SequenceLength(loop_1)
"""  # noqa: E501
AFTER = """
    unsqueeze_1: int64[1] = Unsqueeze(n, [0])
    concat_1: int64[1] = Concat<axis=0>(unsqueeze_1)
    loop_1: int64[unk_2] = Loop(n, True, concat_1)
      body (iteration: int64[], condition: bool[], carried: int64[unk_3]) => (identity_1, concat_3) {
        unsqueeze_2: int64[1] = Unsqueeze(iteration, [0])
        concat_2: int64[unk_5] = Concat<axis=0>(carried, unsqueeze_2)
        slice_1: int64[unk_6] = Slice(concat_2, [0], [-1], [0])
        gather_1: int64[] = Gather<axis=0>(concat_2, 0)
        unsqueeze_3: int64[1] = Unsqueeze(gather_1, [0])
        concat_3: int64[unk_4] = Concat<axis=0>(slice_1, unsqueeze_3)
        identity_1: bool[] = Identity(True)
      }
    length: int64[] = Size(loop_1)
"""  # noqa: E501


def put(g: ONNXGraph, items: Value, place: Any, item: Value) -> Value:
    """Return a list with another item at a place, as programs' lists are written."""
    return g.SequenceErase(g.SequenceInsert(items, item, place), g.Add(place, 1))


def written(g: ONNXGraph, rows: Value, place: str) -> list[Value]:
    """Double the last items of the rows in a Loop, if they are positive."""
    body = g.body("turns", loop=True)
    with body:
        items = body.sequence_input(I64, (2,))
        item, size = g.SequenceAt(items, body.iteration), g.size(rows, 0)
        item_sum = g.ReduceSum(item, keepdims=0)
        places = {
            "turn": body.iteration,
            "first": g.constant(0),
            "anywhere": g.Mod(item_sum, size),
            "from the end": g.Sub(g.Mod(item_sum, size), size),
        }
        then, other = g.body("then"), g.body("else")
        with then:
            changed = put(g, items, places[place], g.Mul(item, 2))
        with other:
            kept = g.SequenceErase(g.SequenceInsert(items, g.constant(np.zeros((0, 1), I64))))
        ends = g.If(g.Greater(item_sum, 2), then, [changed], other, [kept])
    split = g.SplitToSequence(rows, axis=0, keepdims=0)
    (last,) = g.Loop(g.size(rows, 0), None, body, [split], carried=ends)
    return [last, g.SequenceLength(last), g.ConcatFromSequence(last, axis=0, new_axis=1)]


#: Whether a list is a tensor where such a place is written.
PLACES = {"turn": 1, "first": 1, "anywhere": 0, "from the end": 0}


@pytest.mark.parametrize("place", PLACES)
def test_a_list_that_is_written(place: str) -> None:
    def build(g: ONNXGraph) -> None:
        results = written(g, g.input("x", I64, ["N", 2]), place)
        for name, value in zip("lns", results, strict=True):
            g.output(name, value)

    passed = built(build)
    assert checked(number_lists).run(passed) == PLACES[place]
    feeds = [
        np.array(rows, I64)
        for rows in ([[0, 1]], [[1, 2], [0, 0]], [[0, 3], [1, 1], [0, 0], [3, 3]])
    ]
    same(built(build), passed, [{"x": rows} for rows in feeds])


def test_an_item_that_is_put_before_another_one_stays_a_list() -> None:
    def build(g: ONNXGraph) -> None:
        rows = g.input("x", I64, ["N", 2])
        body = g.body("turns", loop=True)
        items = body.sequence_input(I64, (2,))
        with body:
            longer = g.SequenceInsert(items, g.SequenceAt(items, 0), 0)
            shorter = put(g, longer, g.constant(1), g.constant(np.zeros(2, I64)))
        split = g.SplitToSequence(rows, axis=0, keepdims=0)
        g.output("y", g.Loop(2, None, body, [split], carried=[shorter])[0])

    passed = built(build)
    assert checked(number_lists).run(passed) == 0
    same(built(build), passed, [{"x": np.ones((n, 2), I64)} for n in (1, 3)])
