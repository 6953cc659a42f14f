"""Gradients through lists whose length is known only when the model runs."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

import elichika
from tests.programs import REFUSED, Program, compiled, difference, f32, outcome
from tests.table import Table, hold

INPUTS = [
    (f32(3, 2), 2),
    (f32(1, 2), 1),
    (f32(5, 2, seed=3), 4),
    (-f32(2, 2, seed=4), 0),
    (np.zeros((4, 2), np.float32), 3),
    (f32(2, 2, seed=5), 6),
]
case = Table(INPUTS, {"x": {0: "rows"}})


@case()
def stacked(self, x, n):
    x = chainer.Variable(x)
    hs = []
    for i in range(len(x)):
        hs.append(F.tanh(x[i] * (i + 1)))
    F.sum(F.stack(hs) ** 2).backward()
    return x.grad


@case()
def stacked_along_the_last_axis(self, x, n):
    x = chainer.Variable(x)
    hs = [F.tanh(x[i]) for i in range(len(x))]
    y = F.stack(hs, axis=-1)
    F.sum(y * y * (y + 1)).backward()
    return x.grad


@case()
def states_of_a_recurrence(self, x, n):
    x = chainer.Variable(x)
    h, hs = x[0], []
    for i in range(len(x)):
        h = F.tanh(h + x[i])
        hs.append(h)
    loss = F.sum(F.stack(hs) * 3) + F.sum(h * h)
    loss.backward()
    return loss, x.grad


@case()
def concatenated(self, x, n):
    x = chainer.Variable(x)
    parts = []
    for i in range(len(x)):
        parts.append(F.exp(x[: i + 1]))
    y = F.concat(parts, axis=0)
    F.sum(y * y).backward()
    return y, x.grad


@case()
def stacked_upright_and_flat(self, x, n):
    x = chainer.Variable(x)
    hs = [F.tanh(row) for row in x]
    numbers = [F.sum(row * row) for row in x]
    y = F.sum(F.vstack(hs) ** 2) + F.sum(F.hstack(hs) ** 3)
    y += F.sum(F.vstack(numbers) ** 2) + F.sum(F.hstack(numbers) ** 3)
    y.backward()
    return x.grad


@case()
def padded(self, x, n):
    x = chainer.Variable(x)
    parts = [F.exp(x[: i + 1]) for i in range(len(x))]
    y = F.pad_sequence(parts, padding=2.0)
    F.sum(y * y).backward()
    return y, x.grad


@case()
def one_item(self, x, n):
    x = chainer.Variable(x)
    hs = [F.exp(row) for row in x]
    F.sum(hs[n % len(hs)] * hs[-1]).backward()
    return x.grad


@case()
def items_in_turn(self, x, n):
    x = chainer.Variable(x)
    hs = [F.exp(row) for row in x]
    loss = F.sum(x) * 0
    for i, h in enumerate(hs):
        if i != n:
            loss += F.sum(h * h) * i
    loss.backward()
    return x.grad


@case()
def items_looked_at_by_each_turn(self, x, n):
    x = chainer.Variable(x)
    hs = [F.tanh(row) for row in x]
    context = []
    for h in hs:
        weights = F.softmax(F.stack([F.sum(h * other) for other in hs]), axis=0)
        context.append(F.sum(F.stack(hs) * weights[:, None], axis=0))
    F.sum(F.stack(context) ** 2).backward()
    return x.grad


@case()
def slices_of_lists(self, x, n):
    x = chainer.Variable(x)
    hs = [F.exp(row) for row in x]
    loss = F.sum(x)
    for part in (hs[1:], hs[::-1], hs[: n + 1], hs[-2:], hs[::2]):
        for i, h in enumerate(part):
            loss += F.sum(h) * (i + 1)
    loss.backward()
    return x.grad


@case()
def backwards(self, x, n):
    x = chainer.Variable(x)
    hs = []
    for row in x:
        hs.append(F.exp(row))
    hs.reverse()
    h = hs[0]
    for other in hs:
        h = F.tanh(h * other)
    F.sum(h).backward()
    return x.grad


@case()
def items_that_change(self, x, n):
    x = chainer.Variable(x)
    hs = [F.exp(row) for row in x]
    hs[0] = hs[-1] * 2
    hs.insert(1, F.sum(x, axis=0))
    hs.pop()
    hs.append(x[0])
    y = F.stack(hs)
    F.sum(y * y).backward()
    return y, x.grad


@case()
def a_stack(self, x, n):
    x = chainer.Variable(x)
    stack, loss = [F.sum(x, axis=0)], F.sum(x) * 0
    for i in range(len(x)):
        if i % 2:
            loss += F.sum(stack.pop() ** 2)
        stack.append(F.tanh(x[i]))
        stack.append(F.exp(x[i]))
    F.sum(loss + F.sum(F.stack(stack))).backward()
    return x.grad


@case()
def lists_one_after_the_other(self, x, n):
    x = chainer.Variable(x)
    hs = [F.exp(row) for row in x]
    gs = [F.tanh(row) for row in x]
    both = hs + gs
    both.extend(hs)
    y = F.stack(both)
    F.sum(y * y * np.arange(len(both), dtype=np.float32)[:, None]).backward()
    return x.grad


@case()
def a_list_of_a_branch(self, x, n):
    x = chainer.Variable(x)
    hs = [F.exp(row) for row in x]
    if n > 2:
        hs.append(F.sum(x, axis=0))
    elif n > 1:
        hs = [h * 2 for h in hs[:1]]
    y = F.stack(hs)
    F.sum(y * y).backward()
    return x.grad


@case()
def a_list_of_known_length_in_a_branch(self, x, n):
    x = chainer.Variable(x)
    hs = [F.exp(x[0])]
    if n > 2:
        hs = [F.tanh(row) for row in x]
    F.sum(F.stack(hs) ** 2).backward()
    return x.grad


@case()
def lists_in_attributes(self, x, n):
    x = chainer.Variable(x)
    self.memory = []
    for row in x:
        self.memory.append(F.exp(row))
        h = F.sum(F.stack(self.memory), axis=0)
        self.memory[-1] = F.tanh(h * 0.1)
    F.sum(self.memory[-1]).backward()
    return x.grad


@case()
def separated(self, x, n):
    x = chainer.Variable(x)
    loss = F.sum(x) * 0
    for i, row in enumerate(F.separate(x * x, axis=0)):
        if i != n:
            loss += F.sum(F.exp(row)) * i
    loss.backward()
    return x.grad


@case()
def split(self, x, n):
    x = chainer.Variable(x)
    loss = F.sum(x) * 0
    for i, part in enumerate(F.split_axis(x * x, len(x), 0)):
        loss += F.sum(F.exp(part)) * i
    loss.backward()
    return x.grad


@case()
def split_where_the_run_says(self, x, n):
    x = chainer.Variable(x)
    k = min(n, len(x))
    a, b, c = F.split_axis(F.tanh(x), np.array([k // 2, k]), 0)
    (F.sum(a) + F.sum(F.exp(b)) + F.sum(c * c)).backward()
    return x.grad


@case()
def a_part_is_unchained(self, x, n):
    x = chainer.Variable(x)
    h = F.tanh(x)
    a, b = F.split_axis(h, np.array([min(n, len(x))]), 0)
    b.unchain()
    (F.sum(a) + F.sum(b * b) + F.sum(h)).backward()
    return x.grad


@case()
def transposed(self, x, n):
    v = chainer.Variable(x)
    loss = F.sum(v)
    for row in F.transpose_sequence([v, F.exp(v[:n])]):
        loss += F.sum(row * row)
    loss.backward()
    return v.grad


@case()
def sizes_that_grow_and_shrink(self, x, n):
    v = h = chainer.Variable(x)
    for i in range(n):
        h = F.concat([h, v], axis=0) if i % 2 else F.tanh(h[1:])
    F.sum(h * h).backward()
    return v.grad


@case()
def added_up(self, x, n):
    x = chainer.Variable(x)
    hs = [F.exp(row) for row in x]
    F.sum(sum(hs) * F.add(*hs)).backward()
    return x.grad


@case()
def losses_in_a_list(self, x, n):
    x = chainer.Variable(x)
    losses = []
    for row in x:
        losses.append(F.sum(row * row))
    loss = sum(losses) / len(losses)
    loss.backward()
    return loss, x.grad


@case()
def mixed_with_arrays(self, x, n):
    v = chainer.Variable(x)
    hs = [F.exp(v[0])]
    for row in x:
        hs.append(chainer.Variable(row))
    F.sum(F.stack(hs) ** 2).backward()
    return v.grad


@case()
def without_a_gradient(self, x, n):
    v = chainer.Variable(x)
    with chainer.no_backprop_mode():
        y = F.stack([F.exp(row) for row in v])
    F.sum(v * y).backward()
    return v.grad


@case()
def of_each_element_by_grad(self, x, n):
    x = chainer.Variable(x)
    hs = [F.exp(row) for row in x]
    (g,) = chainer.grad([F.sum(F.stack(hs) ** 2)], [x])
    return g


@case()
def tuples_of_any_length(self, x, n):
    x = chainer.Variable(x)
    hs = tuple([F.exp(row) for row in x])
    hs = (*hs, F.sum(x, axis=0))
    F.sum(F.stack(hs) ** 2).backward()
    return x.grad


@case()
def a_list_in_a_turn(self, x, n):
    x = chainer.Variable(x)
    total = F.sum(x) * 0
    for _ in range(n):
        hs = [F.tanh(row) for row in x]
        total += F.sum(F.stack(hs) ** 2)
    total.backward()
    return x.grad


@case()
def retained_gradients(self, x, n):
    x = chainer.Variable(x)
    y = F.stack([F.tanh(row) for row in x])
    F.sum(y * y).backward(retain_grad=True)
    return x.grad, y.grad


@case()
def a_stack_is_unchained(self, x, n):
    x = chainer.Variable(x)
    y = F.stack([F.tanh(row) for row in x])
    y.unchain()
    (F.sum(y * y) + F.sum(x)).backward()
    return x.grad


@case()
def pairs_until_one_is_left(self, x, n):
    x = chainer.Variable(x)
    left = [F.tanh(row) for row in x]
    while len(left) > 1:
        a = left.pop()
        b = left.pop(0)
        left.append(F.tanh(a * b + a))
    F.sum(left[0]).backward()
    return x.grad


@case()
def neighbours_in_nested_loops(self, x, n):
    x = chainer.Variable(x)
    hs = [row * 1 for row in x]
    for _ in range(n):
        for j in range(len(hs)):
            hs[j] = F.tanh(hs[j] + hs[(j + 1) % len(hs)])
    F.sum(F.stack(hs) ** 2).backward()
    return x.grad


@case()
def a_copy_that_changes(self, x, n):
    x = chainer.Variable(x)
    hs = [F.exp(row * 0.1) for row in x]
    other = list(hs)
    other.append(hs[-1])
    other[0] = other[0] * 3
    F.sum(F.stack(other)).backward()
    first = x.grad.copy()
    x.cleargrad()
    F.sum(F.stack(hs)).backward()
    return first, x.grad


class Attention(chainer.Chain):
    """All states of an LSTM, looked at by the last one; gives the gradients of all parameters."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.lstm = L.LSTM(2, 4)
            self.out = L.Linear(8, 3)

    def forward(self, x: Any, n: Any) -> Any:
        self.cleargrads()
        self.lstm.reset_state()
        hs = []
        for i in range(len(x)):
            hs.append(self.lstm(x[i : i + 1]))
        states = F.concat(hs, axis=0)
        weights = F.softmax(F.matmul(states, hs[-1], transb=True), axis=0)
        context = F.sum(states * F.broadcast_to(weights, states.shape), axis=0, keepdims=True)
        y = self.out(F.concat([context, hs[-1]]))
        loss = F.softmax_cross_entropy(y, np.array([1], np.int32))
        loss.backward()
        return loss, [p.grad for _, p in sorted(self.namedparams())]


