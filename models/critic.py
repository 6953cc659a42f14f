"""The critic of a Wasserstein GAN, held to a slope of one by a penalty on its gradients."""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded, spread_biases

__all__ = ["Critic", "build", "inputs"]


class Critic(chainer.Chain):
    """Tells points that were made from those that were seen."""

    def __init__(self, n_units, weight=10.0):
        super().__init__()
        self.weight = weight
        with self.init_scope():
            self.l1 = L.Linear(2, n_units)
            self.l2 = L.Linear(n_units, n_units)
            self.l3 = L.Linear(n_units, 1)

    def score(self, x):
        """Return float32[batch, 1]: the higher the more real."""
        return self.l3(F.tanh(self.l2(F.tanh(self.l1(x)))))

    def forward(self, real, made, mix):
        """Say how good the critic is, and how its parameters should change.

        The gradients of the penalty are those of gradients.

        Args:
            real: Points that were seen, float32[batch, 2].
            made: As many that were made.
            mix: Where between the two the slope is looked at, float32[batch, 1] in [0, 1].

        Returns:
            The loss, the penalty, and the gradient of the loss by each parameter.
        """
        with chainer.force_backprop_mode():
            loss = F.average(self.score(made)) - F.average(self.score(real))
            between = chainer.Variable(mix * real + (1 - mix) * made)
            (slope,) = chainer.grad(
                [F.sum(self.score(between))], [between], enable_double_backprop=True
            )
            steep = F.sqrt(F.sum(slope**2, axis=1) + 1e-12)
            penalty = F.mean_squared_error(steep, np.ones_like(steep.array))
            total = loss + self.weight * penalty
            parameters = [p for _, p in sorted(self.namedparams())]
            gradients = chainer.grad([total], parameters)
        return total, penalty, [None if g is None else g.array for g in gradients]


def build(n_units: int = 16, seed: int = 0) -> Critic:
    """Make the chain."""
    with seeded(seed):
        chain = Critic(n_units)
        spread_biases(chain, 0.5)
    return chain


def inputs(batch: int = 4, seed: int = 1) -> tuple:
    """Example inputs: points of a circle, points around the middle, and where to look."""
    random = np.random.RandomState(seed)
    angle = random.uniform(0, 2 * np.pi, batch)
    real = np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)
    made = random.normal(0, 0.3, (batch, 2)).astype(np.float32)
    return real, made, random.uniform(0, 1, (batch, 1)).astype(np.float32)
