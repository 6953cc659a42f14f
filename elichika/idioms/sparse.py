"""`scipy.sparse.coo_matrix` of values, rows and columns, over numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from elichika.idioms.signals import refuse

#: What scipy's products of matrices take without a change.
DTYPES = (np.float32, np.float64, np.int32, np.int64)


class CooMatrix:
    """Values at places; where two are at one place, they count together."""

    ndim = 2

    def __init__(self, arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> None:
        pair = type(arg1) is tuple and len(arg1) == 2 and type(arg1[1]) in (tuple, list)
        if not pair or dtype is not None or copy:
            refuse("`coo_matrix` is compiled as `coo_matrix((data, (row, col)), shape)`")
        data, (row, col) = arg1
        self.data = np.asarray(data)
        row, col = np.asarray(row), np.asarray(col)
        if self.data.dtype.type not in DTYPES or row.dtype.kind != "i" or col.dtype.kind != "i":
            refuse("`coo_matrix` is compiled for values of 32 or 64 bits at places that are ints")
        if self.data.ndim != 1 or row.ndim != 1 or col.ndim != 1:
            raise TypeError("coordinates and data arrays must be 1-D")
        if len(row) != len(self.data) or len(col) != len(self.data):
            raise ValueError("all index and data arrays must have the same length")
        if shape is None:
            shape = (int(np.max(row)) + 1, int(np.max(col)) + 1)
        self.shape = int(shape[0]), int(shape[1])
        self.row, self.col = _within(row, self.shape[0]), _within(col, self.shape[1])

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return self.data.dtype

    @property
    def nnz(self) -> int:
        """How many values there are, zeros among them."""
        return len(self.data)

    @property
    def T(self) -> Any:  # noqa: N802 (scipy's name)
        """The matrix turned over, of the same values."""
        return self.transpose()

    def transpose(self) -> Any:
        """Return the matrix turned over, of the same values."""
        return CooMatrix((self.data, (self.col, self.row)), self.shape[::-1])

    def dot(self, other: Any) -> Any:
        """Return the product with a vector or matrix that is an array, or a number."""
        if type(other) is CooMatrix:
            refuse("a product of two sparse matrices is not compiled")
        other = np.asarray(other)
        if other.ndim == 0:
            return CooMatrix((self.data * other, (self.row, self.col)), self.shape)
        if other.ndim > 2 or other.dtype.type not in DTYPES:
            refuse("a `coo_matrix` is multiplied by vectors and matrices of 32 or 64 bits")
        if other.shape[0] != self.shape[1]:
            raise ValueError("dimension mismatch")
        data = self.data if other.ndim == 1 else self.data[:, None]
        found = np.zeros(self.shape[:1] + other.shape[1:], np.result_type(self.data, other))
        np.add.at(found, self.row, data * other[self.col])
        return found

    def __matmul__(self, other: Any) -> Any:
        if np.ndim(other) == 0:
            raise ValueError("Scalar operands are not allowed, use '*' instead")
        return self.dot(other)

    def __mul__(self, other: Any) -> Any:
        return self.dot(other)

    def toarray(self) -> Any:
        """Return all of the matrix as an array."""
        found = np.zeros(self.shape, self.dtype)
        np.add.at(found, (self.row, self.col), self.data)
        return found


def _within(places: Any, size: int) -> Any:
    """Return places as scipy keeps them: an array of int32 is kept itself."""
    if (places >= size).any():
        raise ValueError("an index exceeds the dimension of the matrix")
    if (places < 0).any():
        raise ValueError("negative index found")
    return np.asarray(places, np.int32)
