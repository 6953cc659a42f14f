"""AlexNet for 227x227 images, as in Chainer's ImageNet example, without the loss."""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.images import images
from models.weights import calibrate, seeded

__all__ = ["AlexNet", "build", "inputs"]


class AlexNet(chainer.Chain):
    """Five convolutions and three linear layers (Krizhevsky et al., 2012), without groups."""

    insize = 227

    def __init__(self, n_out: int = 1000) -> None:
        super().__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(None, 96, 11, stride=4)
            self.conv2 = L.Convolution2D(None, 256, 5, pad=2)
            self.conv3 = L.Convolution2D(None, 384, 3, pad=1)
            self.conv4 = L.Convolution2D(None, 384, 3, pad=1)
            self.conv5 = L.Convolution2D(None, 256, 3, pad=1)
            self.fc6 = L.Linear(None, 4096)
            self.fc7 = L.Linear(None, 4096)
            self.fc8 = L.Linear(None, n_out)

    def forward(self, x):
        h = F.max_pooling_2d(F.local_response_normalization(F.relu(self.conv1(x))), 3, stride=2)
        h = F.max_pooling_2d(F.local_response_normalization(F.relu(self.conv2(h))), 3, stride=2)
        h = F.relu(self.conv3(h))
        h = F.relu(self.conv4(h))
        h = F.max_pooling_2d(F.relu(self.conv5(h)), 3, stride=2)
        h = F.dropout(F.relu(self.fc6(h)))
        h = F.dropout(F.relu(self.fc7(h)))
        return self.fc8(h)


def build(seed: int = 0) -> AlexNet:
    """Make the chain, its weights set on data; 240 MB."""
    with seeded(seed):
        chain = AlexNet()
        calibrate(chain, *inputs(batch=8, seed=seed))
    return chain


def inputs(batch: int = 2, seed: int = 1) -> tuple[np.ndarray]:
    """Example inputs: float32[batch, 3, 227, 227]."""
    return (images(batch, AlexNet.insize, AlexNet.insize, seed=seed),)
