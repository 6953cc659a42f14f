"""A sample of `make fuzz-readers`."""

from __future__ import annotations

import sys

import pytest

SAMPLE = 40


@pytest.mark.skipif(sys.platform != "linux", reason="it forks, and reads /proc")
def test_damaged_files_are_clear_errors() -> None:
    from tests.cli.fuzz_readers import run

    said: list[str] = []
    outcomes = run(SAMPLE, seed=1, report=lambda what, text: said.append(f"{what}: {text}"))
    assert not said
    assert outcomes["exit code 2"] > SAMPLE // 4
