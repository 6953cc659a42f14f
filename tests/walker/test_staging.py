"""What becomes of loops and branches, and what the tables of programs show at all."""

from __future__ import annotations

import functools
import random
from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest

import elichika
from tests import standins
from tests.programs import Program, check, compiled
from tests.table import ROW_AXES, ROWS, Table
from tests.walker import (
    test_algorithms_of_models,
    test_algorithms_on_graphs,
    test_algorithms_on_numbers,
    test_algorithms_on_series,
    test_arrays,
    test_branches,
    test_checks,
    test_loops,
)
from tests.walker.containers import test_lists

case = Table()
#: What the report says of the loops and branches of each program, in the order of its lines.
STAGED: dict[str, list[str]] = {}
#: The most turns that these tests unroll without trying to roll.
BUDGET = 16
NUMBERED = {f"k{k}": k for k in range(20)}


def staged(*kinds: str, **attributes: Any) -> Any:
    """Enter a program of which the report says these things."""

    def enter(forward: Any) -> Any:
        STAGED[forward.__name__] = list(kinds)
        return case(**attributes)(forward)

    return enter


@staged("unrolled")
def short_static_loop(self, x, n, c):
    for k in range(5):
        x = x * k + n
    return x


@staged("kept")
def long_static_loop(self, x, n, c):
    for k in range(20):
        x = x * np.float32(0.9) + k
    return x


@staged("unrolled", "kept")
def static_loops_multiply(self, x, n, c):
    for i in range(5):
        for j in range(5):
            x = x * np.float32(0.5) + (i + j + n)
    return x


@staged("unrolled", layers=lambda: chainer.ChainList(*[L.Linear(2, 2) for _ in range(20)]))
def long_loop_over_links(self, x, n, c):
    for k in range(20):
        x = self.layers[k](x)
    return x


@staged("kept")
def long_loop_that_builds_names(self, x, n, c):
    for k in range(20):
        x = x + np.float32(NUMBERED[f"k{k}"] * n)
    return x


@staged("kept")
def dynamic_loop(self, x, n, c):
    for _ in range(n):
        x = x + 1
    return x


@staged("kept", "kept")
def static_loop_that_a_turn_leaves(self, x, n, c):
    for k in range(15):
        x = x + 1
        if k > n:
            break
    return x


@staged("unrolled", "kept")
def short_loop_that_a_turn_leaves(self, x, n, c):
    for k in [1, 2, 3]:
        x = x + k
        if k > n:
            break
    return x, k


@staged("unrolled")
def while_on_what_is_known(self, x, n, c):
    k = 0
    while k < 3:
        x = x + n
        k += 1
    return x


@staged("kept")
def while_turns_symbolic(self, x, n, c):
    k = 0
    while k < 3:
        x = x + 1
        k += n + 1
    return x, k


@staged("kept")
def branch_on_a_size(self, x, n, c):
    if x.shape[0] > 2:
        return x[:2]
    return x


@staged("decided")
def branch_decided_by_sizes(self, x, n, c):
    if x.shape[0] >= 0 and x.shape[1] == 2 and x.shape[0] * 2 == x.size:
        return x * n
    return x


@staged("decided")
def branch_decided_by_kinds(self, x, n, c):
    y = F.relu(x)
    if isinstance(y, chainer.Variable) and y is not None and y.ndim == 2:
        return y * n
    return x


def within(budget: int) -> Any:
    """Return a compiler that unrolls so many turns."""
    return functools.partial(elichika.compile_model, max_unroll=budget)


@pytest.mark.parametrize("program", case.programs, ids=lambda p: p.name)
def test_staging(program: Program) -> None:
    model = compiled(program, within(BUDGET))
    check(program, model)
    loops = [what for _, (what, _) in sorted(model.report.loops.items())]
    branches = [what for _, (what, _) in sorted(model.report.branches.items())]
    assert loops + branches == STAGED[program.name], str(model.report)


def test_a_budget_of_turns() -> None:
    def forward(self, x, n, c):
        for k in range(10):
            x = x + k * n
        return x

    program = Program(forward, ROWS, ROW_AXES)
    for budget, what in ((9, "kept"), (10, "unrolled")):
        model = compiled(program, within(budget))
        check(program, model)
        ((found, _),) = model.report.loops.values()
        assert found == what


TABLES = (
    test_arrays,
    test_checks,
    test_algorithms_on_graphs,
    test_branches,
    test_lists,
    test_loops,
    test_algorithms_of_models,
    test_algorithms_on_numbers,
    test_algorithms_on_series,
)
PROGRAMS = [program for module in TABLES for program in module.case.programs]


def test_the_tables_are_large() -> None:
    assert len({program.name for program in PROGRAMS}) >= 250


@pytest.mark.parametrize(("compiler", "share"), [(standins.baked, 0.0), (standins.frozen, 0.25)])
def test_standins_fail(compiler: Any, share: float) -> None:
    tried = random.Random(0).sample(PROGRAMS, 60)
    passing = [program.name for program in tried if _passes(program, compiler)]
    assert len(passing) <= share * len(tried), passing


def _passes(program: Program, compiler: Any) -> bool:
    try:
        check(program, compiled(program, compiler))
    except (AssertionError, elichika.ElichikaError):
        return False
    return True
