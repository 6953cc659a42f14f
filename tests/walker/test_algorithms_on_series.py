"""Algorithms on sequences as people write them: sorting, searching, parsing, tables of costs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.programs import Program, ints
from tests.table import VECTOR_AXES, VECTORS, Table, hold

case = Table()


IDS = [(ints(5),), (ints(0),), (ints(1),), (ints(9, seed=2),), (np.array([2, 2, 2, 0, 0]),)]
TWO_IDS = [
    (ints(4), ints(6)),
    (ints(0), ints(3)),
    (ints(5, seed=3), ints(0)),
    (np.array([1, 2, 3]), np.array([1, 2, 3])),
    (ints(1), ints(7)),
]
TWO_AXES = {0: {0: "N"}, 1: {0: "M"}}
POINT_AXES = {0: {0: "N"}}


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


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_series(program: Program) -> None:
    hold(program)
