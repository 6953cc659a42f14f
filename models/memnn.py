"""An end-to-end memory network that answers questions about stories."""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded

__all__ = ["MemNN", "build", "inputs"]

N_VOCABULARY = 30
MAX_MEMORY = 12


def position_encode(embed, sentences):
    """Embed sentences, (..., words), weighting words by where they stand: (..., units)."""
    xp = embed.xp
    e = embed(sentences)
    n_words, n_units = e.shape[-2:]
    # To avoid 0/0, we use max(length, 1) here.
    length = xp.maximum(xp.sum((sentences != 0).astype(np.float32), axis=-1), 1)
    length = length.reshape((*length.shape, 1, 1))
    k = xp.arange(1, n_units + 1, dtype=np.float32) / n_units
    i = xp.arange(1, n_words + 1, dtype=np.float32)[:, None]
    coeff = (1 - i / length) - k * (1 - 2.0 * i / length)
    return F.sum(coeff * e, axis=-2)


class Memory(chainer.Chain):
    """Sentences as keys and values, each with a learned code of its age."""

    def __init__(self, A, C, TA, TC):  # noqa: N803  named as in the paper
        super().__init__()
        with self.init_scope():
            self.A = A
            self.C = C
            self.TA = TA
            self.TC = TC
        self.m = self.c = None

    def register_all(self, sentences):
        """Remember sentences, (batch, sentences, words)."""
        self.m = position_encode(self.A, sentences)
        self.c = position_encode(self.C, sentences)

    def query(self, u):
        """Ask for what fits u, (batch, units)."""
        xp = self.xp
        size = self.m.shape[1]
        inds = xp.arange(size - 1, -1, -1, dtype=np.int32)
        tm = self.TA(inds)
        tc = self.TC(inds)
        tm = F.broadcast_to(tm, self.m.shape)
        tc = F.broadcast_to(tc, self.c.shape)
        p = F.softmax(F.matmul(self.m + tm, F.expand_dims(u, -1)))
        o = F.matmul(F.swapaxes(self.c + tc, 2, 1), p)
        o = F.squeeze(o, -1)
        u = o + u
        return u


class MemNN(chainer.Chain):
    """Logits of the answer; layers share their embeddings with the next one."""

    def __init__(self, n_units, n_vocabulary, max_memory, hops):
        super().__init__()
        self.hops = hops
        normal = chainer.initializers.Normal()
        embeds = [L.EmbedID(n_vocabulary, n_units, initialW=normal) for _ in range(hops + 1)]
        times = [L.EmbedID(max_memory, n_units, initialW=normal) for _ in range(hops + 1)]
        with self.init_scope():
            self.memories = chainer.ChainList(
                *[Memory(embeds[i], embeds[i + 1], times[i], times[i + 1]) for i in range(hops)]
            )
            self.B = embeds[0]
            self.answer = L.Linear(n_units, n_vocabulary)

    def fix_ignore_label(self):
        """Make word 0, the padding, nothing."""
        for embed in self.links():
            if isinstance(embed, L.EmbedID):
                embed.W.array[0, :] = 0

    def register_all(self, sentences):
        """Remember the stories in every layer."""
        for memory in self.memories:
            memory.register_all(sentences)

    def query(self, question):
        """Answer questions about the stories."""
        u = position_encode(self.B, question)
        for memory in self.memories:
            u = memory.query(u)
        return self.answer(u)

    def forward(self, sentences, question):
        self.register_all(sentences)
        a = self.query(question)
        return a, F.argmax(a, axis=1)


def build(n_units: int = 20, hops: int = 3, seed: int = 0) -> MemNN:
    """Make the chain."""
    with seeded(seed):
        chain = MemNN(n_units, N_VOCABULARY, MAX_MEMORY, hops)
        for _, parameter in sorted(chain.namedparams()):
            parameter.array[...] = np.random.normal(0, 0.5, parameter.shape)
        chain.fix_ignore_label()
    return chain


def inputs(
    batch: int = 2, sentences: int = 5, words: int = 6, seed: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Example inputs: stories int32[batch, sentences, words] and questions int32[batch, 4]."""
    random = np.random.RandomState(seed)
    stories = random.randint(1, N_VOCABULARY, (batch, sentences, words))
    lengths = random.randint(0, words + 1, (batch, sentences, 1))
    stories *= np.arange(words) < lengths
    questions = random.randint(1, N_VOCABULARY, (batch, 4))
    return stories.astype(np.int32), questions.astype(np.int32)
