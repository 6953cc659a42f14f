"""Recursive functions that leave out what the program made for a parameter, and names of others."""

from __future__ import annotations

import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import TOKEN_AXES, TOKENS, Table, hold

case = Table(TOKENS, TOKEN_AXES)
refused = Table(TOKENS, TOKEN_AXES)


@case()
def a_memo_that_is_never_given(self, s, n):
    def fib(k, memo={}):  # noqa: B006
        if k in memo:
            return memo[k]
        if k < 2:
            return k
        memo[k] = fib(k - 1) + fib(k - 2)
        return memo[k]

    return fib(n + len(s)), fib(n)


@case()
def a_memo_that_is_given_once(self, s, n):
    def fib(k, memo={}):  # noqa: B006
        if k in memo:
            return memo[k]
        if k < 2:
            return k
        memo[k] = fib(k - 1) + fib(k - 2)
        return memo[k]

    own = {1: 10}
    return fib(n + 1, own), fib(n), own


@case()
def a_list_of_each_function(self, s, n):
    def made(start):
        def run(k, *, seen=[start]):  # noqa: B006
            seen.append(k)
            return sum(seen) if k <= 0 else run(k - 1) + run(k - 2)

        return run

    one, other = made(1), made(n)
    return one(n), other(2), one(1), other(n), one(1, seen=[5])


@case()
def two_that_call_each_other(self, s, n):
    def even(k, memo={}):  # noqa: B006
        if k not in memo:
            memo[k] = k if k <= 0 else odd(k - 1) + 1
        return memo[k]

    def odd(k, seen=[]):  # noqa: B006
        seen.append(k)
        return len(seen) if k <= 0 else even(k - 1) + odd(k - 2)

    return even(n), odd(n), even(n + 1)


@case()
def arrays_and_numbers_of_the_run(self, s, n):
    log = []

    def run(i, first=s[:1] + n, seen=log, last=n):
        seen.append(i)
        if i >= len(s):
            return last
        return s[i] * run(i + 1) - run(i + 2, last=last + 1) * (first[0] if len(first) else 1)

    return run(0), log


def f_memo(tokens, i, seen=[]):  # noqa: B006
    return i if i >= len(tokens) else f_memo(tokens, i + 1) + tokens[i] * f_memo(tokens, i + 2)


@case()
def a_default_of_the_module(self, s, n):
    return f_memo(s, n)


offset = 1000


def adding(s, offset, i):
    if i >= len(s):
        return offset
    return offset + reading(s, offset, i + 1) + reading(s, offset, i + 2)


def reading(s, other, i):
    return offset + other if i >= len(s) else adding(s, other, i + 1) * 2


@case()
def a_parameter_that_another_reads_as_a_global(self, s, n):
    return adding(s, n, 0), reading(s, n, 0)


def setting(s, i):
    offset = 2 * i
    return offset if i >= len(s) else using(s, i + 1) * 2 - offset


def using(s, i):
    return offset if i >= len(s) else offset + setting(s, i + 1) + setting(s, i + 2)


@case()
def a_local_name_that_another_reads_as_a_global(self, s, n):
    return setting(s, 0), using(s, 0)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_recursion_defaults(program: Program) -> None:
    hold(program)


@refused()
def a_list_of_a_function_of_one_side(self, s, n):
    def held(k, seen=[n]):  # noqa: B006
        return len(seen)

    if n > 1:

        def held(k, seen=[n, n]):  # noqa: B006
            seen.append(k)
            return len(seen)

    return held(1), held(2)


@refused()
def a_dict_in_a_tuple_of_a_lambda(self, s, n):
    one = (lambda held=(1, {0: n}): len(held[1])) if n > 1 else (lambda held=(1, {}): len(held[1]))
    return one()


@refused()
def what_a_turn_has_made(self, s, n):
    held = lambda seen=(): len(seen)  # noqa: E731
    for token in s.tolist():
        held = lambda seen=[token]: seen.append(1) or len(seen)  # noqa: E731
    return held(), held()


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_refused(program: Program) -> None:
    with pytest.raises(REFUSED, match="was made in a branch, and so was what it holds"):
        compiled(program)
