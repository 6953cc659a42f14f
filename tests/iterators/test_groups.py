"""`itertools.groupby` of items whose number or keys only the run knows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

KEYS = [
    (np.array([1, 1, 2, 1, 3, 5, 5], np.int32), 2),
    (np.array([], np.int32), 0),
    (np.array([7], np.int32), 1),
    (np.array([2, 2, 2], np.int32), 3),
    (np.array([5, 4, 0, -1, -1, 5, 6, 6, 6], np.int32), 4),
]
case = Table(KEYS, {"x": {0: "keys"}})
refused = Table(KEYS, {"x": {0: "keys"}})


@case()
def run_lengths(self, x, n):
    return [(k, len(list(group))) for k, group in itertools.groupby(x.tolist())]


@case()
def in_groups(self, x, n):
    ranked = sorted(x.tolist(), key=lambda v: v % 3)
    rest = {k: list(group) for k, group in itertools.groupby(ranked, lambda v: v % 3)}
    return rest, [k for k, _ in itertools.groupby(x.tolist(), lambda v: v > n)]


@case()
def taken_twice_and_in_part(self, x, n):
    out = []
    for k, group in itertools.groupby(v // 2 for v in x.tolist()):
        out.append((k, next(group), len(list(group)), list(group)))  # noqa: B031
    return out


@case()
def within_groups(self, x, n):
    pairs = list(zip(x.tolist(), range(20), strict=False))
    return [
        (key, [(k, sum(i for _, i in inner)) for k, inner in itertools.groupby(list(outer), min)])
        for key, outer in itertools.groupby(pairs, key=lambda pair: pair[0] > 1)
    ]


@case()
def left_early(self, x, n):
    for k, group in itertools.groupby(x.tolist()):
        if len(list(group)) > 1:
            return k
    return -1, [(k, len(list(g))) for k, g in itertools.groupby([n, 1, 1, 2])]


@refused()
def kept_until_later(self, x, n):
    return [list(group) for _, group in list(itertools.groupby(x.tolist()))]


@refused()
def read_after_the_loop(self, x, n):
    group = []
    for _, group in itertools.groupby(x.tolist()):
        pass
    return list(group)


@refused()
def a_list_that_changes(self, x, n):
    items = x.tolist()
    for k, group in itertools.groupby(items):
        items.append(k)
        return list(group)


@refused()
def a_key_that_changes(self, x, n):
    bound, out = 0, []
    for _, group in itertools.groupby(x.tolist(), key=lambda v: v > bound):
        bound += 1
        out.append(len(list(group)))
    return out


@refused()
def a_key_that_writes(self, x, n):
    log = []

    def key(v):
        log.append(v)
        return v % 2

    return [len(log) for _ in itertools.groupby(x.tolist(), key=key)]


@refused()
def an_iterator_that_others_ask(self, x, n):
    items = iter(x.tolist())
    for _ in itertools.groupby(items):
        break
    return next(items, None)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_groups(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED, match=r"iterator"):
        compiled(program)
