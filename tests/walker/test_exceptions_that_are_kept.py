"""Exceptions that are kept after they were caught, with what was assigned to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

#: Numbers of which a first, a middle or the last one raises, or none; duplicates, one, none.
LISTS = [
    (np.array(numbers, np.int64), n)
    for numbers, n in (
        *(([3, 1, 2, 1], 7), ([], 0), ([5], 5), ([2, 2, 2], 2), ([1, 4, 0, 4, 2], 4)),
        *(([-1, 1], -1), ([7, -3, 5, 1, 0, 2, 4], 4)),
    )
]
FOUR = [
    (np.array(numbers, np.int64), n)
    for numbers, n in (
        *(([3, 1, 2, 1], 7), ([0, 5, 4, 1], 0), ([5, 5, 5, 5], 5), ([1, 2, 2, -4], 4)),
        *(([1, -1, 6, 2], 6), ([-1, 1, -1, 6], -1)),
    )
]
case = Table(LISTS, {"x": {0: "n"}})
four = Table(FOUR)
refused = Table(LISTS, {"x": {0: "n"}})


class Failed(Exception):
    v = -9

    def __init__(self, v, w=1):
        super().__init__("failed")
        self.v = v
        self.w = w

    @property
    def twice(self):
        return self.v * 2


class Narrow(Exception):
    __slots__ = ("v",)

    def __init__(self, v):
        super().__init__(v)
        self.v = v


@dataclass
class Record(Exception):
    v: int
    w: str = "a"


@dataclass(frozen=True)
class Fixed(Exception):
    v: int
    w: int = 2


ERROR = Failed(4)


@case()
def in_a_list(self, x, n):
    kept = []
    for v in x.tolist():
        try:
            if v == n:
                raise Failed(4)
        except Failed as e:
            kept.append(e)
    return [(e.v, e.w, e.twice, getattr(e, "v", -5)) for e in kept]


@case()
def in_a_list_beside_others(self, x, n):
    kept = []
    for v in x.tolist():
        try:
            if v == n:
                raise Narrow(3)
            if v < 0:
                raise Failed(4)
            if v == 0:
                raise Failed(n, 2)
        except (Narrow, Failed) as e:
            kept.append(e)
    return [getattr(e, "v", -5) for e in kept], [getattr(e, "w", -5) for e in kept]


@case()
def in_a_dict(self, x, n):
    kept = {}
    for i, v in enumerate(x.tolist()):
        try:
            if v == n:
                raise Record(7)
        except Record as e:
            kept[i] = e
    return [(i, e.v, e.w == "a") for i, e in kept.items()]


@case()
def made_before(self, x, n):
    kept = []
    for v in x.tolist():
        try:
            if v == n:
                raise ERROR
        except Failed as e:
            kept.append((v, e))
    return [(v, e.v, hasattr(e, "w")) for v, e in kept]


@case()
def handed_on(self, x, n):
    numbers, raised, pending, i, block = x.tolist(), None, None, 0, 1
    while block > 0:
        if block == 1:
            try:
                if i == len(numbers):
                    block = 0
                else:
                    if numbers[i] == n:
                        raise Failed(i)
                    i += 1
            except Failed as e:
                raised, block = e, 5
        else:
            pending, block = raised, 0
    try:
        if pending is not None:
            raise pending
    except Failed as e:
        return getattr(e, "v", -50)
    return -1


@case()
def through_a_recursion(self, x, n):
    numbers, left = x.tolist(), [0]

    def f(i):
        try:
            if i == len(numbers):
                return 1
            if numbers[i] == n:
                raise Failed(i)
            return f(i + 1) * 2
        finally:
            left[0] += 1

    try:
        r = f(0)
    except Failed as e:
        r = e.v * 10 + e.w
    return r, left


@case()
def of_a_frozen_record(self, x, n):
    out = []
    for v in x.tolist():
        try:
            if v == n:
                raise Fixed(4)
            if v < 2:
                raise KeyError(v)
        except Fixed as e:
            out.append(e.v + e.w)
        except KeyError as e:
            try:
                raise Fixed(n) from e
            except Fixed as f:
                out.append(f.v + f.__cause__.args[0])
    return out


@four()
def last_one(self, x, n):
    last = None
    for i in range(4):
        try:
            if x[i] == n:
                raise Failed(i, n)
            if x[i] < 0:
                raise Failed(7)
        except Failed as e:
            last = e
    return -1 if last is None else last.v * 10 + last.w


@refused()
def with_words_of_the_system(self, x, n):
    kept = []
    for v in x.tolist():
        try:
            if v == n:
                raise OSError(2, "no")
        except OSError as e:
            kept.append(e)
    return [e.errno for e in kept]


@pytest.mark.parametrize("program", [*case.programs, *four.programs], ids=lambda p: p.name)
def test_what_they_hold(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_more_than_arguments_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
