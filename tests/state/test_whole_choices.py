"""Whole numbers of which only the run knows whether they are Python's or numpy's, and how wide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold


def _inputs(kind: Any) -> list[tuple[Any, ...]]:
    rows = [[1, 2, -1, -1], [3, -1, 0, -1], [0, 0, 0, 0], [127, 126, 2, 1], [2, 3, 3, -2]]
    return [(np.array(row).astype(kind), n, n % 2 == 0) for n, row in enumerate(rows, 1)]


small = Table(_inputs(np.int8), None)
middle = Table(_inputs(np.int32), None)
natural = Table(_inputs(np.uint8), None)


def chosen(t: Any, n: int, c: bool) -> Any:
    """Return a number of Python, or one of an array."""
    return n if c else t[0]


@small()
@middle()
@natural()
def what_arithmetic_gives(self, t, n, c):
    i = chosen(t, n, c)
    return i, i + i, i * 2 - 1, -(i + 1), i // 2, i % 3, i < 2, i == n, i + 0.5, t + i


@small()
@middle()
def which_class_it_has(self, t, n, c):
    i = chosen(t, n, c)
    if isinstance(i, np.integer):
        return i.dtype.itemsize, i.astype(np.int64) + 1000
    return 0, i + 1000


@small()
@middle()
def an_index_of_all_kinds(self, t, n, c):
    i = chosen(t, n, c) % 4
    items = [10, 20, 30, 40]
    return (
        t[i],
        items[i],
        (5, 6, 7, 8)[i],
        t[i:],
        t[: i + 1],
        items[i:],
        t.reshape(2, 2)[i // 2, i % 2],
    )


@middle()
def results_of_dynamic_length(self, t, n, c):
    items = [v if i % 2 else int(v) for i, v in enumerate(t[:n])]
    pairs = [(int(v) if v > 1 else v, 1.5) for v in t[:n]]
    held = {int(v): v if v > 1 else n for v in t}
    return items, pairs, held


@middle()
def three_classes(self, t, n, c):
    i = n if c else t[0] if n > 2 else np.int64(n) + 1
    rows = np.zeros(4, np.int64)
    rows[i % 4] += i
    return i, i + 1, rows, t[i % 4]


@small()
@middle()
def or_nothing(self, t, n, c):
    found = None
    for k in range(n):
        if t[k % 4] > 1:
            found = t[k % 4]
        elif t[k % 4] < 0:
            found = k
    return (-1, t[0]) if found is None else (found + 1, t[found % 4])


@small()
@middle()
def in_a_list(self, t, n, c):
    items = [n]
    for k in range(n):
        items.append(t[k % 4] if k % 2 == 0 else k)
    total = 0
    for i in items:
        total = total + t[i % 4] + i % 2
    return total, items[-1], items[0]


@small()
@middle()
def carried_by_a_loop(self, t, n, c):
    i, steps = n, 0
    while i >= 0 and steps < 6:
        i = t[i % 4]
        steps += 1
    return i, steps, i + 100


class Node:
    """An index of the program's own: which class it is given makes a difference."""

    def __getitem__(self, i: Any) -> Any:
        return i.dtype.itemsize if isinstance(i, np.integer) else 0


@small()
def an_index_of_a_class_of_the_program(self, t, n, c):
    return Node()[chosen(t, n, c)]


@small()
@middle()
def a_key(self, t, n, c):
    names = {1: 10, 2: 20, 127: 30}
    return names.get(chosen(t, n, c), 0)


def walked(t: Any, i: Any, depth: int) -> Any:
    """Call with numpy's number what was first called with Python's."""
    if t[i % 4] < 1 or depth > 5:
        return i, i + 1
    a, b = walked(t, t[i % 4], depth + 1)
    return a + i % 2, b + i


@small()
@middle()
def over_frames(self, t, n, c):
    return walked(t, n, 0)


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize(
    "program",
    [*small.programs, *middle.programs, *natural.programs],
    ids=lambda p: f"{p.name}_{p.inputs[0][0].dtype}",
)
def test_whole_choices(program: Program) -> None:
    hold(program)
