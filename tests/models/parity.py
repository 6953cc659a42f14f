"""Compares what a model gives with what the chain gives eagerly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import chainer
import numpy as np

TOLERANCE = {np.float64: 1e-9, np.float32: 1e-4, np.float16: 1e-2}
"""The largest difference allowed, relative to the largest magnitude of the output."""


def eager(chain: chainer.Chain, *inputs: Any) -> Any:
    """Run the chain as it is compared: in test mode, without a graph for backpropagation."""
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        return chain(*inputs)


def assert_same(
    expected: Any, actual: Any, path: str = "output", loosened: float = 1.0, flips: float = 0.0
) -> None:
    """Fail, naming the place, where structure, dtype, shape or value differ.

    `loosened` widens the tolerance of floats, and `flips` is the part of an array of whole numbers
    that may differ; whoever passes them has the measured reason.
    """
    if isinstance(expected, Mapping):
        assert list(expected) == list(actual), path
        for key in expected:
            assert_same(expected[key], actual[key], f"{path}[{key!r}]", loosened, flips)
    elif isinstance(expected, list | tuple):
        assert type(expected) is type(actual), path
        assert len(expected) == len(actual), path
        for i, (one, other) in enumerate(zip(expected, actual, strict=True)):
            assert_same(one, other, f"{path}[{i}]", loosened, flips)
    else:
        _assert_close(chainer.as_array(expected), chainer.as_array(actual), path, loosened, flips)


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


def _assert_close(expected: Any, actual: Any, path: str, loosened: float, flips: float) -> None:
    expected, actual = np.asarray(expected), np.asarray(actual)
    assert (expected.dtype, expected.shape) == (actual.dtype, actual.shape), path
    if expected.dtype.kind != "f" and flips:
        assert np.sum(expected != actual) <= flips * expected.size, path
    elif expected.dtype.kind != "f":
        np.testing.assert_array_equal(expected, actual, err_msg=path)
    elif expected.size:
        bound = loosened * TOLERANCE[expected.dtype.type]
        allowed = bound * max(np.abs(expected).max(), 1e-30)
        np.testing.assert_allclose(actual, expected, rtol=0, atol=allowed, err_msg=path)
