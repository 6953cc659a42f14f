"""`unchain` and `unchain_backward` of Variables that branches and loops gave."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

import elichika
from tests.programs import REFUSED, difference, f32

DOUBTED = "whether this Variable was unchained is known only"
MANY = "of a Variable that comes from a branch or a loop"
TURNS = "which iterations of this loop made this Variable"


class Pair(chainer.Chain):
    """Gives what `run` gives, and all gradients of two layers."""

    def __init__(self) -> None:
        super().__init__()
        np.random.seed(0)
        with self.init_scope():
            self.l = L.Linear(3, 3)
            self.m = L.Linear(3, 3)

    def forward(self, x: Any, n: Any) -> Any:
        self.cleargrads()
        made = self.run(x, n)
        return made, [self.l.W.grad is None, self.m.W.grad is None], self.gradients()

    def gradients(self) -> Any:
        return [F.sum(x) * 0 if x.grad is None else x.grad for x in (self.l.W, self.m.W, self.l.b)]

    def finish(self, *losses: Any) -> Any:
        loss = sum(F.sum(one * one) for one in losses)
        loss.backward()
        return loss


class Windows(Pair):
    """Truncated backpropagation: a second loop goes on from where the first one ended."""

    def run(self, x: Any, n: Any) -> Any:
        h = self.m(x)
        loss = F.sum(h)
        for _ in range(2):
            for _ in range(n):
                h = F.tanh(self.l(h))
                loss += F.sum(h * h)
            loss.backward()
            loss.unchain_backward()
            loss = F.sum(h)
        return loss


class AfterABranch(Pair):
    def run(self, x: Any, n: Any) -> Any:
        h = self.m(x)
        if n > 2:
            h = F.tanh(self.l(h))
        else:
            h = F.sin(self.l(h))
        loss = F.sum(h * h)
        loss.backward()
        loss.unchain_backward()
        return self.finish(F.tanh(self.l(h)))


class OfBothSides(Pair):
    """Both sides are made of `a`: it is cut, whichever runs."""

    def run(self, x: Any, n: Any) -> Any:
        a = self.m(x)
        y = F.tanh(a) if n > 2 else F.exp(a)
        y.unchain_backward()
        return self.finish(y * self.l(x), a)


class NotTheOther(Pair):
    """A loop that ran no turn took nothing."""

    def run(self, x: Any, n: Any) -> Any:
        a = self.l(x)
        for _ in range(n):
            a = F.tanh(a)
        a.unchain_backward()
        return self.finish(a, self.m(x))


class Zeroed(Pair):
    """The zeros are written into the gradient of the one that the branch chose."""

    def run(self, x: Any, n: Any) -> Any:
        loss = self.finish(self.l(x), self.m(x))
        (self.l.W if n > 2 else self.m.W).zerograd()
        return loss


@pytest.mark.filterwarnings("ignore:Variable.zerograd")
@pytest.mark.parametrize("kind", [Windows, AfterABranch, OfBothSides, NotTheOther, Zeroed])
def test_what_is_surely_cut(kind: Any) -> None:
    chain = kind()
    model = elichika.compile_model(
        chain, (f32(4, 3), 3), dynamic_axes={"x": {0: "rows"}}, verify=False
    )
    for seed, n in enumerate((0, 1, 2, 3, 7)):
        x = f32(seed + 1, 3, seed=seed)
        assert difference(chain(x, n), model(x, n)) is None


class Either(Pair):
    def run(self, x: Any, n: Any) -> Any:
        a, b = self.l(x), self.m(x)
        y = a if n > 2 else b
        y.unchain_backward()
        return self.finish(a, b)


class EitherAlone(Pair):
    def run(self, x: Any, n: Any) -> Any:
        a, b = self.l(x), self.m(x)
        y = a if n > 2 else b
        y.unchain()
        return self.finish(a, b)


class OfEither(Pair):
    def run(self, x: Any, n: Any) -> Any:
        a, b = self.l(x), self.m(x)
        y = a * 2 if n > 2 else b * 3
        y.unchain_backward()
        return self.finish(a, b)


class Other(Pair):
    """What another result of the branch is made of is not cut."""

    def run(self, x: Any, n: Any) -> Any:
        a, b = self.l(x), self.m(x)
        if n > 2:
            y, z = F.tanh(a), F.exp(b)
        else:
            y, z = F.exp(a), F.tanh(b)
        y.unchain_backward()
        return self.finish(y * z)


class SomeTurn(Pair):
    """Where there is no turn, `b` is not cut."""

    def run(self, x: Any, n: Any) -> Any:
        a, b = self.l(x), self.m(x)
        y = a
        for _ in range(n):
            y = y * b
        y.unchain_backward()
        return self.finish(a, b)


class LandsOnOne(Pair):
    """The gradient that comes to `y` is that of `a` or of a result of its own."""

    def run(self, x: Any, n: Any) -> Any:
        a = self.m(x)
        y = a if n > 2 else F.sin(a)
        y.unchain()
        F.sum(y * y).backward()
        return F.sum(x) if a.grad is None else a.grad


class FormerTurn(Pair):
    def run(self, x: Any, n: Any) -> Any:
        h = chainer.Variable(x)
        for _ in range(n):
            h.unchain()
            h = F.tanh(self.l(h))
        return self.finish(h)


class FormerTurns(Pair):
    def run(self, x: Any, n: Any) -> Any:
        h = self.m(x)
        for _ in range(n):
            h.unchain_backward()
            h = F.tanh(self.l(h))
        return self.finish(h)


class Cleared(Pair):
    def run(self, x: Any, n: Any) -> Any:
        loss = self.finish(self.l(x), self.m(x))
        (self.l.W if n > 2 else self.m.W).cleargrad()
        return loss


class LastTurn(Pair):
    """What a turn ends with may have a gradient already."""

    def run(self, x: Any, n: Any) -> Any:
        s = F.sum(self.m(x))
        s.backward(retain_grad=True)
        y = F.sum(self.l(x))
        for _ in range(n):
            y = s
        y.backward()
        return y


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        *((kind, DOUBTED) for kind in (Either, EitherAlone, OfEither, Other, SomeTurn, LandsOnOne)),
        *((kind, TURNS) for kind in (FormerTurn, FormerTurns)),
        *((kind, MANY) for kind in (Cleared, LastTurn)),
    ],
)
def test_what_may_be_cut_is_refused(kind: Any, reason: str) -> None:
    with pytest.raises(REFUSED, match=reason):
        elichika.compile_model(
            kind(), (f32(4, 3), 3), dynamic_axes={"x": {0: "rows"}}, verify=False
        )
