"""How far results move from input to input: where they hardly do, that they agree proves little."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from elichika.verify.kinds import LEAVES, bare, kind_of

__all__ = ["STILL", "distances", "tensors"]

STILL = 0.01
"""A result that moves less, relative to its largest magnitude, hardly moves."""


def tensors(result: Any, where: str = "") -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Yield the arrays and numbers of a result, each by its place as Python writes it."""
    kind = kind_of(result)
    if kind.family in LEAVES:
        yield where, np.array(bare(result))
    for step, part in kind.parts(result).items():
        yield from tensors(part, f"{where}[{step!r}]")


def distances(
    first: dict[str, np.ndarray[Any, Any]], other: dict[str, np.ndarray[Any, Any]]
) -> dict[str, float]:
    """Return how far each part of a result is from that of another one, as a share from 0 to 1.

    It is the largest difference over the largest magnitude of both, of what is finite in the part
    that both have; 1 where that is of another rank or no number, 0 where there is nothing.
    """
    return {place: _distance(first.get(place, value), value) for place, value in other.items()}


def _distance(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
    if a.ndim != b.ndim or not np.can_cast(b.dtype, np.float64):
        return 1.0
    both = tuple(slice(min(sizes)) for sizes in zip(a.shape, b.shape, strict=True))
    ours, theirs = a[both].astype(np.float64), b[both].astype(np.float64)
    finite = np.isfinite(ours) & np.isfinite(theirs)
    if not finite.any():
        return 0.0
    ours, theirs = ours[finite], theirs[finite]
    scale = max(np.abs(ours).max(), np.abs(theirs).max())
    return float(min(1.0, np.abs(ours / scale - theirs / scale).max())) if scale else 0.0
