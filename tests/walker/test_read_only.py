"""Arrays that numpy lets nobody write to: views of known arrays, and of arrays of the run."""

from __future__ import annotations

import chainer
import chainer.functions as F
import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

from tests.programs import REFUSED, Program, compiled, f32
from tests.table import Table, hold

INPUTS = [
    (f32(2, 3), 0, False),
    (f32(2, 3, seed=1), 2, True),
    (f32(2, 3, seed=2), 1, False),
    (f32(2, 3, seed=3), 3, True),
    (f32(2, 3, seed=4), 0, True),
]
case, refused = Table(INPUTS, {}), Table(INPUTS, {})
ROW = np.arange(3, dtype=np.float32)


def wide():
    return np.broadcast_to(np.arange(3, dtype=np.float32), (2, 3))


@case()
def broadcast(self, x, n, c):
    b = np.broadcast_to(ROW, (2, 3))
    if c:
        b[0, 0] = 7
    return b + x


@case()
def reshaped_broadcast_is_a_copy(self, x, n, c):
    flat = np.broadcast_to(x, (4, 2, 3)).reshape(-1)
    lines = np.broadcast_to(x, (4, 2, 3)).ravel() if c else flat
    return flat * 2, lines


@refused()
def write_where_what_is_copied_from_it_is_in_use(self, x, n, c):
    a = np.array(x)
    flat = np.broadcast_to(a, (4, 2, 3)).reshape(-1)
    a[0] = n
    return a, flat


@case()
def array_with_more_axes(self, x, n, c):
    a = x.copy()
    b = np.array(a, copy=False, ndmin=4)
    b += n
    a[:1] = 7
    return a, b, b is a


@case()
def views_that_chainer_gives(self, x, n, c):
    """Of a known array, which the program may write to through them."""
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = F.transpose(a)
    first, second = F.split_axis(np.zeros((2, 3), np.float32), 2, 0)
    first.array[...] = x[:1]
    if c:
        y.array[0, 1] = 9
    try:
        F.reshape(ROW.copy(), (3, 1)).array[0] = n
    except ValueError:
        return x
    return a, y, first, second


@case()
def filled_through_a_view(self, x, n, c):
    flat = F.reshape(np.zeros((2, 3), np.float32), (6,)).array
    for i in range(n):
        flat[i] += x[0, i % 3]
    return flat


@case()
def broadcast_in_place(self, x, n, c):
    b = wide()
    for i in range(n):
        b[i % 2] += 1
    return b + x


@case()
def row_of_broadcast(self, x, n, c):
    b = wide()[0]
    if c:
        b[0] = n
    return b + x


@case()
def sorted_in_place(self, x, n, c):
    b = wide()
    if c:
        b.sort()
    return b + x


@case()
def filled(self, x, n, c):
    b = wide()
    if n > 1:
        b.fill(n)
    return b + x


@case()
def windows(self, x, n, c):
    a = np.arange(6, dtype=np.float32)
    b = sliding_window_view(a, 3)
    if c:
        b[0] = x[0]
    return a, b


@case()
def strided(self, x, n, c):
    b = as_strided(np.arange(3, dtype=np.float32), (2, 3), (0, 4), writeable=False)
    if c:
        b[0] = n
    return b


@case()
def diagonal(self, x, n, c):
    a = np.eye(3, dtype=np.float32)
    d = np.diagonal(a)
    if c:
        d[0] = x[0, 0]
    return a, d


@case()
def diagonal_in_place(self, x, n, c):
    a = np.eye(3, dtype=np.float32)
    d = a.diagonal()
    if n > 1:
        d += x[0]
    return a, d


@case()
def imaginary(self, x, n, c):
    z = np.zeros(3, np.float32).imag
    if c:
        z[0] = n
    return z


@case()
def of_bytes(self, x, n, c):
    b = np.frombuffer(b"abcdefgh", dtype=np.uint8)
    if c:
        b[n] = 3
    return b


@case()
def in_a_variable(self, x, n, c):
    v = chainer.Variable(wide())
    if c:
        v.array[0] = n
    return v


@case()
def is_caught(self, x, n, c):
    b = wide()
    try:
        b[0] = n
    except ValueError:
        return x + 1
    return x


@case()
def views_that_may_be_written(self, x, n, c):
    a = np.arange(12, dtype=np.float32)
    a.reshape(3, 4)[1] = n
    a[1:5][0] = x[0, 0]
    np.swapaxes(a.reshape(3, 4), 0, 1)[0] += 1
    first, _ = np.split(a, 2)
    first[2] = 5
    wide().reshape(-1)[0] = n
    b = np.arange(12, dtype=np.float32)
    np.require(b, requirements="W")[0] = n
    return a, b


@case()
def broadcast_together(self, x, n, c):
    a, b = np.broadcast_arrays(np.arange(3.0), np.ones((2, 1)))
    if c:
        a = a.copy()
        a[0] = n
    return a + b + x


@case()
def what_flags_say(self, x, n, c):
    a = np.arange(3, dtype=np.float32)
    known = (a[1:].flags.writeable, wide().flags.writeable, a.flags.writeable, a.flags.owndata)
    return known, x.flags.writeable, (x + 1).flags.owndata


@refused()
def flags_of_what_is_repeated(self, x, n, c):
    return np.broadcast_to(x, (2, 2, 3)).flags.c_contiguous


@refused()
def one_of_two(self, x, n, c):
    z = np.zeros((2, 3), np.float32) if c else wide()
    z[0] = 1
    return z


@refused()
def flags_of_a_known_array(self, x, n, c):
    a = np.arange(6, dtype=np.float32)
    a.flags.writeable = c
    return a


@refused()
def flags_of_an_input(self, x, n, c):
    x.flags.writeable = False
    return x


@refused()
def flags_of_a_result(self, x, n, c):
    y = x + 1
    if c:
        y.flags.writeable = False
    y[0] = n
    return y


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_holds(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
