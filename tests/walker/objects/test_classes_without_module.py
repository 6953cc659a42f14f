"""Classes that `exec` and `type` make without a module: they say that they are Python's own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.programs import REFUSED, Program, compiled
from tests.table import Table, hold

INPUTS = [(3, True), (0, False), (1, True), (5, False), (2, True)]
case, refused = Table(INPUTS, {}), Table(INPUTS, {})
SPACE: dict[str, Any] = {}
exec(
    """
class Executed:
    def __init__(self, k):
        self.k = k

    def more(self, n):
        return self.k + n

    def __eq__(self, other):
        return self.k == other.k
""",
    SPACE,
)
Executed = SPACE["Executed"]


def more(self, n):
    return self.k + n


Made = type("Made", (), {"k": 1, "more": more, "__len__": lambda self: 3, "__module__": None})


@case(held=Made)
def made_by_type(self, n, c):
    self.held.k = n
    b = Made()
    b.k = n + 1
    return self.held.more(1), b.more(n), len(b), b.k


@refused(held=lambda: Executed(3))
def a_method(self, n, c):
    self.held.k = n
    return self.held.more(1)


@refused(held=lambda: Executed(3), other=lambda: Executed(3))
def a_comparison(self, n, c):
    self.held.k = n
    return [self.held, self.other].index(self.other)


@refused()
def one_that_the_model_makes(self, n, c):
    return Executed(n).more(1)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_holds(program: Program) -> None:
    hold(program)


@pytest.mark.parametrize("program", refused.programs, ids=lambda p: p.name)
def test_is_refused(program: Program) -> None:
    with pytest.raises(REFUSED):
        compiled(program)
