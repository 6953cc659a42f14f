"""What makes a list of an object of the program asks it for its length first, which may act."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

ROWS = [
    (np.array(numbers, np.float64), n)
    for numbers, n in (([3, 1, 2, 1], 2), ([0, 1, 2], 0), ([], 1), ([5], 5), ([-1, 4], -1))
]
AXES = {"x": {0: "n"}}
case = Table(ROWS, AXES)


class Rows:
    def __init__(self, items, log):
        self.items = items
        self.log = log

    def __iter__(self):
        self.log.append(1)
        return iter(self.items)

    def __len__(self):
        self.log.append(2)
        return len(self.items)


class ByIndex:
    def __init__(self, items, log):
        self.items = items
        self.log = log

    def __len__(self):
        self.log.append(2)
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


class Stepping:
    def __init__(self, items, log):
        self.items = items
        self.log = log
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= len(self.items):
            raise StopIteration
        self.at += 1
        return self.items[self.at - 1]

    def __length_hint__(self):
        self.log.append(3)
        return len(self.items)


class Own(list):
    def __init__(self, items, log):
        super().__init__(items)
        self.log = log

    def __len__(self):
        self.log.append(2)
        return 3


class Quiet(Rows):
    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)


class Raising(Quiet):
    def __len__(self):
        raise ValueError("none")


def extended(it):
    made = []
    made.extend(it)
    return made


def added(it):
    made = []
    made += it
    return made


def starred(it):
    return [*it]


def in_a_tuple(it):
    return (*it, 1)


def spread(it):
    def count(*args):
        return len(args)

    return count(*it)


def with_rest(it):
    first, *rest = it
    return first, rest


def replaced(it):
    made = [1, 2]
    made[:] = it
    return made


ASKING = (
    *(list, tuple, sorted),
    *(extended, added, starred, in_a_tuple, spread, with_rest, replaced),
)


CLASSES = (Rows, ByIndex, Stepping, Own, Raising)
#: The iterator of a list, which `a, *b` makes the rest of, knows how many there are by itself.
PAIRS = [(a, c) for a in ASKING for c in CLASSES if (a, c) != (with_rest, Own)]


@pytest.mark.parametrize("asks, cls", PAIRS, ids=lambda one: one.__name__)
def test_a_length_that_acts_is_refused(asks: Callable[[Any], Any], cls: Any) -> None:
    def forward(self, x, n):
        log = []
        made = asks(cls([1, 2, n], log))
        return made, log

    with pytest.raises(REFUSED, match="of this object changes something or may raise"):
        compiled(Program(forward, ROWS, AXES))


@case()
def loops(self, x, n):
    log, total = [], 0
    for cls in (Rows, ByIndex, Stepping):
        for v in cls([1, 2, n], log):
            total += v
        total += len([v for v in cls([1, n], log)])
    return total, log


@case()
def quiet_ones(self, x, n):
    q = Quiet(x.tolist(), None)
    made = [0.0]
    made += q
    made.extend(q)
    return list(q), tuple(q), sorted(q), sum(q), [*q], made, len(q), 2.0 in q, list(enumerate(q))


@case()
def quiet_ones_of_known_length(self, x, n):
    q = Quiet([1, 2, n], None)
    made = [0]
    made[:] = q
    return with_rest(q), spread(q), in_a_tuple(q), made, max(*q), list(map(abs, q))


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_lengths(program: Program) -> None:
    hold(program)
