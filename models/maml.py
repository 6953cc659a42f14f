"""Few-shot regression: a network adapts to a task by gradient steps on the task's own points.

Model-agnostic meta-learning: the steps within a task, and the gradient of what they lead to.
"""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded, spread_biases

__all__ = ["MAML", "build", "inputs", "tasks"]


class MAML(chainer.Chain):
    """A network of one hidden layer, and how it adapts."""

    def __init__(self, n_units, inner_rate=0.05):
        super().__init__()
        self.inner_rate = inner_rate
        with self.init_scope():
            self.l1 = L.Linear(1, n_units)
            self.l2 = L.Linear(n_units, n_units)
            self.l3 = L.Linear(n_units, 1)

    def predict(self, weights, x):
        """Run the network with these weights."""
        h = F.tanh(F.linear(x, weights["l1/W"], weights["l1/b"]))
        h = F.tanh(F.linear(h, weights["l2/W"], weights["l2/b"]))
        return F.linear(h, weights["l3/W"], weights["l3/b"])

    def weights(self):
        """Return the parameters, from which each task begins."""
        return {name.lstrip("/"): param for name, param in sorted(self.namedparams())}

    def update(self, weights, x, t, differentiable=False):
        """Change the weights by one gradient step on the points of a task; returns the loss."""
        with chainer.force_backprop_mode():
            loss = F.mean_squared_error(self.predict(weights, x), t)
            gradients = chainer.grad(
                [loss], list(weights.values()), enable_double_backprop=differentiable
            )
            for name, gradient in zip(weights, gradients):
                weights[name] = weights[name] - self.inner_rate * gradient
        return loss

    def forward(self, support_x, support_t, query_x, n_steps):
        """Adapt to the support points in `n_steps` steps, then predict at the query points."""
        weights, losses = self.weights(), []
        for _ in range(n_steps):
            self.update(weights, support_x, support_t)
            y = self.predict(weights, support_x)
            losses.append(F.mean_squared_error(y, support_t))
        return self.predict(weights, query_x), losses

    def learn(self, support_x, support_t, query_x, query_t):
        """Say how well two steps adapt, and by which gradients the parameters would do better.

        The gradients go back through those of the steps: they are of second order.
        """
        weights, start = self.weights(), list(self.weights().values())
        for _ in range(2):
            self.update(weights, support_x, support_t, differentiable=True)
        with chainer.force_backprop_mode():
            loss = F.mean_squared_error(self.predict(weights, query_x), query_t)
            gradients = chainer.grad([loss], start)
        return loss, [g.array for g in gradients]


def build(n_units: int = 20, seed: int = 0) -> MAML:
    """Make the chain."""
    with seeded(seed):
        chain = MAML(n_units)
        spread_biases(chain, 0.5)
    return chain


def inputs(support: int = 5, query: int = 8, n_steps: int = 3, seed: int = 1) -> tuple:
    """Example inputs: points of a random sine, points to predict at, and the number of steps."""
    x, t, query_x, _ = tasks(support, query, seed)
    return x, t, query_x, n_steps


def tasks(support: int = 5, query: int = 8, seed: int = 1) -> tuple:
    """Example inputs of `learn`: points of a random sine to adapt to, and others of it."""
    random = np.random.RandomState(seed)
    amplitude, phase = random.uniform(0.5, 3), random.uniform(0, 3)
    x = random.uniform(-3, 3, (support + query, 1)).astype(np.float32)
    t = (amplitude * np.sin(x + phase)).astype(np.float32)
    return x[:support], t[:support], x[support:], t[support:]
