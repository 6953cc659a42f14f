"""Models with loops, written as people write them in Chainer."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np

__all__ = ["LSTM", "RNN", "Collector", "Newton"]


class RNN(chainer.Chain):
    """A recurrent network of tanh units over `xs` (time, batch, units); the last state."""

    def __init__(self, units: int) -> None:
        super().__init__()
        with self.init_scope():
            self.inner = L.Linear(units, units)
            self.outer = L.Linear(units, units)

    def forward(self, xs: Any) -> Any:
        """Run over time."""
        h = np.zeros((xs.shape[1], xs.shape[2]), np.float32)
        for x in xs:
            h = F.tanh(self.inner(x) + self.outer(h))
        return h


class LSTM(chainer.Chain):
    """A long short-term memory over `xs` (time, batch, units); the last state."""

    def __init__(self, units: int) -> None:
        super().__init__()
        with self.init_scope():
            self.inner = L.Linear(units, 4 * units)
            self.outer = L.Linear(units, 4 * units, nobias=True)

    def forward(self, xs: Any) -> Any:
        """Run over time."""
        h = c = np.zeros((xs.shape[1], xs.shape[2]), np.float32)
        for x in xs:
            c, h = F.lstm(c, self.inner(x) + self.outer(h))
        return h


class Newton(chainer.Chain):
    """A square root, until it is exact to a part in a million."""

    def forward(self, x: Any) -> Any:
        """Improve `y` until it is good enough."""
        y = x
        while abs(y * y - x) > x * np.float32(1e-6):
            y = (y + x / y) * np.float32(0.5)
        return y


class Collector(chainer.Chain):
    """A list that grows by one array a turn."""

    def forward(self, x: Any, n: int) -> Any:
        """Collect `n` arrays."""
        collected = []
        for i in range(n):
            collected.append(x * i)
        return F.stack(collected)
