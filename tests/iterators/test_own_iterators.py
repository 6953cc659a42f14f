"""Iterators of the program's own classes whose end the data decide."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

#: Keys: some twice, none, one, one alone many times, many, none twice.
KEYS = [
    (np.array([1, 2, 1, 3, 5], np.int32), 2),
    (np.array([], np.int32), 0),
    (np.array([7], np.int32), 1),
    (np.array([2, 2, 2], np.int32), 3),
    (np.array([5, 4, 0, -1, 5, 6, -1, 4, 3], np.int32), 4),
    (np.array([3, 2, 1, 0], np.int32), 1),
]
case = Table(KEYS, {"x": {0: "keys"}})


class Countdown:
    def __init__(self, k):
        self.k = k

    def __iter__(self):
        return self

    def __next__(self):
        if self.k <= 0:
            raise StopIteration
        self.k -= 1
        return self.k


class Until:
    def __init__(self, xs, stop):
        self.xs = xs
        self.stop = stop
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= len(self.xs) or self.xs[self.i] == self.stop:
            raise StopIteration
        self.i += 1
        return self.xs[self.i - 1]


class Bag:
    def __init__(self, xs):
        self.xs = xs

    def __iter__(self):
        return Until(self.xs, -1)


@case()
def folded(self, x, n):
    return sum(Until(x.tolist(), n)), max(Countdown(n), default=-1), sorted(Until(x.tolist(), n))


@case()
def beside_a_list(self, x, n):
    return [a for a in zip(Countdown(n), x.tolist())]


@case()
def counted(self, x, n):
    return [(i, a) for i, a in enumerate(Until(x.tolist(), n))]


@case()
def as_keys(self, x, n):
    return (
        set(Until(x.tolist(), n)) == set(x.tolist()),
        dict(enumerate(Countdown(n))),
        Counter(Until(x.tolist(), n)),
    )


@case()
def of_an_iterable(self, x, n):
    b = Bag(x.tolist())
    return [(p, q) for p in b for q in b if p < q][:3], len(list(b))


@case()
def taken_then_listed(self, x, n):
    it = Until(x.tolist(), n)
    a = next(it, -5)
    return a, list(it), next(it, -6)


@case()
def asked_by_next(self, x, n):
    it = Countdown(n)
    try:
        a = next(it)
        b = next(it)
    except StopIteration:
        return -1, it.k
    return a + b, it.k


@case()
def mapped(self, x, n):
    return list(map(lambda v: v * 2, Until(x.tolist(), n))), list(
        filter(None, Until(x.tolist(), n))
    )


@case()
def chained(self, x, n):
    return (
        list(itertools.chain(Until(x.tolist(), n), Countdown(n))),
        list(itertools.islice(Countdown(n), 2)),
        tuple(Countdown(n)),
    )


@case()
def appended(self, x, n):
    out = []
    out.extend(Countdown(n))
    out += Until(x.tolist(), n)
    _first, *rest = [0, *Countdown(n)]
    return out, rest


@case()
def starred(self, x, n):
    return np.array(list(Until(x.tolist(), n))).sum(), [*Countdown(n)], (*Countdown(n), 1)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_parity(program: Program) -> None:
    hold(program)
