"""Dicts and sets of which some keys are tuples, of one length or several, and some are none."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

INTS = [
    (np.array(numbers, np.int64), n)
    for numbers, n in (
        *(([3, 1, 4, 1, 5, 3, 1], 2), ([], 1), ([7], 0), ([1, 1, 1, 1], 3)),
        *(([0, -1, -1, 0, 2], 1), ([5, 4, 3, 2, 1, 0], 4)),
    )
]
SEVEN = [
    (np.array(numbers, np.int64), n)
    for numbers, n in (
        *(([3, 1, 4, 1, 5, 9, 2], 2), ([1, 1, 1, 1, 1, 1, 1], 3), ([0, -1, -1, 0, 2, 5, 6], 1)),
        *(([5, 4, 3, 2, 1, 0, 7], 4), ([2, 2, 3, 3, 2, 2, 7], 0)),
    )
]
FLOATS = [
    (np.array(numbers), n)
    for numbers, n in (
        *(([3.0, 1, 4, 1, 5], 2), ([], 1), ([7.0], 0), ([0, -1, -1, 0.5, 2], 1)),
        *(([2, 2, -0.0, 0.0, 2.5, 2], 2), ([np.nan], 3)),
    )
]
case = Table(INTS, {"x": {0: "n"}})
unrolled = Table(SEVEN, None)
floats = Table(FLOATS, {"x": {0: "n"}})


@unrolled()
@case()
def pairs_and_their_number(self, x, n):
    counts = {"total": 0}
    for a, b in zip(x.tolist(), x[1:].tolist()):
        counts[a, b] = counts.get((a, b), 0) + 1
        counts["total"] += 1
    return counts, n


@case()
def grams(self, x, n):
    counts = Counter()
    items = x.tolist()
    for i in range(len(items)):
        counts[items[i]] += 1
        if i + 1 < len(items):
            counts[items[i], items[i + 1]] += 1
        if i + 2 < len(items):
            counts[items[i], items[i + 1], items[i + 2]] += 1
    return counts, counts.most_common(2), len(counts), counts[n], counts[n, n]


@unrolled()
@case()
def nothing_among_pairs(self, x, n):
    seen = {None}
    for i, value in enumerate(x.tolist()):
        seen.add((value, i % 2))
    there = None in seen, (n, 0) in seen, n in seen, (n,) in seen, "a" in seen, (n, 0, 0) in seen
    return len(seen), there, () in seen


@unrolled()
@case()
def told_apart_in_a_loop(self, x, n):
    counts = {}
    for value in x.tolist():
        key = (value, value + 1) if value > n else value
        counts[key] = counts.get(key, 0) + value
    total = 0
    for key, count in counts.items():
        if isinstance(key, tuple):
            total += key[1] * count
        else:
            total -= count
    return counts, total


@case()
def texts_in_pairs(self, x, n):
    held = {("a", 0): 1, "b": 2}
    for value in x.tolist():
        held["a", value] = value
        held[value] = 7
        held["b"] += 1
        held[value, "a"] = 5
    held.pop(("a", n), None)
    held.pop(n, None)
    return held, ("a", 1.0) in held, list(held.values())


@case()
def way_back(self, x, n):
    came = {(0, 0): None}
    edge = [(0, 0)]
    while edge:
        at = edge.pop(0)
        for value in x.tolist()[:3]:
            for to in ((at[0] + 1, at[1]), (at[0], at[1] + 1)):
                if max(to) < 3 and to not in came and sum(to) != value:
                    came[to] = at
                    edge.append(to)
    node = (n % 3, 2)
    path = []
    if node in came:
        while node is not None:
            path.append(node)
            node = came[node]
    return came, path


@case()
def algebra(self, x, n):
    one = {1, (1, 2)}
    other = set()
    for value in x.tolist():
        one.add((value, 2))
        other.add(value)
    both = one | other
    sizes = len(both), len(one & other), len(one - other), len(one ^ other)
    return sizes, one >= {(1, 2)}, one == both, other <= both, n in both


@case()
def memo(self, x, n):
    known = {}
    calls = []

    def asked(key, *more):
        key = (key, *more) if more else key
        if key not in known:
            calls.append(len(known))
            known[key] = sum(key) if isinstance(key, tuple) else key * 2
        return known[key]

    return [asked(value) + asked(value, n) for value in x.tolist()], calls, known


@case()
def lists_by_key(self, x, n):
    held = {}
    for i, value in enumerate(x.tolist()):
        held.setdefault((value, "k") if i % 2 else value, []).append(i)
    return held, [key[0] if isinstance(key, tuple) else key for key in held], n


@case()
def taken_out(self, x, n):
    held = OrderedDict()
    for value in x.tolist():
        held[value] = 1
        held[value, 1] = 2
        held.move_to_end(value)
    out = []
    while held:
        _, value = held.popitem()
        out.append(value)
        held.pop((n, 1), None)
    return out


@case()
def none_or_a_pair(self, x, n):
    key = (n, n) if n > 1 else None
    held = {key: 1}
    for value in x.tolist():
        held[value] = 2
        held[value, 2] = 3
    return held.get(key), len(held), held[key], (2, 2) in held


@case()
def three_lengths(self, x, n):
    held = {}
    for i, value in enumerate(x.tolist()):
        key = i
        if i % 3 == 1:
            key = (i, n)
        elif i % 3 == 2:
            key = (i, n, "x")
        held[key] = value
    out = []
    for key in list(held):
        if isinstance(key, int):
            out.append(0)
        else:
            out.append(key[1] if len(key) == 2 else -key[0])
    return out, held


@case()
def a_key_that_may_be_unset(self, x, n):
    held = {}
    for i, value in enumerate(x.tolist()):
        if len(x) > 2:
            key = i
        elif i % 3 == 1:
            key = (i, n)
        elif i % 3 == 2:
            key = (i, n, "x")
        held[key] = value
    return held


@case()
def defaults(self, x, n):
    held = defaultdict(lambda: [0, None])
    for value in x.tolist():
        held[value > 1, n][0] += 1
        held[value > 1][0] += 2
        held["k"][1] = 1
    return held


@case()
def known_keys(self, x, n):
    held = dict.fromkeys([1, (1, 2), "a", None], 0)
    for value in x.tolist():
        if value in held:
            held[value] += 1
        if (value, value + 1) in held:
            held[value, value + 1] += 10
    for key in list(held):
        if key == n:
            del held[key]
    return held


@case()
def joined_with_others(self, x, n):
    one = {0: 1}
    other = {}
    for value in x.tolist():
        other[value, value] = value
        one[value] = 2
    one.update(other)
    return one, {**other, n: 5}, one == other, {**one} == one


@floats()
def floats_in_pairs(self, x, n):
    held = {"x": 1.5}
    for value in x.tolist():
        held[value / 2, True] = value
        held[value / 2] = -value
    return list(held.values()), held.get((n, 1)), held.get(n), (0.5, 1) in held


@floats()
def one_nan_in_both(self, x, n):
    held = {}
    for value in x.tolist():
        held[value] = held.get(value, 0) + 1
        held[value, n] = held.get((value, n), 0) + 1
        held[value, "a", n] = held[value] + held[value, n]
    return list(held.values()), len(held)


PROGRAMS = [*case.programs, *unrolled.programs, *floats.programs]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_keys(program: Program) -> None:
    hold(program)
