"""The table of operators: complete, true in this build, and what `elichika ops` shows."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from types import ModuleType
from typing import Any

import chainer
import chainer.distributions as D
import chainer.functions as F
import chainer.links as L
import pytest

from elichika.cli.operators import markdown, operators
from tests.lowerings.chainer.settings import drawn
from tests.lowerings.chainer.table import REFUSALS, ROWS, Row, judge, rows
from tests.lowerings.chainer.whole import check_whole
from tests.lowerings.document import PAGE

#: What `elichika ops` shows, by name.
FOUND = {row.name: row for row in operators()}
SETTINGS = 12


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_is_said_of_a_name_holds(row: Row) -> None:
    """A quick look has fewer runs; all else is what `python -m tests.lowerings.document` found."""
    found = FOUND[row.name]
    made = judge(row, quick=True)
    assert replace(made, runs=found.runs, gradient=found.gradient) == found


@pytest.mark.parametrize("name", ["F.relu", "F.zoneout", "Variable.T", "Variable.to_chx"])
def test_the_runs_of_a_name_are_counted(name: str) -> None:
    (row,) = rows([name])
    assert judge(row) == FOUND[name]


def test_the_page_shows_what_was_found() -> None:
    assert PAGE.read_text() == markdown(operators())


def public(module: ModuleType) -> set[str]:
    return {n for n, held in vars(module).items() if n[0] != "_" and not inspect.ismodule(held)}


@pytest.mark.parametrize(("prefix", "module"), [("F.", F), ("L.", L), ("D.", D)])
def test_every_public_name_has_a_row(prefix: str, module: ModuleType) -> None:
    rows = {row.name.removeprefix(prefix) for row in ROWS if row.name.startswith(prefix)}
    assert rows == public(module)


UNTRIED = {
    "F.convolution_2d": {"cudnn_fast"},  # an error without a GPU
    "F.r2_score": {"sample_weight"},  # Chainer raises NotImplementedError
}


def parameters(function: Callable[..., Any]) -> dict[str, int]:
    """Return the parameters with their positions; also those that are read from `kwargs`."""
    found = {}
    for place, (name, parameter) in enumerate(inspect.signature(function).parameters.items()):
        if parameter.kind is parameter.VAR_KEYWORD:
            text = inspect.getsource(function).partition("parse_kwargs(")[2].partition("\n\n")[0]
            found |= {name: sys.maxsize for name in re.findall(r"\('(\w+)', ", text)}
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            found[name] = place
    return found


@pytest.mark.parametrize("row", [r for r in ROWS if r.name[:2] == "F."], ids=lambda row: row.name)
def test_every_argument_of_a_function_is_in_a_call(row: Row) -> None:
    wanted = parameters(vars(F)[row.name[2:]])
    for call in (*row.calls, *row.refused):
        for node in ast.walk(ast.parse(call)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == row.name:
                named = {keyword.arg for keyword in node.keywords}
                count = len(node.args)
                wanted = {n: p for n, p in wanted.items() if p >= count and n not in named}
    assert set(wanted) == UNTRIED.get(row.name, set())


def test_every_member_of_variable_has_a_row() -> None:
    rows = {row.name.split("(")[0].removeprefix("Variable.") for row in ROWS}
    assert {name for name in dir(chainer.Variable) if name[0] != "_"} - rows == set()


def test_nothing_else_is_said() -> None:
    assert list(FOUND) == [row.name for row in ROWS]


def test_refused_names_have_a_reason() -> None:
    assert {row.name for row in ROWS if row.is_refused} == set(REFUSALS)


@pytest.mark.parametrize("number", range(SETTINGS))
def test_settings_of_windows(number: int) -> None:
    """`make soak-operators` tries thousands."""
    (case,) = islice(drawn(number), 1)
    assert check_whole(case).failures == []
