"""What numpy makes of an index: `np.r_`, `np.c_`, `np.mgrid`, `np.ogrid`, `np.s_`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import elichika
from tests.programs import Program, chain_with
from tests.table import Table, hold

ROWS: list[tuple[Any, ...]] = [
    (np.array(row, np.int64), n)
    for row, n in (
        *(([3, 1, 3, 2, 1, 3], 2), ([], 1), ([5], -1), ([5, 5, 5, -1], 0), ([0, 1, 2, 3, 0], 6)),
    )
]
case = Table(ROWS, {"x": {0: "length"}})


@case()
def begins_of_runs(self, x, n):
    first = np.r_[True, x[1:] != x[:-1]][: len(x)]
    return first, x[first]


@case()
def numbers_and_arrays(self, x, n):
    return np.r_[x, n, 0], np.r_[x.astype("f"), 1.5, n], np.r_[float(n), x], np.r_[n, n + 1]


@case()
def narrow_dtypes(self, x, n):
    narrow = x.astype(np.int8)
    return np.r_[narrow, 5], np.r_[narrow, np.int8(n)], np.r_[narrow, n], np.r_[x > 2, n]


@case()
def ranges(self, x, n):
    return np.r_[0:n, x], np.r_[n:10:3], np.r_[-1:1:5j, n], np.r_[[1, n], x]


@case()
def what_is_joined_is_new(self, x, n):
    one, other = np.r_[x], np.r_[x, [n]]
    one[:1] = 9
    other[0] = 7
    return one, other, x


@case()
def columns(self, x, n):
    mixed = np.c_[np.arange(len(x)), x.astype("f"), np.ones(len(x), bool)]
    return mixed, np.c_[x[:, None] * 2, x, np.zeros((len(x), 2))], np.c_[0 : len(x), x]


@case()
def grids(self, x, n):
    rows, columns = np.mgrid[: len(x), 0:3]
    points = np.stack([rows.ravel(), columns.ravel()], 1)
    return points, np.mgrid[0:n], np.mgrid[n:9:2, : len(x) : 3], np.mgrid[0:1:5j, -1:2]


@case()
def open_grids(self, x, n):
    return np.ogrid[: len(x), :3], np.ogrid[0 : len(x), 0:1:3j]


@case()
def negative_grids(self, x, n):
    return np.mgrid[:n, :2]


@case()
def kept_indices(self, x, n):
    last = np.s_[n:]
    (one,) = np.index_exp[-2:]
    return x[last], x[one], np.s_[n, 1]


@case()
def promoted(self, x, n):
    kinds = (np.result_type(np.int8, n), np.result_type(np.float16, n), np.result_type(n, 1.5))
    return [np.zeros(2, kind) for kind in kinds]


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_programs(program: Program) -> None:
    hold(program)


@pytest.mark.skipif(np.__version__ >= "2", reason="numpy 2 does not look at the numbers")
@pytest.mark.parametrize(
    "forward",
    [
        lambda self, x, n: np.zeros(2, np.result_type(np.int8, n)),
        lambda self, x, n: np.zeros(2, np.result_type(np.int8, n, True)),
        lambda self, x, n: np.r_[x.astype(np.int8), n],
        lambda self, x, n: np.r_[x.astype(np.int8), n, True],
    ],
)
def test_a_number_that_changes_a_dtype_is_an_error(forward: Any) -> None:
    """numpy 1 takes the narrowest type that a number fits; the model has one."""
    model = elichika.compile_model(chain_with(forward), (np.arange(3), 2), verify=False)
    assert model(np.arange(3), 7).dtype == forward(None, np.arange(3), 7).dtype
    with pytest.raises(elichika.ModelRuntimeError, match="changes numpy's dtype"):
        model(np.arange(3), 300)
