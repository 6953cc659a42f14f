"""Lists that a recursive function takes apart and puts together, most of them by comprehensions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import TOKEN_AXES, TOKENS, Table, hold

INPUTS = [
    (np.array(values, np.int64),)
    for values in [
        [3, 1, 2, 1, 5],
        [],
        [7],
        [2, 1],
        [5, 5, 5],
        [9, -1, 9, 0, 3, 4, 2, 2, 7],
        [0, 1, 2, 3, 4, 5, 6, 7],
    ]
]
case = Table(INPUTS, {"x": {0: "numbers"}})
refused = Table(INPUTS, {"x": {0: "numbers"}})


@case()
def quicksort_in_one_line(self, x):
    def f(m):
        return (
            m
            if len(m) < 2
            else f([v for v in m[1:] if v < m[0]]) + [m[0]] + f([v for v in m[1:] if v >= m[0]])
        )

    return f(x.tolist())


class Sorting:
    def sort(self, m):
        return (
            m
            if len(m) < 2
            else [
                *self.sort([v for v in m[1:] if v < m[0]]),
                m[0],
                *self.sort([v for v in m[1:] if v >= m[0]]),
            ]
        )


@case()
def quicksort_of_a_method(self, x):
    return Sorting().sort(list(x))


@case()
def quicksort_of_three_parts(self, x):
    def f(m):
        if len(m) <= 1:
            return m
        p = m[len(m) // 2]
        less = [v for v in m if v < p]
        equal = [v for v in m if v == p]
        return f(less) + equal + f([v for v in m if v > p])

    return f(x.tolist())


@case()
def quicksort_of_arrays(self, x):
    def f(a):
        if len(a) < 2:
            return a
        return np.concatenate([f(a[1:][a[1:] < a[0]]), a[:1], f(a[1:][a[1:] >= a[0]])])

    return f(x)


@case()
def merge_sort(self, x):
    def merged(a, b):
        if not a or not b:
            return a + b
        return [a[0], *merged(a[1:], b)] if a[0] < b[0] else [b[0], *merged(a, b[1:])]

    def f(m):
        half = len(m) // 2
        return m if half < 1 else merged(f(m[:half]), f(m[half:]))

    return f(x.tolist())


@case()
def comprehension_after_a_name_that_its_statement_binds(self, x):
    def f(m):
        if len(m) < 2:
            return m
        return ([v for v in m[1:] if v < p] if (p := m[0]) > 2 else [p]) + f(m[1:])

    return f(x.tolist())


@case()
def comprehensions_in_a_truth(self, x):
    def f(m):
        return len(m) == 0 or (
            m[0] < 9 and f([v for v in m[1:] if v != m[0]]) and all([v > m[0] - 4 for v in m])
        )

    return f(x.tolist())


@case()
def a_name_that_is_bound_twice(self, x):
    def f(m):
        if len(m) < 2:
            return 1
        k = m[0]
        a = sum([v * k for v in m]) if k > 2 else f([v for v in m[1:] if v > k])
        k = 5
        return a + f(m[1:]) + sum([v * k for v in m])

    return f(x.tolist())


@case()
def functions_that_read_functions(self, x):
    def f(m):
        if len(m) < 1:
            return 0
        k = m[0] % 3
        scaled = lambda v: v * k  # noqa: E731
        above = lambda v: scaled(v) + 1  # noqa: E731
        rest = f(m[1:])
        return rest + above(2) + sum([above(v) for v in m])

    return f(x.tolist())


@case()
def comprehensions_in_one_with_calls(self, x):
    def f(n, m):
        if n <= 0:
            return 0
        parts = [f(k - 1, [v + k for v in m]) + sum([v * k for v in m]) for k in range(n)]
        return sum(parts) + max((v * n for v in m), default=0)

    return f(len(x) % 4, x.tolist())


@case()
def dicts_put_together(self, x):
    def f(n, held):
        if n <= 0:
            return 0
        entries = {1: n, **held, 2: f(n - 1, held), **held}
        held[1] = held.get(1, 0) + n
        return entries[1] + entries[2] + len(entries)

    return f(len(x), {3: 4}), f(len(x) - 3, {1: 2})


@refused()
def a_function_in_a_comprehension_with_calls(self, x):
    def f(n):
        if n <= 0:
            return 0
        made = [(f(k - 1), lambda: k) for k in range(n)]
        rest = f(n - 2)
        return rest + made[0][1]()

    return f(len(x))


def orders(m):
    return [[x, *rest] for x in m for rest in orders([y for y in m if y != x])] if m else [[]]


def sums(n, most):
    return (
        [[]]
        if n == 0
        else [[i, *rest] for i in range(min(n, most), 0, -1) for rest in sums(n - i, i)]
    )


@case(TOKENS, TOKEN_AXES)
def orders_of_what_is_not_known(self, s, n):
    few = s.tolist()[: n + 1]
    return [sum(i * x for i, x in enumerate(order)) for order in orders(few)]


@case(TOKENS, TOKEN_AXES)
def sums_that_give_a_number(self, s, n):
    return sums(n + len(s) % 4, n + 2)


@case(TOKENS, TOKEN_AXES)
def products_of_lists(self, s, n):
    def product(lists):
        return [[x, *rest] for x in lists[0] for rest in product(lists[1:])] if lists else [[]]

    return product([[1, 2], s.tolist()[:3], [n] * n])


@case()
def nested_lists(self, x):
    def built(i):
        return None if i >= len(x) else [built(2 * i + 1), x[i], built(2 * i + 2)]

    def total(tree):
        return 0 if tree is None else 2 * total(tree[0]) + tree[1] - total(tree[2])

    return total(built(0))


class Pair:
    def __init__(self, left, right):
        self.left, self.right = left, right


@case()
def objects_as_the_way_out(self, x):
    def built(i):
        return None if i >= len(x) else Pair(built(2 * i + 1), built(2 * i + 2))

    def depth(tree):
        return 0 if tree is None else 1 + max(depth(tree.left), depth(tree.right))

    return depth(built(0))


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_recursion_lists(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_refused(program: Program) -> None:
    with pytest.raises(REFUSED, match="reads `k` of the call around it"):
        compiled(program)


def test_nested_tuples_have_a_way_out() -> None:
    def forward(self, x):
        def built(i):
            return None if i >= len(x) else (built(2 * i + 1), built(2 * i + 2))

        def depth(tree):
            return 0 if tree is None else 1 + max(depth(tree[0]), depth(tree[1]))

        return depth(built(0))

    with pytest.raises(REFUSED, match="nests deeper") as caught:
        compiled(Program(forward, INPUTS, {"x": {0: "numbers"}}))
    assert "object of a class" in caught.value.hint
