"""Copies of dicts whose keys the run decides, by `copy` and by their own method."""

from __future__ import annotations

import copy
from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

NUMBERS = [
    (np.array(numbers, np.int64),)
    for numbers in (
        *([3, 1, 2, 3, 1, 2, 5], [1], [], [2, 2, 2, 2, 2], [5, 4, 3, 2, 1, 6, 1]),
        *([1, 2, 1, 2, 1, 2, 3, 3, 3],),
    )
]
FIVE = [
    (np.array(numbers, np.int64),)
    for numbers in (
        *([3, 1, 2, 3, 1], [1, 1, 1, 1, 1], [2, 2, 2, 2, 2], [5, 4, 3, 2, 1], [1, 2, 1, 2, 1]),
    )
]
case = Table(NUMBERS, {"x": {0: "n"}})
unrolled = Table(FIVE, None)


def counted(x, counts):
    for v in x:
        counts[int(v)] = counts.get(int(v), 0) + 1
    return counts


@unrolled()
@case()
def copies_of_a_dict(self, x):
    d = counted(x, {})
    e = copy.copy(d)
    f = copy.deepcopy(d)
    e[1] = 9
    f[2] = -1
    d[77] = 1
    return (d, e, f)


@unrolled()
@case()
def copies_in_order(self, x):
    d = counted(x, OrderedDict())
    e = copy.copy(d)
    f = copy.deepcopy(d)
    e[1] = 9
    f.move_to_end(next(iter(f))) if f else 0
    return (list(d.items()), list(e.items()), list(f.items()))


@unrolled()
@case()
def copies_of_a_counter(self, x):
    d = counted(x, Counter())
    e = copy.copy(d)
    f = copy.deepcopy(d)
    e[1] += 9
    f.update([1, 1, 2])
    return (d, e, f)


@unrolled()
@case()
def copies_with_a_default(self, x):
    d = counted(x, defaultdict(int))
    e = copy.copy(d)
    f = copy.deepcopy(d)
    e[99]
    f[98]
    return (d, e, f)


@unrolled()
@case()
def copy_that_shares_its_lists(self, x):
    d = {}
    for i, v in enumerate(x):
        d.setdefault(int(v), []).append(i)
    e = copy.copy(d)
    for k in e:
        e[k].append(7)
    e[100] = [1]
    return d


@unrolled()
@case()
def copies_of_pairs(self, x):
    d = {}
    for i, v in enumerate(x):
        d[int(v)] = (i, v * 0.5)
    e = copy.copy(d)
    e[1] = (0, 0.5)
    return (d, e)


@unrolled()
@case()
def copy_within(self, x):
    o = [counted(x, {}), 5]
    p = copy.deepcopy(o)
    p[0][1] = 100
    return (o, p)


@unrolled()
@case()
def method_of_a_counter(self, x):
    d = Counter()
    e = d.copy()
    e[1] += 5
    d.update(x.tolist())
    f = d.copy()
    f[3] -= 7
    return (d, e, f, +f)


PROGRAMS = [*case.programs, *unrolled.programs]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_copy(program: Program) -> None:
    hold(program)
