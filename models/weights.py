"""Weights under which a difference shows, for networks that nobody trained here.

A fresh network is a poor witness: its batch-normalisation statistics are 0 and 1, its biases 0, its
signal fades or explodes with depth, and all inputs give nearly the same logits. `seeded` makes the
random weights repeatable and `calibrate` sets them by running data through, layer by layer, so that
every channel varies.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import chainer
import numpy as np
from chainer import links as L

__all__ = ["calibrate", "seeded", "spread_biases"]

FLOOR = 0.5
"""A channel's deviation counts as at least this part of the mean one: no weight explodes."""


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed numpy's global generator, which Chainer's initializers draw from, and put it back."""
    state = np.random.get_state()
    np.random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(state)


def spread_biases(chain: chainer.Chain, scale: float = 0.1) -> None:
    """Add noise to every vector among the parameters: biases, and the scale of a normalisation."""
    for _, parameter in sorted(chain.namedparams()):
        if parameter.array is not None and parameter.ndim == 1:
            noise = np.random.normal(0.0, scale, parameter.shape)
            parameter.array[...] += noise.astype(parameter.dtype)


def calibrate(chain: chainer.Chain, *inputs: Any) -> None:
    """Run `inputs` through `chain` once, setting each layer to what it sees.

    A convolution or linear link with a bias gets mean 0 and deviation 1 in each channel; one
    without, or one over globally pooled features, deviation 1 over all; one that sees nothing but
    zeros keeps its weights; a batch normalisation gets the statistics of its input.
    Lazily sized parameters are initialized on the way. A link that is called again keeps what it
    got first.
    """
    quiet = chainer.using_config("train", False), chainer.using_config("enable_backprop", False)
    with quiet[0], quiet[1], _Calibration():
        chain(*inputs)


class _Calibration(chainer.LinkHook):
    """Sets a link just before it is called."""

    name = "Calibration"

    def __init__(self) -> None:
        self.seen: set[int] = set()

    def forward_preprocess(self, call: Any) -> None:
        link = call.link
        if id(link) in self.seen:
            return
        self.seen.add(id(link))
        if isinstance(link, L.Convolution2D | L.Linear | L.DepthwiseConvolution2D):
            y = link.forward(*call.args, **call.kwargs)
            if isinstance(y, chainer.Variable):  # not what a subclass makes of it
                _standardize(link, y.array)
        elif isinstance(link, L.BatchNormalization):
            _take_statistics(link, chainer.as_array(call.args[0]))


def _standardize(link: chainer.Link, y: np.ndarray) -> None:
    if link.b is None or isinstance(link, L.DepthwiseConvolution2D) or _is_gate(y):
        link.W.array[...] /= y.std() or 1.0
        return
    axes = (0, *range(2, y.ndim))
    deviation = y.std(axis=axes)
    deviation = np.maximum(deviation, FLOOR * deviation.mean()) if deviation.any() else 1.0
    mean = y.mean(axis=axes) - link.b.array
    link.W.array[...] /= np.reshape(deviation, (-1,) + (1,) * (link.W.ndim - 1))
    noise = np.random.normal(0.0, 0.1, link.b.shape)
    link.b.array[...] = -mean / deviation + noise.astype(link.b.dtype)


def _is_gate(y: np.ndarray) -> bool:
    """Tell a convolution over pooled features: too few values to set its channels one by one."""
    return y.ndim > 2 and y[0, 0].size == 1


def _take_statistics(link: L.BatchNormalization, x: np.ndarray) -> None:
    axes = (0, *range(2, x.ndim))
    link.avg_mean[...] = x.mean(axis=axes)
    link.avg_var[...] = x.var(axis=axes) + 1e-3
    for parameter, is_scale in ((link.gamma, True), (link.beta, False)):
        if parameter is not None:
            centre = float(parameter.array.mean()) if is_scale else 0.0
            noise = np.random.normal(centre, 0.1, parameter.shape)
            parameter.array[...] = noise.astype(parameter.dtype)
