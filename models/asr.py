"""End-to-end speech recognition: VGG and BLSTM encoder, location-aware attention, CTC.

Utterances of unlike lengths come as a list; they are padded inside, and what is padding is masked.
"""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F
from chainer import links as L

from models.weights import seeded, spread_biases

__all__ = ["ASR", "build", "inputs"]

N_FEATURES = 12
N_TOKENS = 20
BLANK = 0
EOS = N_TOKENS - 1
MIN_VALUE = -1e10


class VGG2L(chainer.Chain):
    """Four convolutions and two poolings: a quarter of the time, a list of (time, features)."""

    def __init__(self, in_channel=1, n_channels=4):
        super().__init__()
        with self.init_scope():
            self.conv1_1 = L.Convolution2D(in_channel, n_channels, 3, stride=1, pad=1)
            self.conv1_2 = L.Convolution2D(n_channels, n_channels, 3, stride=1, pad=1)
            self.conv2_1 = L.Convolution2D(n_channels, 2 * n_channels, 3, stride=1, pad=1)
            self.conv2_2 = L.Convolution2D(2 * n_channels, 2 * n_channels, 3, stride=1, pad=1)
        self.in_channel = in_channel

    def forward(self, xs, ilens):
        # x: utt x frame x dim
        xs = F.pad_sequence(xs)

        # x: utt x 1 (input channel num) x frame x dim
        xs = F.swapaxes(
            F.reshape(
                xs, (xs.shape[0], xs.shape[1], self.in_channel, xs.shape[2] // self.in_channel)
            ),
            1,
            2,
        )
        xs = F.relu(self.conv1_1(xs))
        xs = F.relu(self.conv1_2(xs))
        xs = F.max_pooling_2d(xs, 2, stride=2)

        xs = F.relu(self.conv2_1(xs))
        xs = F.relu(self.conv2_2(xs))
        xs = F.max_pooling_2d(xs, 2, stride=2)

        ilens = self.xp.array(self.xp.ceil(self.xp.array(ilens, dtype=np.float32) / 2), "i")
        ilens = self.xp.array(self.xp.ceil(self.xp.array(ilens, dtype=np.float32) / 2), "i")

        # x: utt_list of frame (remove zeropaded frames) x (input channel num x dim)
        xs = F.swapaxes(xs, 1, 2)
        xs = F.reshape(xs, (xs.shape[0], xs.shape[1], xs.shape[2] * xs.shape[3]))
        xs = [xs[i, : ilens[i], :] for i in range(len(ilens))]
        return xs, ilens


class BLSTMP(chainer.Chain):
    """Two-way LSTM layers, each followed by a projection."""

    def __init__(self, idim, elayers, cdim, hdim):
        super().__init__()
        with self.init_scope():
            for i in range(elayers):
                setattr(self, f"bilstm{i}", L.NStepBiLSTM(1, idim if i == 0 else hdim, cdim, 0.0))
                setattr(self, f"bt{i}", L.Linear(2 * cdim, hdim))
        self.elayers = elayers

    def forward(self, xs, ilens):
        for layer in range(self.elayers):
            _, _, ys = self[f"bilstm{layer}"](None, None, xs)
            ilens = self.xp.array([len(y) for y in ys], "i")
            ys = self[f"bt{layer}"](F.vstack(ys))
            xs = F.split_axis(ys, np.cumsum(ilens[:-1]), axis=0)
        # final tanh operation
        xs = F.split_axis(F.tanh(F.vstack(xs)), np.cumsum(ilens[:-1]), axis=0)
        return xs, ilens


class AttLoc(chainer.Chain):
    """Attention that sees where it was: its former weights, through a convolution."""

    def __init__(self, eprojs, dunits, att_dim, aconv_chans, aconv_filts):
        super().__init__()
        with self.init_scope():
            self.mlp_enc = L.Linear(eprojs, att_dim)
            self.mlp_dec = L.Linear(dunits, att_dim, nobias=True)
            self.mlp_att = L.Linear(aconv_chans, att_dim, nobias=True)
            self.loc_conv = L.Convolution2D(
                1, aconv_chans, ksize=(1, 2 * aconv_filts + 1), pad=(0, aconv_filts)
            )
            self.gvec = L.Linear(att_dim, 1)
        self.dunits = dunits
        self.att_dim = att_dim
        self.reset()

    def reset(self):
        """Forget the utterances."""
        self.h_length = None
        self.enc_h = None
        self.pre_compute_enc_h = None
        self.mask = None

    def forward(self, enc_hs, dec_z, att_prev, scaling=2.0):
        batch = len(enc_hs)
        # pre-compute all h outside the decoder loop
        if self.pre_compute_enc_h is None:
            self.enc_h = F.pad_sequence(enc_hs)  # utt x frame x hdim
            self.h_length = self.enc_h.shape[1]
            # utt x frame x att_dim
            self.pre_compute_enc_h = self.mlp_enc(self.enc_h, n_batch_axes=2)
            lengths = self.xp.array([len(h) for h in enc_hs])
            self.mask = self.xp.arange(self.h_length)[None, :] < lengths[:, None]

        if dec_z is None:
            dec_z = chainer.Variable(self.xp.zeros((batch, self.dunits), dtype=np.float32))
        else:
            dec_z = F.reshape(dec_z, (batch, self.dunits))

        # initialize attention weight with uniform dist.
        if att_prev is None:
            att_prev = [
                self.xp.full(h.shape[0], 1.0 / h.shape[0], dtype=np.float32) for h in enc_hs
            ]
            att_prev = F.pad_sequence(att_prev)

        # att_prev: utt x frame -> utt x 1 x 1 x frame -> utt x att_conv_chans x 1 x frame
        att_conv = self.loc_conv(F.reshape(att_prev, (batch, 1, 1, self.h_length)))
        # att_conv: utt x att_conv_chans x 1 x frame -> utt x frame x att_conv_chans
        att_conv = F.swapaxes(F.squeeze(att_conv, axis=2), 1, 2)
        # att_conv: utt x frame x att_conv_chans -> utt x frame x att_dim
        att_conv = self.mlp_att(att_conv, n_batch_axes=2)

        # dec_z_tiled: utt x frame x att_dim
        dec_z_tiled = F.broadcast_to(
            F.expand_dims(self.mlp_dec(dec_z), 1), self.pre_compute_enc_h.shape
        )

        # dot with gvec: utt x frame x att_dim -> utt x frame
        e = F.squeeze(
            self.gvec(F.tanh(att_conv + self.pre_compute_enc_h + dec_z_tiled), n_batch_axes=2),
            axis=2,
        )
        e = F.where(self.mask, e, self.xp.full(e.shape, MIN_VALUE, dtype=e.dtype))
        w = F.softmax(scaling * e)

        # weighted sum over flames: utt x hdim
        c = F.sum(self.enc_h * F.broadcast_to(F.expand_dims(w, 2), self.enc_h.shape), axis=1)
        return c, w


class Decoder(chainer.Chain):
    """LSTM layers that write one token at a time, looking at the encoder's output."""

    def __init__(self, eprojs, odim, dlayers, dunits, att):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(odim, dunits)
            self.rnn0 = L.StatelessLSTM(dunits + eprojs, dunits)
            for i in range(1, dlayers):
                setattr(self, f"rnn{i}", L.StatelessLSTM(dunits, dunits))
            self.output = L.Linear(dunits, odim)
            self.att = att
        self.dlayers = dlayers

    def rnn_forward(self, ey, z_list, c_list, z_prev, c_prev):
        """Step all layers."""
        c_list[0], z_list[0] = self.rnn0(c_prev[0], z_prev[0], ey)
        for i in range(1, self.dlayers):
            c_list[i], z_list[i] = self[f"rnn{i}"](c_prev[i], z_prev[i], z_list[i - 1])
        return z_list, c_list

    def forward(self, hs, max_length):
        """Recognize all utterances at once: a list of int32[length], without the end."""
        batch = len(hs)
        c_list = [None] * self.dlayers
        z_list = [None] * self.dlayers
        att_w = None
        self.att.reset()
        ys = self.xp.full(batch, EOS, dtype=np.int32)
        ended = self.xp.zeros(batch, dtype=bool)
        y_all = []
        for _ in range(max_length):
            att_c, att_w = self.att(hs, z_list[0], att_w)
            ey = F.hstack((self.embed(ys), att_c))
            z_list, c_list = self.rnn_forward(ey, z_list, c_list, z_list, c_list)
            ys = F.argmax(self.output(z_list[-1]), axis=1).array
            y_all.append(ys)
            ended = self.xp.logical_or(ended, ys == EOS)
            if ended.all():
                break
        self.att.reset()
        y_all = self.xp.stack(y_all, axis=1)
        hyps = []
        for y in y_all:
            ends = np.where(y == EOS)[0]
            hyps.append(y[: ends[0]] if len(ends) > 0 else y)
        return hyps


class ASR(chainer.Chain):
    """Frames of features, (time, features) for each utterance, to tokens."""

    def __init__(self, idim, odim, eunits=16, eprojs=16, dunits=24):
        super().__init__()
        with self.init_scope():
            self.vgg = VGG2L(1)
            self.blstm = BLSTMP(8 * -(-idim // 4), 2, eunits, eprojs)
            att = AttLoc(eprojs, dunits, 16, 4, 3)
            self.dec = Decoder(eprojs, odim, 2, dunits, att)
            self.ctc = L.Linear(eprojs, odim)

    def encode(self, xs):
        """Read the utterances: a list of (time / 4, features)."""
        ilens = [x.shape[0] for x in xs]
        hs, ilens = self.vgg(xs, ilens)
        hs, ilens = self.blstm(hs, ilens)
        return hs, ilens

    def forward(self, xs, max_length):
        hs, _ = self.encode(xs)
        return self.dec(hs, max_length)

    def recognize_ctc(self, xs):
        """Recognize by CTC: the likeliest token of each frame, repetitions and blanks removed."""
        hs, ilens = self.encode(xs)
        best = F.argmax(self.ctc(F.vstack(hs)), axis=1).array
        hyps = []
        for frames in self.xp.split(best, np.cumsum(ilens[:-1])):
            tokens = []
            previous = BLANK
            for token in frames:
                if token != previous and token != BLANK:
                    tokens.append(token)
                previous = token
            hyps.append(self.xp.array(tokens, dtype=np.int32))
        return hyps


def build(seed: int = 1) -> ASR:
    """Make the chain; its weights are large enough that utterances end at unlike lengths."""
    with seeded(seed):
        chain = ASR(N_FEATURES, N_TOKENS)
        spread_biases(chain)
        chain.dec.embed.W.array[...] *= 6
        chain.dec.output.W.array[...] *= 6
        chain.ctc.W.array[...] *= 4
        chain.blstm.bt1.W.array[...] *= 3
        doubled = [*chain.blstm.bilstm0.params(), *chain.blstm.bilstm1.params()]
        for rnn in (chain.dec.rnn0, chain.dec.rnn1):
            doubled += [rnn.upward.W, rnn.lateral.W]
        for parameter in doubled:
            parameter.array[...] *= 2
    return chain


def inputs(
    lengths: tuple[int, ...] = (17, 9, 24), max_length: int | None = 12, seed: int = 1
) -> tuple[list[np.ndarray] | int, ...]:
    """Example inputs: a list of float32[length, features], and the longest transcription."""
    random = np.random.RandomState(seed)
    xs = [random.randn(n, N_FEATURES).astype(np.float32) for n in lengths]
    return (xs,) if max_length is None else (xs, max_length)
