"""Generator and discriminator of a DCGAN, after chainer/examples/dcgan."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.images import images
from models.weights import calibrate, seeded

__all__ = ["Discriminator", "Generator", "build", "build_discriminator", "inputs", "noise"]


def add_noise(h, sigma=0.2):
    """Add noise while training."""
    xp = chainer.backend.get_array_module(h)
    if chainer.config.train:
        return h + sigma * xp.random.randn(*h.shape)
    return h


class Generator(chainer.Chain):
    """Images from noise."""

    def __init__(self, n_hidden, bottom_width=4, ch=64, wscale=0.02):
        super().__init__()
        self.n_hidden = n_hidden
        self.ch = ch
        self.bottom_width = bottom_width
        with self.init_scope():
            w = chainer.initializers.Normal(wscale)
            self.l0 = L.Linear(self.n_hidden, bottom_width * bottom_width * ch, initialW=w)
            self.dc1 = L.Deconvolution2D(ch, ch // 2, 4, 2, 1, initialW=w)
            self.dc2 = L.Deconvolution2D(ch // 2, ch // 4, 4, 2, 1, initialW=w)
            self.dc3 = L.Deconvolution2D(ch // 4, 3, 3, 1, 1, initialW=w)
            self.bn0 = L.BatchNormalization(bottom_width * bottom_width * ch)
            self.bn1 = L.BatchNormalization(ch // 2)
            self.bn2 = L.BatchNormalization(ch // 4)

    def forward(self, z):
        """Return float32[batch, 3, 16, 16] between 0 and 1 for float32[batch, n_hidden, 1, 1]."""
        h = F.reshape(
            F.relu(self.bn0(self.l0(z))), (len(z), self.ch, self.bottom_width, self.bottom_width)
        )
        h = F.relu(self.bn1(self.dc1(h)))
        h = F.relu(self.bn2(self.dc2(h)))
        return F.sigmoid(self.dc3(h))

    def preview(self, z):
        """Return one uint8 picture: a row of two samples for each pair."""
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            x = self.forward(z).array
        x = np.asarray(np.clip(x * 255, 0.0, 255.0), dtype=np.uint8)
        _, _, height, width = x.shape
        rows = len(x) // 2
        x = x[: rows * 2].reshape((rows, 2, 3, height, width))
        x = x.transpose(0, 3, 1, 4, 2)
        return x.reshape((rows * height, 2 * width, 3))


class Discriminator(chainer.Chain):
    """Tells images from generated ones."""

    def __init__(self, bottom_width=4, ch=32, wscale=0.02):
        super().__init__()
        w = chainer.initializers.Normal(wscale)
        with self.init_scope():
            self.c0_0 = L.Convolution2D(3, ch // 4, 3, 1, 1, initialW=w)
            self.c0_1 = L.Convolution2D(ch // 4, ch // 2, 4, 2, 1, initialW=w)
            self.c1_0 = L.Convolution2D(ch // 2, ch // 2, 3, 1, 1, initialW=w)
            self.c1_1 = L.Convolution2D(ch // 2, ch, 4, 2, 1, initialW=w)
            self.l4 = L.Linear(bottom_width * bottom_width * ch, 1, initialW=w)
            self.bn0_1 = L.BatchNormalization(ch // 2, use_gamma=False)
            self.bn1_0 = L.BatchNormalization(ch // 2, use_gamma=False)
            self.bn1_1 = L.BatchNormalization(ch, use_gamma=False)

    def forward(self, x):
        """Return float32[batch, 1] logits for float32[batch, 3, 16, 16]."""
        h = add_noise(x)
        h = F.leaky_relu(add_noise(self.c0_0(h)))
        h = F.leaky_relu(add_noise(self.bn0_1(self.c0_1(h))))
        h = F.leaky_relu(add_noise(self.bn1_0(self.c1_0(h))))
        h = F.leaky_relu(add_noise(self.bn1_1(self.c1_1(h))))
        return self.l4(h)


def build(n_hidden: int = 20, seed: int = 0) -> Generator:
    """Make a generator whose samples differ."""
    with seeded(seed):
        chain = Generator(n_hidden)
        calibrate(chain, *noise(8, n_hidden))
    return chain


def build_discriminator(seed: int = 0) -> Discriminator:
    """Make a discriminator for images of 16 by 16 pixels."""
    with seeded(seed):
        chain = Discriminator()
        calibrate(chain, *inputs(8))
    return chain


def noise(batch: int = 4, n_hidden: int = 20, seed: int = 1) -> tuple[Any, ...]:
    """Example inputs of the generator: float32[batch, n_hidden, 1, 1] between -1 and 1."""
    random = np.random.RandomState(seed)
    return (random.uniform(-1, 1, (batch, n_hidden, 1, 1)).astype(np.float32),)


def inputs(batch: int = 4, seed: int = 1) -> tuple[Any, ...]:
    """Example inputs of the discriminator: float32[batch, 3, 16, 16]."""
    return (images(batch, 16, 16, seed=seed),)
