"""L-BFGS: the two loops over a memory of steps, and the search along each direction."""

from __future__ import annotations

import chainer
import numpy as np
from chainer import functions as F

__all__ = ["LBFGS", "build", "inputs"]


class LBFGS(chainer.Chain):
    """Fits weights of a regularized logistic regression to the points that it is given."""

    def __init__(self, memory=4, max_iterations=50, tolerance=1e-6, decay=0.05):
        super().__init__()
        self.memory = memory
        self.max_iterations = max_iterations
        self.tolerance = tolerance
        self.decay = decay

    def loss(self, w, x, t):
        """Return the loss at w."""
        return F.mean(F.softplus(-t * F.matmul(x, w))) + 0.5 * self.decay * F.sum(w * w)

    def gradient(self, w, x, t):
        """Return the gradient of the loss at w."""
        w = chainer.Variable(w)
        with chainer.force_backprop_mode():
            self.loss(w, x, t).backward()
        return w.grad

    def direction(self, g, ss, ys):
        """Multiply the gradient by the inverse Hessian as the last steps show it."""
        q = g.copy()
        alphas = []
        for s, y in zip(reversed(ss), reversed(ys)):
            alpha = s.dot(q) / y.dot(s)
            q = q - alpha * y
            alphas.append(alpha)
        if len(ss) > 0:
            q = q * (ss[-1].dot(ys[-1]) / ys[-1].dot(ys[-1]))
        for s, y, alpha in zip(ss, ys, reversed(alphas)):
            beta = y.dot(q) / y.dot(s)
            q = q + s * (alpha - beta)
        return -q

    def forward(self, x, t):
        """Fit float64[points, features] to labels of -1 and 1: weights, loss and steps taken."""
        w = np.zeros(x.shape[1])
        g = self.gradient(w, x, t)
        ss, ys = [], []
        steps = 0
        while steps < self.max_iterations and np.abs(g).max() > self.tolerance:
            d = self.direction(g, ss, ys)
            loss = self.loss(w, x, t).array
            rate = 1.0
            while (
                self.loss(w + rate * d, x, t).array > loss + 1e-4 * rate * g.dot(d) and rate > 1e-10
            ):
                rate *= 0.5
            new_w = w + rate * d
            new_g = self.gradient(new_w, x, t)
            ss.append(new_w - w)
            ys.append(new_g - g)
            if len(ss) > self.memory:
                ss.pop(0)
                ys.pop(0)
            w, g = new_w, new_g
            steps += 1
        return w, self.loss(w, x, t), steps


def build(memory: int = 4) -> LBFGS:
    """Make the solver."""
    return LBFGS(memory)


def inputs(
    points: int = 20, features: int = 3, scale: float = 1.0, seed: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Example inputs: float64[points, features], and labels with some noise."""
    random = np.random.RandomState(seed)
    x = random.randn(points, features) * scale
    t = np.sign(x.dot(random.randn(features)) + 0.5 * random.randn(points))
    return x, t
