"""Exceptions that go through context managers and generators."""

# ruff: noqa: UP028  as programs have it
from __future__ import annotations

import contextlib

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

case = Table()
refused = Table()
#: Numbers of which a first, a middle or the last one raises, or none; duplicates, one, none at all.
LISTS = [
    (np.array(numbers, np.int64),)
    for numbers in (
        *([3, 1, 2], [0, 1, 2], [1, 0, 2, 0], [1, 2, 0], [], [5], [0]),
        *([2, 2, 2, 7], [9, -1, 3]),
    )
]
ROWS = {0: {0: "n"}}


@contextlib.contextmanager
def counting(log):
    log.append(1)
    try:
        yield log
    except ValueError:
        log.append(2)
    finally:
        log.append(3)


@contextlib.contextmanager
def closing(log):
    log.append(1)
    try:
        yield
    finally:
        log.append(3)


@contextlib.contextmanager
def naming(number):
    try:
        yield
    except ValueError as error:
        raise KeyError(number) from error


@case(LISTS, ROWS)
def manager(self, x):
    class Guard:
        def __init__(self):
            self.n = 0

        def __enter__(self):
            return self

        def __exit__(self, kind, e, tb):
            if kind is ZeroDivisionError:
                self.n += 1
                return True
            self.n += 100
            return False

    g = Guard()
    s = 0
    for v in x.tolist():
        with g:
            s += 10 // v
    return s, g.n


@case(LISTS, ROWS)
def generator_raises(self, x):
    def gen():
        for v in x.tolist():
            if v == 0:
                raise ValueError("z")
            yield v

    s = 0
    try:
        for v in gen():
            s += v
    except ValueError:
        s = s * 100
    return s


@case(LISTS, ROWS)
def generator_try(self, x):
    def gen():
        for v in x.tolist():
            try:
                yield 10 // v
            except ZeroDivisionError:
                yield -1

    s = 0
    for v in gen():
        s += v
    return s


@case(LISTS, ROWS)
def suppress_loop(self, x):
    s = 0
    for v in x.tolist():
        with contextlib.suppress(ZeroDivisionError, KeyError):
            s += 10 // v
            s += {1: 1, 2: 2}[v]
            s += 100
    return s


@case(LISTS, ROWS)
def gen_break(self, x):
    def gen():
        for v in x.tolist():
            yield v

    s = 0
    for v in gen():
        try:
            s += 10 // v
        except ZeroDivisionError:
            break
    return s


@case(LISTS, ROWS)
def np_division(self, x):
    try:
        with np.errstate(all="ignore"):
            y = 3 // x.sum()
    except ZeroDivisionError:
        y = -1
    return y


@case(LISTS, ROWS)
def contextmanager(self, x):
    @contextlib.contextmanager
    def guard():
        try:
            yield 5
        except ZeroDivisionError:
            pass

    s = 0
    with guard() as g:
        s = g
        s += 10 // int(x.sum())
        s += 100
    return s


@case(LISTS, ROWS)
def a_generator_around_a_with_swallows(self, x):
    log = []
    for v in x.tolist():
        with counting(log) as held, closing(log):
            if v == 2:
                raise ValueError
            held.append(v)
    return log


@case(LISTS, ROWS)
def a_generator_around_a_with_ends_it(self, x):
    log = []
    try:
        for v in x.tolist():
            with closing(log):
                log.append(10 // v)
    except ZeroDivisionError:
        log.append(100)
    return log


@case(LISTS, ROWS)
def a_generator_around_a_with_raises_another(self, x):
    log = []
    for v in x.tolist():
        try:
            with naming(v):
                if v == 2:
                    raise ValueError
                log.append(v)
        except KeyError as error:
            log.append(-error.args[0])
    return log


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_caught(program: Program) -> None:
    hold(program)


@refused(LISTS, ROWS)
def consumer_raises(self, x):
    def gen():
        try:
            for v in x.tolist():
                yield v
        except ZeroDivisionError:
            yield 1000

    s = 0
    try:
        for v in gen():
            s += 10 // v
    except ZeroDivisionError:
        s -= 1
    return s


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
