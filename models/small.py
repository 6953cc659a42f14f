"""Six small models of images, sentences, attention and decoding, with loops as users write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import calibrate, seeded, spread_biases

__all__ = ["SMALL", "Small"]

WORDS, UNITS, TAGS = 50, 32, 5
END = 0
SURE = 4
"""By how much the decoder's scores of words differ more than those of a new network."""


class ConvNet(chainer.Chain):
    """Two convolutions with batch normalization."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(3, 8, 3, pad=1, nobias=True)
            self.norm1 = L.BatchNormalization(8)
            self.conv2 = L.Convolution2D(8, 16, 3, stride=2, pad=1)
            self.norm2 = L.BatchNormalization(16)
            self.out = L.Linear(16, TAGS)

    def forward(self, x: Any) -> Any:
        """Return scores [batch, 5] of images [batch, 3, height, width]."""
        h = F.max_pooling_2d(F.relu(self.norm1(self.conv1(x))), 2)
        h = F.relu(self.norm2(self.conv2(h)))
        return self.out(F.average(h, axis=(2, 3)))


class Classifier(chainer.Chain):
    """An LSTM that reads a sentence word by word."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(WORDS, UNITS)
            self.lstm = L.LSTM(UNITS, UNITS)
            self.out = L.Linear(UNITS, TAGS)

    def forward(self, ids: Any) -> Any:
        """Return scores [batch, 5] of word numbers [batch, time]."""
        self.lstm.reset_state()
        for t in range(ids.shape[1]):
            h = self.lstm(self.embed(ids[:, t]))
        return self.out(h)


class Encoder(Classifier):
    """The model of the README: what it gives is normalized where it is large."""

    def forward(self, ids: Any) -> Any:
        """Return scores [batch, 5] of word numbers [batch, time]."""
        y = super().forward(ids)
        if F.max(y).array > 1:
            y = F.normalize(y)
        return y


class Tagger(chainer.Chain):
    """A GRU whose state after each word gives the word's tag."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(WORDS, UNITS)
            self.gru = L.StatefulGRU(UNITS, UNITS)
            self.out = L.Linear(UNITS, TAGS)

    def forward(self, ids: Any) -> Any:
        """Return scores [batch, time, 5] of word numbers [batch, time]."""
        self.gru.reset_state()
        states = [self.gru(self.embed(ids[:, t])) for t in range(ids.shape[1])]
        return F.stack([self.out(h) for h in states], axis=1)


class Attention(chainer.Chain):
    """An LSTM over what attention finds in a sentence, a few times."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(WORDS, UNITS)
            self.key = L.Linear(UNITS, UNITS)
            self.query = L.Linear(UNITS, UNITS)
            self.lstm = L.LSTM(UNITS, UNITS)
            self.out = L.Linear(UNITS, TAGS)

    def forward(self, ids: Any, steps: int) -> Any:
        """Return scores [batch, 5] of word numbers [batch, time] after some looks at them."""
        words = self.embed(ids)
        keys = F.reshape(self.key(F.reshape(words, (-1, UNITS))), words.shape)
        self.lstm.reset_state()
        h = self.lstm(F.mean(words, axis=1))
        for _ in range(steps):
            weights = F.softmax(F.matmul(keys, F.expand_dims(self.query(h), 2)), axis=1)
            h = self.lstm(F.sum(F.broadcast_to(weights, words.shape) * words, axis=1))
        return self.out(h)


class Decoder(chainer.Chain):
    """An LSTM that writes the word it finds best, until it writes the end."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(WORDS, UNITS)
            self.lstm = L.LSTM(UNITS, UNITS)
            self.out = L.Linear(UNITS, WORDS)

    def forward(self, ids: Any, limit: int) -> Any:
        """Return the numbers of the words that follow some words [time], at most `limit`."""
        self.lstm.reset_state()
        for t in range(len(ids)):
            y = self.out(self.lstm(self.embed(ids[t : t + 1])))
        found: list[int] = []
        while len(found) < limit:
            word = int(F.argmax(y, axis=1).array[0])
            if word == END:
                break
            found.append(word)
            y = self.out(self.lstm(self.embed(np.array([word], dtype=np.int32))))
        return found


@dataclass(frozen=True)
class Small:
    """A model, and inputs: the first for the example that it is compiled with."""

    name: str
    chain: Callable[[], chainer.Chain]
    inputs: tuple[tuple[Any, ...], ...]
    dynamic_axes: Mapping[str, Mapping[int, str]]

    def build(self) -> chainer.Chain:
        """Make the chain; the same weights each time."""
        with seeded(0):
            chain = self.chain()
            spread_biases(chain)
            if isinstance(chain, ConvNet):
                calibrate(chain, *_images(64, 16))
            if isinstance(chain, Decoder):
                chain.out.W.array[...] *= SURE
        return chain


def _images(batch: int, size: int) -> tuple[Any, ...]:
    return (np.random.RandomState(size).rand(batch, 3, size, size).astype(np.float32),)


def _words(*shape: int) -> Any:
    return np.random.RandomState(sum(shape)).randint(1, WORDS, shape).astype(np.int32)


SENTENCES = tuple((_words(batch, time),) for batch, time in ((2, 3), (1, 1), (4, 9)))
WORD = {"ids": {0: "batch", 1: "time"}}

SMALL = (
    Small(
        "convolutions with batch normalization",
        ConvNet,
        (_images(2, 16), _images(1, 16), _images(5, 24)),
        {"x": {0: "batch", 2: "height", 3: "width"}},
    ),
    Small("LSTM classifier over a `for`", Classifier, SENTENCES, WORD),
    Small("the README's encoder", Encoder, SENTENCES, WORD),
    Small("GRU tagger with a comprehension", Tagger, SENTENCES, WORD),
    Small(
        "attention",
        Attention,
        tuple((ids, steps) for (ids,), steps in zip(SENTENCES, (2, 0, 5), strict=True)),
        WORD,
    ),
    Small(
        "greedy decoder",
        Decoder,
        tuple((_words(time), limit) for time, limit in ((3, 4), (1, 0), (9, 20))),
        {"ids": {0: "time"}},
    ),
)
