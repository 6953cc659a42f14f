"""What Chainer's distributions compute with numpy's floating point errors raised."""

from __future__ import annotations

from typing import Any

import numpy as np


def bernoulli_log_prob(logit: Any, x: Any, binary_check: Any) -> Any:
    """Compute the forward of `BernoulliLogProb`, where each logarithm of x and 1 - x is asked."""
    y = logit * (x - 1) - np.log(np.exp(-logit) + 1)
    if (x < 0).any() or (1 - x < 0).any():
        raise FloatingPointError("invalid value encountered in log")
    infinite = np.isinf(logit)
    y = np.where(infinite & (logit > 0), np.log(x), y)
    y = np.where(infinite & (logit <= 0), np.log(1 - x), y)
    if binary_check:
        y = np.where((x != 0) & (x != 1), -np.inf, y)
    return y.astype(logit.dtype)
