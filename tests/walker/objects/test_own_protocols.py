"""Classes with methods for everything, of which Python asks some and not others."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled, f32
from tests.table import Table, hold

INPUTS = [
    (f32(2, 3), 3, True),
    (f32(2, 3, seed=1), 0, False),
    (f32(2, 3, seed=2), 1, True),
    (f32(2, 3, seed=3), 5, False),
    (f32(2, 3, seed=4), 2, True),
]
case, refused = Table(INPUTS, {}), Table(INPUTS, {})


class Anything:
    """Has an attribute of any name."""

    def __init__(self, k):
        self.k = k

    def __getattr__(self, name):
        return name


class Settings:
    """Has the attributes that it was made with, and fails at others in its own way."""

    def __init__(self, **known):
        self.known = known

    def __getattr__(self, name):
        return self.known[name]


class Called(Anything):
    def __call__(self, value):
        return value + self.k


class Failed(Exception):
    told = 0

    def __init__(self, k):
        self.k = k

    def __getattr__(self, name):
        return name

    def __str__(self):
        Failed.told += 1
        return "failed"


class Place(int):
    """An int that says otherwise of itself."""

    def __index__(self):
        return 1

    def __int__(self):
        return 9


class Pair(tuple):
    def __iter__(self):
        return iter([8, 9])

    def __len__(self):
        return 4


class Rows(list):
    def __iter__(self):
        return iter([9])


class Size:
    def __index__(self):
        return 2

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return [3][index]


class Counting(Size):
    asked = 0

    def __len__(self):
        self.asked += 1
        return 1


@case(settings=lambda: Settings(rate=0.5, k=2))
def settings_of_the_chain(self, x, n, c):
    return x * self.settings.rate + self.settings.k * n


@case(any=lambda: Anything(2))
def attributes_of_any_name(self, x, n, c):
    made = Anything(n)
    held = made if c else self.any
    return x + held.k, made.label == "label", self.any.get == "get", held is made


@case()
def linked_in_a_list(self, x, n, c):
    class Node:
        def __init__(self, value, following):
            self.value, self.following = value, following

        def __getattr__(self, name):
            if name == "double":
                return self.value * 2
            raise AttributeError(name)

    head, total = None, 0
    for i in range(n):
        head = Node(i, head)
    while head is not None:
        total += head.double
        head = head.following
    return total


@case()
def called_by_others(self, x, n, c):
    add = Called(n)
    return list(map(add, [1, n])), add(x)


@case()
def raised_with_a_text_that_counts(self, x, n, c):
    before = Failed.told
    try:
        if n > 1:
            raise Failed(n)
    except Failed as error:
        return error.k, Failed.told - before
    return 0, 0


@case()
def ints_as_places(self, x, n, c):
    place = Place(2)
    return [1, 2, 3, 4][place], list(range(place)), (1, 2, 3)[Place(2)], place + n, n * place


@case()
def tuples_with_other_items(self, x, n, c):
    pair = Pair((1, 2))
    held = pair if c else (n, n)
    return pair == (1, 2), 1 in pair, 8 in pair, held[0], held == (1, 2), [*pair, n]


@case()
def numbers_in_tuples_with_other_items(self, x, n, c):
    """`in`, `count` and `==` ask no `__iter__`."""
    pair, made = Pair((1, 2)), Pair((n, 2))
    return n in pair, n + 3 in pair, 2 in made, pair.count(n), made.count(2), made == (n, 2)


@refused()
def ints_that_numpy_converts(self, x, n, c):
    return x + Place(2)


@refused()
def an_array_of_a_list_with_other_items(self, x, n, c):
    return np.sum(Rows([1, 2])) + n


@refused()
def native_code_of_a_list_with_other_items(self, x, n, c):
    return x * math.fsum(Rows([1, 2]))


@refused()
def an_array_of_one_of_several_lists_with_other_items(self, x, n, c):
    return np.sum(Rows([[1, 2], [4]][int(x.sum() > 2)])) + n


@refused()
def a_stack_of_a_list_of_any_length_with_other_items(self, x, n, c):
    return np.stack(Rows([row for row in x]))


@case()
def a_shape_with_a_length(self, x, n, c):
    return np.zeros(Size()) + n


@refused()
def a_shape_with_a_length_that_counts(self, x, n, c):
    return np.zeros(Counting()) + n


@refused()
def a_copy_that_has_any_attribute(self, x, n, c):
    return copy.copy(Anything(n)).k


@refused(any=lambda: Anything(2))
def a_deep_copy_that_has_any_attribute(self, x, n, c):
    return copy.deepcopy(self.any).k + n


class Counted:
    """Its attributes are numbers, which depend on their names."""

    def __init__(self, k):
        self.k = k

    def __getattr__(self, name):
        return len(name) + self.k

    def __call__(self, *values, **named):
        return self.any + len(values) + len(named)


@case()
def calls_what_has_attributes_that_are_numbers(self, x, n, c):
    class Made:
        def __getattr__(self, name):
            return n

        def __call__(self, *values):
            return self.any + len(values)

    return Counted(n)(1, 2, z=n), Made()(1)


class Hashed:
    def __init__(self, k):
        self.k = k

    def __call__(self, value):
        return self.k - value

    def __hash__(self):
        return hash(self.k)

    def __eq__(self, other):
        return self.k == other.k


@case()
def calls_what_says_its_own_hash(self, x, n, c):
    one = Hashed(n) if c else Hashed(1)
    return Hashed(n)(n), list(map(Hashed(n), [1, 2])), sorted([3, 1], key=Hashed(n)), one(2)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_holds(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
