"""Methods of the program that code of C asks by itself: `__hash__`, `__lt__`, `__index__`."""

from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [(3, True), (0, False), (1, True), (5, False), (2, True)]
COUNT = {"asked": 0, "more": 0}


class Key:
    def __init__(self, k):
        self.k = k

    def __eq__(self, other):
        return isinstance(other, Key) and self.k == other.k

    def __hash__(self):
        return hash(self.k)

    def __lt__(self, other):
        return self.k < other.k

    def __index__(self):
        return self.k


class Counted(Key):
    """Counts on itself how often it is asked for what."""

    def __init__(self, k):
        self.k, self.asked = k, 0

    def __eq__(self, other):
        self.asked += 1
        return self.k == other.k

    def __hash__(self):
        self.asked += 10
        return self.k

    def __lt__(self, other):
        self.asked += 100
        return self.k < other.k

    def __index__(self):
        self.asked += 1000
        return self.k


class Noted(Key):
    """Counts for all of them."""

    def __eq__(self, other):
        COUNT["asked"] += 1
        return self.k == other.k

    def __hash__(self):
        COUNT["asked"] += 10
        return self.k

    def __lt__(self, other):
        COUNT["asked"] += 100
        return self.k < other.k

    def __index__(self):
        COUNT["asked"] += 1000
        return self.k


class Shifted(Key):
    """Reads what the program may change."""

    def __eq__(self, other):
        return self.k + COUNT["more"] == other.k

    def __hash__(self):
        return 0

    def __index__(self):
        return self.k + COUNT["more"]


class Later:
    """Gets its number after it is made."""

    k = 0

    def __lt__(self, other):
        return self.k < other.k


class Through:
    """Is compared by what another method gives."""

    def __init__(self, k):
        self.k = k

    def _key(self):
        return (self.k, sum(part for part in (self.k, 1)))

    def __eq__(self, other):
        return type(self) is type(other) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())


@dataclasses.dataclass
class Record:
    k: int


def held():
    COUNT["asked"] = COUNT["more"] = 0
    made = {f"k{n}": Key(n) for n in (1, 2, 3)} | {f"c{n}": Counted(n) for n in (1, 2, 3)}
    made |= {f"n{n}": Noted(n) for n in (1, 2, 3)} | {f"s{n}": Shifted(n) for n in (1, 2, 3)}
    return {**made, "same": Key(1), "twin": Counted(1), "other": Noted(1), "t": Through(1)}


case, refused = Table(INPUTS, {}), Table(INPUTS, {})


@case()
def keys_that_only_look(self, n, c):
    d = {self.k1: n, self.k2: 2, (self.k1, 1): 3}
    d[self.same] += 1
    e = collections.defaultdict(list)
    for k in (self.k1, self.k2, self.same):
        e[k].append(n)
    d[self.t] = n
    return (d[self.k1], d[(self.same, 1)], [len(v) for v in e.values()], d[self.t])


@case()
def found_in_a_list(self, n, c):
    a, b = Counted(1), Counted(2)
    found = (a in [b, Counted(1)], a in (b, Counted(3)), [b, a].index(Counted(1)), [a, b].count(a))
    return found, a.asked, b.asked, n


@case()
def held_ones_in_a_list(self, n, c):
    found = self.c1 in [self.c2, self.twin], self.n1 in (self.n2, self.other)
    return found, self.c1.asked, self.c2.asked, self.twin.asked, COUNT["asked"], n


@case()
def counts_after_a_count(self, n, c):
    before = COUNT["asked"]
    found = self.n1 in [self.n2, self.other]
    return found, COUNT["asked"] - before, n


@case()
def tuples_of_counted(self, n, c):
    less = (1, self.c1) < (1, self.c2), [1, Counted(3)] > [1, Counted(2)]
    return less, self.c1.asked, self.c2.asked, n


@case()
def compared_by_what_has_changed(self, n, c):
    COUNT["more"] = 1
    return self.s1 in [self.s2], [1, 2, 3, 4][self.s1], self.s1 == self.s2, n


@case()
def lists_that_changed_are_sorted(self, n, c):
    rows = [[2], [1], [3]]
    rows[0][0] = 9
    rows[1].append(4)
    pairs = [(1, [2]), (1, [1])]
    pairs[0][1][0] = 0
    return sorted(rows), sorted(pairs), sorted(rows, reverse=True), n


@case()
def objects_in_tuples_are_sorted(self, n, c):
    made = [Later(), Later(), Later()]
    for one, k in zip(made, (5, 1, 3)):
        one.k = k
    pairs = sorted((1, one) for one in made)
    mixed = sorted((i % 2, one, n) for i, one in enumerate(made) if i < 2)
    return [one.k for _, one in pairs], [one.k for _, one, _ in mixed]


@case()
def records_in_tuples_are_sorted(self, n, c):
    pairs = [(3, Record(1)), (1, Record(2)), (2, Record(3))]
    return [one.k for _, one in sorted(pairs)], n


@refused()
def records_that_have_no_order(self, n, c):
    return sorted([(1, Record(1)), (1, Record(2))])[0][0] + n


@refused()
def sizes_by_a_counted(self, n, c):
    return np.zeros(self.c3), self.c3.asked


@refused()
def an_axis_by_a_counted(self, n, c):
    return np.ones((n, 2)).sum(axis=self.c1), self.c1.asked


@refused()
def an_amount_that_is_no_number(self, n, c):
    return np.tile(np.ones(n), Key(2))


@refused()
def keys_that_count(self, n, c):
    d = {self.c1: n}
    return d[self.twin], self.c1.asked


@refused()
def a_set_of_those_that_count_elsewhere(self, n, c):
    s = {self.n1, self.n2, self.other}
    return len(s), COUNT["asked"]


@refused()
def keys_that_count_in_a_call(self, n, c):
    return len(collections.Counter([self.c1, self.twin])), self.c1.asked


@refused()
def a_key_that_has_changed(self, n, c):
    self.k1.k = 2
    return len({self.k1: 1, self.k2: n})


@refused()
def a_key_that_is_changed(self, n, c):
    d = {self.k1: 1, self.k2: n}
    self.k1.k = 7
    return self.same in d


@refused()
def a_key_that_reads_what_has_changed(self, n, c):
    COUNT["more"] = 1
    return {self.s1: n}[self.s2]


@case()
def sizes_by_what_has_changed(self, n, c):
    COUNT["more"] = n
    return np.full((Shifted(1), 2), 1.0)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_holds(program: Program) -> None:
    hold(dataclasses.replace(program, attributes=held))


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(dataclasses.replace(program, attributes=held))
