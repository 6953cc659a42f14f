"""Functions that call themselves within a `try`: what a call raises comes back to its caller."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [
    (np.array(values, "f"), n, c)
    for values, n, c in [
        ([1, 2, 3, 4], 2, 2.5),
        ([3, 1, 2], 3, 0.5),
        ([], 0, 1.0),
        ([5], 1, 10.0),
        ([2, 2, 7, 1], 5, 3.5),
        ([4, -1, 2], 8, -1.0),
    ]
]
rows = Table(INPUTS, {"x": {0: "rows"}})


@rows()
def a_handler_of_each_call(self, x, n, c):
    def f(k):
        if k < 0:
            raise ValueError("neg")
        if k == 0:
            return 0
        try:
            return 1 + f(k - 2)
        except ValueError:
            return 100

    return f(n)


@rows()
def a_finally_after_each_call(self, x, n, c):
    log = []

    def f(k):
        if k <= 0:
            return 0
        try:
            return 1 + f(k - 1)
        finally:
            log.append(k)

    return f(n), log


@rows()
def some_are_let_through(self, x, n, c):
    log = []

    def f(k):
        if k <= 0:
            if c > 2:
                raise KeyError("zero")
            raise ValueError("zero")
        try:
            f(k - 1)
        except ValueError:
            log.append(k)
            if k % 2:
                raise
        return k

    try:
        return f(n), log
    except (KeyError, ValueError) as e:
        return len(e.args[0]), log


@rows()
def two_calls_of_which_one_fails(self, x, n, c):
    values = x.tolist()

    def best(i, left):
        if left < 0:
            raise ValueError
        if i == len(values):
            return 0.0
        without = best(i + 1, left)
        try:
            return max(without, values[i] + best(i + 1, left - values[i]))
        except ValueError:
            return without

    return best(0, c + n)


@rows()
def what_is_caught_is_kept_over_a_call(self, x, n, c):
    log = []

    def f(k):
        if k <= 0:
            raise ValueError("abc")
        try:
            return f(k - 2)
        except ValueError as e:
            if k > 4:
                log.append(f(k - 5))
            return len(e.args[0]) + k

    return f(n + 1), log


@rows()
def an_argument_that_raises_leaves_no_frame(self, x, n, c):
    values = x.tolist()

    def f(i, given):
        if i <= 0:
            return given
        try:
            return f(i - 1, values[i]) + 1
        except IndexError:
            return -100.0

    return f(n, 0.5)


@rows()
def an_else_and_a_loop_around(self, x, n, c):
    log = []

    def f(k):
        if k <= 0:
            return 1
        total = 0
        for step in range(1, 3):
            try:
                if k % 3 == 2 and step == 2:
                    raise ValueError
                part = f(k - step)
            except ValueError:
                log.append(-k)
            else:
                total += part
        return total

    return f(n), log


@pytest.mark.parametrize("program", rows.programs, ids=lambda p: p.name)
def test_same(program: Program) -> None:
    hold(program)


refused = Table(INPUTS, {"x": {0: "rows"}})


@refused()
def what_a_moved_handler_raises_follows_from(self, x, n, c):
    def f(k):
        if k <= 0:
            raise ValueError(k)
        try:
            return f(k - 1)
        except ValueError:
            raise KeyError(k)  # noqa: B904

    try:
        return f(n)
    except KeyError as e:
        return e.__context__ is None


@refused()
def numbers_of_the_run_in_what_is_raised(self, x, n, c):
    def f(k):
        if k <= 0:
            raise ValueError(k + 7)
        try:
            return f(k - 2)
        except ValueError as e:
            return e.args[0] + k

    return f(n + 1)


@refused()
def what_is_caught_is_computed(self, x, n, c):
    kinds = (KeyError, ValueError)

    def f(k):
        try:
            return 0 if k <= 0 else f(k - 1)
        except kinds[0]:
            return k

    return f(n)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
