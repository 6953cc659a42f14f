"""Transformer encoder and decoder; masks are made of the padded ids, decoding is greedy."""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded, spread_biases

__all__ = ["Transformer", "build", "inputs"]

N_SOURCE = 60
N_TARGET = 40
PADDING = -1
EOS = 0
BOS = 1
MIN_VALUE = -1e9


def position_encoding(length, n_units):
    """Sine and cosine of each position at wavelengths from 2 pi to 10000: (1, length, units)."""
    position = np.arange(length, dtype=np.float32)
    scale = np.exp(np.arange(n_units // 2) * -(np.log(10000.0) / (n_units // 2 - 1)))
    angle = position[:, None] * scale[None, :].astype(np.float32)
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=1)[None].astype(np.float32)


def linear(link, x):
    """Apply a linear link to each position of (batch, length, units)."""
    batch, length, units = x.shape
    return F.reshape(link(F.reshape(x, (batch * length, units))), (batch, length, -1))


class LayerNorm(chainer.Chain):
    """Layer normalization of each position."""

    def __init__(self, n_units):
        super().__init__()
        with self.init_scope():
            self.norm = L.LayerNormalization(n_units, eps=1e-6)

    def forward(self, x):
        shape = x.shape
        return F.reshape(self.norm(F.reshape(x, (-1, shape[-1]))), shape)


class MultiHeadAttention(chainer.Chain):
    """Attention of (batch, queries, units) over (batch, keys, units) in several heads."""

    def __init__(self, n_units, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.scale = 1.0 / (n_units // n_heads) ** 0.5
        with self.init_scope():
            self.query = L.Linear(n_units, n_units, nobias=True)
            self.key = L.Linear(n_units, n_units, nobias=True)
            self.value = L.Linear(n_units, n_units, nobias=True)
            self.out = L.Linear(n_units, n_units, nobias=True)

    def split(self, x):
        """Give each head its own batch: (batch * heads, length, units / heads)."""
        return F.concat(F.split_axis(x, self.n_heads, axis=2), axis=0)

    def forward(self, x, keys, values, mask=None):
        batch = x.shape[0]
        q = self.split(linear(self.query, x))
        scores = F.matmul(q, keys, transb=True) * self.scale
        if mask is not None:
            mask = self.xp.concatenate([mask] * self.n_heads, axis=0)
            scores = F.where(mask, scores, self.xp.full(scores.shape, MIN_VALUE, scores.dtype))
        weights = F.dropout(F.softmax(scores, axis=2), 0.1)
        h = F.concat(F.split_axis(F.matmul(weights, values), self.n_heads, axis=0), axis=2)
        assert h.shape[0] == batch
        return linear(self.out, h)

    def project(self, x):
        """Make the keys and values of positions that will be attended to."""
        return self.split(linear(self.key, x)), self.split(linear(self.value, x))


class FeedForward(chainer.Chain):
    """Two linear layers at each position."""

    def __init__(self, n_units):
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(n_units, n_units * 4)
            self.l2 = L.Linear(n_units * 4, n_units)

    def forward(self, x):
        return linear(self.l2, F.leaky_relu(linear(self.l1, x)))


class EncoderLayer(chainer.Chain):
    """Self-attention and a feed-forward network, each with a residual and a normalization."""

    def __init__(self, n_units, n_heads):
        super().__init__()
        with self.init_scope():
            self.attention = MultiHeadAttention(n_units, n_heads)
            self.feed_forward = FeedForward(n_units)
            self.ln1 = LayerNorm(n_units)
            self.ln2 = LayerNorm(n_units)

    def forward(self, x, mask):
        keys, values = self.attention.project(x)
        x = self.ln1(x + F.dropout(self.attention(x, keys, values, mask), 0.1))
        return self.ln2(x + F.dropout(self.feed_forward(x), 0.1))


class DecoderLayer(chainer.Chain):
    """As the encoder's, with attention over the source between the two."""

    def __init__(self, n_units, n_heads):
        super().__init__()
        with self.init_scope():
            self.self_attention = MultiHeadAttention(n_units, n_heads)
            self.source_attention = MultiHeadAttention(n_units, n_heads)
            self.feed_forward = FeedForward(n_units)
            self.ln1 = LayerNorm(n_units)
            self.ln2 = LayerNorm(n_units)
            self.ln3 = LayerNorm(n_units)

    def forward(self, y, source, xy_mask, yy_mask=None, cache=None):
        keys, values = self.self_attention.project(y)
        if cache is not None:
            keys = F.concat((cache[0], keys), axis=1)
            values = F.concat((cache[1], values), axis=1)
        y = self.ln1(y + F.dropout(self.self_attention(y, keys, values, yy_mask), 0.1))
        y = self.ln2(y + F.dropout(self.source_attention(y, *source, xy_mask), 0.1))
        return self.ln3(y + F.dropout(self.feed_forward(y), 0.1)), (keys, values)


class Transformer(chainer.Chain):
    """Translation of padded word ids."""

    def __init__(self, n_layers, n_source, n_target, n_units, n_heads):
        super().__init__()
        self.n_units = n_units
        with self.init_scope():
            self.embed_x = L.EmbedID(n_source, n_units, ignore_label=PADDING)
            self.embed_y = L.EmbedID(n_target, n_units, ignore_label=PADDING)
            self.encoder = chainer.ChainList(
                *[EncoderLayer(n_units, n_heads) for _ in range(n_layers)]
            )
            self.decoder = chainer.ChainList(
                *[DecoderLayer(n_units, n_heads) for _ in range(n_layers)]
            )
            self.out = L.Linear(n_units, n_target)

    def embed(self, link, block, start=0):
        """Embed ids and add where they stand."""
        length = block.shape[1]
        emb = link(block) * self.n_units**0.5
        emb += self.xp.array(position_encoding(start + length, self.n_units)[:, start:])
        return F.dropout(emb, 0.1)

    def make_attention_mask(self, source_block, target_block):
        """Allow targets to attend to sources, where neither is padding: (batch, target, source)."""
        return (target_block[:, :, None] >= 0) * (source_block[:, None, :] >= 0)

    def make_history_mask(self, block):
        """Allow each position to attend to itself and those before: (batch, length, length)."""
        batch, length = block.shape
        arange = self.xp.arange(length)
        history_mask = arange[None,] <= arange[:, None]
        return self.xp.broadcast_to(history_mask[None], (batch, length, length))

    def encode(self, x_block):
        """Read the source."""
        x = self.embed(self.embed_x, x_block)
        mask = self.make_attention_mask(x_block, x_block)
        for layer in self.encoder:
            x = layer(x, mask)
        return x

    def decode(self, z, x_block, y_block):
        """Give logits of the next word after each target word: (batch, length, target)."""
        xy_mask = self.make_attention_mask(x_block, y_block)
        yy_mask = self.make_attention_mask(y_block, y_block)
        yy_mask *= self.make_history_mask(y_block)
        y = self.embed(self.embed_y, y_block)
        for layer in self.decoder:
            y, _ = layer(y, layer.source_attention.project(z), xy_mask, yy_mask)
        return linear(self.out, y)

    def forward(self, x_block, y_block):
        return self.decode(self.encode(x_block), x_block, y_block)

    def translate(self, x_block, max_length=50):
        """Translate greedily, decoding all that was written anew for each word."""
        with chainer.no_backprop_mode(), chainer.using_config("train", False):
            batch = len(x_block)
            y_block = self.xp.full((batch, 1), BOS, dtype=x_block.dtype)
            eos_flags = self.xp.zeros((batch,), dtype=x_block.dtype)
            result = []
            z = self.encode(x_block)
            for _ in range(max_length):
                log_prob_tail = self.decode(z, x_block, y_block)[:, -1]
                ys = self.xp.argmax(log_prob_tail.array, axis=1).astype("i")
                result.append(ys)
                y_block = F.concat([y_block, ys[:, None]], axis=1).array
                eos_flags += ys == EOS
                if self.xp.all(eos_flags):
                    break
        return self.remove_eos(self.xp.stack(result).T)

    def translate_incremental(self, x_block, max_length=50):
        """Translate greedily, keeping the keys and values of what was written."""
        batch = len(x_block)
        z = self.encode(x_block)
        sources = [layer.source_attention.project(z) for layer in self.decoder]
        caches = [None] * len(self.decoder)
        ys = self.xp.full(batch, BOS, dtype=x_block.dtype)
        eos_flags = self.xp.zeros(batch, dtype=bool)
        result = []
        while len(result) < max_length and not eos_flags.all():
            y_block = ys[:, None]
            xy_mask = self.make_attention_mask(x_block, y_block)
            y = self.embed(self.embed_y, y_block, start=len(result))
            for i, (layer, source) in enumerate(zip(self.decoder, sources)):
                y, caches[i] = layer(y, source, xy_mask, cache=caches[i])
            ys = self.xp.argmax(self.out(y[:, 0]).array, axis=1).astype("i")
            result.append(ys)
            eos_flags |= ys == EOS
        return self.remove_eos(self.xp.stack(result).T)

    def remove_eos(self, block):
        """Cut each sentence before its first end."""
        outs = []
        for y in block:
            inds = np.argwhere(y == EOS)
            if len(inds) > 0:
                y = y[: inds[0, 0]]
            outs.append(y)
        return outs


def build(n_layers: int = 2, n_units: int = 32, n_heads: int = 4, seed: int = 0) -> Transformer:
    """Make the chain; the end is likely enough that sentences end, at unlike lengths."""
    with seeded(seed):
        chain = Transformer(n_layers, N_SOURCE, N_TARGET, n_units, n_heads)
        spread_biases(chain)
        chain.out.W.array[...] *= 2
        chain.out.b.array[EOS] += 2.0
    return chain


def inputs(
    lengths: tuple[int, ...] = (4, 2, 7), seed: int = 1, **more: int
) -> tuple[np.ndarray | int, ...]:
    """Example inputs: int32[batch, longest] padded by -1, and with `max_length` that number.

    With `target` instead, a block of that many target words a sentence.
    """
    random = np.random.RandomState(seed)
    block = np.full((len(lengths), max(lengths)), PADDING, dtype=np.int32)
    for row, length in zip(block, lengths, strict=True):
        row[:length] = random.randint(2, N_SOURCE, length)
    if "target" in more:
        target = random.randint(2, N_TARGET, (len(lengths), more["target"]))
        return block, target.astype(np.int32)
    return block, more["max_length"]
