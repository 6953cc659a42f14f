"""Gradients through functions that call themselves as often as the data say."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

from tests.programs import Program, f32
from tests.table import Table, hold

case = Table()


def tree_of(left: list[int], right: list[int]) -> tuple[Any, ...]:
    """A tree of arrays of children, with a row for each node."""
    return np.array(left), np.array(right), f32(len(left), 3)


TREES = [
    tree_of([1, 3, -1, -1, -1], [2, 4, -1, -1, -1]),
    tree_of([-1], [-1]),
    tree_of([1, -1, -1], [2, -1, -1]),
    tree_of([1, -1, 3, -1, 5, -1, -1], [2, -1, 4, -1, 6, -1, -1]),
    tree_of([1, 3, 5, -1, -1, -1, -1], [2, 4, 6, -1, -1, -1, -1]),
]
TREE_AXES = {name: {0: "nodes"} for name in ("left", "right", "rows")}
COUNTS = [(f32(4) / 4, 3), (f32(2), 0), (f32(1), 1), (f32(5) / 4, 2), (f32(3) / 4, 5)]


@case(COUNTS, {"x": {0: "rows"}})
def two_calls(self, x, n):
    v = chainer.Variable(x)

    def f(k):
        if k <= 1:
            return v * 1.5
        return f(k - 1) * F.tanh(f(k - 2))

    y = F.sum(f(n))
    y.backward()
    return y, v.grad


@case(TREES, TREE_AXES, leaf=lambda: L.Linear(3, 2), join=lambda: L.Linear(4, 2))
def parameters_of_a_tree(self, left, right, rows):
    def state(i):
        if left[i] < 0:
            return F.tanh(self.leaf(rows[i : i + 1]))
        below = state(left[i])
        return F.tanh(self.join(F.concat([below, state(right[i])])))

    self.cleargrads()
    loss = F.sum(state(0) ** 2)
    loss.backward()
    return loss, self.leaf.W.grad, self.join.W.grad, self.join.b.grad


@case(TREES, TREE_AXES)
def calls_in_a_loop(self, left, right, rows):
    v = chainer.Variable(rows)

    def total(i):
        h = F.sum(v[i] * v[i])
        for j in (left, right):
            if j[i] >= 0:
                h = h + F.tanh(total(j[i]))
        return h

    loss = total(0)
    loss.backward()
    return loss, v.grad


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_program(program: Program) -> None:
    hold(program)
