"""Loops over generators that are left where it is decided at run time."""

from __future__ import annotations

import pytest
from chainer import functions as F

import elichika
from tests.programs import Program, compiled
from tests.table import ROW_AXES, ROWS, Table, hold

case = Table()


class Tree:
    def __init__(self, value, left=None, right=None):
        self.value = value
        self.left = left
        self.right = right

    def walk(self):
        if self.left is not None:
            yield from self.left.walk()
        yield self.value
        if self.right is not None:
            yield from self.right.walk()


def doubled(k):
    while True:
        yield k
        k = k * 2 + 1


@case()
def a_generator_without_an_end(self, x, n, c):
    total = 0
    for v in doubled(n):
        total = total + v
        if total > 20:
            break
    return total, v


@case()
def a_state_that_is_generated(self, x, n, c):
    def states(h):
        while True:
            h = F.tanh(h * 1.5 + 0.1)
            yield h

    for count, h in enumerate(states(x[:1]), 1):
        if count > n or (c and float(F.sum(h).array) > 1.9):
            break
    return h, count


@case()
def found_in_rows(self, x, n, c):
    def rows():
        for i in range(len(x)):
            yield i, x[i]

    for i, row in rows():
        if row[0] > 0:
            return i, row
    return -1, x.sum(axis=0)


@case()
def what_follows_the_yield(self, x, n, c):
    log = []

    def items():
        for i in range(4):
            log.append(i)
            yield i * n
            log.append(i * 10)

    out = []
    for v in items():
        if v > 2:
            break
        out.append(v)
    else:
        out.append(100)
    return out, log


@case()
def generators_of_generators(self, x, n, c):
    def inner(a):
        yield a
        yield a + 1

    def outer(a):
        yield from inner(a)
        yield a + 10
        yield from [a + 20, a + 30]

    total = 0
    for v in outer(n):
        if v % 5 == 0:
            break
        total += v
    return total


@case()
def a_tree(self, x, n, c):
    tree = Tree(n, Tree(n - 1), Tree(n + 5, Tree(n + 2)))
    out, count = 0, 0
    for v in tree.walk():
        if v > 3:
            break
        out += v
        count += 1
    return out, count


@case()
def loops_in_loops(self, x, n, c):
    def steps(count):
        for i in range(count):
            if i == 3:
                return
            yield i
            if i + count == 5:
                return

    out = []
    for v in steps(n):
        for w in steps(v + 2):
            if w * v > 2:
                break
            out.append(w * 10 + v)
        if len(out) > 4:
            break
    return out


@case()
def returned_from_a_loop(self, x, n, c):
    def numbers(count):
        i = 0
        while i < count:
            i += 1
            if i % 3 == 0:
                continue
            yield i
        yield -1

    def first(count):
        for v in numbers(count):
            if v * v > n:
                return v
        return -5

    return [first(k) for k in range(4)], first(n)


@case()
def a_generator_expression(self, x, n, c):
    total = 0
    for v in (row.sum() for row in x):
        if v > 1:
            break
        total = total + v
    return total


def down(n):
    while n > 0:
        yield n
        n -= 1


@case()
def left_in_the_first_turn(self, x, n, c):
    out = []
    for v in down(n):
        out.append(v)
        break
    else:
        out.append(77)
    for v in down(n):
        out.append(v)
        if v % 2:
            break
        out.append(-v)
        break
    return out


@case()
def first_of_two(self, x, n, c):
    def both():
        yield from down(n)
        yield 100

    for v in both():
        return v
    return -1


@case()
def left_in_a_loop_over_another(self, x, n, c):
    total = 0
    for u in down(n):
        for v in down(u):
            total += v
            break
        total += 100
    return total, any(v == 2 for v in down(n))


def two(k):
    yield k
    yield k + 1
    return 5


@case()
def the_value_of_a_generator_of_a_function_that_is_asked_elsewhere(self, x, n, c):
    def outer():
        end = yield from two(n)
        yield -1 if end is None else end

    asked = two(n)
    first = next(asked)
    return list(outer()), first, next(asked)


class Counted:
    def __init__(self, k):
        self.k = k

    def __iter__(self):
        yield from range(self.k)
        return 17


class Ended:
    def __init__(self, k):
        self.k = k

    def __iter__(self):
        return self

    def __next__(self):
        if self.k <= 0:
            raise StopIteration(42)
        self.k -= 1
        return self.k


@case()
def the_value_that_an_object_ends_with(self, x, n, c):
    def outer():
        a = yield from Counted(n)
        b = yield from Ended(n)
        d = yield from Ended(2)
        e = yield from [n]
        yield -1 if a is None or b is None or d is None else a + b + d
        yield e is None

    return list(outer()), [v for v in outer()]


def leaf(k):
    yield from range(k)
    return k * 10


def mid(k):
    end = yield from leaf(k)
    return end


@case()
def a_value_through_two_generators(self, x, n, c):
    def top():
        end = yield from mid(n)
        yield end

    asked = mid(3)
    return next(asked), list(top())


@case()
def a_value_of_what_was_asked_before(self, x, n, c):
    def outer():
        rest = leaf(n)
        first = next(rest, None)
        end = yield from rest
        yield -1 if end is None else end
        yield first is None

    return list(outer())


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_left_at_run_time(program: Program) -> None:
    hold(program)


def test_a_generator_that_has_no_place_to_return_from() -> None:
    def forward(self, x, n, c):
        def items():
            try:
                yield from range(3)
            finally:
                x[...] = 0

        for v in items():
            if v == n:
                break
        return x

    message = "leaves a loop over a generator that yields in an expression, a `try` or a `with`"
    with pytest.raises(elichika.ElichikaError, match=message):
        compiled(Program(forward, ROWS, ROW_AXES))
