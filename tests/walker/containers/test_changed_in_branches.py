"""Lists, dicts and objects that are changed in a branch, which another list takes there alone."""

from __future__ import annotations

import collections

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

INPUTS = [
    (np.full(rows, 1.5, np.float32), n, n % 3 > 0)
    for rows, n in ((3, 2), (0, 0), (2, 1), (1, 3), (7, 5))
]
case = Table(INPUTS, {"x": {0: "rows"}})


class Point:
    def __init__(self, v=0):
        self.v = v


@case()
def an_item_of_another_type(self, x, n, c):
    out = []
    held = [0, 1]
    if c:
        held[0] = 2.5
        out.append(held)
    return out


@case()
def a_longer_list(self, x, n, c):
    out = []
    held = [0, 1]
    if c:
        held.append(n)
        out.append(held)
    return out


@case()
def a_dict(self, x, n, c):
    out = []
    d = {"a": n}
    if c:
        d["a"] = n * 1.5
        out.append(d)
    return out


@case()
def a_dict_with_another_key(self, x, n, c):
    out = []
    d = {"a": 1}
    if c:
        d["b"] = n
        out.append(d)
    return out


@case()
def in_both_branches(self, x, n, c):
    out = []
    a = [n]
    if c:
        a[0] = n + 0.5
        out.append(a)
    else:
        a[0] = n * 2
        out.append(a)
        out.append(a)
    return out


@case()
def arrays_of_other_shapes(self, x, n, c):
    out = []
    held = [x[:0], 1]
    if c:
        held[0] = np.ones(3) * 2.5
        out.append(held)
    return out


@case()
def a_list_that_was_empty(self, x, n, c):
    out = []
    held = []
    if c:
        held.append(n)
        out.append(held)
    return out


@case()
def in_a_loop_that_ends(self, x, n, c):
    out = []
    held = [0, 1]
    for v in x:
        held[0] = 2.5
        out.append(held)
        break
    return out


@case()
def by_a_function(self, x, n, c):
    out = []
    held = [0, 1]

    def f():
        held[0] = n + 0.5
        out.append(held)

    if c:
        f()
    elif n == 3:
        f()
        f()
    return out


@case()
def in_another_list(self, x, n, c):
    out = []
    held = [0, 1]
    m = [held]
    if c:
        held[0] = n + 0.5
        out.append(m)
    return out


@case()
def of_two_lists(self, x, n, c):
    held = [0, 1]
    m = [0, 1]
    if c:
        held[0] = n + 0.5
        out = [held]
    else:
        m[1] = n + 0.5
        out = [m, m]
    return out


@case()
def where_an_exception_is_caught(self, x, n, c):
    held = [0, 1]
    out = []
    try:
        held[0] = n + 0.5
        if n > 1:
            raise ValueError
        out.append(held)
    except ValueError:
        held[1] = 7.5
        out.append(held)
        out.append(held)
    return out


@case()
def returned_early(self, x, n, c):
    held = [0, 1]

    def g():
        if c:
            held[0] = n + 0.5
            return [held]
        return []

    return g()


@case()
def a_deque(self, x, n, c):
    out = []
    s = collections.deque([1])
    if c:
        s.append(n + 0.5)
        out.append(s)
    return [list(v) for v in out]


@case()
def in_inner_branches(self, x, n, c):
    out = []
    a = [0, 1]
    if c:
        a[0] = n + 0.5
        if n > 1:
            out.append(a)
        else:
            a[1] = None
    return out


@case()
def before_a_break(self, x, n, c):
    out = []
    a = [0, 1]
    while n > 0:
        n -= 1
        a[0] = n + 0.5
        if n == 1:
            out.append(a)
            break
    return out


@case()
def before_a_return(self, x, n, c):
    out = []
    a = [0, 1]
    for i in range(n):
        if c and i == 1:
            a[1] = i * 0.5
            out.append(a)
            continue
        if i == 2:
            return (out, a)
    return (out, a)


@case()
def in_a_dict(self, x, n, c):
    a = {"k": [0, 1]}
    out = []
    if c:
        a["k"][0] = n * 0.5
        out.append(a)
    return out


@case()
def of_an_object(self, x, n, c):
    p = Point([0, 1])
    out = []
    if c:
        p.v[0] = n * 0.5
        out.append(p)
    return [q.v for q in out]


@case()
def one_of_two(self, x, n, c):
    p = [0, 1]
    q = [0, 1]
    out = []
    r = p if c else q
    r[0] = n * 0.5
    if n > 1:
        out.append(r)
    return (out, p, q)


@case()
def rows_of_a_list_in_a_try(self, x, n, c):
    out = []
    for i in range(n):
        try:
            out.append([i, x[i], x[i] * 2])
        except IndexError:
            pass
    return np.array(out)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.forward.__name__)
def test_program(program: Program) -> None:
    hold(program)
