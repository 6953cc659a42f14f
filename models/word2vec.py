"""Word vectors: scores of centre words by their context, and the words most like another."""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded

__all__ = ["ContinuousBoW", "build", "build_usual", "inputs", "queries"]

N_VOCABULARY = 200


class ContinuousBoW(chainer.Chain):
    """Continuous bag of words: the mean of the context's vectors scores every word."""

    def __init__(self, n_vocab, n_units):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocab, n_units, initialW=chainer.initializers.Uniform(1.0))
            self.out = L.Linear(n_units, n_vocab, initialW=chainer.initializers.Normal(0.5))

    def forward(self, contexts):
        """Score each word: (batch, vocabulary) log probabilities from int32[batch, context]."""
        e = self.embed(contexts)
        h = F.sum(e, axis=1) * (1.0 / contexts.shape[1])
        return F.log_softmax(self.out(h))

    def search(self, word, n_result):
        """Find the `n_result` words most like `word`: pairs of word and similarity."""
        w = self.embed.W.array
        s = np.sqrt((w * w).sum(1))
        w = w / s.reshape((s.shape[0], 1))
        v = w[word]
        similarity = w.dot(v)
        count = 0
        found = []
        for i in (-similarity).argsort():
            if np.isnan(similarity[i]):
                continue
            if i == word:
                continue
            found.append((i, similarity[i]))
            count += 1
            if count == n_result:
                return found
        return found


def build(n_units: int = 16, seed: int = 0, n_vocab: int = N_VOCABULARY) -> ContinuousBoW:
    """Make the chain."""
    with seeded(seed):
        chain = ContinuousBoW(n_vocab, n_units)
    return chain


def build_usual() -> ContinuousBoW:
    """Make the chain for a vocabulary as large as they are in use."""
    return build(n_units=100, n_vocab=20_000)


def inputs(batch: int = 3, context: int = 4, seed: int = 1) -> tuple[np.ndarray]:
    """Example inputs: int32[batch, context] word ids."""
    return (np.random.RandomState(seed).randint(0, N_VOCABULARY, (batch, context), np.int32),)


def queries(word: int = 3, n_result: int = 5) -> tuple[int, int]:
    """Example inputs of `search`: a word, and how many others to find."""
    return word, n_result
