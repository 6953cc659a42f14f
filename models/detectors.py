"""Detectors of the package chainercv with random weights that detect: from images to boxes.

`make detectors` installs the package, of which the last release builds on no Python of today.
"""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np

from models.weights import calibrate, seeded

__all__ = ["build_ssd300", "images", "load_chainercv"]

ALIASES = {"bool": bool, "int": int, "float": float}
"""Names that numpy has no more and chainercv asks for, also when it runs."""


def load_chainercv() -> Any:
    """Import chainercv."""
    for name, alias in ALIASES.items():
        if name not in vars(np):
            setattr(np, name, alias)
    import chainercv

    return chainercv


def build_ssd300(n_fg_class: int = 5, seed: int = 0) -> chainer.Chain:
    """Make an SSD300 whose confidences spread: some boxes pass the threshold, most do not."""
    chainercv = load_chainercv()
    with seeded(seed):
        chain = chainercv.links.SSD300(n_fg_class=n_fg_class)
        calibrate(chain, np.random.normal(0, 60, (1, 3, 300, 300)).astype(np.float32))
    chain.use_preset("visualize")
    chain.score_thresh = 0.8
    return chain


def images(*sizes: tuple[int, int], seed: int = 1) -> tuple[list[np.ndarray]]:
    """Example inputs of `predict`: a list of float32[3, height, width] between 0 and 255."""
    random = np.random.RandomState(seed)
    return ([random.uniform(0, 255, (3, *size)).astype(np.float32) for size in sizes],)
