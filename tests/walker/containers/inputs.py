"""Lists of arrays of unlike lengths to run programs on."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.programs import f32

LENGTHS = [(2, 3, 1), (4,), (1, 9), (3, 1, 2, 5, 2)]


def arrays(*lengths: int, units: int | None = None, dtype: Any = np.float32) -> list[Any]:
    """Return noise, one array of (length, units) or (length,) for each length."""
    random = np.random.RandomState(sum(lengths) + len(lengths))
    rest = () if units is None else (units,)
    return [random.randn(length, *rest).astype(dtype) for length in lengths]


def words(*lengths: int) -> list[Any]:
    """Return int32 ids below 9, one array for each length."""
    random = np.random.RandomState(sum(lengths))
    return [random.randint(0, 9, length).astype(np.int32) for length in lengths]


MATRICES = [(arrays(*lengths, units=3),) for lengths in LENGTHS]
SENTENCES = [(words(*lengths),) for lengths in LENGTHS]
ROWS = [(f32(3, 2), n) for n in (2, 0, 1, 3)]
