"""Functions that call themselves by an attribute of an object, or by an argument."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

FLOATS = np.array([1.0, -2.0, 0.5], np.float32)
AXES = {"x": {0: "length"}}
calls = Table([(FLOATS[:2], 3), (FLOATS[:0], 0), (FLOATS, 1), (FLOATS[1:], 2), (FLOATS, 6)], AXES)


class Box:
    """Holds functions."""


class Stepped:
    """Goes on by a function that it was given."""

    def __init__(self, k: Any) -> None:
        self.k = k
        self.step: Any = None

    def run(self, n: Any) -> Any:
        return self.k if n <= 0 else self.step(self, n - 1) + 1


def doubled(one: Any, n: Any) -> Any:
    """Go on, and double what that gives."""
    return one.run(n) * 2


class Counted:
    """Makes its function itself."""

    def __init__(self) -> None:
        self.seen = 0

        def walk(n: Any) -> Any:
            self.seen += 1
            return 0 if n <= 0 else self.walk(n - 1) + n

        self.walk = walk


class Unary:
    """A number that adds by adding one."""

    def __init__(self, v: Any) -> None:
        self.v = v

    def __add__(self, other: Any) -> Any:
        return Unary(self.v) if other.v <= 0 else Unary(self.v + 1) + Unary(other.v - 1)


class Nested:
    """Holds a number, or another one that is made below."""

    def __init__(self, v: Any) -> None:
        self.v = v

    def __add__(self, k: Any) -> Any:
        if k <= 0:
            return 1
        return Nested(self).v + (k - 1) + 10 if k % 2 else Nested(k).v + 3


@calls()
def by_an_attribute(self, x, n):
    box = Box()

    def f(n: Any, k: Any = 3) -> Any:
        return k if n <= 0 else 1 + box.f(n - 1, k=k + 1) * 2 + box.f(n - 2)

    box.f = f
    return box.f(n)


@calls()
def by_an_attribute_of_the_chain(self, x, n):
    def f(n: Any) -> Any:
        return x.sum() if n <= 0 else 1 + self.f(n - 1) * 2

    self.f = f
    return self.f(n)


@calls()
def lambda_in_an_attribute(self, x, n):
    box = Box()
    box.f = lambda n: 1 if n <= 1 else n * box.f(n - 1)
    return box.f(n)


@calls()
def attributes_of_two_objects(self, x, n):
    one, other = Box(), Box()
    one.f = lambda n: 1 if n <= 0 else 1 + other.f(n - 1) * 2
    other.f = lambda n: 2 if n <= 0 else 3 + one.f(n - 1)
    return one.f(n), other.f(n)


@calls()
def attribute_that_changes_below(self, x, n):
    box = Box()

    def g(n: Any) -> Any:
        return n * 100

    def f(n: Any) -> Any:
        if n <= 0:
            return 1
        if n == 2:
            box.f = g
        return 1 + box.f(n - 1) * 2

    box.f = f
    return box.f(n)


@calls()
def attribute_that_is_chosen(self, x, n):
    box = Box()

    def g(n: Any) -> Any:
        return 5 if n <= 0 else box.f(n - 1) + 7

    def f(n: Any) -> Any:
        return 1 if n <= 0 else 1 + box.f(n - 1) * 2

    box.f = f if n > 2 else g
    return box.f(n)


@calls()
def method_that_goes_on_by_an_attribute(self, x, n):
    one = Stepped(4)
    one.step = doubled
    return one.run(n)


@calls()
def method_that_goes_on_by_a_lambda(self, x, n):
    one = Stepped(4)
    one.step = lambda one, n: one.run(n) * 3
    return one.run(n)


@calls()
def attribute_that_init_makes(self, x, n):
    one, other = Counted(), Counted()
    return one.walk(n), other.walk(2), one.seen, other.seen


@calls()
def by_an_argument(self, x, n):
    def f(g: Any, n: Any) -> Any:
        return 1 if n <= 0 else g(g, n - 1) * 2 + 1

    return f(f, n)


@calls()
def failing_by_an_attribute(self, x, n):
    box = Box()

    def f(n: Any) -> Any:
        if n <= 0:
            raise ValueError
        try:
            return 1 + box.f(n - 1)
        except ValueError:
            return 10

    box.f = f
    return box.f(n)


@calls()
def sum_of_what_is_made_there(self, x, n):
    return (Unary(3) + Unary(n)).v, (Unary(n) + Unary(2)).v


@calls()
def number_that_is_an_object_below(self, x, n):
    return Nested(2) + n


@pytest.mark.parametrize("program", calls.programs, ids=lambda program: program.name)
def test_recursion_attributes(program: Program) -> None:
    hold(program)
