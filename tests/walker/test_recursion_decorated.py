"""Functions that call themselves through what a decorator made of them."""

from __future__ import annotations

import functools

import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

case = Table([(5, 2), (0, 1), (1, 0), (3, 3), (7, 1), (2, 5), (10, 4)], {})


def memoized(function):
    memo = {}

    @functools.wraps(function)
    def looked_up(k):
        if k not in memo:
            memo[k] = function(k)
        return memo[k]

    return looked_up


def noted(function):
    log = []

    def inner(k):
        log.append(k)
        try:
            return function(k)
        finally:
            log.append(-k)

    inner.log = log
    return inner


def counted(function):
    calls = [0]

    def run(k, by):
        calls[0] += 1
        return function(k, by) + calls[0] % 2

    run.calls = calls
    return run


@memoized
def fibonacci(k):
    return k if k < 2 else fibonacci(k - 1) + fibonacci(k - 2)


@memoized
def tribonacci(k):
    return k if k < 3 else tribonacci(k - 1) + tribonacci(k - 2) + tribonacci(k - 3)


@noted
def hailstone(k):
    return 0 if k <= 1 else 1 + hailstone(k // 2 if k % 2 == 0 else 3 * k + 1)


@counted
def down(k, by):
    return 0 if k <= 0 else down(k - by, by) + down(k - 2 * by, by=by) % 7


def pair_of(step):
    def one(k):
        return 0 if k <= 0 else 1 + other(k - step)

    def other(k):
        return 100 if k <= 0 else 2 + one(k - 1) % 13

    return one, other


def with_total(function):
    total = 100

    def added(k):
        return function(k) + total

    return added


total = 7


@with_total
def falling(k):
    return total if k <= 0 else falling(k - 1) % 50 + total


def remembering(function):
    memo = {}

    def wrapper(*args):
        if args not in memo:
            memo[args] = function(*args)
        return memo[args]

    return wrapper


def counting(function):
    total = [0]

    def wrapper(*args, **kwargs):
        total[0] += 1
        return function(*args, **kwargs)

    wrapper.total = total
    return wrapper


@remembering
def ways(i, j):
    return 1 if i == 0 or j == 0 else ways(i - 1, j) + ways(i, j - 1)


@counting
@remembering
def pell(k):
    return k if k < 2 else 2 * pell(k - 1) + pell(k - 2)


@counting
def stepping(k, by, more=0):
    return more if k <= 0 else stepping(k - by, by) + stepping(k - by, by=by, more=1)


@counting
def ping(k):
    return 0 if k <= 0 else 1 + pong(k - 2)


@counting
def pong(k):
    return 5 if k <= 0 else ping(k + 1) * 2


by_one, back_by_one = pair_of(1)
by_two, back_by_two = pair_of(2)


@case()
def two_memos(self, n, m):
    return fibonacci(n), tribonacci(m), tribonacci(n)


@case()
def a_log_of_all_calls(self, n, m):
    hailstone.log.clear()
    return hailstone(n), hailstone.log


@case()
def a_count_of_all_calls(self, n, m):
    down.calls[0] = 0
    return down(n, 1 + m % 3), down.calls[0]


@case()
def names_of_two_functions_around(self, n, m):
    return by_one(n), by_two(n), back_by_two(n), back_by_one(m)


@case()
def arguments_of_any_number(self, n, m):
    stepping.total[0] = 0
    return ways(n % 4, m), pell(n), stepping(min(n, 4), by=1, more=m), stepping.total[0]


@case()
def one_decorator_of_two_functions(self, n, m):
    ping.total[0] = pong.total[0] = 0
    return ping(n), pong(m), ping.total[0], pong.total[0]


@case()
def decorators_of_the_program_itself(self, n, m):
    depth, most = 0, 0

    def tracked(f):
        def wrapper(*args):
            nonlocal depth, most
            depth += 1
            most = max(most, depth)
            result = f(*args)
            depth -= 1
            return result

        return wrapper

    @tracked
    def go(k, by):
        return 0 if k <= 0 else go(k - by, by) + 1

    return go(n, 1 + m % 3), depth, most


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_same(program: Program) -> None:
    hold(program)


def test_a_name_with_two_meanings_is_refused() -> None:
    def forward(self, n, m):
        return falling(n)

    with pytest.raises(REFUSED, match="`total` is another thing in each of them"):
        compiled(Program(forward, [(5, 2)]))


@counting
def longer(k, *more):
    return sum(more) if k <= 0 else longer(k - 1, *more, k) + len(more)


def test_more_arguments_in_each_call_are_refused() -> None:
    def forward(self, n, m):
        return longer(n)

    with pytest.raises(REFUSED, match="`wrapper` and `longer` call each other"):
        compiled(Program(forward, [(5, 2)]))
