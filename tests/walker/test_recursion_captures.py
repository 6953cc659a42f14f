"""Functions inside a recursive function, which read names of the call that they are made in."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [
    (np.array(values, "f"), n)
    for values, n in [
        ([0, 1, 2, 3, 4], 3),
        ([], 0),
        ([3, 1, 2], 1),
        ([7, 6, 5, 4, 3, 2, 1, 0], 6),
        ([5], 2),
        ([2, 2, 7, 1], 5),
    ]
]
case = Table(INPUTS, {"x": {0: "rows"}})
refused = Table(INPUTS, {"x": {0: "rows"}})


@case()
def helper_after_call(self, x, n):
    def f(k):
        if k <= 0:
            return 1
        m = k % 3 + 1

        def scaled(v, by=2):
            return v * m + by

        a = f(k - 1)
        b = scaled(a)
        return b % 101 + scaled(k, by=1)

    return f(n)


@case()
def lambda_key(self, x, n):
    def f(k):
        if k <= 0:
            return [1, 5, 3]
        m = k % 4
        items = f(k - 1)
        items = sorted(items, key=lambda v: abs(v - m))
        items[0] += k
        return items

    return f(n)


@case()
def lambda_named(self, x, n):
    def f(k):
        if k <= 0:
            return 0
        m = k * 2
        g = lambda v: v + m  # noqa: E731
        r = f(k - 1)
        return g(r)

    return f(n)


@case()
def nonlocal_inside(self, x, n):
    def f(k):
        if k <= 0:
            return 0
        t = 0

        def add(v):
            nonlocal t
            t += v

        add(k)
        add(f(k - 1))
        return t

    return f(n)


@case()
def two_helpers(self, x, n):
    def f(k):
        if k <= 0:
            return 1.0
        s = float(k)

        def one(v):
            return v + s

        def two(v):
            return one(v) * 2

        left = f(k - 1)
        right = f(k - 2)
        return two(left) - one(right)

    return f(n)


@case()
def filter_quicksort(self, x, n):
    def quick(v):
        if len(v) < 2:
            return v
        p = v[0]
        low = list(filter(lambda q: q < p, v[1:]))
        high = list(filter(lambda q: q >= p, v[1:]))
        return quick(low) + [p] + quick(high)

    return quick(x.tolist())


@case()
def shadow(self, x, n):
    def f(k):
        if k <= 0:
            return 0
        m = k
        g = lambda m: m + k  # noqa: E731
        r = f(k - 1)
        return g(r) + m

    return f(n)


@case()
def helper_reads_param(self, x, n):
    def walk(i, depth):
        def inside(j):
            return j + depth if j < len(x) else -1

        if i >= len(x):
            return 0
        a = walk(2 * i + 1, depth + 1)
        b = walk(2 * i + 2, depth + 1)
        return a + b + inside(i)

    return walk(0, 0)


@case()
def lambda_in_try(self, x, n):
    def f(k):
        if k <= 0:
            raise ValueError(k)
        s = k * 2
        g = lambda v: v + s  # noqa: E731
        try:
            return g(f(k - 1))
        except ValueError as e:
            return g(e.args[0])

    try:
        return f(n)
    except ValueError:
        return -1


@case()
def reassigned(self, x, n):
    def f(k):
        if k <= 0:
            return 0
        m = k * 2
        g = lambda v: v + m  # noqa: E731
        m = f(k - 1)
        return g(m)

    return f(n)


@case()
def in_loop(self, x, n):
    def f(k):
        t = 0
        for i in range(k):
            g = lambda v: v * i  # noqa: E731
            t += g(f(k - 2 - i)) + 1
        return t

    return f(n)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_same(program: Program) -> None:
    hold(program)


@refused()
def in_branch(self, x, n):
    def f(k):
        if k <= 0:
            return 0
        m = k * 2
        if k % 2:

            def g(v):
                return v + m

        r = f(k - 1)
        if k % 2:
            return g(r)
        return r

    return f(n)


@refused()
def helper_returned(self, x, n):
    def f(k):
        m = k + 1

        def g(v):
            return v * m

        if k <= 0:
            return g
        inner = f(k - 1)
        return g if k % 2 else inner

    return f(n)(10)


@refused()
def class_in(self, x, n):
    def f(k):
        if k <= 0:
            return 0

        class P:
            w = k

        r = f(k - 1)
        return r + P.w

    return f(n)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
