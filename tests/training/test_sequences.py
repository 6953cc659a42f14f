"""Gradients of networks over sequences of unlike lengths."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

import elichika
from tests.programs import difference, outcome

LENGTHS = [(4, 3, 2), (5, 5, 1), (2, 1, 1), (1, 6, 3)]


def words(lengths: tuple[int, ...], seed: int, of: int = 7) -> list[Any]:
    random = np.random.RandomState(seed)
    return [random.randint(0, of, length).astype(np.int32) for length in lengths]


class Network(chainer.Chain):
    """Gives the loss and the gradients of all parameters."""

    def __init__(self) -> None:
        super().__init__()
        np.random.seed(0)
        with self.init_scope():
            self.embed = L.EmbedID(7, 3)

    def forward(self, xs: Any, ys: Any) -> Any:
        self.cleargrads()
        loss = self.loss(xs, ys)
        loss.backward()
        return loss, [p.grad for _, p in sorted(self.namedparams())]

    def rows(self, xs: Any) -> Any:
        """Look all words up at once."""
        rows = self.embed(F.concat(xs, axis=0))
        return F.split_axis(rows, np.cumsum([len(x) for x in xs[:-1]]), 0)


class Classifier(Network):
    """The last state of an LSTM over each sequence."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.encoder = L.NStepLSTM(1, 3, 4, 0.0)
            self.out = L.Linear(4, 7)

    def loss(self, xs: Any, ys: Any) -> Any:
        h, _, _ = self.encoder(None, None, self.rows(xs))
        return F.softmax_cross_entropy(self.out(h[-1]), F.concat([y[:1] for y in ys], axis=0))


class BothWays(Network):
    """All states of a GRU that reads both ways."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.encoder = L.NStepBiGRU(1, 3, 2, 0.0)
            self.out = L.Linear(4, 7)

    def loss(self, xs: Any, ys: Any) -> Any:
        _, hs = self.encoder(None, self.rows(xs))
        return F.softmax_cross_entropy(self.out(F.concat(hs, axis=0)), F.concat(ys, axis=0))


class Tagger(Network):
    """A conditional random field."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.crf = L.CRF1d(3)

    def loss(self, xs: Any, ys: Any) -> Any:
        return self.crf([self.embed(x) for x in xs], [y % 3 for y in ys], transpose=True)


class Padded(Network):
    """A convolution over sequences of one length."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution1D(3, 4, 2, pad=1)
            self.out = L.Linear(4, 7)

    def loss(self, xs: Any, ys: Any) -> Any:
        rows = F.transpose(F.pad_sequence(self.rows(xs)), (0, 2, 1))
        h = F.max(F.relu(self.conv(rows)), axis=2)
        return F.softmax_cross_entropy(self.out(h), F.concat([y[:1] for y in ys], axis=0))


@pytest.mark.parametrize("make", [Classifier, BothWays, Tagger, Padded])
def test_gradients(make: Any) -> None:
    runs = [
        (words(lengths, seed), words(lengths, seed + 9)) for seed, lengths in enumerate(LENGTHS)
    ]
    model = elichika.compile_model(make(), runs[0], examples=runs[1:2], verify=False)
    for run in runs:
        expected = outcome(make().forward, run)
        assert difference(expected, outcome(model, run), {"float32": 1e-4}) is None
