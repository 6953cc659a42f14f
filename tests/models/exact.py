"""Chains in float64, to tell a difference that rounding makes from one that is wrong."""

from __future__ import annotations

import copy
from typing import Any

import chainer
import numpy as np

__all__ = ["is_as_exact", "run_in_float64"]

LEEWAY = 3.0
"""How much farther from float64 a model may be than Chainer is."""


def run_in_float64(chain: chainer.Chain, x: np.ndarray) -> Any:
    """Run a copy of the chain with parameters, statistics and input in float64."""
    chain = copy.deepcopy(chain)
    for link in chain.links():
        for name in (*link._params, *link._persistent):
            held = getattr(link, name)
            if isinstance(held, chainer.Parameter) and held.array is not None:
                held.array = held.array.astype(np.float64)
            elif isinstance(held, np.ndarray) and held.dtype == np.float32:
                setattr(link, name, held.astype(np.float64))
    test = chainer.using_config("train", False), chainer.using_config("dtype", np.float64)
    with test[0], test[1], chainer.no_backprop_mode():
        return chain(x.astype(np.float64))


def is_as_exact(exact: Any, expected: Any, actual: Any) -> bool:
    """Tell whether `actual` is about as near to the exact result as `expected` is."""
    if isinstance(exact, list | tuple):
        return all(map(is_as_exact, exact, expected, actual))
    arrays = (chainer.as_array(value) for value in (exact, expected, actual))
    true, theirs, ours = arrays
    return bool(np.abs(ours - true).max() <= LEEWAY * np.abs(theirs - true).max())
