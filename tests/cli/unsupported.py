"""A chain with much that is not compiled; a comment marks each line that a check must show."""

# ruff: noqa: F841, SIM108, SIM115

from __future__ import annotations

import time
from typing import Any

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L


class Part(chainer.Chain):
    """Is called with what is lost."""

    def forward(self, x: Any, k: int) -> Any:
        table = {np.random.rand(): k}  # finding
        y = x * k
        return F.relu(y)


class Much(chainer.Chain):
    """Is refused in many places, and right in between."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.layer = L.Linear(4, 4)
            self.part = Part()

    def forward(self, x: Any) -> Any:
        h = self.layer(x) + np.random.randn(4)  # finding
        h = self.part(h, 2)
        h = F.tanh(h)
        sizes = {f"k{x.shape[0]}": 1}  # finding
        sizes["k3"] = 2
        if time.time() > 5:  # finding
            y = np.packbits(x > 0)  # finding
        else:
            y = x
        w = self.layer(x)
        for row in w:
            bits = np.packbits(row.array > 0)  # finding
            row = row * 2 + bits
        kept = []
        kept.append(np.packbits(x > 0))  # finding
        count = len(kept)
        several = [np.packbits(row > 0) for row in x]  # finding
        self.bits = np.packbits(x > 0)  # finding
        more = self.bits + 1
        if w.array.sum() > 0:
            text = input()  # finding
        else:
            text = self.helper(w)
        while w.array.sum() < 10:
            w = w * 2
            open("somewhere")  # finding
        try:
            w = w + np.packbits(x > 0)  # finding
        finally:
            w = self.layer(x)
        with chainer.using_config("train", False):
            w = self.lost(w) if text else w
        return self.last(w)

    def helper(self, x: Any) -> Any:
        async def one() -> None: ...  # finding

        x = x + 1

        async def other() -> None: ...  # finding

        return x

    def lost(self, x: Any) -> Any:
        return x

    def last(self, x: Any) -> Any:
        x = F.relu(x)
        return self.layer.W.array.tolist()[int(np.random.rand())]  # finding

    def never_called(self, x: Any) -> Any:
        return np.packbits(x)
