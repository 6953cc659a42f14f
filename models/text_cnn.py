"""A classifier of texts by convolutions of three widths over the words."""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded, spread_biases

__all__ = ["TextClassifier", "build", "inputs"]

N_VOCABULARY = 400
PADDING = -1


class CNNEncoder(chainer.Chain):
    """A list of texts, int32[length], to vectors (batch, units)."""

    def __init__(self, n_vocabulary, n_units, dropout=0.1):
        super().__init__()
        out_units = n_units // 3
        with self.init_scope():
            self.embed = L.EmbedID(n_vocabulary, n_units, ignore_label=PADDING)
            self.cnn_w3 = L.Convolution2D(
                n_units, out_units, ksize=(3, 1), stride=1, pad=(2, 0), nobias=True
            )
            self.cnn_w4 = L.Convolution2D(
                n_units, out_units, ksize=(4, 1), stride=1, pad=(3, 0), nobias=True
            )
            self.cnn_w5 = L.Convolution2D(
                n_units, out_units, ksize=(5, 1), stride=1, pad=(4, 0), nobias=True
            )
            self.mlp = L.Linear(out_units * 3, out_units * 3)
        self.dropout = dropout

    def forward(self, xs):
        x_block = chainer.dataset.convert.concat_examples(xs, padding=PADDING)
        ex_block = block_embed(self.embed, x_block, self.dropout)
        h_w3 = F.max(self.cnn_w3(ex_block), axis=2)
        h_w4 = F.max(self.cnn_w4(ex_block), axis=2)
        h_w5 = F.max(self.cnn_w5(ex_block), axis=2)
        h = F.concat([h_w3, h_w4, h_w5], axis=1)
        h = F.relu(h)
        h = F.dropout(h, ratio=self.dropout)
        h = F.tanh(self.mlp(h))
        return h


def block_embed(embed, x, dropout=0.0):
    """Embed (batch, length) ids as an image: (batch, units, length, 1)."""
    e = embed(x)
    e = F.dropout(e, ratio=dropout)
    e = F.transpose(e, (0, 2, 1))
    e = e[:, :, :, None]
    return e


class TextClassifier(chainer.Chain):
    """Probabilities, logits or labels of texts."""

    def __init__(self, encoder, n_units, n_class, dropout=0.1):
        super().__init__()
        with self.init_scope():
            self.encoder = encoder
            self.output = L.Linear(n_units, n_class)
        self.dropout = dropout

    def forward(self, xs):
        return self.predict(xs, softmax=True)

    def predict(self, xs, softmax=False, argmax=False):
        """Classify a list of texts."""
        concat_encodings = F.dropout(self.encoder(xs), ratio=self.dropout)
        concat_outputs = self.output(concat_encodings)
        if softmax:
            return F.softmax(concat_outputs).array
        elif argmax:
            return self.xp.argmax(concat_outputs.array, axis=1)
        else:
            return concat_outputs


def build(n_units: int = 30, n_class: int = 5, seed: int = 0) -> TextClassifier:
    """Make the chain."""
    with seeded(seed):
        chain = TextClassifier(CNNEncoder(N_VOCABULARY, n_units), n_units, n_class)
        spread_biases(chain)
        chain.output.W.array[...] *= 3
    return chain


def inputs(lengths: tuple[int, ...] = (6, 2, 11, 4), seed: int = 1) -> tuple[list[np.ndarray]]:
    """Example inputs: a list of int32[length] below the size of the vocabulary."""
    random = np.random.RandomState(seed)
    return ([random.randint(0, N_VOCABULARY, n).astype(np.int32) for n in lengths],)
