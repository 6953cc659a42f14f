"""Algorithms as people write them: on numbers, sequences, tables, graphs and grids."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.control_flow.table import NUMBERS, VECTOR_AXES, VECTORS, Table, hold
from tests.programs import Program, f32

case = Table()


def ints(*shape: int, high: int = 4, seed: int = 0) -> Any:
    """Return int64 noise from 0 up to `high`, which is left out."""
    return np.random.RandomState(seed + sum(shape)).randint(0, high, shape)


def positive(n: int, seed: int = 0) -> Any:
    """Return a symmetric positive matrix."""
    a = np.random.RandomState(seed).randn(n, n)
    return (a @ a.T + n * np.eye(n)).astype(np.float64)


POSITIVE = [(12, 18), (0, 5), (7, 7), (1, 1), (100, 30), (17, 5)]
IDS = [(ints(5),), (ints(0),), (ints(1),), (ints(9, seed=2),), (np.array([2, 2, 2, 0, 0]),)]
TWO_IDS = [
    (ints(4), ints(6)),
    (ints(0), ints(3)),
    (ints(5, seed=3), ints(0)),
    (np.array([1, 2, 3]), np.array([1, 2, 3])),
    (ints(1), ints(7)),
]
TWO_AXES = {0: {0: "N"}, 1: {0: "M"}}
SQUARES = [(f32(3, 3),), (f32(1, 1),), (f32(5, 5),), (np.abs(f32(2, 2)),), (f32(4, 4, seed=4),)]
SQUARE_AXES = {0: {0: "N", 1: "N"}}
GRAPHS = [
    (np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]),),
    (np.zeros((1, 1), np.int64),),
    (np.triu(np.ones((5, 5), np.int64), 1),),
    (np.zeros((3, 3), np.int64),),
    (ints(6, 6, high=2),),
]
SYSTEMS = [(positive(n, n), np.random.RandomState(n).randn(n)) for n in (3, 1, 5, 2, 4)]
SYSTEM_AXES = {0: {0: "N", 1: "N"}, 1: {0: "N"}}
POINTS = [(f32(m, 2, seed=m),) for m in (6, 3, 4, 9, 12)]
POINT_AXES = {0: {0: "N"}}


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


@case(VECTORS, VECTOR_AXES)
def prefix_sums(self, x):
    out = np.zeros(len(x) + 1, np.float32)
    for i in range(len(x)):
        out[i + 1] = out[i] + x[i]
    return out


@case(VECTORS, VECTOR_AXES)
def bubble_sort_in_place(self, x):
    n = len(x)
    for i in range(n):
        swapped = False
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = x[j + 1], x[j]
                swapped = True
        if not swapped:
            break
    return x


@case(VECTORS, VECTOR_AXES)
def insertion_sort(self, x):
    x = x.copy()
    for i in range(1, len(x)):
        key = x[i]
        j = i - 1
        while j >= 0 and x[j] > key:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = key
    return x


@case(VECTORS, VECTOR_AXES)
def selection_sort_of_a_list(self, x):
    items = [float(v) for v in x]
    for i in range(len(items)):
        k = i
        for j in range(i + 1, len(items)):
            if items[j] < items[k]:
                k = j
        items[i], items[k] = items[k], items[i]
    return items


@case(VECTORS, VECTOR_AXES)
def quicksort_with_a_stack(self, x):
    a = x.copy()
    stack = [(0, len(a) - 1)]
    while stack:
        low, high = stack.pop()
        if low >= high:
            continue
        pivot = a[high]
        i = low
        for j in range(low, high):
            if a[j] < pivot:
                a[i], a[j] = a[j], a[i]
                i += 1
        a[i], a[high] = a[high], a[i]
        stack.append((low, i - 1))
        stack.append((i + 1, high))
    return a


@case(TWO_IDS, TWO_AXES)
def merge_of_sorted_arrays(self, a, b):
    a, b = np.sort(a), np.sort(b)
    i = j = 0
    out = []
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(int(a[i]))
            i += 1
        else:
            out.append(int(b[j]))
            j += 1
    while i < len(a):
        out.append(int(a[i]))
        i += 1
    while j < len(b):
        out.append(int(b[j]))
        j += 1
    return out


@case(VECTORS, VECTOR_AXES)
def binary_search(self, x):
    x = np.sort(x)
    low, high = 0, len(x)
    while low < high:
        mid = (low + high) // 2
        if x[mid] < 0.5:
            low = mid + 1
        else:
            high = mid
    return low


@case(VECTORS, VECTOR_AXES)
def largest_sum_of_a_run(self, x):
    best, here = -math.inf, 0.0
    start = left = right = 0
    for i in range(len(x)):
        if here <= 0:
            here, start = float(x[i]), i
        else:
            here += float(x[i])
        if here > best:
            best, left, right = here, start, i + 1
    return left, right


@case(VECTORS, VECTOR_AXES)
def longest_increasing_subsequence(self, x):
    n = len(x)
    length = [1] * n
    for i in range(n):
        for j in range(i):
            if x[j] < x[i]:
                length[i] = max(length[i], length[j] + 1)
    return max(length) if length else 0


@case(VECTORS, VECTOR_AXES)
def top_k_by_repeated_argmax(self, x):
    left = x.copy()
    picks = []
    for _ in range(min(3, len(x))):
        i = int(left.argmax())
        picks.append(i)
        left[i] = -np.inf
    return picks


@case(VECTORS, VECTOR_AXES)
def streaming_mean_and_variance(self, x):
    mean, m2 = 0.0, 0.0
    for k, v in enumerate(x, 1):
        delta = float(v) - mean
        mean += delta / k
        m2 += delta * (float(v) - mean)
    return mean, m2 / len(x) if len(x) > 0 else 0.0


@case(VECTORS, VECTOR_AXES)
def exponential_smoothing(self, x):
    if len(x) == 0:
        return x
    out = np.empty_like(x)
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = np.float32(0.3) * x[i] + np.float32(0.7) * out[i - 1]
    return out


@case(VECTORS, VECTOR_AXES)
def peaks(self, x):
    return [i for i in range(1, len(x) - 1) if x[i - 1] < x[i] > x[i + 1]]


@case(VECTORS, VECTOR_AXES)
def histogram_by_loop(self, x):
    bins = np.zeros(4, np.int64)
    for v in x:
        k = int((v + 2.0) // 1.0)
        bins[min(max(k, 0), 3)] += 1
    return bins


@case(VECTORS, VECTOR_AXES)
def quantise(self, x):
    levels = (-1.0, 0.0, 0.5, 2.0)
    out = np.zeros(len(x), np.int64)
    for i, v in enumerate(x):
        best = 0
        for k in range(len(levels)):
            if abs(v - levels[k]) < abs(v - levels[best]):
                best = k
        out[i] = best
    return out


@case(VECTORS, VECTOR_AXES)
def random_walk_from_given_numbers(self, x):
    px = py = 0
    seen = [(0, 0)]
    for v in x:
        if v > 0.5:
            px += 1
        elif v > 0:
            px -= 1
        elif v > -0.5:
            py += 1
        else:
            py -= 1
        seen.append((px, py))
    return seen


@case(VECTORS, VECTOR_AXES)
def horner(self, x):
    result = 0.0
    for c in x[::-1]:
        result = result * 0.5 + float(c)
    return result


@case(VECTORS, VECTOR_AXES)
def convolution_by_loops(self, x):
    kernel = np.array([1, -2, 1], np.float32)
    n = max(len(x) - 2, 0)
    out = np.zeros(n, np.float32)
    for i in range(n):
        for k in range(3):
            out[i] += x[i + k] * kernel[k]
    return out


@case(VECTORS, VECTOR_AXES)
def stock_with_one_trade(self, x):
    low, gain = None, 0.0
    for v in x:
        price = float(v)
        if low is None or price < low:
            low = price
        elif price - low > gain:
            gain = price - low
    return gain


@case(IDS, POINT_AXES)
def run_length_encoding(self, ids):
    out = []
    i = 0
    while i < len(ids):
        j = i
        while j < len(ids) and ids[j] == ids[i]:
            j += 1
        out.append((int(ids[i]), j - i))
        i = j
    return out


@case(IDS, POINT_AXES)
def ctc_collapse(self, ids):
    out, last = [], -1
    for k in ids:
        if k != last and k != 0:
            out.append(k)
        last = k
    return out


@case(IDS, POINT_AXES)
def balanced_brackets(self, ids):
    stack = []
    for k in ids:
        if k < 2:
            stack.append(int(k))
        elif stack and stack[-1] == k - 2:
            stack.pop()
        else:
            return False
    return not stack


@case(IDS, POINT_AXES)
def reverse_polish(self, ids):
    stack = [1, 2]
    for k in ids:
        if k == 0:
            stack.append(len(stack))
        elif len(stack) < 2:
            break
        else:
            b, a = stack.pop(), stack.pop()
            stack.append(a + b if k == 1 else a - b if k == 2 else a * b)
    return stack[-1], len(stack)


@case(IDS, POINT_AXES)
def majority_vote(self, ids):
    candidate, votes = -1, 0
    for k in ids:
        if votes == 0:
            candidate, votes = int(k), 1
        elif k == candidate:
            votes += 1
        else:
            votes -= 1
    return candidate if sum(1 for k in ids if k == candidate) * 2 > len(ids) else None


@case(IDS, POINT_AXES)
def counting_sort(self, ids):
    counts = [0, 0, 0, 0]
    for k in ids:
        counts[k] += 1
    out = []
    for value, count in enumerate(counts):
        out += [value] * count
    return out


@case(IDS, POINT_AXES)
def unique_in_order(self, ids):
    seen = np.zeros(4, np.bool_)
    out = []
    for k in ids:
        if not seen[k]:
            seen[k] = True
            out.append(k)
    return out


@case(IDS, POINT_AXES)
def a_state_machine(self, ids):
    state = "start"
    accepted = 0
    for k in ids:
        if state == "start":
            state = "one" if k == 1 else "start"
        elif state == "one":
            if k == 2:
                state = "two"
            elif k != 1:
                state = "start"
        else:
            accepted += 1
            state = "start"
    return accepted, state == "one"


@case(TWO_IDS, TWO_AXES)
def edit_distance(self, a, b):
    d = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    for i in range(len(a) + 1):
        d[i, 0] = i
    for j in range(len(b) + 1):
        d[0, j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[-1, -1]


@case(TWO_IDS, TWO_AXES)
def edit_distance_with_two_rows(self, a, b):
    previous = list(range(len(b) + 1))
    for i, p in enumerate(a, 1):
        current = [i]
        for j, q in enumerate(b, 1):
            change = previous[j - 1] + (p != q)
            current.append(min(previous[j] + 1, current[j - 1] + 1, change))
        previous = current
    return previous[-1]


@case(TWO_IDS, TWO_AXES)
def longest_common_subsequence(self, a, b):
    n, m = len(a), len(b)
    t = np.zeros((n + 1, m + 1), np.int32)
    for i in range(n):
        for j in range(m):
            if a[i] == b[j]:
                t[i + 1, j + 1] = t[i, j] + 1
            else:
                t[i + 1, j + 1] = max(t[i, j + 1], t[i + 1, j])
    out = []
    while n > 0 and m > 0:
        if a[n - 1] == b[m - 1]:
            out.append(a[n - 1])
            n, m = n - 1, m - 1
        elif t[n - 1, m] >= t[n, m - 1]:
            n -= 1
        else:
            m -= 1
    return out[::-1]


@case(TWO_IDS, TWO_AXES)
def dynamic_time_warping(self, a, b):
    n, m = a.shape[0], b.shape[0]
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0
    for i in range(n):
        for j in range(m):
            best = min(cost[i, j], cost[i + 1, j], cost[i, j + 1])
            cost[i + 1, j + 1] = abs(a[i] - b[j]) + best
    return cost[n, m]


@case(TWO_IDS, TWO_AXES)
def find_a_pattern(self, a, b):
    pattern = a[:2]
    found = []
    for i in range(len(b) - len(pattern) + 1):
        match = True
        for j in range(len(pattern)):
            if b[i + j] != pattern[j]:
                match = False
                break
        if match:
            found.append(i)
    return found


@case(TWO_IDS, TWO_AXES)
def knapsack(self, weights, values):
    capacity = 7
    n = min(len(weights), len(values))
    best = [0] * (capacity + 1)
    for i in range(n):
        w, v = int(weights[i]) + 1, int(values[i])
        for c in range(capacity, w - 1, -1):
            best[c] = max(best[c], best[c - w] + v)
    return best[capacity]


@case(IDS, POINT_AXES)
def matrix_chain(self, ids):
    sizes = ids + 1
    n = len(sizes) - 1
    if n < 1:
        return 0
    cost = np.zeros((n, n), np.int64)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            best = 10**9
            for k in range(i, j):
                here = cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                if here < best:
                    best = here
            cost[i, j] = best
    return int(cost[0, n - 1])


@case(SQUARES, SQUARE_AXES)
def floyd_warshall(self, w):
    d = np.abs(w)
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


@case(SQUARES, SQUARE_AXES)
def floyd_warshall_by_rows(self, w):
    d = np.abs(w)
    for k in range(d.shape[0]):
        d = np.minimum(d, d[:, k : k + 1] + d[k : k + 1, :])
    return d


@case(SQUARES, SQUARE_AXES)
def power_iteration(self, w):
    a = w + w.T
    v = np.ones(len(a), np.float32)
    for _ in range(5):
        u = a.dot(v)
        norm = np.sqrt((u * u).sum())
        if norm < 1e-6:
            break
        v = u / norm
    return v


@case(SQUARES, SQUARE_AXES)
def gram_schmidt(self, w):
    basis = []
    for i in range(w.shape[1]):
        v = w[:, i]
        for u in basis:
            v = v - (u * v).sum() * u
        norm = np.sqrt((v * v).sum())
        if norm > 1e-3:
            basis.append(v / norm)
    return np.stack(basis)


@case(SYSTEMS, SYSTEM_AXES)
def cholesky(self, a, b):
    n = a.shape[0]
    low = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j] - (low[i, :j] * low[j, :j]).sum()
            low[i, j] = np.sqrt(s) if i == j else s / low[j, j]
    return low


@case(SYSTEMS, SYSTEM_AXES)
def gaussian_elimination(self, a, b):
    n = len(b)
    a, b = a.copy(), b.copy()
    for k in range(n):
        p = k + int(np.abs(a[k:, k]).argmax())
        if p != k:
            a[[k, p]] = a[[p, k]]
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - a[i, i + 1 :].dot(x[i + 1 :])) / a[i, i]
    return x


@case(SYSTEMS, SYSTEM_AXES)
def jacobi(self, a, b):
    d = np.diag(a)
    r = a - np.diag(d)
    x = np.zeros_like(b)
    for turn in range(50):
        new = (b - r.dot(x)) / d
        if np.abs(new - x).max() < 1e-4:
            return new, turn
        x = new
    return x, -1


@case(SYSTEMS, SYSTEM_AXES)
def gauss_seidel(self, a, b):
    x = np.zeros(len(b))
    for _ in range(4):
        for i in range(len(b)):
            s = 0.0
            for j in range(len(b)):
                if j != i:
                    s += a[i, j] * x[j]
            x[i] = (b[i] - s) / a[i, i]
    return x


@case(SYSTEMS, SYSTEM_AXES)
def conjugate_gradient(self, a, b):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r
    rs = r @ r
    k = 0
    while np.sqrt(rs) > 1e-6 and k < 2 * len(b):
        ap = a @ p
        alpha = rs / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        p = r + new / rs * p
        rs = new
        k += 1
    return x


@case(GRAPHS, SQUARE_AXES)
def breadth_first_search(self, graph):
    n = len(graph)
    distance = np.full(n, -1)
    distance[0] = 0
    queue = [0]
    while queue:
        node = queue.pop(0)
        for other in range(n):
            if graph[node, other] and distance[other] < 0:
                distance[other] = distance[node] + 1
                queue.append(other)
    return distance


@case(GRAPHS, SQUARE_AXES)
def depth_first_order(self, graph):
    n = len(graph)
    seen = [False] * n
    order = []
    stack = [0]
    while len(stack) > 0:
        node = stack.pop()
        if seen[node]:
            continue
        seen[node] = True
        order.append(node)
        for other in range(n - 1, -1, -1):
            if graph[node, other] != 0 and not seen[other]:
                stack.append(other)
    return order


@case(GRAPHS, SQUARE_AXES)
def connected_components(self, graph):
    n = graph.shape[0]
    label = np.arange(n)
    changed = True
    while changed:
        changed = False
        for i in range(n):
            for j in range(n):
                if (graph[i, j] or graph[j, i]) and label[j] < label[i]:
                    label[i] = label[j]
                    changed = True
    return label


@case(GRAPHS, SQUARE_AXES)
def topological_order(self, graph):
    n = len(graph)
    degree = graph.sum(axis=0)
    order = []
    done = np.zeros(n, bool)
    for _ in range(n):
        for v in range(n):
            if not done[v] and degree[v] == 0:
                break
        else:
            return None
        done[v] = True
        order.append(v)
        degree = degree - graph[v]
    return order


@case(GRAPHS, SQUARE_AXES)
def dijkstra(self, graph):
    n = len(graph)
    weight = graph * 2.0 + 1.0
    distance = [math.inf] * n
    distance[0] = 0.0
    done = [False] * n
    for _ in range(n):
        u, best = -1, math.inf
        for v in range(n):
            if not done[v] and distance[v] < best:
                u, best = v, distance[v]
        if u < 0:
            break
        done[u] = True
        for v in range(n):
            if graph[u][v]:
                distance[v] = min(distance[v], distance[u] + float(weight[u, v]))
    return distance


@case(GRAPHS, SQUARE_AXES)
def page_rank(self, graph):
    n = len(graph)
    out = graph.sum(axis=1)
    rank = np.full(n, 1.0 / n)
    for turn in range(100):
        new = np.full(n, 0.15 / n)
        for i in range(n):
            if out[i] == 0:
                new += 0.85 * rank[i] / n
            else:
                new += 0.85 * rank[i] * graph[i] / out[i]
        delta = np.abs(new - rank).sum()
        rank = new
        if delta < 1e-3:
            break
    return rank, turn


@case(GRAPHS, SQUARE_AXES)
def union_find(self, graph):
    n = len(graph)
    parent = list(range(n))

    def root(i):
        while parent[i] != i:
            i = parent[i]
        return i

    count = n
    for i in range(n):
        for j in range(n):
            if graph[i, j]:
                a, b = root(i), root(j)
                if a != b:
                    parent[b] = a
                    count -= 1
    return count


@case(GRAPHS, SQUARE_AXES)
def game_of_life(self, grid):
    n = grid.shape[0]
    for _ in range(2):
        new = np.zeros_like(grid)
        for i in range(n):
            for j in range(n):
                around = grid[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2].sum() - grid[i, j]
                if around == 3 or (grid[i, j] and around == 2):
                    new[i, j] = 1
        grid = new
    return grid


@case(GRAPHS, SQUARE_AXES)
def flood_fill(self, grid):
    n = len(grid)
    colours = np.zeros((n, n), np.int64)
    colour = 0
    for i in range(n):
        for j in range(n):
            if grid[i, j] and not colours[i, j]:
                colour += 1
                stack = [(i, j)]
                while stack:
                    p, q = stack.pop()
                    if 0 <= p < n and 0 <= q < n and grid[p, q] and not colours[p, q]:
                        colours[p, q] = colour
                        stack += [(p + 1, q), (p - 1, q), (p, q + 1), (p, q - 1)]
    return colours, colour


@case(SQUARES, SQUARE_AXES)
def spiral_order(self, w):
    top, left, bottom, right = 0, 0, w.shape[0] - 1, w.shape[1] - 1
    out = []
    while top <= bottom and left <= right:
        for j in range(left, right + 1):
            out.append(w[top, j])
        for i in range(top + 1, bottom + 1):
            out.append(w[i, right])
        if top < bottom and left < right:
            for j in range(right - 1, left - 1, -1):
                out.append(w[bottom, j])
            for i in range(bottom - 1, top, -1):
                out.append(w[i, left])
        top, left, bottom, right = top + 1, left + 1, bottom - 1, right - 1
    return out


@case(SQUARES, SQUARE_AXES)
def path_of_least_cost(self, w):
    cost = w.copy()
    n, m = cost.shape
    for i in range(n):
        for j in range(m):
            if i and j:
                cost[i, j] += min(cost[i - 1, j], cost[i, j - 1])
            elif i:
                cost[i, j] += cost[i - 1, j]
            elif j:
                cost[i, j] += cost[i, j - 1]
    return cost[-1, -1]


@case(SQUARES, SQUARE_AXES)
def transpose_in_place(self, w):
    n = len(w)
    for i in range(n):
        for j in range(i):
            w[i, j], w[j, i] = w[j, i], w[i, j]
    return w


@case(POINTS, POINT_AXES)
def k_means(self, x):
    centres = x[:3].copy()
    labels = np.zeros(len(x), np.int64)
    for turn in range(10):
        distance = ((x[:, None] - centres[None]) ** 2).sum(axis=2)
        new = distance.argmin(axis=1)
        if turn > 0 and (new == labels).all():
            break
        labels = new
        for k in range(3):
            mine = labels == k
            if mine.any():
                centres[k] = x[mine].mean(axis=0)
    return labels, centres


@case(POINTS, POINT_AXES)
def convex_hull(self, x):
    n = len(x)
    start = int(x[:, 0].argmin())
    hull = []
    p = start
    while True:
        hull.append(p)
        q = (p + 1) % n
        for r in range(n):
            a, b = x[q] - x[p], x[r] - x[p]
            if a[0] * b[1] - a[1] * b[0] < 0:
                q = r
        p = q
        if p == start:
            break
    return hull


@case(POINTS, POINT_AXES)
def closest_pair(self, x):
    best, pair = math.inf, (0, 0)
    for i in range(len(x)):
        for j in range(i):
            d = float(((x[i] - x[j]) ** 2).sum())
            if d < best:
                best, pair = d, (j, i)
    return pair


@case(POINTS, POINT_AXES)
def nearest_neighbour_tour(self, x):
    n = len(x)
    left = list(range(1, n))
    tour = [0]
    while left:
        here = x[tour[-1]]
        best = 0
        for k in range(len(left)):
            if ((x[left[k]] - here) ** 2).sum() < ((x[left[best]] - here) ** 2).sum():
                best = k
        tour.append(left.pop(best))
    return tour


@case(POINTS, POINT_AXES)
def perceptron(self, x):
    w, b = np.zeros(2, np.float32), np.float32(0)
    for epoch in range(4):
        mistakes = 0
        for row in x:
            target = 1 if row[0] + row[1] > 0.2 else -1
            if target * (w.dot(row) + b) <= 0:
                w += np.float32(target) * row
                b += np.float32(target)
                mistakes += 1
        if not mistakes:
            break
    return w, b, epoch


@case(POINTS, POINT_AXES)
def polygon_contains(self, x):
    inside = False
    j = len(x) - 1
    for i in range(len(x)):
        if (x[i, 1] > 0) != (x[j, 1] > 0):
            t = x[i, 1] / (x[i, 1] - x[j, 1])
            if x[i, 0] + t * (x[j, 0] - x[i, 0]) > 0:
                inside = not inside
        j = i
    return inside


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_algorithms(program: Program) -> None:
    hold(program)
