"""Softmax and its logarithm where scores are infinite or nan, in both widths of floats."""

from __future__ import annotations

import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

INF, NAN = np.inf, np.nan
ROWS = [
    np.array(rows, float)
    for rows in (
        [[1, 2, 3], [0, -5, 700]],
        [[1, INF, 3]],
        [[-INF, 2, NAN], [-INF, -INF, -INF], [INF, INF, 1]],
        [[-INF, 2, 0.5], [90, 90, 0], [-0.0, 0.0, 1]],
        np.zeros((0, 3)),
    )
]
case = Table(
    [(rows, rows.astype(np.float32), np.zeros(len(rows), np.int32)) for rows in ROWS],
    {name: {0: "rows"} for name in ("x", "y", "t")},
)


@case()
def log_softmax(self, x, y, t):
    return F.log_softmax(x), F.log_softmax(y)


@case()
def softmax(self, x, y, t):
    return F.softmax(x), F.softmax(y)


@case()
def logsumexp(self, x, y, t):
    return F.logsumexp(x, axis=1), F.logsumexp(y, axis=1)


@case()
def softmax_cross_entropy(self, x, y, t):
    return F.softmax_cross_entropy(x, t, reduce="no"), F.softmax_cross_entropy(y, t, reduce="no")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_as_chainer(program: Program) -> None:
    hold(program)
