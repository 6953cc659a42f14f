"""Views that one branch makes: they are read only where it has made them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold
from tests.walker.failing import AXES, INPUTS

LENGTHS = [(np.arange(n, dtype=np.float32),) for n in (5, 4, 8, 6, 7, 0, 1, 20)]
VECTOR = {"y": {0: "a"}}
case = Table(INPUTS, AXES)


@case(LENGTHS, VECTOR)
def shapes_in_turn(self, y):
    if len(y) % 5 == 0:
        return y.reshape(5, -1)
    if len(y) % 4 == 0:
        return y.reshape(4, -1)
    return y.reshape(1, -1)


@case(LENGTHS, VECTOR)
def the_first_shape_that_divides(self, y):
    for k in (5, 4):
        if len(y) % k == 0:
            return y.reshape(k, -1)
    return y.reshape(1, -1)


@case(LENGTHS, VECTOR)
def the_first_shape_in_a_tuple(self, y):
    for k in (5, 4):
        if len(y) % k == 0:
            return (y.reshape(k, -1),)
    return (y.reshape(1, -1),)


@case(LENGTHS, VECTOR)
def a_shape_by_break(self, y):
    for k in (5, 4, 3):
        if len(y) % k == 0:
            r = y.reshape(k, -1)
            break
    else:
        r = y.reshape(1, -1)
    return r * 2


@case(LENGTHS, VECTOR)
def a_shape_and_its_number(self, y):
    r = None
    for k in (5, 4, 3):
        if len(y) % k == 0:
            r = (y.reshape(k, -1), k)
            break
    if r is None:
        return (y.reshape(1, -1), 1)
    return r


@case(LENGTHS, VECTOR)
def a_shape_that_a_try_finds(self, y):
    for k in (5, 4):
        try:
            r = y.reshape(k, -1)
            break
        except ValueError:
            continue
    else:
        r = y.reshape(1, -1)
    return r


@case(LENGTHS, VECTOR)
def a_copy_that_a_try_finds(self, y):
    for k in (5, 4):
        try:
            return y.reshape(k, -1) * 1
        except ValueError:
            continue
    return y.reshape(1, -1)


@case()
def views_that_are_written(self, x, y, z, n):
    b = y.copy()
    v = b
    for k in (2, 3):
        try:
            v = b.reshape(k, -1)
        except ValueError:
            continue
        v[0] += 10
    return (b, v)


@case()
def the_last_view_of_a_loop(self, x, y, z, n):
    out = None
    k = 1
    while k < 6:
        if len(y) % k == 0:
            out = y.reshape(k, -1)
        k += 1
    return out.sum(axis=0) if out is not None else y


@case()
def a_row_that_is_written(self, x, y, z, n):
    b = z.copy()
    v = b[0]
    for i in (5, 3, 1):
        if i < len(b):
            v = b[i]
            break
    v[:] = -1
    return b


@case()
def a_row_in_a_tuple(self, x, y, z, n):
    b = z.copy()
    o = None
    for i in (5, 3, 1):
        if i < len(b):
            o = (b[i], i)
            break
    if o:
        o[0][1] = 99
        return (b, o[1])
    return (b, -1)


@case()
def a_view_in_an_object(self, x, y, z, n):

    class B:
        pass

    o = B()
    o.v = None
    for k in (4, 3, 2):
        if len(y) % k == 0 and n > 1:
            o.v = y.reshape(k, -1)
    if o.v is None:
        return y
    return o.v.sum(0)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_held(program: Program) -> None:
    hold(program)
