"""Loops over ranges, rows, lists and their combinations; `while`; what is left after them."""

from __future__ import annotations

import itertools

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

from tests.programs import Program
from tests.table import NUMBERS, VECTOR_AXES, VECTORS, Table, hold

case = Table()


@case()
def repeat(self, x, n, c):
    for _ in range(n):
        x = x * 2 + 1
    return x


@case()
def range_start_stop(self, x, n, c):
    total = 0
    for i in range(1, n + 2):
        total += i * i
    return total


@case(NUMBERS)
def range_with_step(self, a, b, s):
    out = 0
    for i in range(b, a, 3):
        out = out * 10 + i
    return out


@case(NUMBERS)
def range_backwards(self, a, b, s):
    out = 0
    for i in range(a, b, -2):
        out = out * 3 + i
    return out


@case(NUMBERS)
def range_of_a_symbolic_step(self, a, b, s):
    out = []
    for i in range(0, 10, b):
        out.append(i)
    return out


@case()
def rows(self, x, n, c):
    h = np.zeros(2, np.float32)
    for row in x:
        h = np.tanh(h + row)
    return h


@case()
def rows_of_a_variable(self, x, n, c):
    h = chainer.Variable(np.zeros(2, np.float32))
    for row in chainer.Variable(x):
        h = F.tanh(h + row)
    return h


@case()
def enumerate_rows(self, x, n, c):
    total = x[:1].sum()
    for i, row in enumerate(x):
        total = total + row.sum() * np.float32(i)
    return total


@case()
def enumerate_from_a_start(self, x, n, c):
    last = -1
    for i, row in enumerate(x, n):
        if row[0] > 0:
            last = i
    return last


@case()
def zip_of_rows_and_range(self, x, n, c):
    count = 0
    for row, i in zip(x, range(n)):
        if row.sum() > 0:
            count += i + 1
    return count


@case()
def reversed_rows(self, x, n, c):
    h = x.sum(axis=0)
    for row in reversed(x):
        h = h * np.float32(0.5) + row
    return h


@case()
def reversed_range(self, x, n, c):
    digits = 0
    for i in reversed(range(n)):
        digits = digits * 10 + i
    return digits


@case(VECTORS, VECTOR_AXES)
def sorted_values(self, x):
    out = []
    for v in sorted(x):
        out.append(v * 2)
    return out


@case()
def dict_items(self, x, n, c):
    table = {"a": x, "b": x * 2, "c": x - 1}
    y = x * 0
    for key, value in table.items():
        if key != "b" or c:
            y = y + value
    return y


@case()
def dict_values_in_a_loop(self, x, n, c):
    stats = {"sum": 0.0, "count": 0}
    for i in range(n):
        stats["sum"] += float(i)
        stats["count"] += 1
    return stats


@case(NUMBERS)
def count_down(self, a, b, s):
    steps = 0
    while a > 0:
        a -= 2
        steps += 1
    return a, steps


@case(NUMBERS)
def halve_until_small(self, a, b, s):
    while abs(s) > 1.0:
        s = s / 2
    return s


@case()
def while_on_a_tensor(self, x, n, c):
    while F.sum(x * x).array > 1.0:
        x = x * np.float32(0.5)
    return x


@case(NUMBERS)
def while_else(self, a, b, s):
    i = 0
    while i < a:
        if i == b:
            found = 1
            break
        i += 1
    else:
        found = 0
    return i, found


@case()
def for_else(self, x, n, c):
    for i in range(n):
        if x[i, 0] < 0:
            k = i
            break
    else:
        k = -1
    return k


@case()
def loop_variable_after_the_loop(self, x, n, c):
    i = -1
    for i in range(n):
        x = x + i
    return i, x


@case()
def loop_variable_rebound(self, x, n, c):
    total = 0
    for i in range(n):
        i = i * 2
        total += i
    return total


@case()
def name_first_bound_in_the_body(self, x, n, c):
    for i in range(n):
        h = x + i
    if n > 0:
        return h
    return x


@case()
def name_unbound_without_turns(self, x, n, c):
    for i in range(n):
        h = x * i
    return h


@case()
def nested_two(self, x, n, c):
    total = 0
    for i in range(n):
        for j in range(i + 1):
            total += i * j + 1
    return total


@case()
def nested_three_with_if(self, x, n, c):
    total = 0
    for i in range(n):
        for j in range(x.shape[0]):
            if (i + j) % 2:
                continue
            for k in range(j):
                total += k + 1
    return total


@case()
def loop_in_both_branches(self, x, n, c):
    if c:
        for _ in range(n):
            x = x + 1
    else:
        for _ in range(n + 1):
            x = x * 2
    return x


