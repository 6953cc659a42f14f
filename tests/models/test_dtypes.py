"""Whole networks in each floating dtype: links made under `chainer.config.dtype`."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

import elichika


class Images(chainer.Chain):
    """Convolutions, normalizations, pools, residual sums, a classifier."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.stem = L.Convolution2D(3, 8, 3, 2, 1)
            self.bn = L.BatchNormalization(8)
            self.body = L.Convolution2D(8, 8, 3, 1, 1, nobias=True)
            self.groups = L.GroupNormalization(2, 8)
            self.up = L.Deconvolution2D(8, 4, 4, 2, 1)
            self.out = L.Linear(None, 5)

    def forward(self, x: Any) -> Any:
        h = F.max_pooling_2d(F.relu(self.bn(self.stem(x))), 3, 2)
        h = h + F.leaky_relu(self.groups(self.body(h)))
        y = F.average_pooling_2d(F.unpooling_2d(self.up(h), 2, cover_all=False), 3)
        y = F.concat((F.local_response_normalization(y), F.softplus(y)))
        return F.softmax(self.out(y)), F.argmax(h, axis=1)


class Words(chainer.Chain):
    """Embeddings, a recurrent link step by step, an n-step one, attention, a loss."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(11, 6, ignore_label=-1)
            self.step = L.StatelessLSTM(6, 6)
            self.gru = L.NStepBiGRU(1, 6, 4, 0.1)
            self.norm = L.LayerNormalization(6)
            self.out = L.Linear(8, 11)

    def forward(self, ids: Any, t: Any) -> Any:
        xs = self.embed(ids)
        c = h = None
        rows = []
        for x in F.separate(xs):
            c, h = self.step(c, h, F.expand_dims(x, 0))
            rows.append(self.norm(h + F.sigmoid(h)))
        _, (ys,) = self.gru(None, [F.concat(rows, axis=0)])
        weights = F.softmax(F.matmul(ys, ys, transb=True) / 8**0.5)
        scores = self.out(F.tanh(F.matmul(weights, ys)))
        return scores, F.softmax_cross_entropy(scores, t)


def images(size: int, dtype: Any) -> tuple[Any, ...]:
    """Return a batch of that many images."""
    random = np.random.RandomState(size)
    return (random.uniform(-1, 1, (size, 3, 21, 21)).astype(dtype),)


def words(size: int, dtype: Any) -> tuple[Any, ...]:
    """Return a sentence of that many words, and labels."""
    random = np.random.RandomState(size)
    return random.randint(-1, 11, size).astype("i"), random.randint(0, 11, size).astype("i")


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, chainer.mixed16])
@pytest.mark.parametrize(("kind", "inputs"), [(Images, images), (Words, words)])
def test_networks_in_each_dtype(kind: Any, inputs: Any, dtype: Any) -> None:
    with chainer.using_config("dtype", dtype):
        np.random.seed(0)
        chain = kind()
        given = np.float16 if dtype is chainer.mixed16 else dtype
        model = elichika.compile_model(
            chain, inputs(4, given), dynamic_axes="n", initialize=True, verify=False
        )
        report = model.verify(*(inputs(size, given) for size in (1, 2, 7)), chain=chain)
    assert len(report.agreed) >= 4
    assert model.signature.outputs.specs[0].dtype == given
