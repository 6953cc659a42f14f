"""Operators of the program's classes whose methods ask for the same operator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

lists = Table(
    [(np.array([3, 1, 2, -1]), 3), (np.array([1, 1, 2]), 0), (np.array([2]), 0)]
    + [(np.array([1, 0, 2, -1]), 2), (np.array([4, 4]), 1)],
    {"x": {0: "length"}},
)
TREES = [[1, 2, 0, 3, -1], [4], [1, 2], [5, 6, 7, 0, 0], [3, 3, 0, 2, 0, 1, 0]]
trees = Table([(np.array(tree),) for tree in TREES], {"x": {0: "length"}})


class Linked:
    """A number, and what is behind it."""

    def __init__(self, v: Any, n: Any) -> None:
        self.v, self.n = v, n

    def __add__(self, other: Any) -> Any:
        return self.v + other if self.n is None else (self.n + other) + self.v

    def __mul__(self, k: Any) -> Any:
        return self.v * k if self.n is None else self.v - self.n * (k + 1)

    def __matmul__(self, other: Any) -> Any:
        last = self.n is None or other.n is None
        return self.v * other.v + (0 if last else self.n @ other.n)

    def __neg__(self) -> Any:
        return -self.v if self.n is None else -self.n * 2

    def __lt__(self, other: Any) -> Any:
        if self.n is None or other.n is None:
            return self.v < other.v
        return self.n < other.n

    def __eq__(self, other: Any) -> Any:
        if self.n is None or other.n is None:
            return self.v == other.v
        return self.v == other.v and self.n == other.n

    __hash__ = None  # type: ignore[assignment]


def linked(x: Any) -> Any:
    """Make a list of all numbers."""
    made = None
    for v in x.tolist():
        made = Linked(v, made)
    return made


@lists()
def of_two(self, x, n):
    a, b = linked(x), linked(x[::-1])
    return a + n, a * n, a @ b, n + 1


@lists()
def of_one(self, x, n):
    return -linked(x)


@lists()
def compared(self, x, n):
    a, b = linked(x), linked(x[::-1])
    return a < b, b < a, a == b, a == a


class Leaf:
    """A number."""

    def __init__(self, v: Any) -> None:
        self.v = v

    def __add__(self, other: Any) -> Any:
        return self.v + other

    def __getitem__(self, i: Any) -> Any:
        return self.v + i


class Pair:
    """Two trees."""

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b

    def __add__(self, other: Any) -> Any:
        return (self.a + other) * 2 + (self.b + other)

    def __getitem__(self, i: Any) -> Any:
        return self.a[i - 1] * 2 + self.b[i + 1] + [1, 2, 3][i % 3]


def tree(x: Any) -> Any:
    """Shift and reduce."""
    held: list[Any] = []
    for v in x.tolist():
        if v <= 0 and len(held) > 1:
            held.append(Pair(held.pop(), held.pop()))
        else:
            held.append(Leaf(v))
    return held[-1]


@trees()
def one_of_two_classes(self, x):
    return tree(x) + 5, tree(x)[1]


@pytest.mark.parametrize("program", [*lists.programs, *trees.programs], ids=lambda p: p.name)
def test_recursion_operators(program: Program) -> None:
    hold(program)


class Reflected(Linked):
    """Python may ask it first."""

    def __radd__(self, other: Any) -> Any:
        return 100


class Unsure:
    """May leave it to the other operand."""

    def __init__(self, v: Any, n: Any) -> None:
        self.v, self.n = v, n

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, int):
            return NotImplemented
        return self.v + other if self.n is None else (self.n + other) + self.v


def reflected(self: Any, x: Any) -> Any:
    made = None
    for v in x.tolist():
        made = Linked(v, made) if v > 1 else Reflected(v, made)
    return made + 5


def unsure(self: Any, x: Any) -> Any:
    made = None
    for v in x.tolist():
        made = Unsure(v, made)
    return made + 5


@pytest.mark.parametrize("forward", [reflected, unsure])
def test_what_may_ask_the_other_operand_is_refused(forward: Any) -> None:
    with pytest.raises(REFUSED, match="`__add__` calls itself"):
        compiled(Program(forward, [(np.array([3, 1, 2]),)], {"x": {0: "length"}}))
