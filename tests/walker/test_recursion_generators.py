"""Generators that call themselves and pass on what the calls yield."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import TOKEN_AXES, TOKENS, Table, hold

case = Table(TOKENS, TOKEN_AXES)


class Tree:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None

    def insert(self, key):
        if key < self.key:
            if self.left is None:
                self.left = Tree(key)
            else:
                self.left.insert(key)
        elif self.right is None:
            self.right = Tree(key)
        else:
            self.right.insert(key)

    def walk(self):
        if self.left is not None:
            yield from self.left.walk()
        yield self.key
        if self.right is not None:
            for key in self.right.walk():  # noqa: UP028
                yield key


def tree_of(s):
    root = Tree(2)
    for key in s.tolist():
        root.insert(key)
    return root


@case()
def a_search_tree(self, s, n):
    total = 0
    for place, key in enumerate(tree_of(s).walk()):
        if key > n:
            break
        total += place * key
    return total, sum(tree_of(s).walk())


def searched(near, seen, i):
    seen[i] = 1
    yield i
    for j in range(len(near)):
        if near[i, j] and not seen[j]:
            yield from searched(near, seen, j)


@case()
def a_depth_first_search_that_is_left(self, s, n):
    k = len(s)
    near, seen = np.zeros((k, k), np.int64), np.zeros(k, np.int64)
    for i in range(k):
        near[i, int(s[i]) % k] = near[int(s[i]) % k, i] = 1
    out = []
    if k > 0:
        for i in searched(near, seen, 0):
            out.append(i)
            if len(out) > n:
                break
    return out, seen


def moves(n, a, b, c):
    if n > 0:
        yield from moves(n - 1, a, c, b)
        yield a, c
        yield from moves(n - 1, b, a, c)


@case()
def pairs_and_their_number(self, s, n):
    return [3 * a + b for a, b in moves(n, 0, 1, 2)], sum(1 for _ in moves(n, 0, 1, 2))


def even(n):
    if n > 0:
        yield 2 * n
        yield from odd(n - 1)


def odd(n):
    if n > 0:
        yield 3 * n
        yield from even(n - 1)


@case()
def two_that_call_each_other(self, s, n):
    return list(even(n + len(s))), max(odd(n), default=-1)


@case()
def what_happens_between_two_items(self, s, n):
    log = []

    def walk(k):
        if k > 0:
            log.append(k)
            yield from walk(k - 1)
            log.append(-k)
            yield k * k
            log.append(100 + k)

    for v in walk(n):
        log.append(1000 * v)
        if v == 4:
            break
    return log


def orders(xs):
    if len(xs) == 0:
        yield []
    for i in range(len(xs)):
        for order in orders(xs[:i] + xs[i + 1 :]):
            yield [xs[i], *order]


def subsets(xs):
    if not xs:
        yield []
    else:
        for subset in subsets(xs[1:]):
            yield subset
            yield [xs[0], *subset]


class Nodes:
    def __init__(self, keys):
        self.keys = keys
        self.left, self.right = np.full(len(keys), -1), np.full(len(keys), -1)
        for i in range(1, len(keys)):
            j, side = 0, self.left
            while True:
                side = self.left if keys[i] < keys[j] else self.right
                if side[j] < 0:
                    break
                j = side[j]
            side[j] = i

    def walk(self, i):
        if i >= 0:
            yield from self.walk(self.left[i])
            yield self.keys[i]
            yield from self.walk(self.right[i])

    def levels(self, i, depth):
        if i >= 0:
            for key, level in self.levels(self.left[i], depth + 1):
                yield key, level
            yield self.keys[i], depth
            for key, level in self.levels(self.right[i], depth + 1):
                yield key, level


@case()
def all_orders(self, s, n):
    return list(orders(s.tolist()[:3]))


@case()
def the_first_order_that_does(self, s, n):
    for order in orders(s.tolist()[:3]):
        if all(a <= b for a, b in zip(order, order[1:], strict=False)):
            return order
    return None


@case()
def all_subsets(self, s, n):
    return [len(subset) * sum(subset) for subset in subsets(s.tolist()[:4])]


@case()
def items_made_of_two(self, s, n):
    return [key * depth for key, depth in Nodes(s).levels(min(len(s), 1) - 1, 0)]


@case()
def items_of_two_that_call_each_other(self, s, n):
    def even(k):
        yield k
        if k > 0:
            for v in odd(k - 1):
                yield v + 1

    def odd(k):
        if k > 0:
            for v in even(k - 1):
                yield v * 2
        yield -k

    return list(even(n))


@case()
def asked_by_next(self, s, n):
    keys = Nodes(s).walk(min(len(s), 1) - 1)
    return next(keys, None), next(keys, None), list(itertools.islice(keys, 2)), list(keys)


@case()
def beside_others(self, s, n):
    nodes = Nodes(s)
    return [key * i for key, i in zip(nodes.walk(min(len(s), 1) - 1), range(n))]


@case()
def two_at_once(self, s, n):
    nodes, first = Nodes(s), min(len(s), 1) - 1
    total = 0
    for one, other in zip(nodes.walk(first), Nodes(s + n).walk(first)):
        total = 3 * total + one - other * n
    return total, [a * b for a, b in zip(nodes.walk(first), nodes.walk(first))]


@case()
def one_is_longer(self, s, n):
    first = min(len(s), 1) - 1
    return [a - b for a, b in zip(Nodes(s).walk(first), Nodes(s[:n]).walk(min(first, n - 1)))]


@case()
def a_tree_of_objects_that_is_asked(self, s, n):
    keys = tree_of(s).walk()
    return next(keys), next(keys, n), list(keys)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_generators(program):
    hold(program)


def counted(n, seen):
    seen.append(n)
    if n > 0:
        for v in counted(n - 1, seen):
            seen.append(v)
            yield v + 1
    yield n


def asking(n):
    if n > 0:
        yield next(asking(n - 1)) + 1
        yield from asking(n - 2)
    yield n


def kept(n):
    if n > 0:
        try:
            yield from kept(n - 1)
        finally:
            pass


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda s: asking(len(s)), "`asking` calls itself"),
        (lambda s: counted(len(s), [7][: len(s)]), "changes something after the item asked for"),
        (lambda s: kept(len(s)), "this `yield` stands in an expression, a `try` or a `with`"),
    ],
)
def test_refused(function, message):
    def forward(self, s, n):
        return list(function(s))

    with pytest.raises(REFUSED, match=message):
        compiled(Program(forward, TOKENS, TOKEN_AXES))
