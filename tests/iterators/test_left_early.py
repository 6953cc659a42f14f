"""Iterators that are left early: what they change later must not happen, or is refused."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

case = Table()


class Counting:
    """Changes itself whenever it is asked for an item."""

    def __init__(self, step):
        self.asked = 0
        self.step = step

    def __iter__(self):
        while self.asked < 6:
            self.asked += 1
            yield self.asked * self.step


class Begun(Counting):
    """Begins again, and is its own iterator."""

    def __iter__(self):
        self.asked = 3
        return self

    def __next__(self):
        self.asked += 1
        if self.asked > 6:
            raise StopIteration
        return self.asked * self.step


class Elsewhere(Counting):
    """Has an iterator of another class."""

    def __iter__(self):
        return iter(Begun(self.step))


class Listed(list):
    """A list whose loops go another way."""

    asked = 0

    def __iter__(self):
        for i in range(2):
            self.asked += 1
            yield self[i]


def kinds(n):
    return Counting(n), Begun(n), Elsewhere(n), Listed([n, 4, 5])


refused = Table()


@case()
def objects_that_change_when_they_are_asked(self, x, n, c):
    out = []
    for items in kinds(n):
        for v in items:
            out.append((v, items.asked))
        out.extend([v + items.asked for v in items])
        out.append((sum(items), items.asked, *items, items.asked))
    return out


@case()
def objects_that_are_left_early(self, x, n, c):
    out = []
    for items in (Counting(n), Listed([n, 4, 5])):
        for v in items:
            out.append(v)
            if v > 2:
                break
        out.append(items.asked)
    for items in kinds(n):
        for v in items:
            out.append(v)
            break
        out.append(items.asked)
    return out


@case()
def loop_over_a_map_left_early(self, x, n, c):
    log = []

    def seen(v):
        log.append(v)
        return v

    for v in map(seen, [1, 2, 3]):
        if v > n:
            break
    return len(log)


@case()
def all_of_a_long_map(self, x, n, c):
    log = []

    def small(v):
        log.append(v)
        return v < n

    return all(map(small, range(n + 2))), len(log)


@case()
def any_of_a_list_that_is_there(self, x, n, c):
    log = []

    def large(v):
        log.append(v)
        return v > n

    return any([large(v) for v in (1, 2, 3)]), len(log)


@case()
def one_item_of_a_map(self, x, n, c):
    log = []

    def seen(v):
        log.append(v)
        return v

    items = map(seen, [1, 2, 3])
    first = next(items) if c else 0
    return first, len(log)


@case()
def zip_of_a_map_as_long_as_the_other(self, x, n, c):
    log = []

    def seen(v):
        log.append(v)
        return v

    return [a + b for a, b in zip(map(seen, [1, 2, 3]), [n, n, n])], len(log)


@case()
def quantifiers_of_generators(self, x, n, c):
    return any(i == n for i in range(5)), all(i < n for i in range(3))


@case()
def a_key_with_a_default_that_may_be_there(self, x, n, c):
    counts = defaultdict(int)
    if c:
        counts["k"] += n
    for i in range(n):
        counts["s"] += i
    return counts["k"], counts["s"], len(counts)


@case()
def counters(self, x, n, c):
    counts = Counter()
    for i in range(n):
        counts["turns"] += i
    return counts["turns"], counts["none"]


@refused()
def any_of_a_generator_that_changes_a_list(self, x, n, c):
    log = []

    def items():
        for i in range(5):
            log.append(i)
            yield i >= n

    return any(items()), len(log)


@refused()
def any_of_a_map_that_changes_a_list(self, x, n, c):
    log = []

    def large(v):
        log.append(v)
        return v > n

    return any(map(large, [1, 2, 3])), len(log)


def three(n):
    """A generator, read item by item."""
    yield n
    yield n + 1
    yield 3


@case()
def generator_read_with_next(self, x, n, c):
    items = three(n)
    return next(items), next(items), next(items), next(items, n)


@case()
def generator_read_with_next_then_looped_over(self, x, n, c):
    items = (row * n for row in x)
    first = next(items)
    second = next(items, None)
    return first, second, [row for row in items]


@case()
def generator_read_with_next_in_a_loop(self, x, n, c):
    items = three(n)
    total = 0
    for i in range(2):
        total += next(items) * (i + 1)
    return total, iter(items) is items, list(items)


@case()
def generator_of_a_generator_read_with_next(self, x, n, c):
    def both():
        yield from three(n)
        yield from [7, 8]

    items = both()
    return [next(items) for _ in range(4)], list(items)


@case()
def filter_that_next_reads(self, x, n, c):
    kept = filter(lambda i: i != n, [0, 1, 2, 3])
    return next(kept), list(kept)


@refused()
def a_member_of_a_map_that_changes_a_list(self, x, n, c):
    log = []

    def seen(v):
        log.append(v)
        return v

    return n in map(seen, [1, 2, 3]), len(log)


@case()
def zip_that_asks_for_one_item_more(self, x, n, c):
    log = []

    def seen(v):
        log.append(v)
        return v

    return [a + b for a, b in zip(map(seen, [1, 2, 3]), range(n))], len(log)


@case()
def the_next_of_a_filter_that_changes_a_list(self, x, n, c):
    log = []

    def large(v):
        log.append(v)
        return v > 1

    return next(filter(large, [1, 2, 3]), -1) + n, len(log)


@case()
def an_object_that_changes_is_searched(self, x, n, c):
    items = Counting(n)
    return 2 * n in items, items.asked


@refused()
def any_of_an_object_that_changes(self, x, n, c):
    items = Counting(n)
    return any(items), items.asked


@case()
def numbers_of_an_object_that_changes(self, x, n, c):
    items = Listed([n, 4, 5])
    return [(i, v, items.asked) for i, v in enumerate(items)]


@case()
def lists_by_one_of_two_texts(self, x, n, c):
    groups = defaultdict(list)
    for i in range(n):
        groups["last" if i % 3 == 2 else "other"].append(i)
    return list(groups), groups["last"], groups["other"]


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_left_early(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_refused(program: Program) -> None:
    with pytest.raises(REFUSED, match="changes something after the item asked for"):
        compiled(program)
