"""Decoders: the next token is chosen by a loop that stops at the end of a sentence."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np

__all__ = ["DECODERS", "BeamSearch", "Greedy"]

UNITS, TOKENS, END = 128, 200, 0


class Greedy(chainer.Chain):
    """The most likely token at each step, until the end or `most` tokens."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(TOKENS, UNITS)
            self.inner = L.Linear(UNITS, UNITS)
            self.outer = L.Linear(UNITS, UNITS)
            self.score = L.Linear(UNITS, TOKENS)

    def step(self, token: Any, h: Any) -> Any:
        """Return the next state and the scores of the tokens."""
        h = F.tanh(self.inner(self.embed(token)) + self.outer(h))
        return h, self.score(h)

    def forward(self, h: Any, most: int) -> Any:
        """Return the tokens."""
        token = np.ones(1, np.int32)
        tokens = []
        for _ in range(most):
            h, scores = self.step(token, h)
            token = F.argmax(scores, axis=1).array.astype(np.int32)
            tokens.append(token)
            if token[0] == END:
                break
        return np.concatenate(tokens)


class BeamSearch(Greedy):
    """The best of several sentences that grow side by side."""

    def forward(self, h: Any, most: int) -> Any:
        """Return the sentences and their scores, best first."""
        width = 4
        h, scores = self.step(np.ones(1, np.int32), h)
        total = F.log_softmax(scores).array[0]
        chosen = np.argsort(-total)[:width]
        total = total[chosen]
        h = F.broadcast_to(h, (width, UNITS)).array
        tokens = chosen.astype(np.int32)
        sentences = tokens.reshape(width, 1)
        for _ in range(most):
            state, scores = self.step(tokens, h)
            every = (F.log_softmax(scores).array + total.reshape(width, 1)).reshape(-1)
            best = np.argsort(-every)[:width]
            rows = best // TOKENS
            tokens = (best % TOKENS).astype(np.int32)
            total = every[best]
            h = state.array[rows]
            sentences = np.concatenate((sentences[rows], tokens.reshape(width, 1)), axis=1)
            if (tokens == END).all():
                break
        return sentences, total


_START = np.random.RandomState(0).randn(1, UNITS).astype(np.float32)
#: The decoders with the inputs they are timed on.
DECODERS: list[tuple[Any, tuple[Any, ...]]] = [(Greedy, (_START, 40)), (BeamSearch, (_START, 40))]
