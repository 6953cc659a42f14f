"""A tagger of words: a two-way LSTM over sentences of unlike lengths, in any order."""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded, spread_biases

__all__ = ["Tagger", "build", "inputs"]

N_VOCABULARY = 500


class Tagger(chainer.Chain):
    """A list of logits, one array of shape (length, tags) for each sentence of word ids."""

    def __init__(self, n_vocabulary: int, n_units: int, n_tags: int, n_layers: int = 2) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocabulary, n_units)
            self.encoder = L.NStepBiLSTM(n_layers, n_units, n_units, 0.1)
            self.output = L.Linear(2 * n_units, n_tags, initialW=chainer.initializers.Normal(0.5))

    def forward(self, xs):
        exs = sequence_embed(self.embed, xs)
        _, _, ys = self.encoder(None, None, exs)
        return [self.output(y) for y in ys]


def sequence_embed(embed, xs):
    """Embed all words at once, then split the result back into sentences."""
    x_len = [len(x) for x in xs]
    x_section = np.cumsum(x_len[:-1])
    ex = embed(F.concat(xs, axis=0))
    return F.split_axis(ex, x_section, 0)


def build(n_units: int = 100, n_tags: int = 20, seed: int = 0) -> Tagger:
    """Make the chain."""
    with seeded(seed):
        chain = Tagger(N_VOCABULARY, n_units, n_tags)
        spread_biases(chain)
    return chain


def inputs(lengths: tuple[int, ...] = (3, 7, 1, 4), seed: int = 1) -> tuple[list[np.ndarray]]:
    """Example inputs: a list of int32[length] below the size of the vocabulary."""
    random = np.random.RandomState(seed)
    return ([random.randint(0, N_VOCABULARY, n).astype(np.int32) for n in lengths],)
