"""Iterators of numpy and of Python's own modules, which the program makes: each item comes once."""

from __future__ import annotations

import csv
import re

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [(1.5, 2), (2.0, 1), (0.5, 0), (1.0, 3), (-1.0, 7)]
case, refused = Table(INPUTS, {}), Table(INPUTS, {})


@case()
def made_a_list(self, x, n):
    return list(np.ndindex(2, 2)), tuple(np.ndindex(2)), sorted(np.ndindex(2, 2)), [*np.ndindex(2)]


@case()
def made_an_array(self, x, n):
    return np.array(list(np.ndindex(2, 2))) + n


@case()
def in_other_functions(self, x, n):
    largest, total = max(np.ndindex(2, 2)), sum(i for (i,) in np.ndindex(3))
    pairs = list(zip(np.ndindex(2), np.ndindex(2), strict=True))
    items = [0]
    items.extend(np.ndindex(2))
    return (
        largest,
        total,
        pairs,
        list(map(len, np.ndindex(2, 2))),
        items,
        set(np.ndindex(1)) == {(0,)},
    )


@case()
def what_is_left(self, x, n):
    it = np.ndindex(2, 2)
    first = next(it)
    rest = list(it)
    return first, rest, list(it), next(it, None)


@case()
def left_by_a_break(self, x, n):
    it, total = np.ndindex(4), x
    for (i,) in it:
        total += i
        if i == n:
            break
    return total, [j for (j,) in it]


@case()
def asked_in_a_branch(self, x, n):
    it = np.ndindex(3)
    if n > 1:
        next(it)
    return [j for (j,) in it]


@case()
def asked_at_each_turn(self, x, n):
    it, total = np.ndindex(4), x
    for _ in range(n % 4):
        (i,) = next(it)
        total += i
    return total


@case()
def asked_for_until_there_is_none(self, x, n):
    it, total = np.ndindex(4), x
    while True:
        found = next(it, None)
        if found is None or found[0] > n:
            break
        total += found[0]
    return total, list(it)


@case()
def gone_through_by_two_loops(self, x, n):
    it = np.ndindex(2)
    for a in it:
        for b in it:
            x += a[0] + b[0]
    return x


@case()
def of_other_modules(self, x, n):
    rows = csv.reader(["a,b", "c", "d"])
    next(rows)
    starts = [found.start() for found in re.finditer("a", "banana")]
    numbered = [float(v) for _, v in np.ndenumerate(np.arange(4.0))]
    return len(list(rows)), rows.line_num, starts, len(list(re.finditer("a", "aa"))), numbered


@refused()
def what_it_says_between_its_items(self, x, n):
    it = np.nditer(np.arange(6).reshape(2, 3), flags=["multi_index"])
    for v in it:
        x += it.multi_index[0] * int(v)
    return x


@pytest.mark.parametrize("program", case.programs, ids=lambda program: program.name)
def test_each_item_comes_once(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda program: program.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
