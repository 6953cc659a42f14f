"""Functions that give views: memory that arrays share by way of others, and arrays handed on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest

from tests.programs import REFUSED, Program, check, compiled, f32

INPUTS = [(f32(3), n, c) for n, c in ((2, True), (0, False), (1, True), (3, False), (0, True))]


def flip(a):
    return F.flip(a, 0).array


def written_by_way_of_another(self, y, n, c):
    h = flip(flip(y))
    h += 1
    return y, h


def the_first_is_written(self, y, n, c):
    z = y + 0
    h = F.reshape(F.flip(F.reshape(z, (1, 3)), 1), (3,)).array
    z += 1
    return h


def two_views_of_what_nobody_holds(self, y, n, c):
    z = y + 1
    h, g = flip(z), flip(z)
    z = None
    h += 1
    return g, h


def of_one_of_two(self, y, n, c):
    z = y * 2
    h = flip(y if c else z)
    h += 1
    return y, z, h


def of_what_a_loop_chose(self, y, n, c):
    z = y * 2
    a = z
    for _ in range(n):
        a = y
    h = flip(a)
    a = None
    h += 1
    return y, z, h


def made_in_a_loop(self, y, n, c):
    z = y + 1
    h = z * 0
    for _ in range(n):
        h = flip(flip(z))
    h += 1
    return z, h


def made_in_a_branch(self, y, n, c):
    z = y + 1
    h = flip(z) if c else z * 3
    h = flip(h)
    h += 1
    return z, h


def pieces(self, y, n, c):
    h = F.separate(F.expand_dims(y, 0))[0].array
    h += 1
    return y, h


def variables_handed_on(self, y, n, c):
    v = chainer.Variable(y)
    found = [F.identity(v), F.copy(v, -1), F.add(v), F.squeeze(v), F.identity(v * 2, v)[1]]
    return [f.array is y for f in found], [f is v for f in found]


def squeezed_of_nothing(self, y, n, c):
    v = chainer.Variable(y)
    return F.squeeze(v).array is y


def written_through_what_is_handed_on(self, y, n, c):
    a = F.identity(F.identity(y)).array
    a += n
    b = F.cast(y, "f").array
    b[0] = 9
    return y, a, b


def copies_are_handed_on_apart(self, y, n, c):
    v, w = F.identity(y, y.copy())
    w.array[0] = 9
    return v, w, v.array is y, w.array is y, F.broadcast(y, y.copy())[1].array is y


def arrays_handed_on(self, y, n, c):
    a, b = np.broadcast_arrays(y, y + 1)
    far = np.broadcast_arrays(y, np.zeros((2, 3), np.float32))[0]
    return (
        y.squeeze() is y,
        np.squeeze(y, ()) is y,
        a is y,
        b is y,
        far is y,
        y[None].squeeze(0) is y,
    )


def squeezed_and_written(self, y, n, c):
    a = y.squeeze()
    a += n
    return y, a


PROGRAMS = [
    *(written_by_way_of_another, the_first_is_written, two_views_of_what_nobody_holds),
    *(of_one_of_two, of_what_a_loop_chose, made_in_a_loop, made_in_a_branch, pieces),
    *(variables_handed_on, squeezed_of_nothing, written_through_what_is_handed_on),
    *(copies_are_handed_on_apart, arrays_handed_on, squeezed_and_written),
]


@pytest.mark.parametrize("forward", PROGRAMS, ids=lambda f: f.__name__)
def test_all_see_it_or_it_is_refused(forward: Callable[..., Any]) -> None:
    program = Program(forward, INPUTS)
    try:
        model = compiled(program)
    except REFUSED:
        return
    check(program, model)


def test_views_of_a_copy_are_free() -> None:
    def forward(self: Any, y: Any, n: Any, c: Any) -> Any:
        h = flip(flip(y.copy()))
        h += 1
        g = flip(y) * 2
        g[0] = 7
        return y, h, g

    program = Program(forward, INPUTS)
    check(program, compiled(program))
