"""Choices whose tag is the same in all iterations of a loop, and others that change at the last."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program, compiled, f32
from tests.table import Table, hold


def _eighths(size: int) -> Any:
    """Numbers whose sums are exact."""
    return np.round(f32(size, seed=size) * 8) / 8


#: A vector, a number of iterations, and two flags.
INPUTS = [
    (_eighths(3), 3, True, False),
    (_eighths(2), 0, False, True),
    (_eighths(0), 2, True, True),
    (_eighths(1), 1, False, False),
    (_eighths(5), 5, True, False),
    (_eighths(2), 4, False, True),
    (_eighths(4), 6, True, True),
]
case = Table(INPUTS, {"x": {0: "size"}})


@case()
def stays(self, x, n, a, b):
    h, total = x if a else None, np.float32(0)
    for _ in range(n):
        if h is not None:
            total += h.sum()
        h = None if h is None else h * 2
    return total, h


@case()
def stays_in_places_that_are_swapped(self, x, n, a, b):
    h, k, seen = x if a else None, x * 2 if a else None, []
    for _ in range(n):
        h, k = k, h
        seen.append(0.0 if h is None else h.sum())
    return seen, h, k


@case()
def changes_places(self, x, n, a, b):
    h, k, seen = x if a else None, None if a else x * 2, []
    for _ in range(n):
        h, k = k, h
        seen.append(h is None)
    return seen, h, k


@case()
def changes_in_the_third_iteration(self, x, n, a, b):
    h, total = x if a else None, np.float32(0)
    for i in range(n):
        if h is not None:
            total += h.sum()
        if i == 2:
            h = None
        elif h is not None:
            h = h + 1
    return total, h


@case()
def changes_where_an_inner_loop_ends(self, x, n, a, b):
    h, total = x if a else None, np.float32(0)
    for i in range(n):
        for _ in range(i):
            total += -1 if h is None else h.sum()
        if b and i == 2:
            h = None if h is not None else x
    return total, h is None


@case()
def one_of_three(self, x, n, a, b):
    name, total = "a" if a else "b" if b else "c", 0
    for i in range(n):
        total = total * 3 + {"a": 0, "b": 1, "c": 2}[name]
        if i == 1 and b:
            name = "c"
    return total, name == "c"


@case()
def of_an_object(self, x, n, a, b):
    class State:
        pass

    state, total = State(), 0
    state.h = x if a else None
    for i in range(n):
        total = total * 2 + (state.h is None)
        if b and i == 1:
            state.h = None
    return total, state.h


@case()
def of_functions(self, x, n, a, b):
    f = F.relu if a else F.tanh
    for i in range(n):
        x = f(x).array + 1
        if b and i == 1:
            f = F.tanh if f is F.relu else F.relu
    return x


@case()
def a_gradient_that_none_or_all_iterations_give(self, x, n, a, b):
    x, w = chainer.Variable(x), chainer.Variable(x + 1)
    h, total = x, x * 0
    for _ in range(n):
        h = h * w if a else h
        if b:
            total = total + h
    F.sum(total).backward()
    return x.grad, w.grad


@case()
def a_gradient_by_a_size(self, x, n, a, b):
    x, w = chainer.Variable(x), chainer.Variable(x + 1)
    h, total, size = x, x * 0, len(x)
    for _ in range(n):
        h = h * 2 if size == 0 else h * w
        total = total + h if size > 2 else total + F.sum(h)
    F.sum(total).backward()
    return x.grad, w.grad


@case()
def a_gradient_of_rows_in_another_shape(self, x, n, a, b):
    rows, w = (
        chainer.Variable(np.outer(x, np.arange(3)).astype("f")),
        chainer.Variable(np.eye(3, dtype="f")),
    )
    state = chainer.Variable(np.zeros((1, 3), "f"))
    for i in range(len(x)):
        state = F.tanh(state + F.matmul(F.reshape(rows[i], (1, -1)), w))
    F.sum(state).backward()
    return rows.grad, w.grad


@pytest.mark.parametrize("program", case.programs, ids=lambda one: one.name)
def test_compiled_once_right_on_other_inputs(program: Program) -> None:
    hold(program)


def _carried(graph: Any) -> list[int]:
    found = []
    for node in graph.node:
        found += [len(node.input) - 2] * (node.op_type == "Loop")
        for attribute in node.attribute:
            found += _carried(attribute.g)
    return found


@pytest.mark.parametrize("name, carried", [("stays", 2), ("changes_in_the_third_iteration", 3)])
def test_a_tag_that_stays_is_not_carried(name: str, carried: int) -> None:
    (program,) = [one for one in case.programs if one.name == name]
    assert max(_carried(compiled(program).proto.graph)) == carried


def test_back_through_a_loop_asks_once_for_what_all_iterations_share() -> None:
    (program,) = [one for one in case.programs if one.name == "a_gradient_by_a_size"]
    loops = _loops(compiled(program).proto.graph)
    assert loops
    assert all(sum(node.op_type == "If" for node in loop.node) < 3 for loop in loops)


def _loops(graph: Any) -> list[Any]:
    found = []
    for node in graph.node:
        for attribute in node.attribute:
            found += [attribute.g] * (node.op_type == "Loop") + _loops(attribute.g)
    return found
