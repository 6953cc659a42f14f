"""Ints near 2**63, through joins: a model has the chain's result, or fails where it has none."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

case = Table(
    [
        (np.array(values, np.int64), n, c)
        for values, n, c in [
            ([1, 2, 3], 2, True),
            ([2**63 - 1, 5], 3, False),
            ([2**63 - 3, 1, 1], 1, True),
            ([-(2**63), 7], 2, False),
            ([-(2**63) + 1, -1, -1], 1, True),
            ([2**62, 2**62 - 1], 5, True),
            ([2**62 + 2**61, 2**61], 4, False),
            ([0], 0, True),
        ]
    ],
    {0: {0: "length"}},
)


@case()
def chosen_by_a_branch(self, x, n, c):
    a = int(x[0])
    if c:
        a = 5
    return a + n


@case()
def counted_up(self, x, n, c):
    a = int(x[0])
    for _ in range(n):
        a = a + 1
    return a


@case()
def counted_down(self, x, n, c):
    a, i = int(x[0]), 0
    while i < n:
        a -= 1
        i += 1
    return a


@case()
def summed(self, x, n, c):
    total = 0
    for v in x.tolist():
        total += v
    return total


@case()
def held_by_a_list(self, x, n, c):
    held = []
    for v in x.tolist():
        held.append(v)
    return held[0] + n


@case()
def held_by_lists_of_unlike_bounds(self, x, n, c):
    rows = [[1] for _ in range(len(x))]
    for i, v in enumerate(x.tolist()):
        rows[i].append(v)
    return rows[0][1] + n


@case()
def a_key(self, x, n, c):
    counts = {}
    for v in x.tolist():
        counts[v] = 1
    return max(counts) + n


@case()
def a_value_of_a_dict_or_its_default(self, x, n, c):
    last = {7: 1}
    for v in x.tolist():
        last[v] = v
    return last.get(int(x[0]) if c else 9, 2**63 - 3) + n


@case()
def magnitude(self, x, n, c):
    return abs(int(x[0]))


@case()
def in_a_tuple(self, x, n, c):
    pair = int(x[0]), n
    for _ in range(n):
        pair = pair[0] + 1, pair[1]
    return pair[0]


@case()
def an_attribute(self, x, n, c):
    self.number = int(x[0])
    if c:
        self.number = n
    return -self.number


@case()
def largest(self, x, n, c):
    most = 0
    for v in x.tolist():
        if v > most:
            most = v
    return most + n


@case()
def a_constant(self, x, n, c):
    most = 2**62 + 7
    for _ in range(n):
        most = most + 2**60
    if c:
        most = most + (2**62 - 8)
    return most


@case()
def constants_chosen_from(self, x, n, c):
    limit = 10
    if n > 1:
        limit = 2**63 - 3
    if n > 2:
        limit = 2**63 - 2
    return limit + n


@case()
def an_argument_of_a_recursion(self, x, n, c):
    def up(a, k):
        return a if k == 0 else up(a + 1, k - 1)

    return up(int(x[0]), n)


@case()
def the_start_of_a_range(self, x, n, c):
    numbers = range(int(x[0]), int(x[0])) if c else range(n)
    return numbers.start + n


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_wide_ints(program: Program) -> None:
    hold(program)
