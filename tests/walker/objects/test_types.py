"""What the class of one of several values says of it."""

from __future__ import annotations

import pytest

from tests.programs import Program
from tests.table import TOKEN_AXES, TOKENS, Table, hold

case = Table(TOKENS, TOKEN_AXES)


class First:
    def __init__(self, value):
        self.value = value


class Second(First):
    def __init__(self, value):
        super().__init__(value)
        self.more = value * 2


class Third(Second):
    pass


def one_of(k, n):
    if k == 0:
        return None
    return First(n) if k == 1 else Second(n + k) if k == 2 else n


@case()
def a_class_that_is_asked_for(self, s, n):
    out = []
    for k in s.tolist():
        one = one_of(k, n)
        if type(one) is Second:
            out.append(one.more)
        elif type(one) is First:
            out.append(one.value)
        elif type(one) is not int:
            out.append(-1)
        else:
            out.append(one)
    return out


@case()
def classes_beside_those_below_them(self, s, n):
    out = []
    for k in s.tolist():
        one = Third(k) if k == 3 else one_of(k, n)
        if isinstance(one, Second) and type(one) is not Third:
            out.append(one.more)
        if type(one) not in (int, type(None)):
            out.append(k + 100)
    return out


@case()
def a_state_that_changes_its_class(self, s, n):
    one = None
    for k in s.tolist():
        if one is None:
            one = First(k)
        elif type(one) is First:
            one = Second(one.value + k)
        else:
            one = Third(one.more) if type(one) is Second else First(n)
    return -1 if one is None else (one.value, type(one) is First, type(one) is Third)


@case()
def a_class_that_is_kept_for_later(self, s, n):
    one, kind = None, int
    for k in s.tolist():
        one = one_of(k, n)
    if one is not None:
        kind = type(one)
    return kind is First, kind is int, isinstance(one, kind)


@case()
def what_a_chosen_class_makes(self, s, n):
    one = First(n) if len(s) > 3 else Second(n)
    other = Second(1) if n > 1 else First(1)
    made = type(one)(n + 1)
    return (
        made.value,
        type(made) is type(other),
        isinstance(made, type(other)),
        type(one) in (First, Third),
    )


@case()
def one_of_several_classes_or_one_more(self, s, n):
    one = First(n) if len(s) > 3 else Second(n)
    kind = Third if n % 2 else (First if n > 2 else Second)
    parts = (First, 3) if len(s) > 2 else (Second, First)
    return (
        isinstance(one, kind),
        isinstance(one, (kind, int)),
        isinstance(n, (Third, kind)),
        isinstance(one, parts),
    )


@case()
def what_is_no_class_is_asked_for(self, s, n):
    one = First(n) if len(s) > 3 else Second(n)
    kind = First if n % 2 else n
    try:
        return isinstance(one, kind)
    except TypeError:
        return n


def seen_from_outside(one):
    return one.__hidden


class Private:
    def __init__(self, value):
        self.__hidden = value

    def outside(self):
        return seen_from_outside(self)

    def inside(self):
        def get():
            return self.__hidden + sum(self.__hidden for _ in range(2))

        return get()

    def __len__(self):
        return self.__hidden > 1


@case()
def private_names_are_of_the_text(self, s, n):
    one = Private(n)
    return one.inside(), len(one), one.outside() if n > 2 else 0


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_types(program: Program) -> None:
    hold(program)
