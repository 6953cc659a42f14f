"""A tagger of words: a two-way LSTM, then the best path through a conditional random field."""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded, spread_biases

__all__ = ["CRFTagger", "build", "inputs"]

N_VOCABULARY = 300
N_TAGS = 9


class CRFTagger(chainer.Chain):
    """Sentences of word ids in any order; scores and the tags of each sentence out."""

    def __init__(self, n_vocabulary, n_units, n_tags):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocabulary, n_units)
            self.encoder = L.NStepBiLSTM(1, n_units, n_units, 0.1)
            self.feature = L.Linear(2 * n_units, n_tags)
            self.crf = L.CRF1d(n_tags, initial_cost=chainer.initializers.Normal(1.0))

    def features(self, xs):
        """Score each tag of each word: a list of (length, tags)."""
        sections = np.cumsum([len(x) for x in xs[:-1]])
        exs = F.split_axis(self.embed(F.concat(xs, axis=0)), sections, 0)
        _, _, hs = self.encoder(None, None, exs)
        return F.split_axis(self.feature(F.concat(hs, axis=0)), sections, 0)

    def forward(self, xs):
        """Find the best tags: int32[length] for each sentence, in the order of the sentences."""
        _, path = self.crf.argmax(self.features(xs), transpose=True)
        return path

    def tag_block(self, block):
        """Tag sentences of one length, int32[batch, length]: scores, and tags (length, batch)."""
        length = block.shape[1]
        hs = self.features([x for x in block])
        scores, path = self.crf.argmax([F.stack([h[t] for h in hs]) for t in range(length)])
        return scores, path


def build(n_units: int = 24, seed: int = 0) -> CRFTagger:
    """Make the chain."""
    with seeded(seed):
        chain = CRFTagger(N_VOCABULARY, n_units, N_TAGS)
        spread_biases(chain)
        chain.feature.W.array[...] *= 4
    return chain


def inputs(lengths: tuple[int, ...] = (3, 7, 1, 4), seed: int = 1) -> tuple[list[np.ndarray]]:
    """Example inputs: a list of int32[length] below the size of the vocabulary."""
    random = np.random.RandomState(seed)
    return ([random.randint(0, N_VOCABULARY, n).astype(np.int32) for n in lengths],)
