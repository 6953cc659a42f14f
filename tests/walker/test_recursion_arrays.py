"""Arrays that a recursive function makes and fills, before and after it calls itself."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [
    (np.array(values, np.int64), n)
    for values, n in [
        ([3, 1, 2, 4, 2, 5, 0], 3),
        ([], 0),
        ([7], 1),
        ([2, 5], 2),
        ([1, 2, 3, 2, 1, 9, 8, 7], 4),
    ]
]
case = Table(INPUTS, {"s": {0: "numbers"}})
refused = Table(INPUTS, {"s": {0: "numbers"}})


@case()
def filled_by_two_calls(self, s, n):
    def f(x):
        out = np.zeros(len(x), np.int64)
        if len(x) < 2:
            return out + len(x)
        half = len(x) // 2
        left = f(x[:half])
        out[:half] = left[::-1] + x[0]
        out[half:] = f(x[half:]) * 2
        return out

    return f(s), f(s[1:])


@case()
def product_by_blocks(self, s, n):
    def product(a, b):
        size = len(a)
        if size <= 1:
            return a * b
        h = size // 2
        c = np.zeros((size, size), np.int64)
        c[:h, :h] = product(a[:h, :h], b[:h, :h]) + product(a[:h, h:], b[h:, :h])
        c[:h, h:] = product(a[:h, :h], b[:h, h:]) + product(a[:h, h:], b[h:, h:])
        c[h:, :h] = product(a[h:, :h], b[:h, :h]) + product(a[h:, h:], b[h:, :h])
        c[h:, h:] = product(a[h:, :h], b[:h, h:]) + product(a[h:, h:], b[h:, h:])
        return c

    size = 2 ** (n % 3)
    a = np.arange(size * size).reshape(size, size)
    return product(a, a + 1)


@case()
def filled_in_a_loop(self, s, n):
    def f(d):
        c = np.zeros(3, np.int64)
        for i in range(3):
            if d > i:
                c[i] += f(d - 1 - i)[0] + 1
        return c

    return f(n)


@case()
def counted_in_halves(self, s, n):
    def f(low, high):
        c = np.zeros(5, np.int64)
        if high - low == 1:
            c[s[low] % 5] = 1
        if high - low > 1:
            middle = (low + high) // 2
            c += f(low, middle)
            c += f(middle, high)
        return c

    return f(0, len(s))


@case()
def another_one_on_the_way(self, s, n):
    def f(d):
        c = np.zeros(2, np.int64)
        if d <= 0:
            return c
        for i in range(2):
            c[i] = f(d - 1)[i] + d
            c = np.array([c[1], c[0]])
        return c

    return f(n)


@case()
def sorted_by_a_buffer(self, s, n):
    a = s + 0

    def sort(low, high):
        if high - low < 2:
            return
        middle = (low + high) // 2
        sort(low, middle)
        sort(middle, high)
        buffer = np.zeros(high - low, np.int64)
        i, j = low, middle
        for k in range(high - low):
            if j >= high or (i < middle and a[i] <= a[j]):
                buffer[k] = a[i]
                i += 1
            else:
                buffer[k] = a[j]
                j += 1
        a[low:high] = buffer

    sort(0, len(a))
    return a


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_same(program: Program) -> None:
    hold(program)


@refused()
def another_name_has_it(self, s, n):
    kept = []

    def f(d):
        c = np.zeros(2, np.int64)
        if d <= 0:
            return c
        kept.append(c)
        c[0] = f(d - 1)[0] + 1
        return c

    return f(n), [k[0] for k in kept]


@refused()
def a_view_of_it_waits(self, s, n):
    def f(d):
        c = np.zeros((2, 2), np.int64)
        if d <= 0:
            return c
        row = c[0]
        row[0] = f(d - 1)[0, 0] + 1
        return c

    return f(n)


@refused()
def it_changes_on_the_way_out(self, s, n):
    def f(d):
        c = np.zeros(2, np.int64)
        if d <= 0:
            return c
        try:
            return c
        finally:
            c[1] = f(d - 1)[0] + d

    return f(n)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
