"""A multi-layer perceptron, as in Chainer's MNIST example: it finds input sizes at first use."""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import calibrate, seeded

__all__ = ["MLP", "build", "inputs"]


class MLP(chainer.Chain):
    """Two hidden layers of rectified units."""

    def __init__(self, n_units: int, n_out: int) -> None:
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(None, n_units)
            self.l2 = L.Linear(None, n_units)
            self.l3 = L.Linear(None, n_out)

    def forward(self, x):
        h1 = F.relu(self.l1(x))
        h2 = F.relu(self.l2(h1))
        return self.l3(h2)


def build(n_units: int = 1000, n_out: int = 10, seed: int = 0) -> MLP:
    """Make the chain, its weights set on data."""
    with seeded(seed):
        chain = MLP(n_units, n_out)
        calibrate(chain, *inputs(batch=64, seed=seed))
    return chain


def inputs(batch: int = 2, seed: int = 1) -> tuple[np.ndarray]:
    """Example inputs: float32[batch, 784]."""
    return (np.random.RandomState(seed).rand(batch, 784).astype(np.float32),)
