"""Whole numbers of which only the run knows whether they are Python's or numpy's, and how wide."""

from __future__ import annotations

import copy
from typing import Any

import chainer
import numpy as np
import pytest

import elichika
from tests.programs import Program, assert_equal
from tests.table import Table, hold


def _inputs(kind: Any) -> list[tuple[Any, ...]]:
    rows = [[1, 2, -1, -1], [3, -1, 0, -1], [0, 0, 0, 0], [127, 126, 2, 1], [2, 3, 3, -2]]
    return [(np.array(row).astype(kind), n, n % 2 == 0) for n, row in enumerate(rows, 1)]


INPUTS = _inputs(np.int32)
small = Table(_inputs(np.int8), None)
middle = Table(INPUTS, None)
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


@small()
@middle()
def which_class_it_is(self, t, n, c):
    i = chosen(t, n, c)
    match i:
        case 2:
            kind = 1
        case int():
            kind = 2
        case _:
            kind = 3
    return type(i) is int, i.__class__ is np.int8, hasattr(i, "dtype"), kind


@small()
@middle()
def divided_by(self, t, n, c):
    i = chosen(t, n, c)
    try:
        return 7 // i, 7 % i
    except ZeroDivisionError:
        return -1, i


@middle()
def beyond_32_bits(self, t, n, c):
    i = chosen(t * 20000000, n * 20000000, c)
    return i * 3, i * 200, i << 7, i + 2**33 if c else 0


@natural()
def signed_and_unsigned(self, t, n, c):
    i = np.int8(t[0]) if c else t[1] if n > 2 else -n
    return i, i + 1, i - 100, i // 2, i >> 1, ~i, i ^ 3, abs(i)


@middle()
def what_arrays_are_made_of_it(self, t, n, c):
    i = chosen(t, n, c)
    return np.array([i, 3]), np.asarray(i), np.full(2, i), t * i, t.astype(np.float32) * i


class Item:
    """Holds a number, and the item behind it."""

    def __init__(self, number: Any, behind: Any) -> None:
        self.number, self.behind = number, behind


@small()
@middle()
def in_objects(self, t, n, c):
    first = None
    for k in range(n):
        first = Item(t[k % 4] if t[k % 4] > 1 else k, first)
    total, numbers = 0, []
    while first is not None:
        total = total + first.number
        numbers.append(first.number)
        first.number += 1
        first = first.behind
    return total, numbers


@middle()
def what_an_exception_holds(self, t, n, c):
    i = chosen(t, n, c)
    try:
        if i > 1:
            raise KeyError(i)
        return i, False
    except KeyError as error:
        return error.args[0], True


@middle()
def lists_in_a_list(self, t, n, c):
    rows = [[k if v > 1 else v for v in t[:k]] for k in range(n)]
    return rows, [sum(row) for row in rows]


def test_between_calls() -> None:
    class Keeps(chainer.Chain):
        def __init__(self) -> None:
            super().__init__()
            self.held = 0

        def forward(self, t: Any, n: int, c: bool) -> Any:
            before = self.held
            self.held = chosen(t, n, c)
            return before, before + 1

    chain = Keeps()
    model = elichika.compile_model(copy.deepcopy(chain), INPUTS[0], state=True, verify=False)
    for row in INPUTS + INPUTS[::-1]:
        assert_equal(chain.forward(*row), model(*row))


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize(
    "program",
    [*small.programs, *middle.programs, *natural.programs],
    ids=lambda p: f"{p.name}_{p.inputs[0][0].dtype}",
)
def test_whole_choices(program: Program) -> None:
    hold(program)
