"""The U-Net of pix2pix, from pictures of labels to pictures, after the published network."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.images import images
from models.weights import calibrate, seeded

__all__ = ["Pix2pix", "build", "inputs"]


class CBR(chainer.Chain):
    """A convolution to half or double the size, batch normalization, dropout, activation."""

    def __init__(self, ch0, ch1, bn=True, sample="down", activation=F.relu, dropout=False):
        super().__init__()
        self.bn = bn
        self.activation = activation
        self.dropout = dropout
        layers = {}
        w = chainer.initializers.Normal(0.02)
        if sample == "down":
            layers["c"] = L.Convolution2D(ch0, ch1, 4, 2, 1, initialW=w)
        else:
            layers["c"] = L.Deconvolution2D(ch0, ch1, 4, 2, 1, initialW=w)
        if bn:
            layers["batchnorm"] = L.BatchNormalization(ch1)
        with self.init_scope():
            for name, layer in layers.items():
                setattr(self, name, layer)

    def forward(self, x):
        h = self.c(x)
        if self.bn:
            h = self.batchnorm(h)
        if self.dropout:
            h = F.dropout(h)
        if self.activation is not None:
            h = self.activation(h)
        return h


class Encoder(chainer.Chain):
    """Keeps the features of each size."""

    def __init__(self, in_ch, ch, depth):
        super().__init__()
        layers = {"c0": L.Convolution2D(in_ch, ch, 3, 1, 1)}
        for i in range(1, depth):
            layers[f"c{i}"] = CBR(ch * 2 ** (i - 1), ch * 2**i, activation=F.leaky_relu)
        self.depth = depth
        with self.init_scope():
            for name, layer in layers.items():
                setattr(self, name, layer)

    def forward(self, x):
        hs = [F.leaky_relu(self.c0(x))]
        for i in range(1, self.depth):
            hs.append(self[f"c{i}"](hs[i - 1]))
        return hs


class Decoder(chainer.Chain):
    """Joins the features of each size on the way back."""

    def __init__(self, out_ch, ch, depth):
        super().__init__()
        self.depth = depth
        with self.init_scope():
            for i in range(depth - 1):
                level = depth - 1 - i
                joined = ch * 2**level * (1 if i == 0 else 2)
                layer = CBR(joined, ch * 2 ** (level - 1), sample="up", dropout=i == 0)
                setattr(self, f"c{i}", layer)
            setattr(self, f"c{depth - 1}", L.Convolution2D(ch * 2, out_ch, 3, 1, 1))

    def forward(self, hs):
        h = self.c0(hs[-1])
        for i in range(1, self.depth):
            h = F.concat([h, hs[-i - 1]])
            h = self[f"c{i}"](h)
        return h


class Pix2pix(chainer.Chain):
    """A picture from a picture of labels."""

    def __init__(self, in_ch=4, out_ch=3, ch=8, depth=4):
        super().__init__()
        self.n_labels = in_ch
        with self.init_scope():
            self.encoder = Encoder(in_ch, ch, depth)
            self.decoder = Decoder(out_ch, ch, depth)

    def forward(self, x):
        """Return float32[batch, out_ch, height, width]."""
        return self.decoder(self.encoder(x))

    def convert(self, labels):
        """Return uint8[batch, height, width, 3] for int32[batch, height, width] labels."""
        batch, height, width = labels.shape
        x = np.zeros((batch, self.n_labels, height, width), dtype=np.float32)
        for i in range(self.n_labels):
            x[:, i, :, :][labels == i] = 1.0
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            y = self.forward(x).array
        y = np.asarray(np.clip(y * 128 + 128, 0.0, 255.0), dtype=np.uint8)
        return y.transpose(0, 2, 3, 1)


def build(seed: int = 0) -> Pix2pix:
    """Make a network whose pictures use the range of their pixels."""
    with seeded(seed):
        chain = Pix2pix()
        calibrate(chain, images(4, 32, 32, channels=4))
        last = chain.decoder.c3
        last.W.array[...] *= 0.5
    return chain


def inputs(batch: int = 2, height: int = 32, width: int = 32, seed: int = 1) -> tuple[Any, ...]:
    """Example inputs of `convert`: blobs of labels, sizes that are multiples of 8."""
    labels = images(batch, height, width, channels=4, seed=seed).argmax(axis=1)
    return (labels.astype(np.int32),)
