"""Backpropagation that ends where a call began: what a recurrent net keeps between calls."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest
from chainer import optimizers

import elichika
from tests.programs import REFUSED, difference, f32, outcome


def words(*shape: int, seed: int = 0) -> Any:
    return np.random.RandomState(seed).randint(0, 7, shape).astype(np.int32)


class Words(chainer.Chain):
    """A language model, trained on windows of a text."""

    def __init__(self) -> None:
        super().__init__()
        np.random.seed(0)
        with self.init_scope():
            self.embed = L.EmbedID(7, 4)
            self.l1 = L.LSTM(4, 4)
            self.out = L.Linear(4, 7)
        self.optimizer = optimizers.SGD(0.5).setup(self)

    def score(self, x: Any) -> Any:
        return self.out(self.l1(self.embed(x)))

    def forward(self, xs: Any, ts: Any) -> Any:
        loss = 0
        for x, t in zip(xs, ts):  # noqa: B905
            loss += F.softmax_cross_entropy(self.score(x), t)
        self.cleargrads()
        loss.backward()
        self.cut(loss)
        self.optimizer.update()
        return loss

    def cut(self, loss: Any) -> None:
        loss.unchain_backward()


class BegunAnew(Words):
    """Now and then a text begins."""

    def forward(self, xs: Any, ts: Any) -> Any:
        if len(xs) % 2:
            self.l1.reset_state()
        return super().forward(xs, ts)


class Plain(chainer.Chain):
    """A state that begins as a known Variable."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.l = L.Linear(4, 4, initialW=f32(4, 4) * 0.5)
            self.embed = L.EmbedID(7, 4, initialW=f32(7, 4, seed=1))
        self.h = chainer.Variable(np.zeros((3, 4), np.float32))

    def forward(self, xs: Any, ts: Any) -> Any:
        h = self.h
        for x in xs:
            h = F.tanh(self.l(h) + self.embed(x))
        loss = F.sum(h * h)
        self.cleargrads()
        loss.backward()
        h.unchain_backward()
        self.h = h
        return loss, self.l.W.grad, self.embed.W.grad


class NotCut(Words):
    def cut(self, loss: Any) -> None:
        pass


class CutInPart(Words):
    def cut(self, loss: Any) -> None:
        if len(loss.shape) == 0 and float(loss.array) > 3:
            loss.unchain_backward()


AXES = {"xs": {0: "time"}, "ts": {0: "time"}}


@pytest.mark.parametrize("make", [Words, BegunAnew, Plain])
def test_calls_in_a_row(make: Any) -> None:
    first = words(4, 3), words(4, 3, seed=1)
    model = elichika.compile_model(make(), first, dynamic_axes=AXES, state=True, verify=False)
    eager = make()
    for number, length in enumerate((4, 2, 1, 5, 3, 3)):
        window = words(length, 3, seed=number), words(length, 3, seed=number + 9)
        expected = outcome(eager.forward, window)
        assert difference(expected, outcome(model, window), {"float32": 1e-3}) is None, number


@pytest.mark.parametrize("make", [NotCut, CutInPart])
def test_a_past_that_may_go_on(make: Any) -> None:
    """The gradient of the next call would go on into this one."""
    first = words(4, 3), words(4, 3, seed=1)
    with pytest.raises(REFUSED):
        elichika.compile_model(make(), first, dynamic_axes=AXES, state=True, verify=False)


def test_a_state_that_was_computed_before() -> None:
    """What the chain has at the start comes of a call that the model knows nothing of."""
    chain = Plain()
    chain.h = F.tanh(chain.l(chain.h))
    first = words(4, 3), words(4, 3, seed=1)
    with pytest.raises(REFUSED):
        elichika.compile_model(chain, first, dynamic_axes=AXES, state=True, verify=False)
