"""What branches and turns leave behind, joined: a row or nothing, ranges, lists, views."""

from __future__ import annotations

import chainer
import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

case = Table()


@case(state=lambda: np.zeros(2, np.float32))
def unused_list_with_a_read_that_may_fail(self, x, n, c):
    _ = [r for r in x if r.sum()]
    x[:] = self.state.min()
    return self.state


@case(state=lambda: np.zeros(2, np.float32))
def row_that_may_not_be_there_or_a_number(self, x, n, c):
    self.state += 1.5
    return 1 if self.state.sum() else x[0]


@case()
def tuple_that_nests_deeper_is_made_whole_and_never_read(self, x, n, c):
    held, total = 1, 0

    def added(v):
        nonlocal total
        total += v
        return v

    rows = []
    for i in range(n):
        held = (held, rows.append(i), added(i + 1))
    for i in range(n):
        held = (added(i), (held, added(3)), held, ())
    return rows, total


@case()
def one_of_several_lists_with_a_variable_or_its_array(self, x, n, c):
    v = F.relu(x)
    one = [[v, 1], [v.array, 2], [x, 3]][n % 3]
    held = []
    for i in range(n):
        held.append(one if c else [v.array, i])
    total = 0
    for w, i in held:
        total = total * 2 + (1 if isinstance(w, chainer.Variable) else 7)
    return held, total


@case()
def one_of_several_dicts_with_a_variable_or_another_array(self, x, n, c):
    one = [{"k": F.relu(x), "j": []}, {"k": x, "j": 2.5}][n % 2]
    held = []
    for i in range(n):
        held.append(one)
        if c and i == 1:
            one = {"k": x + 1, "j": 1.5}
    return held


@case()
def row_or_nothing_joined_again(self, x, n, c):
    y = x[n - 1] if n else None
    z = (y, 1)
    if c:
        z = (None, 2)
    return (y is None), z


@case()
def list_made_and_returned_in_an_inner_loop(self, x, n, c):
    while n > 0:
        for y in x:
            if y[0] > 0 or c:
                return [r * n for r in x], n
        n -= 1
    return [], n


@case(items=list)
def lists_made_in_two_loops(self, x, n, c):
    kept = [x[0]] if len(x) else []
    for i in range(n):
        for y in x:
            if y.sum() > i:
                kept = [r + i for r in x]
        if c:
            self.items = [y for y in kept]
    return kept, self.items


@case()
def reshaped_after_a_write_in_a_branch(self, x, n, c):
    y = x * 2
    if c:
        y += 1
    z = y.reshape(-1)
    z[:n] = 5
    v = z.reshape(2, -1)
    v[0] -= 1
    return y, z


@case(state=lambda: np.zeros(2, np.float32))
def views_of_one_array_made_in_turns(self, x, n, c):
    y = z = self.state
    for r in x:
        if r[0] > 1:
            return y * 2, z
        for _ in range(n):
            y = z[:]
    z[0] = 5
    return y, z


@case()
def range_with_a_bound_of_one_of_two_kinds(self, x, n, c):
    a = n
    for _ in np.where(x > 0, x, 0):
        a = a = x.sum() < n
    total = 0
    for b in range(a % 3, 4):
        total = total * 10 + b
    return total


@case()
def range_that_a_branch_makes(self, x, n, c):
    if c:
        few = range(1, n)
    elif len(x) > 2:
        few = range(n + 3, 0, -2)
    else:
        few = range(2)
    total = 0
    for b in few:
        total = total * 10 + b
    return total, len(few)


@case()
def range_that_a_loop_carries(self, x, n, c):
    few = range(1, n)
    total = 0
    for r in x:
        for b in few:
            total = total + b
        few = range(int(r[0] > 0), len(few) + 1)
    return total, len(few)


@case()
def row_returned_from_a_loop(self, x, n, c):
    for b in range(1, n):
        if b == 2:
            return x[0], [x[-1]]
    return None, []


@case()
def rows_written_where_a_function_gave_them(self, x, n, c):
    def pick(rows, k):
        for i in range(k):
            if rows[i].sum() > 0:
                return rows[i]
        return rows[:1].sum(axis=0)

    y = pick(x, min(n, len(x)))
    y += 1
    return x, y


@case()
def items_deleted_at_one_end_or_the_other(self, x, n, c):
    kept = [r for r in x]
    while len(kept) > 1 and n > 0:
        del kept[0 if c else -1]
        n -= 1
    return kept, n


@case()
def copy_in_another_order(self, x, n, c):
    y = x.T.copy()
    if c:
        y = np.zeros_like(y) + n
    z = y.reshape(-1)
    z[:1] = 9
    return y, z


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_program(program: Program) -> None:
    hold(program)
