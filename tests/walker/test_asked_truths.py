"""How often Python asks an object for its truth where `and`, `or` and `not` stand in a test."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

WORDS = [((3, 1, 3, 2, 1, 3), 2), ((), 0), ((5,), 1), ((1, 1), 2), ((0, -1, 7, 7, 0, 9), 5)]

case = Table([(np.array(x, np.int32), n) for x, n in WORDS], {"x": {0: "words"}})


class Asked:
    """Notes when it is asked for its truth."""

    def __init__(self, truth):
        self.truth = truth
        self.log = []

    def __bool__(self):
        self.log.append(1)
        return self.truth


@case()
def in_branches(self, x, n):
    no, yes = Asked(False), Asked(True)
    r = 0
    if no and n > 1:
        r += 1
    if yes and n > 1:
        r += 2
    if no or n > 1:
        r += 4
    if yes or n > 1:
        r += 8
    if not (no and yes):
        r += 16
    if not (yes or no):
        r += 32
    if n > 1 and not no:
        r += 64
    return r, no.log, yes.log


@case()
def elsewhere(self, x, n):
    no, yes = Asked(False), Asked(True)
    one = 1 if no and n > 1 else 2
    other = 1 if (yes or no) and n > 0 else 3
    value = not (no and yes)
    some = [v for v in [1, 2] if yes and v > 1]
    while no and n > 100:
        n -= 1
    return one, other, value, some, bool(no or yes), (no and 3) is no, no.log, yes.log


@case()
def truths_of_the_run(self, x, n):
    asked = Asked(len(x) > 1)
    r = 1 if asked and n > 1 else 2
    if asked or n > 3:
        r += 10
    return r, asked.log


@case()
def numbers(self, x, n):
    r = 0
    if n and len(x):
        r += 1
    if n or len(x):
        r += 2
    if x.sum() and n:
        r += 4
    if not n and not len(x):
        r += 8
    if len(x) > 1 and x[1] > 0 and n:
        r += 16
    if (n > 1) and (x[:1].any() or len(x)):
        r += 32
    while n and r % 5:
        r, n = r + 1, n - 1
    return r, n


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_asked_truths(program: Program) -> None:
    hold(program)
