"""`in` asks an iterator until the item is found; `__getitem__` alone ends by an IndexError."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.programs import REFUSED, Program, check, compiled, f32
from tests.table import Table, hold

case = Table()


class Counting:
    def __init__(self, end):
        self.end = end
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= self.end:
            raise StopIteration
        self.at += 1
        return self.at


class ByIndex:
    def __init__(self, items):
        self.items = items

    def __getitem__(self, index):
        return self.items[index]


class ShorterThanItSays(ByIndex):
    def __len__(self):
        return 2


class LongerThanItSays(ByIndex):
    def __len__(self):
        return 7


class Until:
    """Ends where the data say so."""

    def __init__(self, items):
        self.items = items
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= len(self.items) or self.items[self.at] < 0:
            raise StopIteration
        self.at += 1
        return self.items[self.at - 1]


class Contains:
    def __init__(self, items):
        self.items = items

    def __contains__(self, value):
        return value in self.items or value == 77


lists = Table(
    [
        (np.array(numbers, np.int64), n)
        for numbers, n in (
            *(([3, 1, 2, 1], 2), ([0, 1, 2], 0), ([], 1), ([5], 5), ([2, 2, 2], 3)),
            *(([-1, 4, 0, 4, -2], 1), ([7, -3, 5, 1, 0, 2, 1], 4)),
        )
    ],
    {"x": {0: "n"}},
)


@lists()
def to_an_end_of_the_data(self, x, n):
    it = Until(x.tolist())
    return n in it, it.at, 1 not in it, it.at


@lists()
def again_and_again(self, x, n):
    it = Until(x.tolist())
    total = 0
    for i in range(3):
        if i in it:
            total += 10
        total += it.at
    return total


@lists()
def none_of_it(self, x, n):
    it = Until(x.tolist())
    return None in it, it.at


@lists()
def in_a_branch(self, x, n):
    it = Until(x.tolist())
    return n in it if n > 1 else False, list(it)


@lists()
def by_contains(self, x, n):
    return n in Contains(x.tolist()), 77 in Contains([]), n not in Contains([4])


@case()
def the_rest_of_a_list(self, x, n, c):
    it = iter([1, 2, 3, 4])
    return 2 in it, list(it), 9 in iter([n]), n


@case()
def what_is_looked_for_is_the_object_itself(self, x, n, c):
    it = iter([5, n, 4])
    return n in it, list(it)


@case()
def the_rest_of_a_generator(self, x, n, c):
    def counted():
        yield 0
        yield from range(1, 4)

    it = counted()
    return 1 in it, next(it), list(it), n


@case()
def a_generator_whose_items_are_of_the_run(self, x, n, c):
    it = (v * 2 for v in [n, n + 1, 3])
    return 2 * n + 2 in it, list(it)


@case()
def of_the_run_in_several_kinds(self, x, n, c):
    numbers = [map(abs, [n, 1, -3]), reversed([n, 2, 5]), itertools.chain([n], [2, 5])]
    pairs = [zip([n, 2, 3], [1, 2, 3]), enumerate([n, 2, 5]), iter({5: n, 2: 2}.items())]
    found = [n in it for it in numbers] + [(2, 2) in it for it in pairs]
    return found, [len(list(it)) for it in (*numbers, *pairs)]


@case()
def a_part_of_a_generator_is_left_to_the_other_of_a_pair(self, x, n, c):
    a, b = itertools.tee(iter([1, n, 5]))
    return 1 in a, list(a), list(b)


@case()
def searched_while_it_is_gone_through(self, x, n, c):
    it = iter([1, 2, 3, 4, 5])
    return [v for v in it if v in it], n


@case()
def an_object_that_counts(self, x, n, c):
    it = Counting(4)
    return 2 in it, it.at, list(it), n


@case()
def an_object_without_iter(self, x, n, c):
    rows = ByIndex([n, 2, 5])
    return [v for v in rows], n in rows, list(rows), sum(rows), dict(enumerate(rows))


@case()
def the_length_is_not_asked(self, x, n, c):
    less, more = ShorterThanItSays([n, 2, 5]), LongerThanItSays([n, 2, 5])
    return list(less), [v for v in more], 5 in less, len(less), len(more)


@case()
def it_grows_while_it_is_gone_through(self, x, n, c):
    rows, seen = ByIndex([1, n]), []
    for v in rows:
        seen.append(v)
        if len(rows.items) < 5:
            rows.items.append(len(rows.items))
    return seen, rows.items


@pytest.mark.parametrize(
    "program", [*case.programs, *lists.programs], ids=lambda program: program.name
)
def test_searched(program: Program) -> None:
    hold(program)


def rows_of_any_number(self, x):
    return [row.sum() for row in LongerThanItSays(x)]


def test_an_end_that_the_data_decides_is_refused() -> None:
    program = Program(rows_of_any_number, [(f32(3, 2),), (f32(0, 2),)], {"x": {0: "rows"}})
    try:
        model = compiled(program)
    except REFUSED:
        return
    check(program, model)
