"""Numbers of classes of the program, as members of an Enum, in lists and arrays."""

from __future__ import annotations

import collections
import enum

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [(np.ones(3, np.float32), n) for n in (2, 0, 5, 1, 3)]
case, refused = Table(INPUTS, {}), Table(INPUTS, {})


class Mode(enum.IntEnum):
    LOW = 1
    HIGH = 2

    def double(self):
        return self * 2


class Units(int):
    def __mul__(self, other):
        return 1000

    def __add__(self, other):
        return 2000


class Ratio(float):
    def __mul__(self, other):
        return 1000.0


class Word(str):
    def upper(self):
        return "zz"


class Wrapped:
    def __init__(self, k):
        self.k = k

    def __array__(self, dtype=None):
        return np.arange(3.0) * self.k

    def __float__(self):
        return 9.0


class Amount:
    def __index__(self):
        return 2


UNITS, RATIO, WORD, WRAPPED, AMOUNT = Units(5), Ratio(2.0), Word("a"), Wrapped(2.0), Amount()


@case()
def members(self, x, n):
    modes = [Mode.LOW for _ in range(n + 1)]
    return modes[0].double(), modes[-1].name == "LOW", modes[0] is Mode.LOW, modes[0] + n


@case()
def of_two_members(self, x, n):
    modes = []
    for i in range(n):
        modes.append(Mode.HIGH if i % 2 else Mode.LOW)
    return [mode.double() for mode in modes], [mode is Mode.LOW for mode in modes]


@case()
def members_that_are_put(self, x, n):
    modes = [Mode.LOW] * (n + 1)
    modes[n] = Mode.HIGH
    return [mode.double() for mode in modes]


@case()
def members_of_a_dict(self, x, n):
    modes = {i: Mode.LOW for i in range(n + 1)}
    return modes[0].double(), [mode is Mode.LOW for mode in modes.values()]


@case()
def of_a_class(self, x, n):
    held = [UNITS for _ in range(n + 1)]
    ratios = [RATIO] * (n + 1)
    return held[-1] * n, held[0] + n, ratios[n] * n


@case()
def in_a_deque(self, x, n):
    queue = collections.deque([UNITS])
    for _ in range(n):
        queue.append(UNITS)
    return queue[-1] * n, queue.popleft() + n


@case()
def a_word(self, x, n):
    word = "q"
    for _ in range(n):
        word = WORD
    return isinstance(word, Word), word.upper() == "zz"


@case()
def what_is_an_array_assigned(self, x, n):
    x[:] = WRAPPED
    y = x * n
    y[:] = range(3)
    z = x * n
    z[1:] = collections.deque([1, 2])
    return x, y, z


@refused()
def what_has_changed_assigned(self, x, n):
    WRAPPED.k = n
    x[:] = WRAPPED
    WRAPPED.k = 2.0
    return x


@case()
def so_many_times(self, x, n):
    try:
        held = [n] * AMOUNT
    except TypeError:
        held = [9]
    return held, AMOUNT * (1, n)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_holds(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
