"""Sizes below 0, and floats where numpy wants ints."""

from __future__ import annotations

import collections

import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

VECTOR = {"y": {0: "a"}}
case = Table()


#: Numpy takes any size below 0 for the one that is not known.
UNKNOWN = [
    (np.arange(length, dtype=np.float32), n)
    for length, n in ((4, -2), (4, 2), (4, -1), (6, -3), (0, -2), (3, -2), (4, 0), (0, 0))
]


@case(UNKNOWN, VECTOR)
def reshaped_by_numpy(self, y, n):
    return y.reshape(2, n)


@case(UNKNOWN, VECTOR)
def reshaped_by_chainer(self, y, n):
    return F.reshape(y, (2, n))


@case(UNKNOWN, VECTOR)
def reshaped_to_a_known_shape(self, y, n):
    return y.reshape(2, -2), F.reshape(y, (-3, 1))


@case(UNKNOWN, VECTOR)
def reshaped_if_it_fits(self, y, n):
    try:
        return y.reshape(2, n)
    except ValueError:
        return y


@case(UNKNOWN, VECTOR)
def two_unknown_sizes(self, y, n):
    try:
        return y.reshape(n, -1)
    except ValueError:
        return y


#: Floats as indices and amounts: numpy makes ints of those that stand alone or in a list.
FRACTIONS = [
    (np.array(numbers, np.int64), f, np.array(places))
    for numbers, f, places in (
        *(([3, 1], 1.0, [1.0, 0.0]), ([2], 0.5, [0.0, 1.0]), ([1, 2, 3], 2.0, [2.0])),
        *(([5, 4], -1.0, [0.0, 1.0]), ([5, 4, 6], 1.9, [0.5, 2.0])),
    )
]
PLACES = {"x": {0: "a"}, "places": {0: "b"}}


@case(FRACTIONS, PLACES)
def taken_by_a_float(self, x, f, places):
    try:
        return np.take(x, f), np.take(x, [f, 0.0])
    except IndexError:
        return x[0], x[:1]


@case(FRACTIONS, PLACES)
def taken_by_floats(self, x, f, places):
    try:
        return np.take(x, places)
    except TypeError:
        return x[:1] - 1


@case(FRACTIONS, PLACES)
def repeated_by_a_float(self, x, f, places):
    try:
        return np.repeat(x, f), x.repeat(2.0)
    except ValueError:
        return x * 0, x


@case(FRACTIONS, PLACES)
def repeated_by_floats(self, x, f, places):
    try:
        return np.repeat(x, places)
    except TypeError:
        return x * 0


@case(FRACTIONS, PLACES)
def no_more_than_a_float(self, x, f, places):
    try:
        return len(collections.deque(x.tolist(), maxlen=f))
    except TypeError:
        return -1


@case(UNKNOWN, VECTOR)
def nothing_and_an_unknown_size(self, y, n):
    return F.reshape(y[:0], (0, n - 1)), y[:0].reshape(0, n - 1)


@case(UNKNOWN, VECTOR)
def nothing_beside_what_is_unknown(self, y, n):
    try:
        return y[:0].reshape(n - 2, n)
    except ValueError:
        return y


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_parity(program: Program) -> None:
    hold(program)
