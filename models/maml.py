"""Few-shot regression: a network adapts to a task by gradient steps on the task's own points.

The inner update of model-agnostic meta-learning, with its gradients written out.
"""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded, spread_biases

__all__ = ["MAML", "build", "inputs"]


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
        """Run the network with these weights; returns all its layers."""
        h1 = F.tanh(F.linear(x, weights["l1/W"], weights["l1/b"]))
        h2 = F.tanh(F.linear(h1, weights["l2/W"], weights["l2/b"]))
        return h1, h2, F.linear(h2, weights["l3/W"], weights["l3/b"])

    def gradients(self, weights, x, t):
        """Differentiate the mean squared error by hand."""
        h1, h2, y = self.predict(weights, x)
        g3 = 2 * (y - t) / len(x)
        g2 = F.matmul(g3, weights["l3/W"]) * (1 - h2**2)
        g1 = F.matmul(g2, weights["l2/W"]) * (1 - h1**2)
        return {
            "l1/W": F.matmul(g1, x, transa=True),
            "l1/b": F.sum(g1, axis=0),
            "l2/W": F.matmul(g2, h1, transa=True),
            "l2/b": F.sum(g2, axis=0),
            "l3/W": F.matmul(g3, h2, transa=True),
            "l3/b": F.sum(g3, axis=0),
        }

    def forward(self, support_x, support_t, query_x, n_steps):
        """Adapt to the support points in `n_steps` steps, then predict at the query points."""
        weights = {name.lstrip("/"): param for name, param in self.namedparams()}
        losses = []
        for _ in range(n_steps):
            gradients = self.gradients(weights, support_x, support_t)
            for name in weights:
                weights[name] = weights[name] - self.inner_rate * gradients[name]
            _, _, y = self.predict(weights, support_x)
            losses.append(F.mean_squared_error(y, support_t))
        _, _, y = self.predict(weights, query_x)
        return y, losses


def build(n_units: int = 20, seed: int = 0) -> MAML:
    """Make the chain."""
    with seeded(seed):
        chain = MAML(n_units)
        spread_biases(chain, 0.5)
    return chain


def inputs(support: int = 5, query: int = 8, n_steps: int = 3, seed: int = 1) -> tuple:
    """Example inputs: points of a random sine, points to predict at, and the number of steps."""
    random = np.random.RandomState(seed)
    amplitude, phase = random.uniform(0.5, 3), random.uniform(0, 3)
    x = random.uniform(-3, 3, (support + query, 1)).astype(np.float32)
    t = (amplitude * np.sin(x + phase)).astype(np.float32)
    return x[:support], t[:support], x[support:], n_steps
