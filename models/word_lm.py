"""A word-level language model that writes: after a primer, the likeliest word again and again."""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded, spread_biases

__all__ = ["WordLM", "build", "inputs"]

N_VOCABULARY = 40
EOS = 0


class WordLM(chainer.Chain):
    """Two stateful LSTM layers between an embedding and a linear layer, one sentence at a time."""

    def __init__(self, n_vocabulary, n_units):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocabulary, n_units)
            self.l1 = L.LSTM(n_units, n_units)
            self.l2 = L.LSTM(n_units, n_units)
            self.l3 = L.Linear(n_units, n_vocabulary, initialW=chainer.initializers.Normal(0.8))

    def reset_state(self):
        """Forget what was read."""
        self.l1.reset_state()
        self.l2.reset_state()

    def predict(self, word):
        """Read one word: the probability of each next one, (1, vocabulary)."""
        h0 = self.embed(word)
        h1 = self.l1(F.dropout(h0))
        h2 = self.l2(F.dropout(h1))
        return F.softmax(self.l3(F.dropout(h2)))

    def forward(self, primer, length):
        """Continue `primer`, int32[n], by at most `length` words; stop before the end of sentence.

        Returns the words as a list of ints and the sum of their log probabilities.
        """
        self.reset_state()
        for word in primer:
            prob = self.predict(self.xp.array([word], dtype=np.int32))
        words = []
        score = 0.0
        for _ in range(length):
            index = int(np.argmax(prob.array))
            score += float(F.log(prob[0, index]).array)
            if index == EOS:
                break
            words.append(index)
            prob = self.predict(self.xp.array([index], dtype=np.int32))
        return words, score


def build(n_units: int = 32, seed: int = 1) -> WordLM:
    """Make the chain; the end of a sentence is likely enough that sentences end."""
    with seeded(seed):
        chain = WordLM(N_VOCABULARY, n_units)
        spread_biases(chain)
        chain.embed.W.array[...] *= 3
        chain.l3.b.array[EOS] += 0.5
    return chain


def inputs(words: int = 4, length: int = 10, seed: int = 1) -> tuple[np.ndarray, int]:
    """Example inputs: a primer of int32[words], and the number of words to write."""
    primer = np.random.RandomState(seed).randint(1, N_VOCABULARY, words)
    return primer.astype(np.int32), length
