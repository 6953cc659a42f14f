"""`isinstance` by classes that say themselves what is of them."""

from __future__ import annotations

import abc
from typing import Protocol, SupportsIndex, runtime_checkable

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [
    (np.array(x, np.int64), n)
    for x, n in [([3, 1, 2, 1], 2), ([], 0), ([5], 5), ([2, 2, 2], 3), ([4, 0, 4, 1], 1)]
]
case, refused = Table(INPUTS, {"x": {0: "n"}}), Table(INPUTS, {"x": {0: "n"}})


class ByValue(type):
    def __instancecheck__(cls, value):
        return value.a > 2


class Large(metaclass=ByValue):
    pass


class ByName(type):
    def __instancecheck__(cls, value):
        return hasattr(value, "a")

    def __subclasscheck__(cls, other):
        return hasattr(other, "run")


class HasName(metaclass=ByName):
    pass


class AnySubclass(type):
    def __subclasscheck__(cls, other):
        return True


class OfAny(metaclass=AnySubclass):
    pass


class Runs(abc.ABC):  # noqa: B024
    @classmethod
    def __subclasshook__(cls, other):
        return True if any("run" in vars(base) for base in other.__mro__) else NotImplemented


class Runner:
    def run(self):
        pass


class Held:
    def __init__(self, a):
        self.a = a


class Named:
    def __init__(self, named):
        if named:
            self.a = 1


@runtime_checkable
class CanRun(Protocol):
    def run(self): ...


@runtime_checkable
class HasA(Protocol):
    a: int


@case()
def a_class_that_asks_the_object(self, x, n):
    return isinstance(Held(n), Large), [isinstance(Held(v), Large) for v in x.tolist()]


@case()
def a_class_of_the_very_object(self, x, n):
    return isinstance(Large(), Large), isinstance(OfAny(), OfAny)


@case()
def a_class_that_asks_for_an_attribute(self, x, n):
    one = Held(n) if n > 2 else 5
    return isinstance(Held(n), HasName), isinstance(n, HasName), isinstance(one, HasName)


@case()
def subclasses_are_something_else(self, x, n):
    subclasses = issubclass(Runner, HasName), issubclass(Held, HasName), issubclass(int, OfAny)
    return subclasses, isinstance(n, OfAny), isinstance(Runner(), Runs), isinstance(Held(n), Runs)


@case()
def several_classes(self, x, n):
    return (
        isinstance(Held(n), (int, Large)),
        isinstance(Held(n), int | HasName),
        isinstance(n, int | None),
    )


@case()
def protocols_of_methods(self, x, n):
    one = Runner() if n > 2 else Held(1)
    return isinstance(one, CanRun), isinstance(Held(n), CanRun), isinstance(n, SupportsIndex)


@refused()
def protocols_of_attributes(self, x, n):
    return isinstance(Named(n), HasA)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_holds(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
