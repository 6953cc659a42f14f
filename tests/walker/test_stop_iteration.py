"""A StopIteration that leaves a generator is a RuntimeError of Python's (PEP 479)."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

LISTS = [
    (np.array(numbers, np.int64), n)
    for numbers, n in (
        *(([3, 1, 4, 1, 5, 9, 2, 6], 2), ([], 1), ([7], 0), ([1, 1, 1, 1], 3)),
        *(([0, -1, -1, 0, 2], -1), ([5, 4, 3, 2, 1, 0], 4)),
    )
]
case = Table(LISTS, {"x": {0: "n"}})
refused = Table(LISTS, {"x": {0: "n"}})


@case()
def raised_where_items_are_used(self, x, n):
    def items():
        yield from x.tolist()

    try:
        for value in items():
            if value > 4:
                raise StopIteration
    except StopIteration:
        return 1
    return 0


@case()
def in_a_known_generator(self, x, n):
    def items():
        raise StopIteration
        yield 1

    try:
        return list(items())
    except StopIteration:
        return n
    except RuntimeError:
        return n + 1


@case()
def caught_inside(self, x, n):
    def items():
        it = iter(x.tolist())
        while True:
            try:
                value = next(it)
            except StopIteration:
                return
            yield value

    try:
        return list(items())
    except RuntimeError:
        return n


@case()
def another_item_inside(self, x, n):
    def items():
        try:
            for value in x.tolist():
                if value == n:
                    raise StopIteration
                yield value
        except StopIteration:
            yield 100

    try:
        return list(items())
    except RuntimeError:
        return -1


@case()
def asked_for_where_items_are_used(self, x, n):
    def items(some):
        yield from some

    it = iter(x.tolist())
    try:
        for value in items([1, 2, 3]):
            n += next(it) * value
    except StopIteration:
        return n, 1
    return n, 0


@case()
def caught_by_nobody(self, x, n):
    def items():
        for value in x.tolist():
            if value == n:
                raise StopIteration
            yield value

    return sum(items())


@refused()
def leaves_by_raise(self, x, n):
    def items():
        for value in x.tolist():
            if value == n:
                raise StopIteration
            yield value

    try:
        return list(items())
    except StopIteration:
        return None


@refused()
def leaves_by_next(self, x, n):
    def items():
        it = iter(x.tolist())
        while True:
            value = next(it)
            yield value + next(it)

    try:
        return list(items())
    except StopIteration:
        return None
    except RuntimeError:
        return n


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_as_python(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_what_becomes_a_runtime_error_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED, match="a StopIteration leaves a generator"):
        compiled(program)
