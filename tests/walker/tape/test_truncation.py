"""Loops whose turns begin with Variables of no past: truncated backpropagation, adversaries."""

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
    (f32(3, 2), f32(3, 2, seed=1), 2),
    (f32(1, 2), f32(1, 2, seed=2), 0),
    (f32(0, 2), f32(0, 2), 1),
    (f32(2, 2, seed=4), f32(2, 2, seed=5), 4),
    (-f32(5, 2), f32(5, 2, seed=3), -3),
]
AXES = {"x": {0: "rows"}, "y": {0: "rows"}}
case = Table(INPUTS, AXES)
refused = Table(INPUTS, AXES)


@case()
def windows(self, x, y, n):
    w, h = chainer.Variable(y), chainer.Variable(x)
    losses = []
    for i in range(n):
        loss = 0
        for _ in range(i + 1):
            h = F.tanh(h * w)
            loss += F.sum(h * h)
        w.cleargrad()
        loss.backward()
        loss.unchain_backward()
        losses.append(w.grad)
    return losses, h


@case()
def cut_and_used_afterwards(self, x, y, n):
    w, h = chainer.Variable(y), chainer.Variable(x)
    total = F.sum(w)
    for _ in range(n):
        h = F.tanh(h * w)
        F.sum(h * h).backward()
        h.unchain_backward()
        total = total + F.sum(h * w)
    (total + F.sum(h * h * w)).backward()
    return w.grad


@case()
def adversaries(self, x, y, n):
    w, v = chainer.Variable(y), chainer.Variable(x)
    for _ in range(n):
        F.sum(F.sin(v * w)).backward()
        v = chainer.Variable(v.array - 0.1 * v.grad)
    return v, w.grad


@case()
def epochs(self, x, y, n):
    v = chainer.Variable(x)
    for _ in range(2):
        for _ in range(n):
            v.cleargrad()
            F.sum(F.sin(v)).backward()
            v = chainer.Variable(v.array - 0.1 * v.grad)
    return v


@case()
def the_first_one_is_used_again(self, x, y, n):
    """In the first turn it is `v` itself, and both ways go into one gradient."""
    v = first = chainer.Variable(x)
    for _ in range(n):
        F.sum(F.sin(v * first)).backward()
        v = chainer.Variable(v.array - 0.1 * v.grad)
    return v


@case()
def the_one_before(self, x, y, n):
    v = before = chainer.Variable(x)
    for _ in range(n):
        F.sum(F.sin(v * before)).backward()
        before, v = v, chainer.Variable(v.array - 0.1 * v.grad)
    return v, before


@refused()
def two_names_of_one(self, x, y, n):
    v = u = chainer.Variable(x)
    for _ in range(n):
        F.sum(F.sin(v * u)).backward()
        v = u = chainer.Variable(v.array - 0.1 * v.grad)
    return v


@refused()
def a_leaf_that_another_one_is_made_of(self, x, y, n):
    v, total = chainer.Variable(x), 0
    for _ in range(n):
        v = chainer.Variable(v.array * 0.5)
        total = total + F.sum(v)
    F.sum(total).backward()
    return v.grad


@refused()
def a_leaf_in_a_list(self, x, y, n):
    v = chainer.Variable(x)
    vs = [v]
    for _ in range(n):
        v = chainer.Variable(v.array * 0.5)
        vs.append(v)
    F.sum(F.stack(vs)).backward()
    return v.grad


@refused()
def cut_now_and_then(self, x, y, n):
    w, h = chainer.Variable(y), chainer.Variable(x)
    for i in range(n):
        h = F.tanh(h * w)
        if i % 2:
            F.sum(h * h).backward()
            h.unchain_backward()
    return w.grad


@refused()
def what_the_first_turn_gave_the_first_one(self, x, y, n):
    self.v = first = chainer.Variable(x)
    for _ in range(n):
        F.sum(F.sin(self.v)).backward()
        self.v = chainer.Variable(self.v.array - 0.1 * self.v.grad)
    return first.grad


@pytest.mark.parametrize("program", case.programs, ids=lambda program: program.name)
def test_programs(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda program: program.name)
def test_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)


class Words(chainer.Chain):  # type: ignore[misc]
    """A language model that is trained on a whole text, window after window, in one call."""

    def __init__(self) -> None:
        super().__init__()
        np.random.seed(0)
        with self.init_scope():
            self.embed, self.lstm = L.EmbedID(7, 4), L.LSTM(4, 4)
            self.out = L.Linear(4, 7)
        self.optimizer = chainer.optimizers.SGD(0.5).setup(self)

    def forward(self, text: Any, length: Any) -> Any:
        self.lstm.reset_state()
        losses = []
        for start in range(0, len(text) - length, length):
            loss = 0
            for i in range(start, start + length):
                loss += F.softmax_cross_entropy(
                    self.out(self.lstm(self.embed(text[i]))), text[i + 1]
                )
            self.cleargrads()
            loss.backward()
            loss.unchain_backward()
            self.optimizer.update()
            losses.append(loss.array)
        return losses, self.out.b.array


def test_a_language_model() -> None:
    def text(length: int) -> Any:
        return np.random.RandomState(length).randint(0, 7, (length, 2)).astype(np.int32)

    first = text(7), 2
    model = elichika.compile_model(Words(), first, dynamic_axes={"text": {0: "t"}}, verify=False)
    for inputs in (first, (text(10), 3), (text(4), 3), (text(1), 2), (text(9), 1)):
        expected = outcome(Words(), inputs)
        assert difference(expected, outcome(model, inputs), {"float32": 1e-3}) is None