def test_attention_over_states() -> None:
    chain = Attention()
    model = elichika.compile_model(
        chain, {"x": f32(3, 2), "n": 2}, dynamic_axes={"x": {0: "rows"}}, verify=False
    )
    for inputs in INPUTS:
        assert not difference(outcome(chain.forward, inputs), outcome(model, inputs))


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.forward.__name__)
def test_program(program: Program) -> None:
    hold(program)


# -- what is refused -----------------------------------------------------------------------------


def an_item_is_cleared(self, x, n):
    vs = [chainer.Variable(row) for row in x]
    F.sum(F.stack(vs) ** 2).backward()
    for v in vs:
        v.cleargrad()
    return vs[0]


def an_item_is_unchained(self, x, n):
    x = chainer.Variable(x)
    hs = [F.tanh(row) for row in x]
    hs[-1].unchain()
    F.sum(F.stack(hs)).backward()
    return x.grad


def a_list_is_cut_off(self, x, n):
    x = chainer.Variable(x)
    hs = [F.tanh(row) for row in x]
    F.sum(hs[-1]).unchain_backward()
    F.sum(F.stack(hs)).backward()
    return x.grad


def one_of_an_item_and_another_is_unchained(self, x, n):
    x = chainer.Variable(x)
    hs = [F.tanh(row) for row in x]
    h = hs[-1] if n > 2 else F.exp(x[0])
    h.unchain()
    F.sum(F.stack(hs)).backward()
    return x.grad


def tuples_in_a_list(self, x, n):
    x = chainer.Variable(x)
    pairs = [(F.tanh(row), F.exp(row)) for row in x]
    loss = F.sum(x) * 0
    for a, b in pairs:
        loss += F.sum(a * b)
    loss.backward()
    return x.grad


def creator_of_a_stack(self, x, n):
    x = chainer.Variable(x)
    y = F.stack([F.exp(row) for row in x])
    F.sum(y).backward()
    return len(y.creator.inputs)


@pytest.mark.parametrize(
    "forward, message",
    [
        (an_item_is_cleared, "of a Variable that comes from a branch or a loop"),
        (an_item_is_unchained, "which Variables of a list of dynamic length are cut off"),
        (a_list_is_cut_off, "which Variables of a list of dynamic length are cut off"),
        (
            one_of_an_item_and_another_is_unchained,
            "which Variables of a list of dynamic length are cut off",
        ),
        (tuples_in_a_list, "which function made this Variable"),
        (creator_of_a_stack, "was made of a list of dynamic length"),
    ],
)
def test_refused(forward: Any, message: str) -> None:
    program = Program(forward, INPUTS, {"x": {0: "rows"}})
    with pytest.raises(REFUSED, match=message):
        compiled(program)
