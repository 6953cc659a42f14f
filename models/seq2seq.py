"""Translation: an NStepLSTM encoder and an attention decoder, greedy or by beam search."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded, spread_biases

__all__ = ["Seq2seq", "build", "inputs", "one_sentence", "sentences"]

N_SOURCE = 60
N_TARGET = 50
EOS = 0


def sequence_embed(embed, xs):
    """Embed all words at once, then split the result back into sentences."""
    x_len = [len(x) for x in xs]
    x_section = np.cumsum(x_len[:-1])
    ex = embed(F.concat(xs, axis=0))
    return F.split_axis(ex, x_section, 0)


class Seq2seq(chainer.Chain):
    """Sentences of word ids in, sentences of word ids out."""

    def __init__(self, n_layers, n_source, n_target, n_units):
        super().__init__()
        with self.init_scope():
            self.embed_x = L.EmbedID(n_source, n_units)
            self.embed_y = L.EmbedID(n_target, n_units)
            self.encoder = L.NStepLSTM(n_layers, n_units, n_units, 0.1)
            self.decoder = L.StatelessLSTM(2 * n_units, n_units)
            self.project = L.Linear(n_units, n_units, nobias=True)
            self.W = L.Linear(2 * n_units, n_target)

    def encode(self, xs):
        """Read the sentences: state, memory (batch, length, units) and where it is padding."""
        xs = [x[::-1] for x in xs]
        exs = sequence_embed(self.embed_x, xs)
        h, c, ys = self.encoder(None, None, exs)
        memory = F.pad_sequence(ys, padding=0.0)
        mask = F.pad_sequence([self.xp.ones(len(x), dtype=bool) for x in xs], padding=False)
        return h[-1], c[-1], memory, mask.array

    def decode(self, y, c, h, context, memory, mask):
        """Make one step: the state, what was attended to, and log probabilities (batch, target)."""
        e = F.concat((self.embed_y(y), context), axis=1)
        c, h = self.decoder(c, h, e)
        scores = F.matmul(memory, F.expand_dims(self.project(h), 2))[:, :, 0]
        scores = F.where(mask, scores, self.xp.full(scores.shape, -1e9, dtype=np.float32))
        weights = F.softmax(scores, axis=1)
        context = F.sum(memory * F.broadcast_to(weights[:, :, None], memory.shape), axis=1)
        return c, h, context, F.log_softmax(self.W(F.concat((h, context), axis=1)))

    def forward(self, xs, max_length):
        return self.translate(xs, max_length)

    def translate(self, xs, max_length=100, beam=1):
        """Translate sentences: an int32 array of words for each, without the end of sentence."""
        with chainer.no_backprop_mode(), chainer.using_config("train", False):
            if beam > 1:
                best = [self.beam_search(x, max_length, beam)[0] for x in xs]
                return [self.xp.array(words, dtype=np.int32) for words, _ in best]
            return self.greedy(xs, max_length)

    def greedy(self, xs, max_length):
        """Take the likeliest word at each step, for all sentences at once."""
        batch = len(xs)
        h, c, memory, mask = self.encode(xs)
        context = self.xp.zeros(h.shape, dtype=np.float32)
        ys = self.xp.full(batch, EOS, dtype=np.int32)
        done = self.xp.zeros(batch, dtype=bool)
        result = []
        for _ in range(max_length):
            c, h, context, log_prob = self.decode(ys, c, h, context, memory, mask)
            ys = self.xp.argmax(log_prob.array, axis=1).astype(np.int32)
            result.append(ys)
            done |= ys == EOS
            if done.all():
                break
        result = self.xp.concatenate([self.xp.expand_dims(x, 0) for x in result]).T

        # Remove EOS tags
        outs = []
        for y in result:
            inds = np.argwhere(y == EOS)
            if len(inds) > 0:
                y = y[: inds[0, 0]]
            outs.append(y)
        return outs

    def beam_search(self, x, max_length, beam):
        """Keep the `beam` best beginnings of a translation at each step.

        Returns hypotheses that ended, best first, as pairs of words and score; the unfinished ones
        where none ended. The words go without the end of sentence.
        """
        h, c, memory, mask = self.encode([x])
        context = self.xp.zeros(h.shape, dtype=np.float32)
        hypotheses = [(0.0, [EOS], (c, h, context))]
        finished = []
        for _ in range(max_length):
            candidates = []
            for score, words, (c, h, context) in hypotheses:
                y = self.xp.array(words[-1:], dtype=np.int32)
                c, h, context, log_prob = self.decode(y, c, h, context, memory, mask)
                log_prob = log_prob.array[0]
                for w in self.xp.argsort(-log_prob)[:beam]:
                    candidates.append(
                        (score + float(log_prob[w]), [*words, int(w)], (c, h, context))
                    )
            candidates = sorted(candidates, key=lambda one: -one[0])[:beam]
            hypotheses = []
            for candidate in candidates:
                if candidate[1][-1] == EOS:
                    finished.append((candidate[1][1:-1], candidate[0]))
                else:
                    hypotheses.append(candidate)
            if len(finished) >= beam or not hypotheses:
                break
        if not finished:
            finished = [(words[1:], score) for score, words, _ in hypotheses]
        return sorted(finished, key=lambda one: -one[1])


def build(n_layers: int = 2, n_units: int = 24, seed: int = 1) -> Seq2seq:
    """Make the chain; the end is likely enough that sentences end, at unlike lengths."""
    with seeded(seed):
        chain = Seq2seq(n_layers, N_SOURCE, N_TARGET, n_units)
        spread_biases(chain)
        chain.embed_y.W.array[...] *= 3
        chain.W.W.array[...] *= 6
        chain.W.b.array[EOS] += 2.0
    return chain


def inputs(
    lengths: tuple[int, ...] = (4, 2, 7), max_length: int = 20, seed: int = 1
) -> tuple[list[np.ndarray], int]:
    """Example inputs: a list of int32[length] word ids, and the longest translation."""
    random = np.random.RandomState(seed)
    return [random.randint(1, N_SOURCE, n).astype(np.int32) for n in lengths], max_length


def one_sentence(beam: int, **sizes: Any) -> tuple[np.ndarray, int, int]:
    """Example inputs of `beam_search`: the first of the sentences."""
    xs, max_length = inputs(**sizes)
    return xs[0], max_length, beam


def sentences(beam: int, **sizes: Any) -> tuple[list[np.ndarray], int, int]:
    """Example inputs of `translate`."""
    return (*inputs(**sizes), beam)
