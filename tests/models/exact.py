"""Chains in float64, to tell a difference that rounding makes from one that is wrong."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import chainer
import numpy as np

from tests.models.parity import eager

__all__ = ["is_as_exact", "run_in_float64", "run_nearby"]

LEEWAY = 3.0
"""How much farther from float64 a model may be than Chainer is."""


def run_in_float64(chain: chainer.Chain, x: np.ndarray) -> Any:
    """Run a copy of the chain with parameters, statistics and input in float64.

    Functions that allow float32 alone compute in float64 all the same without their type check.
    """
    chain = copy.deepcopy(chain)
    for link in chain.links():
        for name in (*link._params, *link._persistent):
            held = getattr(link, name)
            if isinstance(held, chainer.Parameter) and held.array is not None:
                held.array = held.array.astype(np.float64)
            elif isinstance(held, np.ndarray) and held.dtype == np.float32:
                setattr(link, name, held.astype(np.float64))
    with ExitStack() as stack:
        for name, value in (("dtype", np.float64), ("type_check", False)):
            stack.enter_context(chainer.using_config(name, value))
        return eager(chain, x.astype(np.float64))


def run_nearby(chain: chainer.Chain, x: np.ndarray) -> list[Any]:
    """Run the chain in float32 on two inputs whose numbers are one ulp from those of `x`."""
    return [eager(chain, np.nextafter(x, np.float32(end))) for end in (-np.inf, np.inf)]


def is_as_exact(exact: Any, eagers: Sequence[Any], actual: Any) -> bool:
    """Tell whether `actual` is about as near to the exact result as Chainer's results are.

    A network that amplifies rounding gives one of many numbers, near or far by chance: the farthest
    of several results of Chainer shows how far.
    """
    if isinstance(exact, list | tuple):
        return all(map(is_as_exact, exact, zip(*eagers, strict=True), actual))
    true = chainer.as_array(exact)
    ours, *theirs = (np.abs(chainer.as_array(value) - true).max() for value in (actual, *eagers))
    return bool(ours <= LEEWAY * max(theirs))
