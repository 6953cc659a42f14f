"""An index of a list or tuple that is a float raises TypeError, where it is caught as well."""

from __future__ import annotations

from typing import Any

import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

case = Table([(1, 1.0), (0, 0.0), (2, -1.0), (3, 0.5), (-1, 1.0)], {})


@case()
def of_a_list(self, n, c):
    try:
        return [None, 3][n % 2.0]
    except TypeError:
        return 7


@case()
def of_a_tuple(self, n, c):
    try:
        return (10, 20)[c]
    except TypeError:
        return n


@case()
def written(self, n, c):
    items = [n, 20]
    try:
        items[c] = 5
    except TypeError:
        items.append(1)
    return items


@pytest.mark.parametrize("program", case.programs, ids=lambda program: program.name)
def test_caught(program: Program) -> None:
    hold(program)


def test_refused() -> None:
    def forward(self: Any, n: Any, c: Any) -> Any:
        return [10, 20][c]

    with pytest.raises(REFUSED, match="indices must be integers"):
        compiled(Program(forward, [(1, 1.0)], {}))
