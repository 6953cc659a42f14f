"""Gradients of Variables that come out of branches, loops and lists: `.grad`, `chainer.grad`."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest

from tests.programs import REFUSED, Program, compiled, f32
from tests.table import Table, hold

INPUTS = [
    (f32(3, 2), 2),
    (f32(1, 2), 1),
    (f32(5, 2, seed=3), 4),
    (-f32(2, 2, seed=4), 0),
    (np.zeros((4, 2), np.float32), 3),
    (f32(0, 2), 5),
]
AXES = {"x": {0: "rows"}}
case = Table(INPUTS, AXES)


# -- branches --------------------------------------------------------------------------------


@case()
def of_one_of_many(self, x, n):
    v = h = chainer.Variable(x)
    if n == 0:
        h = chainer.Variable(x * 2)
    elif n == 1:
        h = F.exp(v)
    elif n == 2:
        h = F.tanh(v)
        h = F.sin(h)
    F.sum(h * h + v).backward(retain_grad=True)
    return h.grad, v.grad


@case()
def of_what_a_side_uses_itself(self, x, n):
    v = chainer.Variable(x)
    if n > 1:
        h = F.tanh(v)
        k, m = h * 3, h
    else:
        h = F.sin(v)
        k, m = v, F.exp(h)
    F.sum(h * k + m).backward(retain_grad=True)
    return h.grad, k.grad, m.grad, v.grad


@case()
def of_leaves_that_add_up(self, x, n):
    h = chainer.Variable(x)
    if n > 2:
        h = chainer.Variable(x * 2)
    elif n > 1:
        h = F.tanh(h)
    F.sum(h * h).backward()
    first = h.grad
    F.sum(F.sin(h)).backward()
    return first, h.grad


@case()
def retained_where_the_run_says(self, x, n):
    v = chainer.Variable(x)
    h = F.sin(v)
    F.sum(h * h).backward(retain_grad=n > 1)
    return h.grad, v.grad


@case()
def of_what_needs_none(self, x, n):
    v = chainer.Variable(x)
    h = chainer.Variable(x * 2, requires_grad=False) if n > 1 else F.tanh(v)
    hs = [chainer.Variable(x * i, requires_grad=False) for i in range(n)]
    loss = F.sum(h * v)
    for one in hs:
        loss += F.sum(one * v)
    loss.backward(retain_grad=True)
    return h.grad, v.grad, [one.grad is None for one in hs]


# -- loops -----------------------------------------------------------------------------------


@case()
def of_the_last_state(self, x, n):
    v = h = k = chainer.Variable(x)
    loss = F.sum(v)
    for _ in range(n):
        h = F.tanh(h * 0.7)
        k = h * 2
        loss += F.sum(h * h)
    loss += F.sum(k)
    loss.backward(retain_grad=True)
    return h.grad, k.grad, v.grad


@case()
def of_what_some_turns_change(self, x, n):
    h = chainer.Variable(x)
    for i in range(n):
        if i % 2 == 0:
            h = F.tanh(h)
        if i > 2:
            break
    F.sum(h * h).backward(retain_grad=True)
    return h.grad


@case()
def of_what_changes_places(self, x, n):
    a, b = chainer.Variable(x), chainer.Variable(x * 2)
    for _ in range(n):
        a, b = b, a * 0.5
    F.sum(a * a + F.sin(b)).backward(retain_grad=True)
    return a.grad, b.grad


@case()
def of_a_state_of_nested_loops(self, x, n):
    h = chainer.Variable(x)
    for i in range(n):
        for _ in range(i):
            h = F.tanh(h)
    F.sum(h * h).backward(retain_grad=True)
    return h.grad


# -- lists -----------------------------------------------------------------------------------


@case()
def of_leaves_in_a_list(self, x, n):
    leaves = [chainer.Variable(x * i) for i in range(n + 1)]
    loss = F.sum(leaves[0])
    for i, leaf in enumerate(leaves):
        if i != 1:
            loss += F.sum(leaf * leaf)
    loss.backward()
    return [leaf.grad is None for leaf in leaves], leaves[-1].grad, leaves[n // 2].grad


@case()
def of_leaves_of_unlike_sizes(self, x, n):
    leaves = [chainer.Variable(x[:i]) for i in range(n)]
    loss = F.sum(chainer.Variable(x))
    for leaf in leaves:
        loss += F.sum(leaf * leaf)
    loss.backward()
    return [leaf.grad for leaf in leaves]


@case()
def of_states_in_a_list(self, x, n):
    h = chainer.Variable(x)
    hs = [h]
    for _ in range(n):
        h = F.tanh(h)
        hs.append(h)
        hs.insert(0, h * 2)
        h = F.sin(hs[0])
    last = hs.pop()
    F.sum(h * h).backward(retain_grad=True)
    return [h.grad for h in hs[::-1]], last.grad


@case()
def of_one_that_is_there_twice(self, x, n):
    v = chainer.Variable(x)
    hs = []
    for i in range(n):
        h = F.sin(v * i)
        hs.append(h)
        hs.append(h)
    loss = F.sum(v)
    for h in hs:
        loss += F.sum(h * h)
    loss.backward(retain_grad=True)
    return [h.grad for h in hs], v.grad


@case()
def of_states_of_nested_loops(self, x, n):
    h = chainer.Variable(x)
    hs = []
    for i in range(n):
        for _ in range(i):
            h = F.tanh(h)
            hs.append(h)
    F.sum(h * h).backward(retain_grad=True)
    return [h.grad for h in hs]


@case()
def losses_one_after_the_other(self, x, n):
    v = chainer.Variable(x)
    losses = [F.sum(F.sin(v) * i) for i in range(n + 1)]
    losses[-1].backward()
    first = v.grad
    for loss in losses:
        loss.backward()
    return first, v.grad


# -- chainer.grad ----------------------------------------------------------------------------


@case()
def by_a_list(self, x, n):
    h = chainer.Variable(x)
    hs = [h]
    for _ in range(n):
        h = F.tanh(h)
        hs.append(h)
    gs = chainer.grad([F.sum(h * h)], hs)
    halfway = chainer.grad([F.sum(hs[n // 2])], hs)
    return gs, [g is None for g in halfway], hs[0].grad is None


@case()
def descent_of_a_list(self, x, n):
    vs = [chainer.Variable(x + i) for i in range(n + 1)]
    for _ in range(2):
        loss = F.sum(vs[0])
        for v in vs:
            loss += F.sum(F.cos(v))
        gs = chainer.grad([loss], vs)
        vs = [chainer.Variable(v.array - 0.1 * g.array) for v, g in zip(vs, gs)]
    return vs


@case()
def of_a_list_with_seeds(self, x, n):
    v = chainer.Variable(x)
    ys = [F.sin(v * i) for i in range(n)]
    (g,) = chainer.grad(ys, [v], [chainer.Variable(x * i) for i in range(n)])
    return g


@case()
def of_a_list_twice(self, x, n):
    v = chainer.Variable(x)
    ys = [F.tanh(v * i) for i in range(n + 1)]
    (g,) = chainer.grad(ys, [v], enable_double_backprop=True)
    F.sum(g * g).backward()
    return v.grad


@case()
def of_a_list_by_a_list(self, x, n):
    vs = [chainer.Variable(x * i) for i in range(n)]
    return chainer.grad([F.tanh(v) for v in vs], vs)  # Chainer fails where both are empty


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.forward.__name__)
def test_program(program: Program) -> None:
    hold(program)


# -- what is refused -------------------------------------------------------------------------


def by_a_list_twice(self: Any, x: Any, n: Any) -> Any:
    vs = [chainer.Variable(x * i) for i in range(n + 1)]
    gs = chainer.grad([F.tanh(v) for v in vs], vs, enable_double_backprop=True)
    F.sum(gs[0] * gs[0]).backward()
    return vs[0].grad


def of_gradients_that_were_gone_through(self: Any, x: Any, n: Any) -> Any:
    v = chainer.Variable(x)
    h = F.tanh(v) if n > 1 else F.exp(v)
    (g,) = chainer.grad([F.sum(h * h)], [v], enable_double_backprop=True)
    F.sum(g * h).backward(retain_grad=True)
    return h.grad


def by_a_list_with_set_grad(self: Any, x: Any, n: Any) -> Any:
    vs = [chainer.Variable(x * i) for i in range(n + 1)]
    chainer.grad([F.tanh(v) for v in vs], vs, set_grad=True)
    return vs[0].grad


def of_a_list_that_holds_one_twice(self: Any, x: Any, n: Any) -> Any:
    v = chainer.Variable(x)
    hs = [F.sin(v * i) for i in range(n)]
    return chainer.grad(hs + hs[:1], [v])  # the seed of the first counts once


@pytest.mark.parametrize(
    "forward, message",
    [
        (by_a_list_twice, "which function made this Variable"),
        (of_gradients_that_were_gone_through, "of a Variable that comes from a branch or a loop"),
        (of_a_list_that_holds_one_twice, "whether a Variable is twice"),
        (by_a_list_with_set_grad, "with a list of dynamic length"),
    ],
)
def test_refused(forward: Any, message: str) -> None:
    with pytest.raises(REFUSED, match=message):
        compiled(Program(forward, INPUTS, AXES))
