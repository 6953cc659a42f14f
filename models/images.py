"""Example images: waves of several directions and lengths, in unlike mixtures."""

from __future__ import annotations

import numpy as np

__all__ = ["images"]


def images(batch: int, height: int, width: int, channels: int = 3, seed: int = 0) -> np.ndarray:
    """Make float32 images of shape (batch, channels, height, width), about standardized.

    White noise would not do: after a global average all noise images look alike to a network.
    """
    random = np.random.RandomState(seed)
    rows = np.arange(height).reshape(1, 1, height, 1)
    columns = np.arange(width).reshape(1, 1, 1, width)
    x = random.normal(0.0, 0.2, (batch, channels, height, width))
    for _ in range(4):
        shape = (batch, channels, 1, 1)
        along, across = random.uniform(-0.7, 0.7, (2, *shape)) ** 3
        strength, phase = random.gamma(1.0, 0.6, shape), random.uniform(0, 2 * np.pi, shape)
        x += strength * np.sin(2 * np.pi * (along * rows + across * columns) + phase)
    x /= x.std(axis=(1, 2, 3), keepdims=True)
    x += random.normal(0.0, 0.3, (batch, channels, 1, 1))
    return x.astype(np.float32)
