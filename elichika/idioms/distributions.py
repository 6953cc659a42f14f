"""What Chainer's distributions compute with numpy's floating point errors raised."""

from __future__ import annotations

from typing import Any

import numpy as np


def bernoulli_log_prob(logit: Any, x: Any, binary_check: Any) -> Any:
    """Compute the forward of `BernoulliLogProb`, where each logarithm of x and 1 - x is asked.

    Beside the result it gives what is left for the backward pass: infinite logits, and invalid x.
    """
    y = logit * (x - 1) - np.log(np.exp(-logit) + 1)
    if (x < 0).any() or (1 - x < 0).any():
        raise FloatingPointError("invalid value encountered in log")
    highest, lowest = np.isinf(logit) & (logit > 0), np.isinf(logit) & (logit <= 0)
    y = np.where(highest, np.log(x), y)
    y = np.where(lowest, np.log(1 - x), y)
    invalid = (x != 0) & (x != 1)
    if binary_check:
        y = np.where(invalid, -np.inf, y)
    return y.astype(logit.dtype), highest, lowest, invalid
