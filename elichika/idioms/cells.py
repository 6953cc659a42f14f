"""What Chainer's gated cells do to differentiate, where they write gates into an array in place."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
from chainer.functions.rnn.lstm import _extract_gates as extract_gates


def lstm_back(c_prev: Any, x: Any, c_next: Any, gc: Any, gh: Any) -> Any:
    """Do what the backward pass of `F.lstm` computes."""
    batch, none = len(x), c_prev.dtype.type(0)
    a, i, f, o = extract_gates(x)
    a, co = np.tanh(a), np.tanh(c_next[:batch])
    i, f, o = (chainer.functions.sigmoid(gate).array for gate in (i, f, o))
    gh = none if gh is None else gh
    through = gh * o * (1 - co * co) + (none if gc is None else gc[:batch])
    ga = through * i * (1 - a * a)
    gi = through * a * i * (1 - i)
    gf = through * c_prev[:batch] * f * (1 - f)
    go = gh * co * o * (1 - o)
    gx = np.stack([ga, gi, gf, go], axis=2).reshape(x.shape)
    through = through * f
    if batch == len(c_prev):
        return through, gx
    rest = np.zeros_like(c_prev[batch:]) if gc is None else gc[batch:]
    return np.concatenate([through, rest]), gx
