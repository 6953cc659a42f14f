"""Chains of what most programs have: compiled once, their parts are known to what comes after."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

__all__ = ["common_chain", "refused_chain"]


class _Common(chainer.Chain):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.convolution = L.Convolution2D(2, 4, 3, pad=1)
            self.norm = L.BatchNormalization(4)
            self.embed = L.EmbedID(5, 4)
            self.lstm = L.LSTM(4, 4)
            self.layers = chainer.ChainList(L.Linear(4, 4), L.Linear(4, 4, nobias=True))

    def forward(self, x: Any, ids: Any, turns: int) -> Any:
        h = F.mean(F.relu(self.norm(self.convolution(x))), axis=(2, 3))
        for layer in self.layers:
            h = F.dropout(F.tanh(layer(h)))
        self.lstm.reset_state()
        found = []
        for t in range(ids.shape[1]):
            found.append(self.lstm(self.embed(ids[:, t])))
        states = F.stack(found, axis=1)
        while turns > 0:
            turns -= 1
            if F.max(h).array > 1:
                h = F.normalize(h) * F.sigmoid(h)
                break
        y = F.concat([F.reshape(h, (len(h), -1)), F.sum(states, axis=1)])
        return {"y": F.softmax(y), "best": F.argmax(y, axis=1), "turns": turns}


class _Refused(chainer.Chain):  # type: ignore[misc]
    def forward(self, x: Any) -> Any:
        return np.packbits(x > 0)


def common_chain() -> tuple[chainer.Chain, tuple[Any, ...]]:
    """Return a chain that compiles, and its inputs."""
    return _Common(), (np.ones((2, 2, 4, 4), np.float32), np.ones((2, 3), np.int32), 2)


def refused_chain() -> tuple[chainer.Chain, tuple[Any, ...]]:
    """Return a chain that is refused, and its inputs."""
    return _Refused(), (np.ones((2, 3), np.float32),)
