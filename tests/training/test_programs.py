"""Programs that train, as people write them: their calls keep what a call of the chain leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest
from chainer import optimizers

import elichika
from tests.programs import difference, f32


class Network(chainer.Chain):
    def __init__(self, inputs: int, outputs: int, seed: int = 0) -> None:
        super().__init__()
        with self.init_scope():
            self.a = L.Linear(inputs, 5, initialW=f32(5, inputs, seed=seed))
            self.b = L.Linear(5, outputs, initialW=f32(outputs, 5, seed=seed + 1))

    def forward(self, x: Any) -> Any:
        return self.b(F.tanh(self.a(x)))


class Adversaries(chainer.Chain):
    """Two networks, two optimizers, one step of each."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.maker, self.judge = Network(2, 3), Network(3, 1, seed=5)
        self.of_maker = optimizers.Adam(1e-2, beta1=0.5).setup(self.maker)
        self.of_judge = optimizers.RMSprop(1e-2).setup(self.judge)

    def forward(self, z: Any, x: Any) -> Any:
        made = self.maker(z)
        fake, real = self.judge(made), self.judge(x)
        of_judge = (F.sum(F.softplus(-real)) + F.sum(F.softplus(fake))) / len(x)
        of_maker = F.sum(F.softplus(-fake)) / len(x)
        self.maker.cleargrads()
        of_maker.backward()
        self.of_maker.update()
        made.unchain_backward()
        self.judge.cleargrads()
        of_judge.backward()
        self.of_judge.update()
        return of_maker, of_judge


class Values(chainer.Chain):
    """Learns values of actions, with a target that is copied now and then."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.q, self.target = Network(4, 2), Network(4, 2, seed=3)
        self.optimizer = optimizers.RMSpropGraves().setup(self.q)
        self.calls = 0

    def forward(self, state: Any, action: Any, reward: Any, later: Any) -> Any:
        with chainer.no_backprop_mode():
            best = F.max(self.target(later), axis=1)
        wanted = reward + 0.9 * best.array
        taken = F.select_item(self.q(state), action)
        loss = F.mean(F.huber_loss(taken[:, None], wanted[:, None], 1.0))
        self.q.cleargrads()
        loss.backward()
        self.optimizer.update()
        self.calls += 1
        if self.calls % 3 == 0:
            self.target.copyparams(self.q)
        return loss


class Scheduled(chainer.Chain):
    """The rate of the optimizer is an input."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.net = Network(3, 2)
        self.optimizer = optimizers.MomentumSGD(0.1).setup(self.net)

    def forward(self, x: Any, t: Any, rate: Any) -> Any:
        self.optimizer.lr = rate
        loss = F.softmax_cross_entropy(self.net(x), t)
        self.net.cleargrads()
        loss.backward()
        self.optimizer.update()
        if loss.array > 1.0:
            self.optimizer.new_epoch()
        return loss, self.optimizer.epoch


class Epochs(chainer.Chain):
    """A whole loop over batches, in one call."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.net = Network(3, 2)
        self.optimizer = optimizers.Adam(0.01).setup(self.net)

    def forward(self, x: Any, t: Any, epochs: Any) -> Any:
        losses = []
        for _ in range(epochs):
            for i in range(0, len(x), 2):
                loss = F.softmax_cross_entropy(self.net(x[i : i + 2]), t[i : i + 2])
                self.net.cleargrads()
                loss.backward()
                self.optimizer.update()
            losses.append(loss.array)
        return losses, self.optimizer.t


class Accumulating(chainer.Chain):
    """Gradients of two calls make one update, clipped and with decay."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.net = Network(3, 2)
        self.optimizer = optimizers.AdaGrad(0.1).setup(self.net)
        self.optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-3))
        self.optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(1.0))
        self.calls = 0

    def forward(self, x: Any, t: Any) -> Any:
        if self.calls % 2 == 0:
            self.net.cleargrads()
        loss = F.softmax_cross_entropy(self.net(x), t)
        loss.backward()
        self.calls += 1
        if self.calls % 2 == 0:
            self.optimizer.update()
        return loss


class AccumulatingInALoop(chainer.Chain):
    """Gradients of two batches make one update; a last one alone makes none."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.net = Network(3, 2)

    def forward(self, x: Any, t: Any, n: Any) -> Any:
        optimizer = optimizers.MomentumSGD(0.1).setup(self.net)
        self.net.cleargrads()
        for i in range(n):
            loss = F.softmax_cross_entropy(self.net(x * (1 + i)), t) / 2
            loss.backward()
            if i % 2 == 1:
                optimizer.update()
                self.net.cleargrads()
        return self.net(x), optimizer.t


class DecayedByName(chainer.Chain):
    """A hook of the program's own looks at what parameters are called."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.net = Network(3, 2)
        self.optimizer = optimizers.SGD(0.1).setup(self.net)
        self.optimizer.add_hook(self.decay)

    def decay(self, optimizer: Any) -> None:
        for path, parameter in optimizer.target.namedparams():
            if parameter.name == "W" and path != "/b/W":
                parameter.grad = parameter.grad + 0.5 * parameter.array

    def forward(self, x: Any) -> Any:
        loss = F.sum(self.net(x) ** 2)
        self.net.cleargrads()
        loss.backward()
        self.optimizer.update()
        return loss


def labels(n: int, of: int) -> Any:
    return np.arange(n, dtype=np.int32) % of


CASES: list[tuple[Any, Callable[[int], tuple[Any, ...]]]] = [
    (Adversaries, lambda n: (f32(n, 2, seed=n), f32(n, 3, seed=2 * n))),
    (Values, lambda n: (f32(n, 4), labels(n, 2), f32(n, seed=n), f32(n, 4, seed=n))),
    (Scheduled, lambda n: (f32(n, 3, seed=n), labels(n, 2), 1.0 / n)),
    (Epochs, lambda n: (f32(n, 3, seed=n), labels(n, 2), n % 3)),
    (Accumulating, lambda n: (f32(n, 3, seed=n), labels(n, 2))),
    (AccumulatingInALoop, lambda n: (f32(n, 3, seed=n), labels(n, 2), n % 5)),
    (DecayedByName, lambda n: (f32(n, 3, seed=n),)),
]


def hold(
    make: Any, inputs: Callable[[int], tuple[Any, ...]], sizes: Sequence[int], **options: Any
) -> None:
    """Compare calls in a row, each on inputs of its own size."""
    options |= {"train": True, "state": True, "verify": False}
    model, eager = elichika.compile_model(make(), inputs(sizes[0]), **options), make()
    for n in sizes:
        with chainer.using_config("train", True):
            expected = eager(*inputs(n))
        found = difference(expected, model(*inputs(n)), {"float32": 1e-3, "float64": 1e-3})
        assert found is None, n


@pytest.mark.parametrize(("make", "inputs"), CASES)
def test_calls_in_a_row(make: Any, inputs: Callable[[int], tuple[Any, ...]]) -> None:
    hold(make, inputs, (4, 5, 3, 6, 4, 7, 1, 5), dynamic_axes="n")
