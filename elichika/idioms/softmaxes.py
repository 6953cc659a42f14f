"""What `scipy.special` has for logarithms of sums of exponentials, over numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from elichika.idioms.signals import refuse


def logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: Any = False, return_sign: Any = False
) -> Any:
    """Log of the sum of exponentials; of nothing, and of minus infinities, minus infinity."""
    if b is not None or return_sign:
        refuse("of the options of `logsumexp` only `axis` and `keepdims` are compiled")
    a = np.asarray(a)
    if a.dtype.kind != "f":
        a = a.astype(np.float64)
    if a.ndim == 0:
        a = a.reshape(1)
    several = a.ndim if axis is None else len(axis) if type(axis) is tuple else 1
    if several > 1 and a.size == 0:
        raise IndexError("too many indices for array: scipy sums nothing along one axis alone")
    top = _finite(np.max(a, axis=axis, keepdims=True, initial=-np.inf))
    total = np.log(np.sum(np.exp(a - top), axis=axis, keepdims=True)) + top
    return (total if keepdims else np.squeeze(total, axis=axis))[()]


def softmax(x: Any, axis: Any = None) -> Any:
    """Exponentials over their sum; nan where one is infinite."""
    x = np.asarray(x)
    grown = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return grown / np.sum(grown, axis=axis, keepdims=True)


def log_softmax(x: Any, axis: Any = None) -> Any:
    """Log of the softmax, where that is tiny as well."""
    x = np.asarray(x)
    shifted = x - _finite(np.max(x, axis=axis, keepdims=True))
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


def _finite(top: Any) -> Any:
    return np.where(np.isfinite(top), top, np.zeros_like(top))
