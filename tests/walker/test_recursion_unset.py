"""Recursive functions that may read a name before they have set it."""

from __future__ import annotations

import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import TOKEN_AXES, TOKENS, Table, hold

case = Table(TOKENS, TOKEN_AXES)
refused = Table(TOKENS, TOKEN_AXES)


@case()
def the_last_of_a_loop(self, s, n):
    def last(k, xs):
        for i in range(len(xs) - 1):
            found = k if k <= 0 else last(k - 1, xs[1:]) + xs[i]
        return found

    return last(n % 4, s)


@case()
def what_only_one_branch_sets(self, s, n):
    def depth(k, out):
        if k % 3 != 1:
            a = k
        if k <= 0:
            return 0
        r = depth(k - 2, out) + len(out)
        out.append(k)
        return r + a

    out = []
    return depth(n, out), out


@case()
def what_is_changed_before_it_is_set(self, s, n):
    def total(k, xs):
        if k <= 0:
            return 1
        if k == 3:
            count += 1  # noqa: F821
        count = total(k - 1, xs) + total(k - 2, xs)
        return count

    return total(n, s)


@case()
def what_is_caught(self, s, n):
    def depth(k, out):
        if k % 2:
            a = k
        if k <= 0:
            return 0
        try:
            r = depth(k - 1, out) + len(out[:a])
            out.append(r)
        except NameError:
            out.append(-k)
            r = 1
        return r

    out = []
    return depth(n, out), out


@case()
def one_that_is_set_by_another_call_only(self, s, n):
    def depth(k):
        if k > 1:
            a = 10 * k
        if k <= 0:
            return 0
        below = depth(k - 1)
        if k > 2 or len(s) > 3:
            return below + a
        return below + 1

    return depth(n)


@case()
def an_array_that_may_not_be_set(self, s, n):
    def kept(k, xs):
        if k <= 0 or len(xs) == 0:
            return xs
        if k % 2:
            part = xs[1:] * 2
        below = kept(k - 1, xs[::2])
        return below if k % 2 == 0 and n != 2 else below[:1] + part[:1]

    return kept(n, s)


@refused()
def a_name_that_a_function_inside_reads(self, s, n):
    def depth(k):
        if k > 1:
            a = k
        return k if k <= 0 else depth(k - 1) + sum([a for _ in range(k)])

    return depth(n)


@refused()
def a_walrus_behind_a_read(self, s, n):
    def depth(k):
        return k if k <= 0 else depth(k - 1) + (int(k > 9 and a > 0) + (a := k))  # noqa: F821, F841

    return depth(n)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_same_as_python(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_refused(program: Program) -> None:
    with pytest.raises(REFUSED, match="`a` may not be set here"):
        compiled(program)
