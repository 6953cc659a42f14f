"""Functions that call themselves by methods in tables, and calls that leave arguments out."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

FLOATS = np.array([1.0, -2.0, 0.5], np.float32)
AXES = {"x": {0: "length"}}
calls = Table([(FLOATS[:2], 3), (FLOATS[:0], 0), (FLOATS, 1), (FLOATS[1:], 2), (FLOATS, 6)], AXES)
TREES = [
    ([1, 0, 2, 0, 0], [1, 0, 3, 0, 0], [2, 0, 4, 0, 0]),
    ([0], [0], [0]),
    ([2, 1, 0, 0, 0], [1, 2, 0, 0, 0], [4, 3, 0, 0, 0]),
    ([3, 0, 0], [1, 0, 0], [2, 0, 0]),
    ([1, -1, 0], [1, 0, 0], [2, 0, 0]),
]
trees = Table(
    [tuple(map(np.array, tree)) for tree in TREES],
    {name: {0: "nodes"} for name in ("op", "left", "right")},
)


# -- methods in tables ------------------------------------------------------------------------


class Machine(chainer.Chain):
    """Asks tables of its methods what a node of a tree is."""

    def __init__(self) -> None:
        super().__init__()
        self.by_number = {0: self.leaf, 1: self.add, 2: self.mul}
        self.listed = [self.leaf, self.add, self.mul]
        self.width = 3

    def leaf(self, op: Any, left: Any, right: Any, i: Any) -> Any:
        return self.width + i

    def add(self, op: Any, left: Any, right: Any, i: Any) -> Any:
        first = self.value(op, left, right, left[i])
        return first + self.value(op, left, right, right[i])

    def mul(self, op: Any, left: Any, right: Any, i: Any) -> Any:
        first = self.value(op, left, right, left[i])
        return first * self.value(op, left, right, right[i])

    def value(self, op: Any, left: Any, right: Any, i: Any) -> Any:
        return self.by_number[int(op[i])](op, left, right, i)

    def listed_value(self, op: Any, left: Any, right: Any, i: Any) -> Any:
        return self.listed[op[i]](op, left, right, i)

    def value_or_leaf(self, op: Any, left: Any, right: Any, i: Any) -> Any:
        return self.by_number.get(int(op[i]), self.leaf)(op, left, right, i)

    def named(self, op: Any, left: Any, right: Any, i: Any) -> Any:
        f = {0: self.leaf, 1: self.sub, 2: self.mul}[int(op[i])]
        return f(op, left, right, i)

    def sub(self, op: Any, left: Any, right: Any, i: Any) -> Any:
        first = self.named(op, left, right, left[i])
        return first - self.named(op, left, right, right[i])


MACHINE = Machine()


@trees()
def a_dict_of_methods(self, op, left, right):
    return MACHINE.value(op, left, right, 0)


@trees()
def a_list_of_methods(self, op, left, right):
    return MACHINE.listed_value(op, left, right, 0)


@trees()
def one_for_all_others(self, op, left, right):
    return MACHINE.value_or_leaf(op, left, right, 0)


@trees()
def a_name_for_one_of_several(self, op, left, right):
    return MACHINE.named(op, left, right, 0)


class Steps:
    """Its methods call each other by displays."""

    def __init__(self, by: int) -> None:
        self.by = by
        self.table = [self.first, self.second]

    def first(self, n: int, k: int = 2) -> Any:
        return k if n <= 0 else [self.first, self.second][n % 2](n - 1, k=k + 1) + self.by

    def second(self, n: int, k: int = 3) -> Any:
        return k * 10 if n <= 0 else (self.first if n % 3 else self.second)(n - 2) * 2 + k

    def third(self, n: int) -> Any:
        g = self.third if n % 3 else self.first
        return 5 if n <= 0 else g(n - 1) * 3 + n

    def fourth(self, n: int) -> Any:
        return self.by if n <= 0 else self.table[n % 2](n - 1) + 1


class Indexed(Steps):
    """Can be indexed itself."""

    def __getitem__(self, i: Any) -> Any:
        return self.by if i <= 0 else self[i - 1] + i

    def fourth(self, n: int) -> Any:
        return self[n] if n <= 0 else self.table[n % 2](n - 1) + self[n]

    def first(self, n: int, k: int = 2) -> Any:
        return k if n <= 0 else self.fourth(n - 1) * 2


class Others(Steps):
    """Has another method by that name."""

    def first(self, n: int, k: int = 1) -> Any:
        return -k if n <= 0 else super().first(n - 1) + self.third(n - 2)


@calls()
def displays_of_methods(self, x, n):
    return Steps(n).first(n), Steps(2).second(n, 7), Steps(n).third(n), Steps(3).fourth(n)


@calls()
def tables_in_what_is_indexed(self, x, n):
    return Indexed(n).fourth(n), Indexed(2)[n]


@calls()
def methods_of_a_subclass(self, x, n):
    return Others(n).third(n), Others(3).second(n)


# -- arguments that are left out --------------------------------------------------------------


def remembered(n: int, memo: Any = {}) -> Any:  # noqa: B006
    """Keep what is found in the default."""
    if n in memo:
        return memo[n]
    if n < 2:
        return n
    memo[n] = remembered(n - 1) + remembered(n - 2)
    return memo[n]


def remembered_by_name(n: int, *, memo: Any = {}) -> Any:  # noqa: B006
    """Give it in one of two calls."""
    if n in memo:
        return memo[n]
    if n < 2:
        return n
    memo[n] = remembered_by_name(n - 1) + remembered_by_name(n - 2, memo=memo)
    return memo[n]


@calls()
def a_memo_that_is_a_default(self, x, n):
    remembered.__defaults__[0].clear()
    remembered_by_name.__kwdefaults__["memo"].clear()
    return remembered(n), remembered_by_name(n)


def fresh_or_not(n: int, memo: Any = {}) -> Any:  # noqa: B006
    """Give another object in one of two calls."""
    if n < 2:
        return len(memo)
    memo[n] = 1
    return fresh_or_not(n - 1) + 10 * fresh_or_not(n - 2, {})


@calls()
def a_default_or_another(self, x, n):
    fresh_or_not.__defaults__[0].clear()
    return fresh_or_not(n, {}), fresh_or_not(n), fresh_or_not(n)


def noted(n: int, seen: Any = []) -> Any:  # noqa: B006
    """Grow a list."""
    if n <= 0:
        return 0
    seen.append(n)
    return noted(n - 1) + noted(n - 2) + len(seen)


@calls()
def a_list_that_is_a_default(self, x, n):
    noted.__defaults__[0].clear()
    return noted(n), noted.__defaults__[0]


def activated(x: Any, n: int, f: Any = F.relu, by: Any = (1, 2)) -> Any:
    """Leave out functions and tuples."""
    if n <= 0:
        return f(x)
    return activated(x - by[0], n - 1) + activated(x + by[1], n - 2, f=F.tanh)


@calls()
def functions_and_tuples(self, x, n):
    def inside(x: Any, n: int, f: Any = F.tanh, by: Any = (3, 1)) -> Any:
        if n <= 0:
            return f(x)
        return inside(x - by[0], n - 1) + inside(x + by[1], n - 2, f=F.relu)

    return activated(x, min(n, 3)), inside(x, min(n, 3))


def weighted(n: int, w: Any = np.array([1.0, 2.0])) -> Any:  # noqa: B008
    """Leave out an array."""
    return w if n <= 0 else weighted(n - 1) + weighted(n - 2, w * 2)


@calls()
def an_array(self, x, n):
    return weighted(n)


class Walks:
    """A method with such a default."""

    def walked(self, n: int, seen: Any = set()) -> Any:  # noqa: B006
        if n <= 0:
            return len(seen)
        seen.add(n)
        return self.walked(n - 1) + self.walked(n - 2)


@calls()
def a_set_of_a_method(self, x, n):
    Walks.walked.__defaults__[0].clear()
    return Walks().walked(n)


@calls()
def a_default_that_the_program_makes(self, x, n):
    def inside(n: int, memo: Any = {}) -> Any:  # noqa: B006
        if n <= 0:
            return len(memo)
        memo[n] = 1
        return inside(n - 1) + inside(n - 2)

    return inside(n), inside(2)


@pytest.mark.parametrize(
    "program", [*trees.programs, *calls.programs], ids=lambda program: program.name
)
def test_recursion_choices(program: Program) -> None:
    hold(program)
