"""A list of dynamic length holds copies: what would tell them from the originals is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from chainer import functions as F

from tests.programs import REFUSED, Program, check, compiled
from tests.walker.containers.inputs import LENGTHS, ROWS, words

PROGRAMS: list[Program] = []


def program(*inputs: Any, refuse: bool = False) -> Any:
    """Collect a program with the inputs that it is run on, and whether it is refused."""

    def collect(forward: Any) -> Any:
        PROGRAMS.append(Program(forward, inputs, refuse=refuse))
        return forward

    return collect


@program(*ROWS, refuse=True)
def write_after_append(self, x, n):
    out = []
    for i in range(n):
        b = x * i
        out.append(b)
        b += 1
    return out


@program(*ROWS, refuse=True)
def write_to_the_last_turn(self, x, n):
    out = []
    b = x * 0
    for i in range(n):
        b += 1
        out.append(b)
        b = x * i
        out.append(b)
    return out


@program(*ROWS, refuse=True)
def write_to_the_source_of_a_view(self, x, n):
    out = []
    b = x * 2
    for i in range(n):
        out.append(F.reshape(b, (-1,)))
    b += 1
    return out


@program(*ROWS, refuse=True)
def write_through_a_reshape(self, x, n):
    out = []
    for i in range(n):
        out.append(F.absolute(x) * i)
    y = F.reshape(out[0], (-1,)).array
    y += 1
    return out


@program(*ROWS, refuse=True)
def write_to_an_element(self, x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    y = out[0]
    y[0] = 5
    return out


@program(*ROWS, refuse=True)
def identity_of_elements(self, x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    return out[0] is out[0]


@program(*ROWS)
def write_to_the_base(self, x, n):
    out = []
    b = x * 1
    for i in range(n):
        out.append(b[0])
    b += 1
    return out


@program(*ROWS)
def write_in_a_tuple(self, x, n):
    out = []
    b = x * 1
    for i in range(n):
        out.append((i, b))
    b += 1
    return out


@program(*ROWS)
def write_to_an_early_element(self, x, n):
    b = x * 1
    out = [b]
    for i in range(n):
        out.append(x * i)
    b += 1
    return out


@program(*ROWS)
def write_in_the_loop(self, x, n):
    b = x * 1
    out = [b]
    for i in range(n):
        b += 1
        out.append(x * i)
    return out


@program(*ROWS, refuse=True)
def write_after_a_branch(self, x, n):
    out = []
    for i in range(n):
        c = x * i
        if i > 1:
            out.append(c)
        else:
            out.append(x)
        c += 1
    return out


@program(*ROWS)
def two_names(self, x, n):
    out = []
    m = out
    for i in range(n):
        out.append(x * i)
    m.append(x)
    k = m[:]
    k.append(x)
    return (out, m, k, out is m, k is m)


@program(*ROWS)
def passed_around(self, x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    d = {"a": out}
    d["a"].append(x)

    def f(items):
        items.append(x + 1)

    f(out)
    return d


@program(*ROWS, refuse=True)
def write_after_split(self, x, n):
    y = x * 1
    s = F.split_axis(y, np.arange(n)[:n], 0)
    y += 1
    return s


@program(*ROWS)
def lists_in_lists(self, x, n):
    out = []
    for i in range(n):
        out.append([x * i])
    return out


@program(*ROWS)
def iterator_used_twice(self, x, n):
    z = zip(x, x)
    a = [p for p in z]
    b = [p for p in z]
    return (len(a), len(b))


@program(*ROWS, refuse=True)
def write_in_iteration(self, x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    for y in out:
        y += 1
    return out


@program(*ROWS)
def names_made_one(self, x, n):
    items = []
    m = []
    for i in range(n):
        items.append(x * i)
        m = items
    m.append(x)
    return (items, m)


@program(*ROWS)
def one_of_two_lists(self, x, n):
    items = []
    for i in range(n):
        items.append(x * i)
    c = items if n > 1 else [x]
    c.append(x * 9)
    return (items, c)


@program(*ROWS, refuse=True)
def append_to_a_tuple(self, x, n):
    t = ()
    for i in range(n):
        t = t + (x[i],)
    t.append(x)
    return t


@program(*ROWS)
def mixed_kinds(self, x, n):
    items = []
    for i in range(n):
        items.append(x if i == 0 else i * 1.0 if i == 1 else None)
    return items


@program(*ROWS)
def nones_first_and_last(self, x, n):
    items = [None]
    for i in range(n):
        items.append(x[i])
    m = [x[0]]
    for i in range(n):
        m.append(None)
    items.extend(m)
    return (items, m + items)


@program(*ROWS)
def two_results_of_what_changed_since(self, x, n):
    y = x * 1
    items = []
    if n > 1:
        items.append(y)
    items.append(items[-1] if items else 7)
    y += y
    return items, items


@program(*[(words(*items),) for items in LENGTHS])
def changed_argument(self, xs):
    xs.append(xs[0])
    xs[0] = xs[1]
    return xs


@pytest.mark.parametrize("given", PROGRAMS, ids=lambda p: p.name)
def test_program(given: Program) -> None:
    if given.refuse:
        with pytest.raises(REFUSED):
            compiled(given)
    else:
        check(given, compiled(given))
