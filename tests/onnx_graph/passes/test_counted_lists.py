"""A Loop that asks how long a list is that grows in each turn goes by a number of turns."""

# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph
from onnx_graph.passes import counted_lists
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import I64, built, check, same

N = [{"n": np.array(n), "l": np.arange(k)} for n in (-1, 0, 1, 3, 9) for k in (0, 1, 4, 5, 8)]


def stack(
    g: ONNXGraph,
    *,
    limit: int = 5,
    asked: int | None = None,
    known: bool = False,
    added: int = 1,
    first: bool = True,
    op: str = "Less",
) -> None:
    n, given = g.input("n", I64, ()), g.input("l", I64, ("k",))
    start = g.constant(np.zeros(1, np.int64)) if known else given
    body = g.body("turn", loop=True)
    left, held = body.input(I64, (), "left"), body.input(I64, (None,), "held")
    with body:
        less = g.Sub(left, 1)
        row = g.Unsqueeze(left, [0]) if added == 1 else g.constant(np.zeros(added, np.int64))
        longer = g.Concat(held, row, axis=0)
        going = g.And(g.Greater(less, 0), g.emit(op, [g.Size(longer), np.int64(limit)]))
    begin = g.Greater(n, 0)
    if first:
        begin = g.And(begin, g.emit(op, [g.Size(start), np.int64(asked or limit)]))
    made = g.Loop(None, begin, body, [n, start], cond_out=going, carried=[less, longer])
    g.output("y", made[0])
    g.output("z", made[1])


def test_a_list_that_is_given() -> None:
    before = """
    greater_1: bool[] = Greater(n, 0)
    size_1: int64[] = Size(l)
    less_1: bool[] = Less(size_1, 5)
    and_1: bool[] = And(greater_1, less_1)
    y: int64[], z: int64[unk_3] = Loop(-, and_1, n, l)
      body (iteration: int64[], condition: bool[], left: int64[], held: int64[unk_1]) => (and_2, sub_1, concat_1) {
        sub_1: int64[] = Sub(left, 1)
        unsqueeze_1: int64[1] = Unsqueeze(left, [0])
        concat_1: int64[unk_1 + 1] = Concat<axis=0>(held, unsqueeze_1)
        greater_2: bool[] = Greater(sub_1, 0)
        size_2: int64[] = Size(concat_1)
        less_2: bool[] = Less(size_2, 5)
        and_2: bool[] = And(greater_2, less_2)
      }
    """
    after = """
    greater_1: bool[] = Greater(n, 0)
    size_1: int64[] = Size(l)
    max_1: int64[] = Max(5, size_1)
    sub_1: int64[] = Sub(max_1, size_1)
    y: int64[], z: int64[unk_3] = Loop(sub_1, greater_1, n, l)
      body (iteration: int64[], condition: bool[], left: int64[], held: int64[unk_1]) => (greater_2, sub_2, concat_1) {
        sub_2: int64[] = Sub(left, 1)
        unsqueeze_1: int64[1] = Unsqueeze(left, [0])
        concat_1: int64[unk_1 + 1] = Concat<axis=0>(held, unsqueeze_1)
        greater_2: bool[] = Greater(sub_2, 0)
      }
    """
    check(counted_lists, stack, before, after, N)


@pytest.mark.parametrize(
    "options",
    [{"known": True, "first": False}, {"op": "LessOrEqual"}, {"known": True, "limit": 2}],
    ids=str,
)
def test_others(options: dict[str, Any]) -> None:
    graph = built(lambda g: stack(g, **options))
    assert checked(counted_lists).run(graph) == 1
    same(built(lambda g: stack(g, **options)), graph, N)


@pytest.mark.parametrize(
    "options",
    [
        {"first": False},
        {"added": 2},
        {"asked": 6},
        {"known": True, "first": False, "limit": 1},
        {"op": "Greater"},
    ],
    ids=str,
)
def test_what_stays(options: dict[str, Any]) -> None:
    graph = built(lambda g: stack(g, **options))
    assert not list(counted_lists.ensures(graph)) and not counted_lists.run(graph)
