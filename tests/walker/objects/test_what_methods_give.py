"""What Python demands of what special methods give."""

from __future__ import annotations

import abc
import math

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [
    (np.array(x, np.int64), n)
    for x, n in [([3, 1, 2, 1], 2), ([], 0), ([5], 5), ([2, 2, 2], 3), ([4, 0, 4, 1], 1)]
]
case, refused = Table(INPUTS, {"x": {0: "n"}}), Table(INPUTS, {"x": {0: "n"}})


class Twice:
    k = 0

    def __new__(cls, v):
        if v > 2:
            return super().__new__(cls)
        return super().__new__(cls)

    def __init__(self, v):
        self.k = v


class Other:
    def __init__(self, v):
        self.k = -v


class Pool:
    def __new__(cls, v):
        return Other(v) if v % 2 == 1 else super().__new__(cls)

    def __init__(self, v):
        self.k = v


class OrFive:
    def __new__(cls, v):
        return super().__new__(cls) if v > 2 else 5

    def __init__(self, v):
        self.k = v


class Chooses:
    def __new__(cls, v):
        return object.__new__(Chosen if cls is Chooses else cls)

    def __init__(self, v):
        self.k = v


class Chosen(Chooses):
    def __init__(self, v):
        self.k = v * 100


class Gives:
    def __init__(self, n):
        return n


class MayGive:
    def __init__(self, n):
        return None if n > 1 else n


class Sized:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n


class Truth:
    def __init__(self, n):
        self.n = n

    def __bool__(self):
        return self.n


class Number:
    def __init__(self, n):
        self.n = n

    def __float__(self):
        return self.n

    def __int__(self):
        return self.n / 2


class Index:
    def __init__(self, n):
        self.n = n

    def __index__(self):
        return self.n


class Bars:
    __contains__ = None

    def __iter__(self):
        return iter([1, 2])


class Abstract(abc.ABC):
    @abc.abstractmethod
    def value(self): ...


class Closes:
    def __init__(self, n):
        self.n = n

    def __del__(self):
        self.n = 0


class Made:
    @classmethod
    def made(cls, k):
        return k

    def method(self):
        return 1


class MadeToo(Made):
    pass


def told(ask):
    try:
        return ask()
    except (TypeError, ValueError) as error:
        return str(error)


@case()
def new_that_gives_one_of_two(self, x, n):
    return Twice(n).k, Pool(n).k


@case()
def new_that_gives_something_else(self, x, n):
    made = OrFive(n)
    return made if isinstance(made, int) else made.k


@case()
def new_that_gives_what_extends_the_class(self, x, n):
    return Chooses(n).k, Chosen(n).k


@case()
def init_that_gives_something(self, x, n):
    return told(lambda: Gives(n))


@refused()
def init_that_may_give_something(self, x, n):
    return MayGive(n) is None


@case()
def lengths_below_zero_have_no_truth(self, x, n):
    try:
        return 1 if Sized(n - 3) else 0
    except ValueError as error:
        return str(error)


@case()
def lengths_as_truths(self, x, n):
    return (
        bool(Sized(n)),
        not Sized(n),
        (Sized(n) or Sized(1)).n,
        [v for v in x.tolist() if Sized(v)],
    )


@case()
def what_bool_gives(self, x, n):
    return (
        told(lambda: bool(Truth(n))),
        told(lambda: bool(Truth(n > 2))),
        told(lambda: not Truth(None)),
    )


@case()
def what_float_and_int_give(self, x, n):
    made = told(lambda: float(Number(n))), told(lambda: int(Number(n))), float(Number(n * 1.5))
    return made, float(Index(n)), int(Index(n)), told(lambda: int(Index(1.5)))


@refused()
def a_method_that_is_none(self, x, n):
    return n in Bars()


@case()
def abstract_classes_have_no_objects(self, x, n):
    try:
        return Abstract()
    except TypeError:
        return n


@refused()
def what_runs_when_nobody_holds_it(self, x, n):
    return Closes(n).n


@case()
def methods_compared(self, x, n):
    o, p, q = Made(), Made(), MadeToo() if n > 2 else Made()
    same = o.made == Made.made, o.method == o.method, o.method != o.method, Made.made == q.made
    return same, o.method == p.method, o.method == 3, Made.method == Made.method, q.made(n)


class Items:
    def __init__(self, a):
        self.a = a
        self.asked = []

    def __len__(self):
        return self.a % 5

    def __getitem__(self, place):
        self.asked.append(place)
        if place > 2:
            raise IndexError
        return place + self.a


class Iterable:
    def __init__(self, a):
        self.a = a

    def __iter__(self):
        return iter([self.a, 2])


class NoLength:
    def __init__(self, a):
        self.a = a

    def __getitem__(self, place):
        return self.a[place]


class OnlyNext:
    def __init__(self, a):
        self.a = a

    def __next__(self):
        self.a += 1
        if self.a > 6:
            raise StopIteration
        return self.a


@case()
def only_next(self, x, n):
    try:
        return [v for v in OnlyNext(n)]
    except TypeError:
        return next(OnlyNext(n))


@case()
def math_of_objects(self, x, n):
    whole = math.floor(Number(n + 0.5)), math.ceil(Index(n)), math.isnan(Number(0.5 * n))
    try:
        return math.trunc(Index(n))
    except TypeError:
        return whole, math.sqrt(Number(n + 0.5)), math.sqrt(Index(n))


@case()
def from_the_end(self, x, n):
    items = Items(n)
    found = list(reversed(items)), items.asked
    return found, told(lambda: list(reversed(Iterable(n)))), told(lambda: reversed(NoLength([n])))


@case()
def ranges_of_objects(self, x, n):
    one = Index(n) if n > 2 else Index(n + 1)
    counted = len(range(Index(n))), list(range(Index(1), Index(n))), list(range(one))
    return counted, told(lambda: len(range(Sized(n))))


@case()
def numbers_by_index(self, x, n):
    return list(enumerate([5, 6], Index(n))), [n] * Index(n % 3), [1, 2, 3][Index(n % 3)]


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_holds(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
