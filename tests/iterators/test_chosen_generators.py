"""Loops over one of several objects whose `__iter__` is a generator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

chosen = Table(
    [(np.array([1.0, -2.0, 3.5]), 3), (np.array([2.0, 1.0, 0.0]), 0), (np.array([0.5, 5, 7]), 1)]
    + [(np.array([3.0, 2.0, 1.0]), 2), (np.array([3.0, 3.0, 3.0]), 7)],
    {},
)


class Pair:
    """Gives two numbers."""

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b
        self.asked = 0

    def __iter__(self) -> Any:
        self.asked += 1
        yield self.a
        self.asked += 10
        yield self.b


class Three(Pair):
    """Gives another one, and the second one perhaps."""

    def __iter__(self) -> Any:
        yield self.a
        if self.a > 1:
            yield self.b
        yield 9.0


class Tree:
    """A binary search tree."""

    def __init__(self, key: Any) -> None:
        self.key, self.left, self.right = key, None, None

    def insert(self, key: Any) -> None:
        side = "left" if key < self.key else "right"
        below = self.left if side == "left" else self.right
        if below is not None:
            below.insert(key)
        elif side == "left":
            self.left = Tree(key)
        else:
            self.right = Tree(key)

    def __iter__(self) -> Any:
        if self.left is not None:
            yield from self.left
        yield self.key
        if self.right is not None:
            yield from self.right


@chosen()
def tree_of_known_size(self, x, n):
    root = Tree(n * 1.0)
    for v in x:
        root.insert(float(v))
    return list(root)


@chosen()
def loop_that_is_left(self, x, n):
    total, seen = 0.0, 0.0
    for v in Pair(x[0], n) if n > 1 else Three(x[1], n):
        if v > 2:
            seen = v
            break
        total = total * 2 + v
    else:
        total += 100
    return total, seen


@chosen()
def loop_that_returns(self, x, n):
    for v in Pair(x[0], n) if n > 1 else Three(x[1], n):
        if v > 2:
            return v * 2
    return -1.0


@chosen()
def loop_that_fails(self, x, n):
    out = []
    try:
        for v in Pair(x[0], n) if n > 1 else Three(x[1], n):
            if v > 2.5:
                raise ValueError
            out.append(v)
    except ValueError:
        out.append(-1.0)
    return out


@chosen()
def what_asking_changes(self, x, n):
    one, other = Pair(x[0], n), Pair(x[1], 4.0)
    total = 0.0
    for v in one if n > 1 else other:
        if v > 6:
            break
        total += v
    return total, one.asked, other.asked


@chosen()
def one_that_is_a_list(self, x, n):
    total = 0.0
    for v in Pair(x[0], n) if n > 1 else [1.0, x[2]]:
        total = total * 2 + v
    return total


@chosen()
def within_a_generator(self, x, n):
    def numbers(of: Any) -> Any:
        yield 0.5
        yield from of
        yield 7.0

    total = 0.0
    for v in numbers(Pair(x[0], n) if n > 1 else Three(x[1], n)):
        if total > 100:
            break
        total = total * 2 + v
    return total


@chosen()
def within_a_loop(self, x, n):
    total = 0.0
    for i in range(n):
        for v in Pair(x[0], n) if i % 2 else Three(x[1], n):
            if v > 5:
                continue
            total = total * 2 + v
    return total


@pytest.mark.parametrize("program", chosen.programs, ids=lambda program: program.name)
def test_chosen_generators(program: Program) -> None:
    hold(program)
