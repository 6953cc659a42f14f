"""Algorithms on numbers as people write them: divisors, roots, series, integrals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.programs import Program
from tests.table import NUMBERS, Table, hold

case = Table()


POSITIVE = [(12, 18), (0, 5), (7, 7), (1, 1), (100, 30), (17, 5)]


@case(POSITIVE)
def gcd(self, a, b):
    while b:
        a, b = b, a % b
    return a


@case(POSITIVE)
def extended_gcd(self, a, b):
    x0, x1, y0, y1 = 1, 0, 0, 1
    while b != 0:
        q, a, b = a // b, b, a % b
        x0, x1 = x1, x0 - q * x1
        y0, y1 = y1, y0 - q * y1
    return a, x0, y0


@case(POSITIVE)
def collatz(self, a, b):
    steps = 0
    n = a + b
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@case(POSITIVE)
def power_by_squaring(self, a, b):
    result, base, k = 1, a % 5, b % 16
    while k > 0:
        if k & 1:
            result *= base
        base *= base
        k >>= 1
    return result


@case(POSITIVE)
def fibonacci(self, a, b):
    x, y = 0, 1
    for _ in range(b):
        x, y = y, x + y
    return x


@case(POSITIVE)
def is_prime(self, a, b):
    if a < 2:
        return False
    d = 2
    while d * d <= a:
        if a % d == 0:
            return False
        d += 1
    return True


@case(POSITIVE)
def sieve(self, a, b):
    flags = np.ones(a + 2, np.bool_)
    flags[:2] = False
    p = 2
    while p * p < a + 2:
        if flags[p]:
            for k in range(p * p, a + 2, p):
                flags[k] = False
        p += 1
    return [i for i in range(a + 2) if flags[i]]


@case(POSITIVE)
def digits_in_a_base(self, a, b):
    base = b % 7 + 2
    out = []
    while a > 0:
        a, r = divmod(a, base)
        out.append(r)
    return out[::-1]


@case(POSITIVE)
def integer_square_root(self, a, b):
    low, high = 0, a + 1
    while high - low > 1:
        mid = (low + high) // 2
        if mid * mid <= a:
            low = mid
        else:
            high = mid
    return low


@case(POSITIVE)
def binomial_by_a_table(self, a, b):
    n, k = a % 8, b % 5
    c = np.zeros((n + 1, k + 1), np.int64)
    for i in range(n + 1):
        for j in range(min(i, k) + 1):
            if j == 0 or j == i:
                c[i, j] = 1
            else:
                c[i, j] = c[i - 1, j - 1] + c[i - 1, j]
    return int(c[n, k])


@case(NUMBERS)
def newton_square_root(self, a, b, s):
    s = abs(s) + 0.25
    y = s
    turns = 0
    while abs(y * y - s) > 1e-6:
        y = 0.5 * (y + s / y)
        turns += 1
    return y, turns


@case(NUMBERS)
def bisection(self, a, b, s):
    low, high = -20.0, 20.0
    for _ in range(60):
        mid = (low + high) / 2
        if mid**3 + mid - s > 0:
            high = mid
        else:
            low = mid
        if high - low < 1e-6:
            break
    return low


@case(NUMBERS)
def secant(self, a, b, s):
    x0, x1 = 0.0, 1.0
    for _ in range(20):
        f0, f1 = math.exp(x0) - abs(s), math.exp(x1) - abs(s)
        if abs(f1 - f0) < 1e-12:
            break
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
        x1 = max(-5.0, min(5.0, x1))
    return x1


@case(NUMBERS)
def taylor_series(self, a, b, s):
    term, total, k = 1.0, 1.0, 1
    while abs(term) > 1e-8 and k < 200:
        term = term * s / k
        total += term
        k += 1
    return total, k


@case(NUMBERS)
def simpson(self, a, b, s):
    n = 2 * (abs(b) + 1)
    h = s / n
    total = 0.0
    for i in range(n + 1):
        weight = 1 if i in (0, n) else 4 if i % 2 else 2
        total += weight * math.sin(i * h)
    return total * h / 3


@case(NUMBERS)
def runge_kutta(self, a, b, s):
    def slope(t, y):
        return -y + math.cos(t)

    y, t, h = s, 0.0, 0.1
    for _ in range(abs(a)):
        k1 = slope(t, y)
        k2 = slope(t + h / 2, y + h * k1 / 2)
        k3 = slope(t + h / 2, y + h * k2 / 2)
        k4 = slope(t + h, y + h * k3)
        y += h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
        t += h
    return y


@case(NUMBERS)
def golden_section(self, a, b, s):
    low, high = -10.0, 10.0
    ratio = 0.6180339887498949
    while high - low > 1e-3:
        p, q = high - ratio * (high - low), low + ratio * (high - low)
        if (p - s) ** 2 + 1 < (q - s) ** 2 + 1:
            high = q
        else:
            low = p
    return (low + high) / 2


@case(NUMBERS)
def gradient_descent_with_backtracking(self, a, b, s):
    x, f = 5.0, lambda v: (v - s) ** 2 + 0.5 * v
    for _ in range(abs(a) + 1):
        g = 2 * (x - s) + 0.5
        step = 1.0
        while f(x - step * g) > f(x) - 0.5 * step * g * g:
            step *= 0.5
            if step < 1e-4:
                break
        x -= step * g
    return x


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_numbers(program: Program) -> None:
    hold(program)
