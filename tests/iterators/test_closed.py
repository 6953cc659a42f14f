"""Generators that a loop leaves early: Python closes them there, if nothing else holds them."""

# ruff: noqa: UP028  as programs have it
from __future__ import annotations

import chainer
import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [
    (np.array(x, np.int64), n)
    for x, n in [([3, 1, 2, 1], 2), ([1], 0), ([1, 1], -3), ([5], 5), ([], 1)]
]
case, refused = Table(INPUTS, {"x": {0: "n"}}), Table(INPUTS, {"x": {0: "n"}})


class Manager:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append(1)

    def __exit__(self, kind, *rest):
        self.log.append(2 if kind is None else 3)


def items(log, *values):
    try:
        for value in values:
            yield value
    finally:
        log.append(len(values))


@case()
def by_a_break(self, x, n):
    log = []
    for v in items(log, 1, n):
        break
    for v in items(log, 1, 2, 3):
        log.append(10)
        if v == 2:
            break
    log.append(5)
    return log


@case()
def by_a_break_that_the_run_decides(self, x, n):
    log = []

    def each():
        try:
            yield 1
            yield n
            yield 3
        finally:
            log.append(4)

    for v in each():
        log.append(v)
        if v > n:
            break
    else:
        log.append(-1)
    log.append(5)
    return log


@case()
def over_what_the_run_counts(self, x, n):
    log = []

    def each():
        try:
            for v in x.tolist():
                yield v
        finally:
            log.append(1)

    for v in each():
        break
    log.append(5)
    return log


@case()
def by_a_return(self, x, n):
    log = []

    def first():
        for v in items(log, 1, n):
            return v

    found = first()
    log.append(5)
    return log, found


@case()
def in_a_with(self, x, n):
    log = []

    def each():
        with Manager(log):
            yield 1
            yield n

    for v in each():
        break
    return log


@case()
def what_is_closed_sees_it(self, x, n):
    log = []

    def reraises():
        try:
            yield 1
            yield n
        except GeneratorExit:
            log.append(7)
            raise

    def ends():
        try:
            yield 1
            yield 2
        except GeneratorExit:
            log.append(7)
        log.append(8)

    for v in reraises():
        break
    for v in ends():
        break
    return log


@case()
def outside_of_its_try(self, x, n):
    log = []

    def each():
        yield 0
        try:
            yield 1
        finally:
            log.append(3)
        yield 2

    for last in range(3):
        for v in each():
            if v == last:
                break
    return log


@refused()
def one_that_a_name_holds_goes_on(self, x, n):
    log = []
    held = items(log, 1, 2, n)
    for v in held:
        break
    log.append(5)
    for v in held:
        log.append(v)
    return log


@case()
def the_configuration_is_put_back(self, x, n):
    log = []

    def each():
        with chainer.using_config("train", False):
            yield n
            yield n + 1

    for v in each():
        log.append(int(chainer.config.train))
        break
    log.append(int(chainer.config.train))
    return log


@case()
def by_an_exception(self, x, n):
    log = []
    try:
        for v in items(log, 1, n):
            raise KeyError
    except KeyError:
        log.append(2)
    return len(log), log[0]


@refused()
def one_that_an_argument_holds(self, x, n):
    log = []

    def first(values):
        for v in values:
            return v

    found = first(items(log, n, 1))
    log.append(9)
    return log, found


@refused()
def one_that_another_one_goes_through(self, x, n):
    log = []

    def outer():
        for v in items(log, 1, n):
            yield v

    for v in outer():
        break
    log.append(5)
    return log


@refused()
def by_any(self, x, n):
    log = []
    any(v == 1 for v in items(log, 1, n))
    log.append(5)
    return log


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_holds(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
