"""WaveNet: dilated convolutions over a waveform, generation from queues of what came before."""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded, spread_biases

__all__ = ["WaveNet", "build", "inputs"]

A_CHANNELS = 16
CONDITION = 8


class ResidualBlock(chainer.Chain):
    """A gated dilated convolution with a residual and a skip connection."""

    def __init__(self, filter_size, dilation, residual_channels, dilated_channels, skip_channels):
        super().__init__()
        with self.init_scope():
            self.conv = L.DilatedConvolution2D(
                residual_channels,
                dilated_channels,
                ksize=(filter_size, 1),
                pad=(dilation * (filter_size - 1), 0),
                dilate=(dilation, 1),
            )
            self.res = L.Convolution2D(dilated_channels // 2, residual_channels, 1)
            self.skip = L.Convolution2D(dilated_channels // 2, skip_channels, 1)

        self.filter_size = filter_size
        self.dilation = dilation
        self.residual_channels = residual_channels

    def forward(self, x, condition):
        length = x.shape[2]
        h = self.conv(x)
        h = h[:, :, :length]  # crop
        h += condition
        tanh_z, sig_z = F.split_axis(h, 2, axis=1)
        z = F.tanh(tanh_z) * F.sigmoid(sig_z)
        if x.shape[2] == z.shape[2]:
            residual = self.res(z) + x
        else:
            residual = self.res(z) + x[:, :, -1:]  # crop
        skip_connection = self.skip(z)
        return residual, skip_connection

    def initialize(self, n):
        """Start generating n waveforms."""
        self.queue = chainer.Variable(
            self.xp.zeros(
                (n, self.residual_channels, self.dilation * (self.filter_size - 1) + 1, 1),
                dtype=self.xp.float32,
            )
        )
        self.conv.pad = (0, 0)

    def pop(self, condition):
        """Give the newest output."""
        return self(self.queue, condition)

    def push(self, x):
        """Take in one more sample."""
        self.queue = F.concat((self.queue[:, :, 1:], x), axis=2)


class ResidualNet(chainer.ChainList):
    """Blocks whose dilation doubles, a few times over."""

    def __init__(
        self, n_loop, n_layer, filter_size, residual_channels, dilated_channels, skip_channels
    ):
        super().__init__()
        dilations = [2**i for i in range(n_layer)] * n_loop
        for dilation in dilations:
            self.add_link(
                ResidualBlock(
                    filter_size, dilation, residual_channels, dilated_channels, skip_channels
                )
            )

    def forward(self, x, conditions):
        for i, (func, cond) in enumerate(zip(self.children(), conditions)):
            x, skip = func(x, cond)
            if i == 0:
                skip_connections = skip
            else:
                skip_connections += skip
        return skip_connections

    def initialize(self, n):
        """Start generating n waveforms."""
        for block in self.children():
            block.initialize(n)

    def generate(self, x, conditions):
        """Take in one sample, give what predicts the next."""
        for i, (func, cond) in enumerate(zip(self.children(), conditions)):
            func.push(x)
            x, skip = func.pop(cond)
            if i == 0:
                skip_connections = skip
            else:
                skip_connections += skip
        return skip_connections


class WaveNet(chainer.Chain):
    """Logits of the next sample, quantized, from one-hot samples and a condition."""

    def __init__(self, n_loop, n_layer, a_channels, r_channels, s_channels, n_condition):
        super().__init__()
        self.a_channels = a_channels
        with self.init_scope():
            self.embed = L.Convolution2D(a_channels, r_channels, (2, 1), pad=(1, 0), nobias=True)
            self.condition = chainer.ChainList(
                *[L.Convolution2D(n_condition, 2 * r_channels, 1) for _ in range(n_loop * n_layer)]
            )
            self.resnet = ResidualNet(n_loop, n_layer, 2, r_channels, 2 * r_channels, s_channels)
            self.proj1 = L.Convolution2D(s_channels, s_channels, 1, nobias=True)
            self.proj2 = L.Convolution2D(s_channels, a_channels, 1, nobias=True)

    def forward(self, x, condition):
        length = x.shape[2]
        x = self.embed(x)
        x = x[:, :, :length, :]  # crop
        x = F.tanh(x)
        z = F.relu(self.resnet(x, [embed(condition) for embed in self.condition]))
        z = F.relu(self.proj1(z))
        return self.proj2(z)

    def initialize(self, n):
        """Start generating n waveforms."""
        self.resnet.initialize(n)
        self.embed.pad = (0, 0)
        self.embed_queue = chainer.Variable(
            self.xp.zeros((n, self.a_channels, 2, 1), dtype=self.xp.float32)
        )

    def generate(self, x, conditions):
        """Take in one sample, give logits of the next."""
        self.embed_queue = F.concat((self.embed_queue[:, :, 1:], x), axis=2)
        x = F.tanh(self.embed(self.embed_queue))
        x = F.relu(self.resnet.generate(x, conditions))
        x = F.relu(self.proj1(x))
        return self.proj2(x)

    def synthesize(self, condition):
        """Generate a sample for each step of the condition, float32[batch, channels, length, 1].

        Returns int32[batch, length] quantized samples and float32[batch, length] amplitudes.
        """
        batch, _, length, _ = condition.shape
        self.initialize(batch)
        conditions = [embed(condition) for embed in self.condition]
        x = self.xp.zeros((batch, self.a_channels, 1, 1), dtype=np.float32)
        x[:, self.a_channels // 2] = 1
        output = self.xp.zeros((batch, length), dtype=np.int32)
        for i in range(length):
            y = self.generate(x, [c[:, :, i : i + 1] for c in conditions])
            value = self.xp.argmax(y.array[:, :, 0, 0], axis=1)
            x = self.xp.zeros((batch, self.a_channels, 1, 1), dtype=np.float32)
            x[self.xp.arange(batch), value] = 1
            output[:, i] = value
        return output, self.mu_law(output)

    def mu_law(self, quantized):
        """Undo the mu-law quantization: amplitudes between -1 and 1."""
        mu = self.a_channels - 1
        y = 2 * quantized.astype(np.float32) / mu - 1
        return np.sign(y) * ((1 + mu) ** np.abs(y) - 1) / mu


def build(n_loop: int = 2, n_layer: int = 3, seed: int = 0) -> WaveNet:
    """Make the chain; its weights are large enough that samples change."""
    with seeded(seed):
        chain = WaveNet(n_loop, n_layer, A_CHANNELS, 12, 16, CONDITION)
        spread_biases(chain)
        chain.embed.W.array[...] *= 3
        chain.proj2.W.array[...] *= 4
    return chain


def inputs(batch: int = 2, length: int = 8, seed: int = 1) -> tuple[np.ndarray]:
    """Example inputs: a condition, float32[batch, 8, length, 1]."""
    random = np.random.RandomState(seed)
    return (random.randn(batch, CONDITION, length, 1).astype(np.float32),)