@case()
def static_loop_in_a_dynamic_one(self, x, n, c):
    for _ in range(n):
        for k in (1, 2, 3):
            x = x * np.float32(0.5) + k
    return x


@case()
def dynamic_loop_in_a_static_one(self, x, n, c):
    h = []
    for k in range(3):
        y = x
        for _ in range(n):
            y = y + k
        h.append(y)
    return h


@case()
def long_static_loop(self, x, n, c):
    h = x
    for k in range(200):
        h = h * np.float32(0.99) + (k % 3)
    return h


@case()
def fixed_shape_carry(self, x, n, c):
    w = np.eye(2, dtype=np.float32)
    for _ in range(n):
        w = w.dot(np.array([[1, 1], [0, 1]], np.float32))
    return x.dot(w)


@case()
def growing_carry(self, x, n, c):
    y = chainer.Variable(x)
    for _ in range(n):
        y = F.concat((y, y[:1]), axis=0)
    return y


@case()
def shrinking_carry(self, x, n, c):
    while len(x) > 2:
        x = x[1:-1]
    return x


@case()
def int_turns_to_float(self, x, n, c):
    s = 0
    for i in range(n):
        s = s * 0.5 + i
    return s * 1.0


@case()
def none_turns_to_array(self, x, n, c):
    h = None
    for i in range(n):
        h = x if h is None else h * 2
    return x if h is None else h


@case()
def loss_starts_at_zero(self, x, n, c):
    loss = 0
    for row in x:
        loss += F.sum(F.relu(chainer.Variable(row)))
    return loss * 1.0 if len(x) else x.sum()


@case()
def constant_carry(self, x, n, c):
    k = 3
    for _ in range(n):
        x = x + k
        k = 3
    return x, k


@case()
def two_way_swap(self, x, n, c):
    a, b = x, x * 2
    for _ in range(n):
        a, b = b, a + b
    return a


@case()
def three_way_rotation(self, x, n, c):
    a, b, d = 1, 2, 3
    for _ in range(n):
        a, b, d = d, a, b
    return a, b, d


@case(VECTORS, VECTOR_AXES)
def pairwise(self, x):
    total = 0.0
    for a, b in zip(x[:-1], x[1:]):
        total += abs(float(b) - float(a))
    return total


@case(VECTORS, VECTOR_AXES)
def all_pairs(self, x):
    count = 0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            if x[i] > x[j]:
                count += 1
    return count


@case()
def chunks(self, x, n, c):
    total = []
    for start in range(0, x.shape[0], 2):
        total.append(x[start : start + 2].sum(axis=0))
    return total


@case()
def continue_in_for(self, x, n, c):
    total = 0
    for i in range(n + 2):
        if i % 2 == 0:
            continue
        total += i
    return total


@case(NUMBERS)
def continue_in_while(self, a, b, s):
    i = total = 0
    while i < a:
        i += 1
        if i == b:
            continue
        total += i
    return total


@case()
def lambda_in_a_loop(self, x, n, c):
    def apply(f, y):
        return f(y)

    for i in range(n):
        x = apply(lambda v: v * 0.5 + i, x)
    return x


@case(link=lambda: L.Linear(2, 2))
def one_link_many_times(self, x, n, c):
    h = chainer.Variable(x)
    for _ in range(n):
        h = F.relu(self.link(h)) + h
    return h


@case(layers=lambda: chainer.ChainList(L.Linear(2, 4), L.Linear(4, 4), L.Linear(4, 1)))
def links_with_a_dynamic_stop(self, x, n, c):
    h = x
    for i, link in enumerate(self.layers):
        if i > n:
            break
        h = F.tanh(link(h))
    return F.sum(h, axis=1)


@case(layers=lambda: chainer.ChainList(*[L.Linear(2, 2) for _ in range(4)]))
def link_by_a_loop_counter(self, x, n, c):
    h = x
    for i in range(n):
        h = F.relu(self.layers[i % 4](h))
    return h


@case()
def product_of_ranges(self, x, n, c):
    total = 0
    for i, j in itertools.product(range(2), range(3)):
        total += i * n + j if (i + j) * n > 3 else 7
    return total


@case()
def sum_of_a_generator(self, x, n, c):
    return sum(i * i for i in range(n)), sum(row.max() for row in x[:3]) if len(x) > 2 else 0.0


@case()
def any_of_a_generator(self, x, n, c):
    return any(row.sum() > 1 for row in x), all(i < 3 for i in range(n))


@case()
def max_over_rows(self, x, n, c):
    best, where = -100.0, -1
    for i, row in enumerate(x):
        score = float(row.sum())
        if score > best:
            best, where = score, i
    return best, where


@case()
def while_true_with_break(self, x, n, c):
    k = 0
    while True:
        if k >= n:
            break
        x = x + k
        k += 1
    return x, k


