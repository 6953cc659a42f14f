"""Inputs that mislead a classifier: steps along the sign of the gradient of its loss."""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded, spread_biases

__all__ = ["Attacked", "build", "inputs"]


class Attacked(chainer.Chain):
    """A classifier of small images, and an attack on it."""

    def __init__(self, n_units, n_classes):
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(1, 4, 3, pad=1)
            self.hidden = L.Linear(4 * 16, n_units)
            self.out = L.Linear(n_units, n_classes)

    def scores(self, x):
        """Return the score of each class."""
        h = F.max_pooling_2d(F.relu(self.conv(x)), 2)
        return self.out(F.tanh(self.hidden(h)))

    def forward(self, x, t, epsilon, n_steps):
        """Change images by at most `epsilon` a pixel, in so many steps, so that `t` is not seen.

        Returns:
            The images float32[batch, 1, 8, 8], the scores of their classes, and how many of them
            are taken for something else.
        """
        changed = x
        for _ in range(n_steps):
            image = chainer.Variable(changed)
            with chainer.force_backprop_mode():
                loss = F.softmax_cross_entropy(self.scores(image), t)
                (gradient,) = chainer.grad([loss], [image])
            changed = changed + 2 * epsilon / n_steps * np.sign(gradient.array)
            changed = np.clip(changed, x - epsilon, x + epsilon).clip(0, 1).astype(np.float32)
        scores = self.scores(changed)
        return changed, scores, int((scores.array.argmax(axis=1) != t).sum())


def build(n_units: int = 20, n_classes: int = 10, seed: int = 0) -> Attacked:
    """Make the chain."""
    with seeded(seed):
        chain = Attacked(n_units, n_classes)
        spread_biases(chain, 0.2)
    return chain


def inputs(batch: int = 4, epsilon: float = 0.1, n_steps: int = 3, seed: int = 1) -> tuple:
    """Example inputs: images, what they show, how far to go, and in how many steps."""
    random = np.random.RandomState(seed)
    images = random.uniform(0, 1, (batch, 1, 8, 8)).astype(np.float32)
    return images, random.randint(0, 10, batch).astype(np.int32), epsilon, n_steps
