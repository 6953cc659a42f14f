"""The list of slow tests names tests that there are."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINES = (ROOT / "tests" / "slow.txt").read_text().splitlines()


@pytest.mark.parametrize("path", sorted({line.split("::")[0] for line in LINES}))
def test_functions_are_there(path: str) -> None:
    tree = ast.parse((ROOT / path).read_text())
    there = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    named = {line.split("::")[1].split("[")[0] for line in LINES if line.split("::")[0] == path}
    assert named <= there


def test_lines_are_in_order() -> None:
    assert sorted(set(LINES)) == LINES
