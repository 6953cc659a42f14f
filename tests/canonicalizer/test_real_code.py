"""Real code is canonical or refused with its place; `make real-code` prints the counts."""

from __future__ import annotations

import gast
import pytest

from .real_code import Function, folder_of, functions_of, problem_of


@pytest.mark.parametrize(
    ("package", "at_least", "step"),
    [("chainer/functions", 1500, 4), ("chainer/links", 300, 2), ("chainercv2", 2000, 25)],
)
def test_all_functions_are_canonical(package: str, at_least: int, step: int) -> None:
    functions = functions_of(folder_of(package))
    assert len(functions) > at_least
    assert any(function.node.name == "forward" for function in functions)
    refused = {str(function): problem_of(function) for function in functions[::step]}
    assert {place: str(problem) for place, problem in refused.items() if problem} == {}


def test_a_refusal_has_its_place() -> None:
    (node,) = gast.parse("def f(x):\n    async def g(): x").body
    problem = problem_of(Function(folder_of("chainer/links"), node))
    assert str(problem).startswith("line 2, column 4: `async def`")
