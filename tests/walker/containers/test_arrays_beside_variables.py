"""Lists of any length of arrays and Variables, which Chainer's functions take as Variables."""

from __future__ import annotations

import chainer
import chainer.functions as F
import numpy as np
import pytest

from tests.programs import Program, f32
from tests.table import Table, hold

case = Table([(f32(n, 3),) for n in (4, 2, 6, 1, 3, 0)], {"x": {0: "rows"}})


def filled(x):
    """Fill in zeros where there is nothing to compute."""
    rows = []
    for row in x:
        if row[0] > 0:
            rows.append(np.zeros(3, "f"))
        else:
            rows.append(F.tanh(row))
    return rows


@case()
def stacked(self, x):
    return F.stack(filled(x)), F.stack(filled(x), axis=1)


@case()
def joined(self, x):
    return F.concat(filled(x), axis=0), F.vstack(filled(x)), F.hstack(filled(x))


@case()
def padded(self, x):
    rows = []
    for i in range(len(x)):
        rows.append(x[: i + 1] if x[i, 0] > 0 else F.tanh(x[:1]))
    return F.pad_sequence(rows), F.concat(rows, axis=0)


@case()
def variables_of_two_makers(self, x):
    rows = []
    for row in x:
        if row[0] > 0:
            rows.append(np.zeros(3, "f"))
        elif row[1] > 0:
            rows.append(chainer.Variable(row))
        else:
            rows.append(F.tanh(row))
    return F.stack(rows), sum(F.sum(row) for row in rows)


@case()
def states_that_begin_with_an_array(self, x):
    states = [np.zeros((1, 3), "f")]
    for i in range(len(x)):
        states.append(F.tanh(states[-1] + x[i : i + 1]))
    return F.concat(states, axis=0)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_arrays_beside_variables(program: Program) -> None:
    hold(program)
