"""The steps of Chainer's examples, written anew: all that they leave, after calls in a row.

Those of dcgan and of DQN are in `test_programs.py`, that of ptb is in `test_truncation.py`, that of
mnist in `test_steps.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest
from chainer import optimizers

from tests.programs import f32
from tests.training.test_programs import hold


class Step(chainer.Chain):
    """Trains what `loss` gives; returns it with the parameters after the update."""

    optimizer: Any

    def train_by(self, optimizer: Any, *hooks: Any) -> None:
        """Take an optimizer, and give all parameters numbers of their own."""
        for number, (_, parameter) in enumerate(sorted(self.namedparams())):
            parameter.array[...] = f32(*parameter.shape, seed=number) * 0.5
        self.optimizer = optimizer.setup(self)
        for hook in hooks:
            self.optimizer.add_hook(hook)

    def loss(self, *inputs: Any) -> Any:
        """Return what is to become small."""
        raise NotImplementedError

    def forward(self, *inputs: Any) -> Any:
        self.cleargrads()
        loss = self.loss(*inputs)
        loss.backward()
        self.optimizer.update()
        return loss, [parameter.array for _, parameter in sorted(self.namedparams())]


class Images(Step):
    """cifar: blocks of a convolution with batch normalization, decay of weights."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(None, 3, 3, pad=1, nobias=True)
            self.bn = L.BatchNormalization(3)
            self.fc = L.Linear(12, 4)
        self.conv(np.zeros((1, 2, 4, 4), np.float32))
        decay = chainer.optimizer_hooks.WeightDecay(5e-4)
        self.train_by(optimizers.MomentumSGD(0.05), decay)

    def loss(self, x: Any, t: Any) -> Any:
        h = F.max_pooling_2d(F.relu(self.bn(self.conv(x))), 2, 2)
        y = self.fc(h)
        chainer.report({"accuracy": F.accuracy(y, t)}, self)
        return F.softmax_cross_entropy(y, t)


class Autoencoder(Step):
    """vae: a latent normal distribution, with noise that is given."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.hidden, self.mean, self.spread = L.Linear(6, 5), L.Linear(5, 2), L.Linear(5, 2)
            self.wide, self.out = L.Linear(2, 5), L.Linear(5, 6)
        self.train_by(optimizers.Adam())

    def loss(self, x: Any, noise: Any) -> Any:
        h = F.tanh(self.hidden(x))
        mean, spread = self.mean(h), self.spread(h)
        found = F.bernoulli_nll(x, self.out(F.tanh(self.wide(F.gaussian(mean, spread, eps=noise)))))
        return (found + 0.5 * F.gaussian_kl_divergence(mean, spread)) / len(x)


class SkipGram(Step):
    """word2vec: the word in the middle is told by each of those around it."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(6, 3)
            self.out = L.Linear(3, 6)
        self.train_by(optimizers.Adam(0.01))

    def loss(self, x: Any, contexts: Any) -> Any:
        e = self.embed(contexts)
        batch, around, units = e.shape
        words = F.broadcast_to(x[:, None], (batch, around))
        e = F.reshape(e, (batch * around, units))
        return F.softmax_cross_entropy(self.out(e), F.reshape(words, (batch * around,)))


class Sentiment(Step):
    """sentiment: each node of a tree has a label; nodes come after their children."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed, self.l, self.w = L.EmbedID(5, 3), L.Linear(6, 3), L.Linear(3, 2)
        self.train_by(optimizers.AdaGrad(0.1), chainer.optimizer_hooks.WeightDecay(1e-3))

    def loss(self, words: Any, children: Any, labels: Any) -> Any:
        nodes = []
        for i in range(len(words)):
            nodes.append(self.embed(words[i : i + 1]))
        for left, right in children:
            pair = F.concat([nodes[left], nodes[right]], axis=1)
            nodes.append(F.tanh(self.l(pair)))
        loss = 0
        for i in range(len(nodes)):
            loss += F.softmax_cross_entropy(self.w(nodes[i]), labels[i : i + 1])
        return loss


class ActorCritic(Step):
    """A3C: the return of each step, from the last one back; policy, value and entropy."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.hidden, self.policy, self.value = L.Linear(4, 5), L.Linear(5, 3), L.Linear(5, 1)
        clip = chainer.optimizer_hooks.GradientClipping(40)
        self.train_by(optimizers.RMSprop(1e-2), clip)

    def loss(self, states: Any, actions: Any, rewards: Any, ended: Any) -> Any:
        logits, values = [], []
        for state in states[:-1]:
            h = F.relu(self.hidden(state[None]))
            logits.append(self.policy(h))
            values.append(self.value(h))
        total = 0.0
        if not ended:
            with chainer.no_backprop_mode():
                total = self.value(F.relu(self.hidden(states[-1:]))).array[0, 0]
        loss_p, loss_v = 0, 0
        for i in reversed(range(len(rewards))):
            total = rewards[i] + 0.9 * total
            v = F.reshape(values[i], ())
            advantage = total - v
            logs = F.log_softmax(logits[i])
            entropy = -F.sum(F.softmax(logits[i]) * logs)
            chosen = F.select_item(logs, actions[i : i + 1])[0]
            loss_p -= chosen * advantage.array + 0.01 * entropy
            loss_v += advantage * advantage / 2
        return loss_p + 0.5 * F.reshape(loss_v, loss_p.shape)


def ids(*shape: int, of: int, seed: int = 0) -> Any:
    return np.random.RandomState(seed).randint(0, of, shape).astype(np.int32)


def tree(n: int) -> Any:
    """Return words, pairs of children, and a label for each node."""
    pairs = [(i if i == 0 else n + i - 1, i + 1) for i in range(n - 1)]
    children = np.array(pairs, np.int64).reshape(-1, 2)
    return ids(n, of=5, seed=n), children, ids(2 * n - 1, of=2, seed=n)


CASES: list[tuple[Any, Callable[[int], tuple[Any, ...]]]] = [
    (Images, lambda n: (f32(n, 2, 4, 4, seed=n), ids(n, of=4))),
    (Autoencoder, lambda n: (np.abs(f32(n, 6, seed=n)) % 1, f32(n, 2, seed=3 * n))),
    (SkipGram, lambda n: (ids(n, of=6), ids(n, 4, of=6, seed=n))),
    (Sentiment, tree),
    (ActorCritic, lambda n: (f32(n + 1, 4), ids(n, of=3), f32(n, seed=n), n % 2 == 0)),
]


@pytest.mark.parametrize(("make", "inputs"), CASES)
def test_steps(make: Any, inputs: Callable[[int], tuple[Any, ...]]) -> None:
    hold(make, inputs, (3, 4, 1, 5, 2, 3), examples=[inputs(4), inputs(5)])
