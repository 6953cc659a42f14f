"""Methods that `namedtuple` and `dataclass` write, beside those that the program writes itself."""

from __future__ import annotations

import collections
import linecache
from typing import Any

import numpy as np
import pytest

from tests.programs import Program
from tests.table import Table, hold

case = Table(
    [(np.ones(k, np.float32), n) for k, n in zip((3, 2, 1, 0, 4), (2, 0, 1, 3, -2))],
    {"x": {0: "k"}},
)


class Pair(collections.namedtuple("Pair", "a b")):
    def _replace(self, **k):
        return super()._replace(a=k["a"] * 100)

    def _asdict(self):
        return {"a": self.a * 10}


class Made(collections.namedtuple("Made", "a b")):
    @classmethod
    def _make(cls, items):
        return cls(9, sum(items))


@case()
def methods_of_a_namedtuple_that_the_program_writes(self, x, n):
    return Pair(n, 1)._replace(a=n).a, Pair(n, 1)._asdict()["a"], Made._make([n, 2]).b


@case()
def a_replacement_goes_through_the_programs_own(self, x, n):
    return Made(n, 2)._replace(a=n + 1), Pair._make([n, 2]).b, Made(n, 2)._asdict()["a"]


CELL = "<ipython-input-1-5a7c>"
_SHELL = """
import dataclasses
@dataclasses.dataclass
class Own:
    a: int
    b: int = 2
    def __init__(self, k): self.a = k + 1; self.b = k * 5
@dataclasses.dataclass
class Equal:
    a: int
    b: int = 2
    def __eq__(self, other): return self.b == other.b
@dataclasses.dataclass
class Plain:
    a: int
    b: int = 2
"""


def _typed_in_a_shell() -> dict[str, Any]:
    """Run code whose file has a name as IPython gives it."""
    space = {"__name__": __name__}
    exec(compile(_SHELL, CELL, "exec"), space)
    return space


SHELL = _typed_in_a_shell()
Own, Equal, Plain = SHELL["Own"], SHELL["Equal"], SHELL["Plain"]


@case()
def methods_of_a_dataclass_that_the_program_writes(self, x, n):
    own, plain = Own(n), Plain(n)
    return own.a, own.b, Equal(n, 3) == Equal(1, 3), plain.a, plain.b, plain == Plain(2)


@pytest.mark.parametrize("program", case.programs, ids=lambda one: one.name)
def test_compiled_once_right_on_other_inputs(program: Program) -> None:
    linecache.cache[CELL] = (len(_SHELL), None, _SHELL.splitlines(keepends=True), CELL)
    hold(program)
