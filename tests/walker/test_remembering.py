"""Functions of `functools.lru_cache` called with numbers of the run."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

#: Keys: some twice, none, one, one alone many times, many, none twice.
KEYS = [
    (np.array([1, 2, 1, 3, 5], np.int32), 2),
    (np.array([], np.int32), 0),
    (np.array([7], np.int32), 1),
    (np.array([2, 2, 2], np.int32), 3),
    (np.array([5, 4, 0, -1, 5, 6, -1, 4, 3], np.int32), 4),
    (np.array([3, 2, 1, 0], np.int32), 1),
]
case = Table(KEYS, {"x": {0: "keys"}})

refused = Table(KEYS, {"x": {0: "keys"}})


@functools.cache
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


@functools.cache
def binom(n, k):
    if k == 0 or k == n:
        return 1
    return binom(n - 1, k - 1) + binom(n - 1, k)


@functools.lru_cache(None, typed=True)
def told_apart(n, plus=0):
    return n * 2 + plus


@functools.cache
def doubled(n, times=2):
    return n * times


@functools.lru_cache
def even(n):
    return True if n == 0 else odd(n - 1)


@functools.lru_cache
def odd(n):
    return False if n == 0 else even(n - 1)


@functools.cache
def scaled(n, how="double", *, plus=1):
    return n * 2 + plus if how == "double" else n * 3 + plus


calls = []


@functools.lru_cache(None)
def impure(n):
    calls.append(n)
    return n


@functools.lru_cache(None)
def pair(n):
    return n, n * 2


@functools.lru_cache(None)
def vec(n):
    return np.array([n, n + 1], np.float32)


@functools.lru_cache(None)
def listed(n):
    return [n, n * n]


@functools.lru_cache(None)
def grid(r, c):
    if r == 0 or c == 0:
        return 1
    return grid(r - 1, c) + grid(r, c - 1)


@functools.cache
def collatz(n):
    if n <= 1:
        return 0
    return 1 + collatz(n // 2 if n % 2 == 0 else 3 * n + 1)


@functools.lru_cache(maxsize=1000)
def raises(n):
    if n == 3:
        raise ValueError(n)
    return 10 // n


class Model:
    def __init__(self):
        self.k = 3

    @functools.cache  # noqa: B019
    def f(self, v):
        return v * self.k


model = Model()


@case()
def binomials(self, x, n):
    return [binom(n + 2, k) for k in range(n + 1)]


@case()
def mutual(self, x, n):
    return even(n), odd(n)


@case()
def statics(self, x, n):
    return scaled(n), scaled(n, "triple"), scaled(n, plus=n), scaled(n, how="double")


@case()
def pair_(self, x, n):
    t = 0
    for v in x.tolist():
        a, b = pair(v)
        t += a * b
    return t


@case()
def vec_(self, x, n):
    t = np.zeros(2, np.float32)
    for v in x.tolist():
        t = t + vec(v)
    return t


@case()
def raises_(self, x, n):
    t = 0
    for v in x.tolist():
        try:
            t += raises(v)
        except ValueError:
            t -= 100
        except ZeroDivisionError:
            t -= 1000
    return t


@case()
def local_counted(self, x, n):
    ran = []

    @functools.cache
    def f(v):
        ran.append(v)
        return v * v

    t = sum(f(v) for v in x.tolist())
    return t, ran


@case()
def local_reads(self, x, n):
    base = 10

    @functools.cache
    def f(v):
        return v + base

    a = f(n)
    base = 20
    return a, f(n), f(n + 1)


@case()
def in_loop(self, x, n):
    out = []
    for k in range(n):

        @functools.cache
        def f(v):
            return v * k

        out.append(sum(f(v) for v in x.tolist()))
    return out


@case()
def cleared(self, x, n):
    ran = []

    @functools.cache
    def f(v):
        ran.append(v)
        return v

    f(n)
    f(n)
    f.cache_clear()
    f(n)
    return len(ran)


@case()
def edit(self, x, n):
    a = x.tolist()
    b = a[n:] + a[:n]

    @functools.cache
    def d(i, j):
        if i == 0:
            return j
        if j == 0:
            return i
        if a[i - 1] == b[j - 1]:
            return d(i - 1, j - 1)
        return 1 + min(d(i - 1, j), d(i, j - 1), d(i - 1, j - 1))

    return d(len(a), len(b))


@case()
def method(self, x, n):
    return [model.f(v) for v in x.tolist()]


@case()
def own_method(self, x, n):
    m = Model()
    return [m.f(v) for v in x.tolist()]


@case()
def lru_lcs(self, x, n):
    a = x.tolist()
    b = a[::-1]

    @functools.lru_cache(None)
    def lcs(i, j):
        if i == len(a) or j == len(b):
            return 0
        if a[i] == b[j]:
            return 1 + lcs(i + 1, j + 1)
        return max(lcs(i + 1, j), lcs(i, j + 1))

    return lcs(0, 0)


@case()
def typed(self, x, n):
    found = [told_apart(n), told_apart(float(n)), told_apart(n, 1), told_apart(2), told_apart(2.0)]
    for v in x.tolist():
        found += [told_apart(v, n), told_apart(float(v), n)]
    return found, [type(v) is float for v in found]


@case()
def an_int_alone(self, x, n):
    """It is another argument than an equal float, but not with others beside it."""
    found = [doubled(n), doubled(float(n)), doubled(3.0), doubled(3), doubled(7, 2), doubled(7)]
    return found, [type(v) is float for v in found]


@refused()
def unlike_arguments_of_a_local_function(self, x, n):
    @functools.cache
    def f(v):
        return v * 2 + n

    return f(2), f(2.0)


@refused()
def impure_(self, x, n):
    return impure(n) + impure(n)


@refused()
def listed_changed(self, x, n):
    a = listed(n)
    a.append(5)
    b = listed(n)
    return len(b), a is b


@refused()
def local_bounded(self, x, n):
    ran = []

    @functools.lru_cache(maxsize=2)
    def f(v):
        ran.append(v)
        return v * v

    t = sum(f(v) for v in x.tolist())
    return t, ran


@refused()
def local_reads_bounded(self, x, n):
    base = 10

    @functools.lru_cache
    def f(v):
        return v + base

    a = f(n)
    base = 20
    return a, f(n), f(n + 1)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_parity(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED, match="remembers"):
        compiled(program)
