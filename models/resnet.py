"""Chainer's own ResNets, for images of any size, called for the layers that one wants."""

from __future__ import annotations

import numpy as np
from chainer import links as L

from models.images import images
from models.weights import calibrate, seeded

__all__ = ["build", "inputs"]

LINKS = {50: L.ResNet50Layers, 101: L.ResNet101Layers, 152: L.ResNet152Layers}


def build(n_layers: int = 50, seed: int = 0) -> L.ResNet50Layers:
    """Make the chain, its batch-normalisation statistics and weights set on data."""
    with seeded(seed):
        chain = LINKS[n_layers](pretrained_model=None)
        soften(chain)
        calibrate(chain, *inputs(batch=16, height=128, width=128, seed=seed))
    return chain


def soften(chain: L.ResNet50Layers) -> None:
    """Start each residual branch at a quarter of its strength, as trained ResNets are started.

    With random weights at full strength, float32 rounding alone moves the logits of 101 layers by
    4e-4 of their size: Chainer's own result is that far from its result in float64.
    """
    for name, link in sorted(chain.namedlinks()):
        if name.endswith("/bn3"):
            link.gamma.array[...] = 0.25


def inputs(
    batch: int = 2, height: int = 224, width: int = 224, seed: int = 1
) -> tuple[np.ndarray, list[str]]:
    """Example inputs: float32[batch, 3, height, width] and the names of the layers to return."""
    return images(batch, height, width, seed=seed), ["fc6", "prob"]
