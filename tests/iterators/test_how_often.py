"""How often Python calls `__iter__` and `__next__` of objects, and how far it asks an iterator."""

from __future__ import annotations

import collections
import functools
import itertools

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

WORDS = [((3, 1, 3, 2, 1, 3), 2), ((), 0), ((5,), 1), ((1, 1), 2), ((0, -1, 7, 7, 0, 9), 5)]
INPUTS = [(np.array(x, np.int32), n) for x, n in WORDS]

case = Table(INPUTS, {"x": {0: "words"}})
refused = Table(INPUTS, {"x": {0: "words"}})


class Items:
    """Begins again whenever it is asked for an iterator, which it is itself."""

    def __init__(self, xs):
        self.xs, self.place, self.log = xs, 0, []

    def __iter__(self):
        self.log.append(-1)
        self.place = 0
        return self

    def __next__(self):
        if self.place >= len(self.xs):
            raise StopIteration
        self.place += 1
        self.log.append(self.place)
        return self.xs[self.place - 1]


class Given:
    """Has another iterator each time, and notes what it gave."""

    def __init__(self, xs):
        self.xs, self.log = xs, []

    def __iter__(self):
        for v in self.xs:
            self.log.append(v)
            yield v


@case()
def gone_through_by_builtins(self, x, n):
    s = Items([*x.tolist(), 2, 4])
    lists = list(s), tuple(s), sorted(s), [*s, 1], [v for v in s], list(reversed(list(s)))
    return lists, sum(s), max(s), min(s, default=0), len(set(s)), dict(enumerate(s)), s.log


@case()
def gone_through_by_iterators(self, x, n):
    s = Items([*x.tolist(), 2, 4])
    found = [list(filter(None, s)), list(map(abs, s)), list(itertools.accumulate(s)), list(iter(s))]
    return found, functools.reduce(max, s), list(collections.deque(s)), np.array(list(s)), s.log


@case()
def asked_for_truth(self, x, n):
    s = Items([*x.tolist(), 2, 4])
    return any(s), all(s), any(v > 2 for v in s), sum(v for v in iter(s)), max(v for v in s), s.log


@case()
def unpacked(self, x, n):
    s = Items([2, n])
    a, b = s
    *rest, last = s
    return a, b, rest, last, s.log


@case()
def put_in_a_slice(self, x, n):
    s, items = Items([2, 4]), [1]
    items.extend(s)
    items += s
    items[1:2] = s
    return items, s.log


@case()
def one_of_two(self, x, n):
    s = Items(x.tolist())
    u = s if len(x) else [4, 5]
    return list(u), list(u), s.log


@case()
def one_of_two_that_are_given_anew(self, x, n):
    s = Given(x.tolist())
    u = s if len(x) else Given([4, 5])
    return list(u), sum(u), sorted(u), s.log


@case()
def one_too_many(self, x, n):
    it = iter(x.tolist())
    try:
        a, b = it
    except ValueError:
        a, b = 0, 0
    return a, b, list(it)


@case()
def one_too_many_of_a_generator(self, x, n):
    s = Given(x.tolist())
    try:
        a, b = s
    except ValueError:
        a, b = 0, 0
    return a, b, s.log


@case()
def one_too_many_of_a_map(self, x, n):
    log = []
    try:
        a, b = map(lambda v: log.append(v) or v, x.tolist())
    except ValueError:
        a, b = 0, 0
    return a, b, log


@refused()
def unpacked_of_one_of_two(self, x, n):
    s = Given([1, n])
    a, b = s if len(x) else Given([4, 5])
    return a, b, s.log


@refused()
def spread_of_one_of_two(self, x, n):
    s = Given(x.tolist())
    return [*(s if len(x) else [4, 5]), 1], s.log


@refused()
def asked_once_more_after_the_first(self, x, n):
    s = Items([*x.tolist(), 2])
    a, *rest = s
    return a, rest, s.log


@refused()
def one_of_two_asked_once_more(self, x, n):
    s = Items(x.tolist())
    a, *rest = s if len(x) else Items([4, 5])
    return a, rest, s.log


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_how_often(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_refused(program: Program) -> None:
    with pytest.raises(REFUSED, match=r"changes something|may change something"):
        compiled(program)
