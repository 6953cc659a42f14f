"""Lists and tuples whose length is known only when the model runs, against Python."""

from __future__ import annotations

from typing import Any

import pytest
from chainer import functions as F

from tests.programs import Program, check, compiled
from tests.walker.containers.inputs import MATRICES, ROWS

PROGRAMS: list[Program] = []


def program(*inputs: Any, axes: Any = None, **attributes: Any) -> Any:
    """Collect a program with the inputs that it is run on."""

    def collect(forward: Any) -> Any:
        PROGRAMS.append(Program(forward, inputs, axes, attributes=lambda: attributes))
        return forward

    return collect


@program(*ROWS)
def slices(self, x, n):
    items = []
    for i in range(n):
        items.append(x[i] * 2)
    return (
        items[:-1],
        items[1:],
        items[:2],
        items[-2:],
        items[::-1],
        items[::2],
        items[5:1],
        items[-1:-3:-1],
    )


@program(*ROWS)
def slices_by_numbers(self, x, n):
    items = []
    for i in range(n):
        items.append(i)
    return (items[: n - 1], items[n - 2 :], items[len(items) // 2 :])


@program(*ROWS)
def ext(self, x, n):
    items = []
    for i in range(n):
        items.append(x[i] * 2)
    m = [x[0]]
    m.extend(items)
    m += items
    k = items + m
    k2 = [x[1]] + items + [x[2]]
    return (m, k, k2, items + [])


@program(*ROWS)
def mixfi(self, x, n):
    items = [0.5]
    for i in range(n):
        items.append(i)
    items.insert(1, 7)
    return items


@program(*ROWS)
def pops(self, x, n):
    items = [1, 2, 3]
    for i in range(n):
        items.append(i)
    a = items.pop()
    b = items.pop(0)
    items.insert(-1, 100)
    items.insert(50, 3)
    del items[1]
    items[0] = 9
    items[-1] = 5
    return (items, a, b, len(items), 9 in items, 77 in items, items.count(5), items[-1])


@program(*ROWS)
def nones(self, x, n):
    items = []
    for i in range(n):
        if i % 2 == 0:
            items.append(None)
        else:
            items.append(x[i])
    return items


@program(*ROWS)
def rev(self, x, n):
    items = []
    for i in range(n):
        items.append(x[i])
    out = []
    for y in reversed(items):
        out.append(y + 1)
    items.reverse()
    return (out, items, list(reversed(items)), list(items), tuple(items))


@program(*ROWS)
def tup(self, x, n):
    t = ()
    for i in range(n):
        t = t + (x[i],)
    return t


@program(*ROWS)
def tupi(self, x, n):
    t = (1,)
    for i in range(n):
        t = t + (i,)
    return (t, isinstance(t, tuple), isinstance(t, list), len(t), t[0], t[1:])


@program(*ROWS)
def zips(self, x, n):
    items = []
    m = []
    for i in range(n):
        items.append(x[i])
    for i in range(2):
        m.append(i)
    out = []
    for i, (a, b) in enumerate(zip(items, m)):
        out.append(a * b + i)
    return (
        out,
        [a + b for a, b in zip(items, items[1:])],
        list(zip(m, items)),
        list(enumerate(items)),
    )


@program(*ROWS)
def appending(self, x, n):
    items = [1]
    for i in range(n):
        items.append(i)
    for v in items:
        if len(items) < 7:
            items.append(v + 1)
    return items


@program(*ROWS)
def summ(self, x, n):
    items = []
    for i in range(n):
        items.append(i * 2)
    k = []
    for i in range(n):
        k.append(x[i])
    return (sum(items), sum(k), any(v > 3 for v in items), all([v < 100 for v in items]))


@program(*ROWS)
def mx(self, x, n):
    items = []
    for i in range(n):
        items.append(i * 7 % 5)
    return (max(items), min(items), max(items, default=3))


@program(*ROWS)
def rep(self, x, n):
    items = [1, 2] * n
    m = [x[0]]
    for i in range(n):
        m.append(x[i])
    return (items, m * 2, [0] * n, n * [x], [0.0] * len(m))


@program(*MATRICES)
def list_argument(self, xs):
    return ([x * 2 for x in xs], len(xs), xs[0], xs[-1], xs[1:], [len(x) for x in xs])


@program(*MATRICES)
def ragsl(self, xs):
    out = []
    for x in xs:
        out.append(x[:1])
        out.append(x)
    return out


@program(*ROWS)
def slices_of_known(self, x, n):
    items = [x[0], x[1], x[2]]
    return (items[:n], items[n:], (1, 2, 3)[n:], items[-n:])


@program(*MATRICES)
def cond(self, xs):
    return (
        [x for x in xs if len(x) > 1],
        list(filter(lambda x: len(x) > 2, xs)),
        list(map(len, xs)),
    )


@program(*ROWS)
def named(self, x, n):
    items = []
    for i in range(n):
        items.append((i, x[i]))
    a = [p[0] for p in items]
    b = [q for _, q in items]
    return (items, a, b)


@program(*ROWS)
def setit(self, x, n):
    items = []
    for i in range(n):
        items.append(x[i])
    for i in range(len(items)):
        items[i] = items[i] * i
    return items


@program(*ROWS)
def nest(self, x, n):
    out = []
    for i in range(n):
        row = []
        for j in range(i + 1):
            row.append(j)
        out.append(sum(row))
        out.append(len(row))
    return out


@program(*ROWS)
def displays(self, x, n):
    items = [x[i] for i in range(n)]
    return [*items, x[0]], (*items,), F.concat([*items, x[0]], axis=0)


@program(*ROWS)
def unpacked(self, x, n):
    items = [x[i] for i in range(n)]
    a, b = items
    return a + b


@program(*ROWS)
def unpacked_with_rest(self, x, n):
    items = [x[i] for i in range(n)]
    a, *b = items
    return a, b


@program(*ROWS)
def used_up(self, x, n):
    items = list(range(n))
    total = 0
    while items:
        total += items.pop()
    return total, items


@program(*[(ROWS[0][0], n) for n in (2, 1, 3)])
def ragged_elements(self, x, n):
    out = []
    for i in range(n):
        out.append(x[:i])
    return out, [len(o) for o in out]


@pytest.mark.parametrize("given", PROGRAMS, ids=lambda p: p.name)
def test_program(given: Program) -> None:
    check(given, compiled(given))
