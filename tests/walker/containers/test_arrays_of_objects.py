"""Arrays that objects in lists and dicts hold: the objects are copies there, and so are these."""

from __future__ import annotations

import pytest

from tests.programs import REFUSED, Program, compiled, f32
from tests.table import Table, hold

ROWS = [(f32(size), n) for size, n in ((3, 3), (2, 2), (5, 1), (1, 5), (4, 2))]

case = Table(ROWS, {"x": {0: "size"}})
refused = Table(ROWS, {"x": {0: "size"}})


class Held:
    """Holds something, and a number."""

    def __init__(self, h):
        self.h = h
        self.c = 0


@refused()
def read_and_written(self, x, n):
    objs = [Held(x * i) for i in range(n)]
    v = objs[0].h
    v += 1
    return v, objs[0].h


@refused()
def read_of_one_that_changes(self, x, n):
    objs = []
    for i in range(n):
        objs.append(Held(x * i))
    for o in objs:
        o.c += 1
    v = objs[0].h
    v[...] = 7
    return objs[0].h, objs[0].c


@refused()
def within_a_dict_of_it(self, x, n):
    objs = [Held({"a": x * i}) for i in range(n)]
    v = objs[0].h["a"]
    v += 1
    return v, objs[0].h["a"]


@refused()
def within_a_tuple_of_it(self, x, n):
    y = x * 2
    p = Held((y, 1))
    objs = [p]
    for i in range(n):
        objs.append(Held((x * i, i)))
        objs[0].c += 1
    objs[0].h[0][...] = 3
    return [o.h[0] for o in objs], p.h, y


@refused()
def by_a_key_of_the_run(self, x, n):
    held = {}
    for i in range(n):
        held[i] = Held(x * i)
    v = held[0].h
    v[...] = 7
    return held[0].h


@refused()
def by_a_key_that_comes_later(self, x, n):
    held = {0: x * 2}
    for i in range(n):
        held[i + 1] = held[i] * 2
    v = held[0]
    v[...] = 7
    return held[0], held[int(n)]


@case()
def given_after_it_was_stored(self, x, n):
    objs = [Held(x * i) for i in range(n)]
    y = x * 2
    for o in objs:
        o.c += 1
    objs[0].h = y
    y += 1
    return [o.h for o in objs]


@case()
def replaced(self, x, n):
    objs = [Held(x * i) for i in range(n)]
    v = objs[0].h
    objs[0].h = objs[0].h + 1
    return v, [o.h for o in objs]


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_arrays_of_objects(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_refused(program: Program) -> None:
    with pytest.raises(REFUSED, match="this write changes an array"):
        compiled(program)
