"""Sums that may leave 64 bits, for all turns at once: they fail where one in between does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onnx_graph.passes import ONCE
from tests.programs import Program, chain_of, compiled, difference, outcome
from tests.table import Table

_LARGE = 2**63 - 1


def _inputs() -> list[tuple[Any, ...]]:
    """Return ints that add up, to the largest one or beyond it, perhaps only in between."""
    rows = (
        *([3, 1, 4, 1, 5, 9], [], [7], [-2, 2, 2], [_LARGE], [_LARGE, 0, -1], [_LARGE, 1]),
        *([-_LARGE, -1], [-_LARGE, -1, -1], [_LARGE, 1, -5], [2**62, -5, 2**62], [2**62, 2**62]),
        *([-5, _LARGE, 5], [-5, _LARGE, 6], [2**61] * 3, [2**61] * 4, [-(2**61)] * 4),
        *([-(2**61)] * 5, [2**40, -(2**40)], [1, 2**62, 2**62 - 1, 2]),
    )
    return [(np.array(row, np.int64), n) for n, row in zip((2, 0, 1, 3, 1) * 4, rows, strict=True)]


sums = Table(_inputs(), {"x": {0: "length"}})


@sums()
def one_after_the_other(self, x, n):
    total = n
    for v in x:
        total += int(v)
    return total


@sums()
def up_and_down(self, x, n):
    total = 0
    for v in x.tolist():
        total += v
        total -= n
    return total


@sums()
def some_of_them(self, x, n):
    """A turn that does not add cannot fail."""
    total = count = 0
    for i in range(len(x)):
        if x[i] > 0:
            total += int(x[i])
        else:
            count += 1
        if i > n:
            total -= i
    return total, count


@sums()
def either_of_two(self, x, n):
    xs = [int(v) for v in x]
    total = 5
    for i in range(len(xs)):
        if i < n:
            total -= xs[i]
        elif i != 3:
            total += xs[i]
    return total


@sums()
def all_pairs(self, x, n):
    total = 0
    for i in range(len(x)):
        for j in range(len(x)):
            total += int(x[i]) + int(x[j])
    return total


@sums()
def pairs_in_order(self, x, n):
    """Rows have unlike numbers of turns."""
    xs = [int(v) for v in x]
    total = n
    for i in range(len(xs)):
        for j in range(i + 1, len(xs)):
            total += xs[j] - xs[i]
    return total


@sums()
def between_the_rows(self, x, n):
    total = 0
    for i in range(len(x)):
        total += int(x[i])
        for j in range(i):
            if x[j] > x[i]:
                total -= int(x[j])
        total += 1
    return total


@sums()
def a_list_of_sums(self, x, n):
    sums, total = [], 0
    for i in range(len(x)):
        row = 0
        for j in range(len(x)):
            if x[j] > x[i]:
                row += int(x[j])
        sums.append(row)
        total += row * i
    return sums, total


@sums()
def read_in_between(self, x, n):
    """How often a sum so far is large, and the sums themselves."""
    total, large, sums = 0, 0, []
    for v in x:
        if total > 3:
            large += 1
        total += int(v)
        sums.append(total)
    return total, large, sums


@sums()
def floats_read_in_between(self, x, n):
    total, low = 0.5, 0
    for v in x:
        total += float(v) * 1e-3
        if total < n:
            low += 1
    return total, low


@pytest.mark.parametrize("program", sums.programs, ids=lambda one: one.name)
def test_checked_sums(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are what they are in a loop, and fail where a sum in the loop does."""
    model = compiled(program)
    assert "Loop" not in {node.op_type for node in model.proto.graph.node}
    with monkeypatch.context() as without:
        without.delitem(ONCE, "at_once")
        loop = compiled(program)
    for inputs in program.inputs:
        eager, turns = (outcome(one, inputs) for one in (chain_of(program).forward, loop))
        found = outcome(model, inputs)
        problem = difference(turns, found)
        assert problem is None, f"{inputs}: {problem}"
        if not isinstance(found, Exception):
            assert difference(eager, found) is None, inputs
