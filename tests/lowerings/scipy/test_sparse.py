"""`scipy.sparse.coo_matrix`: values at places of the run, and their products."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse

import elichika
from tests.lowerings.numpy.harness import model_of
from tests.programs import Program, check, compiled, f32

ROW, COL = np.array([0, 1, 1, 0], "i"), np.array([2, 0, 2, 2], "i")
FEW = np.array([1], "i"), np.array([0], "i")
NONE = np.zeros(0, "i"), np.zeros(0, "i")
BEYOND = np.array([0, 2], "i"), np.array([0, 0], "i")
AXES = {0: {0: "k"}, 1: {0: "k"}, 2: {0: "k"}, 3: {0: "n", 1: "m"}}
RUNS = [(f32(len(row)), row, col, f32(3, 4)) for row, col in ((ROW, COL), FEW, NONE, BEYOND)]


def products(self, data, row, col, x):
    a = sparse.coo_matrix((data, (row, col)), shape=(2, len(x)))
    return a.dot(x), a @ x[:, 0], (a * 2) * x, a.toarray(), a.T.dot(x[:2]), a.shape, a.nnz


def own_shape(self, data, row, col, x):
    a = sparse.coo_matrix((data, (row, col)))
    return a.toarray(), a.shape


def other_dtypes(self, data, row, col, x):
    a = sparse.coo_matrix((row, (row.astype(np.int64), col)), (3, 3))
    return a.dot(x), a.toarray(), a.dot(col[:3])


def places_that_change(self, data, row, col, x):
    kept = row.copy()
    a = sparse.coo_matrix((data, (kept, col.astype(np.int64))), shape=(2, 3))
    kept[...] = 1
    data[...] = 3
    return a.toarray(), data


def fails_beyond(self, data, row, col, x):
    return sparse.coo_matrix((data, (row - 1, col)), shape=(2, 3)).toarray()


PROGRAMS = [products, own_shape, other_dtypes, places_that_change, fails_beyond]


@pytest.mark.parametrize("forward", PROGRAMS, ids=lambda f: f.__name__)
def test_matrices(forward) -> None:
    program = Program(forward, RUNS, AXES)
    check(program, compiled(program))


REFUSED = [
    ("`coo_matrix` is compiled as `coo_matrix((data, (row, col)), shape)`", "coo_matrix(x)"),
    (
        "`coo_matrix` is compiled for values of 32 or 64 bits at places that are ints",
        "coo_matrix((x[0] > 0, (i, i)))",
    ),
    ("a product of two sparse matrices is not compiled", "a.dot(a)"),
    (
        "a `coo_matrix` is multiplied by vectors and matrices of 32 or 64 bits",
        "a.dot(x[None])",
    ),
]


@pytest.mark.parametrize(("message", "code"), REFUSED)
def test_refused(message: str, code: str) -> None:
    lines = "a = coo_matrix((x[0], (i, i)))\nreturn " + code
    model = model_of(f"from scipy.sparse import coo_matrix\n{lines}", ["x", "i"])
    with pytest.raises(elichika.ElichikaError, match=re.escape(message)):
        elichika.compile_model(model, (f32(2, 2), np.arange(2)), verify=False)
