"""Inputs of programs whose operations fail for some sizes."""

from __future__ import annotations

import numpy as np

#: Ints, the same as floats, rows of three, and a number.
INPUTS = [
    (np.array(numbers, np.int64), np.array(numbers, np.float32), np.ones((max(1, n), 3), "f"), n)
    for numbers, n in (
        *(([3, 1, 3, 2], 4), ([1], 0), ([], 1), ([5, 5, 5, 5], 4), ([0, 1, 0, 1, 2], 3)),
        *(([1, 7, 1, 3, 3, 3], 7), ([0, 8, 7, 6, 5, 4, 3], 7)),
    )
]
AXES = {"x": {0: "a"}, "y": {0: "a"}, "z": {0: "b"}}
