"""A variational auto-encoder on `chainer.distributions`, after chainer/examples/vae."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
from chainer import distributions as D
from chainer import functions as F
from chainer import links as L

from models.weights import calibrate, seeded

__all__ = ["VAE", "build", "inputs"]


class Encoder(chainer.Chain):
    """The distribution of the code of an image."""

    def __init__(self, n_in, n_latent, n_h):
        super().__init__()
        with self.init_scope():
            self.linear = L.Linear(n_in, n_h)
            self.mu = L.Linear(n_h, n_latent)
            self.ln_sigma = L.Linear(n_h, n_latent)

    def forward(self, x):
        """Return a normal distribution over float32[batch, n_latent]."""
        h = F.tanh(self.linear(x))
        return D.Independent(D.Normal(loc=self.mu(h), log_scale=self.ln_sigma(h)))


class Decoder(chainer.Chain):
    """The distribution of the pixels of a code."""

    def __init__(self, n_in, n_latent, n_h):
        super().__init__()
        with self.init_scope():
            self.linear = L.Linear(n_latent, n_h)
            self.output = L.Linear(n_h, n_in)

    def forward(self, z, inference=False):
        """Return a Bernoulli distribution over the pixels; `z` may have leading sample axes."""
        n_batch_axes = 1 if inference else 2
        h = F.tanh(self.linear(z, n_batch_axes=n_batch_axes))
        h = self.output(h, n_batch_axes=n_batch_axes)
        return D.Independent(D.Bernoulli(logit=h), reinterpreted_batch_ndims=1)


class Prior(chainer.Link):
    """The distribution of codes before an image is seen."""

    def __init__(self, n_latent):
        super().__init__()
        self.loc = np.zeros(n_latent, np.float32)
        self.scale = np.ones(n_latent, np.float32)
        self.register_persistent("loc")
        self.register_persistent("scale")

    def forward(self):
        """Return a standard normal distribution."""
        return D.Independent(D.Normal(self.loc, scale=self.scale), reinterpreted_batch_ndims=1)


class VAE(chainer.Chain):
    """Encoder, decoder and prior together."""

    def __init__(self, n_in, n_latent, n_h, beta=1.0):
        super().__init__()
        self.beta = beta
        with self.init_scope():
            self.encoder = Encoder(n_in, n_latent, n_h)
            self.decoder = Decoder(n_in, n_latent, n_h)
            self.prior = Prior(n_latent)

    def forward(self, x):
        """Return the reconstruction of float32[batch, n_in] and the terms of its bound."""
        q_z = self.encoder(x)
        p_x = self.decoder(q_z.mean, inference=True)
        penalty = chainer.kl_divergence(q_z, self.prior())
        reconstruction = p_x.log_prob(F.cast(x >= 0.5, np.float32).array)
        elbo = F.mean(reconstruction - self.beta * penalty)
        return p_x.mean, {"z": q_z.mean, "kl": penalty, "elbo": elbo}


def build(n_in: int = 36, n_latent: int = 5, n_h: int = 20, seed: int = 0) -> VAE:
    """Make an auto-encoder whose codes and pixels vary."""
    with seeded(seed):
        chain = VAE(n_in, n_latent, n_h)
        calibrate(chain, *inputs(30, n_in))
    chain.encoder.ln_sigma.W.array[...] *= 0.3
    return chain


def inputs(batch: int = 4, n_in: int = 36, seed: int = 1) -> tuple[Any, ...]:
    """Example inputs: float32[batch, n_in] between 0 and 1."""
    random = np.random.RandomState(seed)
    return (random.beta(0.5, 0.5, (batch, n_in)).astype(np.float32),)
