"""What numpy's linear algebra does in LAPACK, as Python over numpy: walked on symbolic values.

The functions take stacks of float64 matrices of any order. Their results are those of the same
algorithms up to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def _pivoted(rows: Any, step: Any, order: Any) -> tuple[Any, Any, Any]:
    """Bring the row with the largest element of a column to its place.

    Returns:
        The rows, the row that is now in place, and whether it was elsewhere.
    """
    numbers = np.arange(order)
    column = np.where(numbers >= step, np.abs(rows[..., step]), -1.0)
    best = np.asarray(np.argmax(column, -1))[..., None]
    top = np.take_along_axis(rows, best[..., None], -2)
    here = rows[..., step : step + 1, :]
    is_best, is_step = (numbers == best)[..., None], (numbers == step)[:, None]
    return np.where(is_step, top, np.where(is_best, here, rows)), top, best[..., 0] != step


def solution(a: Any, b: Any) -> Any:
    """Solve by Gauss-Jordan elimination with partial pivoting; `b` is [..., order, columns]."""
    order = a.shape[-1]
    rows, numbers = np.concatenate((a, b), -1), np.arange(order)
    for step in range(order):
        rows, top, _ = _pivoted(rows, step, order)
        pivot = top[..., step : step + 1]
        if (pivot == 0).any():
            raise np.linalg.LinAlgError("Singular matrix")
        scaled = top / pivot
        rest = rows - rows[..., step : step + 1] * scaled
        rows = np.where((numbers == step)[:, None], scaled, rest)
    return rows[..., order:]


def inverse(a: Any) -> Any:
    """Invert matrices."""
    return solution(a, np.broadcast_to(np.eye(a.shape[-1]), a.shape))


def solve(a: Any, b: Any) -> Any:
    """Solve for matrices of right-hand sides."""
    shape = np.broadcast_arrays(a.sum((-2, -1)), b.sum((-2, -1)))[0].shape
    a = np.broadcast_to(a, (*shape, *a.shape[-2:]))
    return solution(a, np.broadcast_to(b, (*shape, *b.shape[-2:])))


def solve_vector(a: Any, b: Any) -> Any:
    """Solve for single right-hand sides."""
    return solve(a, b[..., None])[..., 0]


def _pivots(a: Any) -> tuple[Any, Any]:
    """Return the pivots of an elimination with partial pivoting, and the sign of its swaps."""
    order = a.shape[-1]
    numbers = np.arange(order)
    pivots, sign = np.ones(a.shape[:-1]), np.ones(a.shape[:-2])
    for step in range(order):
        a, top, swapped = _pivoted(a, step, order)
        pivot = top[..., step]
        divisor = np.where(pivot == 0, 1.0, pivot)[..., None]
        rest = a - a[..., step : step + 1] * (top / divisor)
        a = np.where((numbers <= step)[:, None], a, rest)
        pivots = np.where(numbers == step, pivot, pivots)
        sign = np.where(swapped, -sign, sign)
    return pivots, sign


def determinant(a: Any) -> Any:
    """Multiply the pivots; 0 where one is, whatever the others are."""
    pivots, sign = _pivots(a)
    singular = (pivots == 0).any(-1)
    return np.where(singular, 0.0, sign * pivots.prod(-1))[()]


def log_determinant(a: Any) -> Any:
    """Return the sign and the logarithm of the magnitude; LAPACK counts the negative pivots."""
    pivots, sign = _pivots(a)
    singular = (pivots == 0).any(-1)
    sign = np.where(singular, 0.0, sign * np.where(pivots < 0, -1.0, 1.0).prod(-1))
    return sign[()], np.where(singular, -np.inf, np.log(np.abs(pivots)).sum(-1))[()]


def cholesky(a: Any) -> Any:
    """Factor positive definite matrices, reading their lower triangles."""
    order = a.shape[-1]
    numbers = np.arange(order)
    held = np.zeros(a.shape)
    for step in range(order):
        row = held[..., step : step + 1, :]
        rest = a[..., step] - (held * row).sum(-1)
        square = rest[..., step : step + 1]
        if (square <= 0).any():
            raise np.linalg.LinAlgError("Matrix is not positive definite")
        root = np.sqrt(square)
        column = np.where(numbers > step, rest / root, np.where(numbers == step, root, 0.0))
        held = np.where(numbers == step, column[..., None], held)
    return held
