"""Programs whose kind the random generator found wrong, crashed or refused once."""

from __future__ import annotations

import numpy as np
import pytest

from tests.control_flow.table import Table, hold
from tests.programs import Program

found = Table()


@found(state=lambda: np.zeros(2, np.float32))
def unused_list_with_a_read_that_may_fail(self, x, n, c):
    _ = [r for r in x if r.sum()]
    x[:] = self.state.min()
    return self.state


@found(state=lambda: np.zeros(2, np.float32))
def row_that_may_not_be_there_or_a_number(self, x, n, c):
    self.state += 1.5
    return 1 if self.state.sum() else x[0]


@found()
def row_or_nothing_joined_again(self, x, n, c):
    y = x[n - 1] if n else None
    z = (y, 1)
    if c:
        z = (None, 2)
    return (y is None), z


@pytest.mark.parametrize("program", found.programs, ids=lambda p: p.name)
def test_program(program: Program) -> None:
    hold(program)
