"""The Python that models are written in: each program as it stands, in branches and in loops."""

from __future__ import annotations

import pytest

import elichika
from tests.language import harness, tables


@pytest.mark.parametrize(
    "code", [pytest.param(c, id=f"{r}: {' '.join(c.split())}") for r, c in tables.COMPILED]
)
def test_program(code: str) -> None:
    assert harness.differences(code, harness.compiled(code)) == []


@pytest.mark.parametrize("code", tables.REFUSED)
def test_refused(code: str) -> None:
    with pytest.raises(elichika.ElichikaError) as caught:
        harness.compiled(code)
    assert caught.value.message == tables.REFUSED[code]


def test_report_names_what_outlives_a_call() -> None:
    model = harness.compiled("NAMES.append('c')\nreturn len(NAMES) + n")
    assert "a call changes a list that outlives it" in str(model.report)
    quiet = harness.compiled("names = ['a']\nnames.append('c')\nreturn len(names) + n")
    assert "outlives" not in str(quiet.report)
