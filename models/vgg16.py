"""Chainer's own VGG16, called for the layers that one wants."""

from __future__ import annotations

import numpy as np
from chainer import links as L

from models.images import images
from models.weights import calibrate, seeded

__all__ = ["build", "inputs"]


def build(seed: int = 0) -> L.VGG16Layers:
    """Make the chain, its weights set on data; 553 MB."""
    with seeded(seed):
        chain = L.VGG16Layers(pretrained_model=None)
        calibrate(chain, *inputs(batch=3, seed=seed))
    return chain


def inputs(batch: int = 2, seed: int = 1) -> tuple[np.ndarray, list[str]]:
    """Example inputs: float32[batch, 3, 224, 224] and the names of the layers to return."""
    return images(batch, 224, 224, seed=seed), ["fc8", "prob"]
