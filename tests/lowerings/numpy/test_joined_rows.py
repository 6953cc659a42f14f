"""The rows of one array joined, whose number the run decides; ranges that are assigned."""

from __future__ import annotations

import numpy as np
import pytest

from tests.programs import Program, f32
from tests.table import Table, hold

SIZES = ((3, 2, 4), (1, 5, 2), (2, 0, 3), (4, 1, 1), (0, 2, 3))
case = Table([(f32(*size),) for size in SIZES], {"x": {0: "a", 1: "b", 2: "c"}})


@case()
def concatenated(self, x):
    along = [np.concatenate(x, axis=axis) for axis in (0, 1, -1)]
    return np.concatenate(x), np.concatenate(x, None), np.concatenate(x, dtype="d"), along


@case()
def stacked(self, x):
    return np.stack(x), np.stack(x, 1), np.stack(x, -1), np.stack(x, axis=2)


@case()
def of_a_view(self, x):
    return np.concatenate(x.transpose(1, 2, 0)[:, ::-1])


@case()
def results_are_new(self, x):
    y = np.concatenate(x)
    y[:1] = 5
    z = np.stack(x)
    z[:] = 0
    return x, y, z, np.concatenate(x).reshape(-1), np.stack(x, 1).ravel()


@case()
def ranges_are_assigned(self, x):
    ints, floats = np.zeros((len(x), 5), "i"), np.zeros((len(x), 5), "f")
    whole = np.zeros((2, len(x)), "f")
    whole[:] = range(len(x))
    for i in range(len(x)):
        k = i % 4 + 1
        ints[i, :k] = range(k)
        floats[i, k:] = range(5 - k)
    return ints, floats, whole


@case(attrs=lambda: np.ones((3, 3), "f"))
def a_known_array_changes(self, x):
    made = np.ones((3, 3), "f")
    np.fill_diagonal(made, 0)
    np.fill_diagonal(self.attrs, len(x))
    return made * len(x), self.attrs


@case()
def products_of_matrices(self, x):
    return np.kron(np.eye(len(x), dtype="f"), np.ones((2, 2), "f")), np.kron(np.ones(2), x)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_joined_rows(program: Program) -> None:
    hold(program)
