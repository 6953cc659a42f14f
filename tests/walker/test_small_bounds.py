"""Bounds of ranges that are small ints of numpy's: a range counts with ints, `np.arange` wraps."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

INPUTS = [
    (np.array(values, np.uint8),)
    for values in ([3, 6, 2], [6, 3, 1], [0, 0, 5], [250, 255, 3], [5, 0, 1])
]
case = Table(INPUTS, {})


@case()
def turns(self, u):
    total = 0
    for i in range(u[0], u[1]):
        total += i * 300
    return total


@case()
def as_lists(self, u):
    return list(range(u[0], u[1], u[2])), [i - 9 for i in range(u[1], u[0], -1)]


@case()
def as_ints(self, u):
    ends = range(u[0], u[1] + 1)
    last = -1
    for last in ends:
        pass
    return type(ends.start) is int, type(last) is int, ends.stop, last / 2


@case()
def fails_as_ints_do(self, u):
    try:
        return [7 // (i - 1) for i in range(u[2])]
    except ZeroDivisionError:
        return []


@case()
def by_numpy(self, u):
    return np.arange(u[0], u[1]), np.arange(u[2]), np.arange(u[2] + 1, dtype=np.float32)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_holds(program: Program) -> None:
    hold(program)
