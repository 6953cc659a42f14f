"""Compares what a model gives with what the chain gives eagerly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import chainer
import numpy as np

from tests.programs import TOLERANCE, assert_equal, unsigned


def eager(chain: chainer.Chain, *inputs: Any) -> Any:
    """Run the chain as it is compared: in test mode, without a graph for backpropagation."""
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        return chain(*inputs)


def assert_same(
    expected: Any, actual: Any, path: str = "output", loosened: float = 1.0, flips: float = 0.0
) -> None:
    """Fail, naming the place, where structure, dtype, shape or value differ.

    `loosened` widens the tolerance of floats, and `flips` is the part of an array of whole numbers
    that may differ; whoever passes them has the measured reason. The signs of zeros may differ.
    """
    tolerance = {dtype: loosened * bound for dtype, bound in TOLERANCE.items()}
    assert_equal(unsigned(expected), unsigned(actual), f"{path}: ", tolerance, flips)


def worst_difference(expected: Any, actual: Any) -> float:
    """Return the largest difference of a float, relative to the largest of its array.

    The two are of one structure, as `assert_same` makes sure.
    """
    if isinstance(expected, Mapping):
        pairs = [(expected[key], actual[key]) for key in expected]
    elif isinstance(expected, list | tuple):
        pairs = list(zip(expected, actual, strict=True))
    else:
        one, other = (np.asarray(chainer.as_array(value)) for value in (expected, actual))
        if one.dtype.kind != "f" or not one.size:
            return 0.0
        return float(np.abs(one - other).max() / max(np.abs(one).max(), 1e-30))
    return max((worst_difference(*pair) for pair in pairs), default=0.0)
