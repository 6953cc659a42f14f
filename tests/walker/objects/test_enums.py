"""Members of an Enum that a number of the run names."""

from __future__ import annotations

import enum

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [
    (np.array(numbers, np.int64), n)
    for numbers, n in (([3, 1, 2, 1], 2), ([1], 1), ([3], 3), ([2, 2], 4), ([], 0), ([1, 3], -1))
]
case = Table(INPUTS, {"x": {0: "n"}})
refused = Table(INPUTS, {"x": {0: "n"}})


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3
    AZURE = 3

    @property
    def warm(self):
        return self is Color.RED


class Level(enum.IntEnum):
    LOW = 1
    MIDDLE = 2
    HIGH = 3


class Mixed(enum.Enum):
    PAIR = (1, 2)
    WORD = "b"
    REAL = 2.0


class Open(enum.Enum):
    ONE = 1

    @classmethod
    def _missing_(cls, value):
        return cls.ONE


class Bits(enum.IntFlag):
    A = 1
    B = 2


@case()
def in_each_turn(self, x, n):
    weights = {Color.RED: 1, Color.GREEN: 5, Color.BLUE: 7}
    t = 0
    for v in x.tolist():
        color = Color(v)
        t = t * 10 + weights[color] + color.warm
        if color is Color.AZURE:
            t += 100
    return t


@case()
def none_of_them(self, x, n):
    try:
        return Color(n).value * 2
    except ValueError:
        return -1


@case()
def numbers_themselves(self, x, n):
    t = 0
    for v in x.tolist():
        level = Level(v)
        t += level
        if level > Level.LOW:
            t += 10
    return t


@case()
def values_of_several_kinds(self, x, n):
    try:
        found = Mixed(n)
    except ValueError:
        return 0
    return 5 if found is Mixed.REAL else 7


@refused()
def makes_members(self, x, n):
    return Open(n).value


@refused()
def flags(self, x, n):
    return Bits(n).value


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_member(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