@case()
def two_loops_share_state(self, x, n, c):
    total = 0
    for i in range(n):
        total += i
    for j in range(total):
        total += j % 2
    return total


@case()
def trip_count_made_by_a_loop(self, x, n, c):
    m = 1
    for _ in range(n):
        m = m * 2
    y = 0
    for i in range(m):
        y += i
    return y


@case()
def loop_bound_changes_inside(self, x, n, c):
    m = n
    turns = 0
    for i in range(m):
        m = m + 1
        turns += 1
    return m, turns


@case()
def iterate_a_transposed_array(self, x, n, c):
    out = []
    for column in x.T:
        out.append(column.sum() if column.sum() > n else column.min())
    return out


@case()
def scan_of_steps(self, x, n, c):
    out = []
    h = np.zeros(2, np.float32)
    for t in range(x.shape[0]):
        h = h * np.float32(0.9) + x[t]
        out.append(h)
    return np.stack(out)


@case()
def stack_of_variables(self, x, n, c):
    hs = []
    for t in range(n):
        hs.append(F.relu(chainer.Variable(x) * (t + 1)))
    return F.stack(hs, axis=1)


@case()
def global_step_schedule(self, x, n, c):
    rate = 1.0
    for epoch in range(n):
        if epoch in (1, 3):
            rate *= 0.1
        x = x * rate
    return x


@case()
def static_loop_returns_inside(self, x, n, c):
    out = []
    for i in range(20):
        out.append(i)
        if i >= n:
            return out, i
    return out, -1


@case()
def static_loops_left_one_in_the_other(self, x, n, c):
    total = 0
    for i in range(12):
        for j in range(12):
            if i * j > n:
                break
            total += 1
        if total > n * 4:
            break
    return total, i, j


@case()
def static_loop_left_from_a_handler_of_everything(self, x, n, c):
    k = 0
    for i in range(12):
        try:
            if i > n:
                break
        finally:
            k += 1
    return k, i


@case()
def static_loop_over_functions_left(self, x, n, c):
    functions = [F.relu, F.tanh, F.sigmoid]
    for i in range(12):
        x = functions[i % 3](x)
        if i > n:
            break
    return x


@case()
def static_loop_makes_arrays_of_its_size(self, x, n, c):
    for i in range(15):
        w = np.full((i + 1,), n)
        if i > n:
            break
    return w


@case()
def static_loop_of_strings_left(self, x, n, c):
    mode = "start"
    for i in range(14):
        mode = "middle" if mode == "start" else "end" if i > n else mode
        if mode == "end":
            break
    return i, mode == "end"


@case()
def items_of_a_known_array(self, x, n, c):
    for i, v in enumerate(np.linspace(0, 1, 12)):
        if v > 0.1 * n:
            break
    return i, v


@case()
def known_array_that_changes_while_read(self, x, n, c):
    a = np.zeros(30)
    total = 0.0
    for i, v in enumerate(a):
        a[i + 1 :] = n
        total += v
        if i > n:
            break
    return total


@case()
def list_that_grows_while_gone_through(self, x, n, c):
    queue = [0, 1]
    for i in queue:
        if i < n:
            queue.append(i + 2)
    return queue


@case()
def list_that_grows_once_at_most(self, x, n, c):
    queue = [3]
    total = 0
    for i in queue:
        total += i
        if n > 1 and len(queue) < 2:
            queue.append(n)
    return total, queue


@case()
def list_that_shrinks_while_gone_through(self, x, n, c):
    items, seen = [1, 2, 3, 4, 5], []
    for i in items:
        seen.append(i)
        if i == n:
            items.pop()
    return seen, items


@case()
def list_that_grows_and_is_left(self, x, n, c):
    queue, seen = [0], 0
    for i in queue:
        queue.append(i + 1)
        seen += i
        if i > n:
            break
    return seen, len(queue)


@case()
def list_of_pairs_that_grows(self, x, n, c):
    queue = [(0, 1.0)]
    last = 0.0
    for depth, weight in queue:
        last = weight
        if depth < n:
            queue.append((depth + 1, weight * 0.5))
    return last, len(queue)


@case()
def list_that_grows_by_rows(self, x, n, c):
    rows = [np.zeros(2, np.float32)]
    for row in rows:
        if len(rows) <= len(x):
            rows.append(row + x[len(rows) - 1])
    return rows


@case()
def sums_of_large_constants(self, x, n, c):
    total = 0
    for i in range(n):
        if c or i > 0:
            total += 3 * 10**18
    return total


@case()
def nested_sums_of_large_constants(self, x, n, c):
    total = 0
    for _ in range(n):
        for _ in range(n):
            total -= 7 * 10**17
    return total


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_loops(program: Program) -> None:
    hold(program)
