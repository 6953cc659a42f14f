"""Chainer's own GoogLeNet, called for its final and its two auxiliary classifiers."""

from __future__ import annotations

import numpy as np
from chainer import links as L

from models.images import images
from models.weights import calibrate, seeded

__all__ = ["build", "inputs"]


def build(seed: int = 0) -> L.GoogLeNet:
    """Make the chain, its weights set on data."""
    with seeded(seed):
        chain = L.GoogLeNet(pretrained_model=None)
        calibrate(chain, *inputs(batch=8, seed=seed))
    return chain


def inputs(batch: int = 2, seed: int = 1) -> tuple[np.ndarray, list[str]]:
    """Example inputs: float32[batch, 3, 224, 224] and the names of the layers to return."""
    return images(batch, 224, 224, seed=seed), ["loss3_fc", "prob", "loss1_fc2", "loss2_fc2"]
