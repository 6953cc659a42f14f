"""A sample of `make interrupted`."""

from __future__ import annotations

import sys

import pytest

from tests.cli.interrupted import run


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_export_is_interrupted() -> None:
    outcomes = run(2, seed=3)
    assert sum(outcomes.values()) == 2
