"""Generators that ask an iterator of the program no further than Python does."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

WORDS = [((3, 1, 3, 2, 1, 3), 2), ((), 0), ((5,), 1), ((1, 1, 1, 1), 2), ((0, -1, 7, 7, 0, 9), 5)]

case = Table([(np.array(x, np.int32), n) for x, n in WORDS], {"x": {0: "words"}})


@case()
def first_above(self, x, n):
    it = iter(x.tolist())
    b = next((v for v in it if v > n), None)
    return (-1 if b is None else b), sum(it)


@case()
def first_that_passes(self, x, n):
    it = iter(x.tolist())
    b = next(filter(lambda v: v > n, it), -1)
    return b, sum(it)


@case()
def first_of_a_function(self, x, n):
    it = iter(x.tolist())

    def g():
        for v in it:
            if v > n:
                yield v

    b = next(g(), -1)
    return b, sum(it)


@case()
def any_above(self, x, n):
    it = iter(x.tolist())
    b = any(v > n for v in it)
    return b, sum(it)


@case()
def all_below(self, x, n):
    it = iter(x.tolist())
    b = all(v < n for v in it)
    return b, list(it)


@case()
def log_of_what_was_asked(self, x, n):
    log = []
    b = next((v for v in x.tolist() if not log.append(v) and v > n), None)
    return (-1 if b is None else b), log


@case()
def beside_numbers(self, x, n):
    it = zip(x.tolist(), range(100))
    b = next((i for v, i in it if v > n), -1)
    return b, [i for _, i in it]


@case()
def behind_it(self, x, n):
    it = map(abs, x.tolist())
    return next((v for v in it if v > n), -1), next(it, -7)


@case()
def in_a_loop(self, x, n):
    xs = x.tolist()
    it = iter(xs)
    out = []
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        if v > n:
            w = next((u for u in it if u <= n), None)
            out.append(-1 if w is None else w)
    return out


@case()
def called_until_a_value(self, x, n):
    it = iter(lambda c=[0]: c.__setitem__(0, c[0] + 1) or c[0], 4)
    return next((v for v in it if v > n), -1), list(it)


@case()
def pairs(self, x, n):
    def pairs(it):
        for a in it:
            b = next(it, None)
            if b is None:
                return
            yield a, b

    it = iter(x.tolist())
    g = pairs(it)
    out = []
    for a, b in g:
        out.append(a * 10 + b)
        if a > n:
            break
    return out, list(it)


@case()
def taken_by_hand(self, x, n):
    def take(it, k):
        for v in it:
            if k <= 0:
                return
            k -= 1
            yield v

    it = iter(x.tolist())
    a = list(take(it, 2))
    return a, list(it)


@case()
def two_askers_in_turn(self, x, n):
    it = iter(x.tolist())
    g = (v + 1 for v in it)
    out = []
    while True:
        v = next(g, None)
        if v is None:
            break
        out.append(v)
        if len(out) % 2 == 0:
            out.append(next(it, -9))
    return out


@case()
def numbered(self, x, n):
    log = []

    def g(items):
        for i, k in enumerate(items):
            log.append(i)
            yield k

    it = iter(x.tolist())
    a = next((k for k in g(it) if k > n), -1)
    return a, log, next(it, 50)


@case()
def nested(self, x, n):
    def g(a, b):
        for u in a:
            for v in b:
                yield u * v

    it = iter(x.tolist())
    r = next((k for k in g(it, iter([1, 2])) if k > n), -1)
    return r, list(it)


@case()
def sent_back(self, x, n):
    it = iter(x.tolist())

    def g():
        t = 0
        for v in it:
            s = yield v + t
            if s is not None:
                t = s

    h = g()
    out = []
    a = next(h, None)
    while a is not None:
        out.append(a)
        try:
            a = h.send(a) if a < n else next(h)
        except StopIteration:
            a = None
    return out


@case()
def one_that_raises(self, x, n):
    it = iter(x.tolist())

    def fail():
        for v in it:
            if v == 7:
                raise ValueError("seven")
            yield v

    try:
        r = next((k for k in fail() if k > n), -1)
    except ValueError:
        r = -77
    return r, list(it)


@case()
def any_and_all(self, x, n):
    it = iter(x.tolist())
    ok = any(v > n for v in it) and all(v > 0 for v in it)
    return ok, list(it)


@case()
def runs_by_takewhile(self, x, n):
    it = iter(x.tolist())
    groups = []
    for v in it:
        if v > n:
            groups.append([v] + list(itertools.takewhile(lambda u: u <= n, it)))
    return groups


@case()
def keys_of_a_dict(self, x, n):
    d = {1: 2, 3: 4, 5: 6}
    log = []

    def g(items):
        for k in items:
            log.append(k)
            yield k

    a = next((k for k in g(d) if k > n), -1)
    return a, log


@case()
def zipped(self, x, n):
    log = []

    def g(items):
        for k in items:
            log.append(k)
            yield k

    e = next((v for v in g(zip([1, 2, 3], x.tolist())) if v[1] < n), (-1, -1))
    return e, len(log)


@case()
def left_and_listed(self, x, n):
    g = (v * 2 for v in x.tolist())
    for v in g:
        if v > n:
            break
    return list(g)


@case()
def one_more_in_a_branch(self, x, n):
    g = (v for v in x.tolist())
    if n > 1:
        n = n + next(g, 5)
    return n + next(g, -7), list(g)


@case()
def sent_nothing(self, x, n):
    g = (v for v in (n, n + 1))
    return g.send(None), list(g)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_asked_as_far(program: Program) -> None:
    hold(program)
