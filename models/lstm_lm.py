"""A language model of two stateful LSTM layers, stepped over time in a Python loop."""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded, spread_biases

__all__ = ["LanguageModel", "build", "inputs"]

N_VOCABULARY = 1000


class LanguageModel(chainer.Chain):
    """Logits of the next word after each word, from word ids of shape (batch, time)."""

    def __init__(self, n_vocabulary: int, n_units: int) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocabulary, n_units)
            self.l1 = L.LSTM(n_units, n_units)
            self.l2 = L.LSTM(n_units, n_units)
            self.l3 = L.Linear(n_units, n_vocabulary, initialW=chainer.initializers.Normal(0.5))

    def reset_state(self):
        """Forget what was read."""
        self.l1.reset_state()
        self.l2.reset_state()

    def step(self, word):
        """Read one word of each sentence: logits of shape (batch, vocabulary)."""
        h0 = self.embed(word)
        h1 = self.l1(F.dropout(h0))
        h2 = self.l2(F.dropout(h1))
        return self.l3(F.dropout(h2))

    def forward(self, x):
        self.reset_state()
        ys = []
        for t in range(x.shape[1]):
            ys.append(self.step(x[:, t]))
        return F.stack(ys, axis=1)


def build(n_vocabulary: int = N_VOCABULARY, n_units: int = 200, seed: int = 0) -> LanguageModel:
    """Make the chain."""
    with seeded(seed):
        chain = LanguageModel(n_vocabulary, n_units)
        spread_biases(chain)
    return chain


def inputs(batch: int = 2, time: int = 5, seed: int = 1) -> tuple[np.ndarray]:
    """Example inputs: int32[batch, time] below the size of the vocabulary."""
    ids = np.random.RandomState(seed).randint(0, N_VOCABULARY, (batch, time))
    return (ids.astype(np.int32),)
