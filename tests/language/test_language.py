"""The Python that models are written in: each program as it stands, in branches and in loops."""

from __future__ import annotations

import re
import textwrap

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


#: What would catch a limit of the compiler, were it expressed as an exception of Python.
HANDLERS = (
    "try:\n{}\nexcept Exception:\n    return -99",
    "with contextlib.suppress(Exception):\n{}\nreturn -99",
)


@pytest.mark.parametrize("handler", HANDLERS)
def test_no_handler_of_the_program_catches_a_refusal(handler: str) -> None:
    for code in tables.REFUSED:
        body = textwrap.dedent(code)
        body = body if re.search(r"\breturn\b", body) else f"return ({body})"
        caught = handler.format(textwrap.indent(body, "    "))
        try:
            model = harness.compiled(caught)
        except elichika.ElichikaError:
            continue
        assert harness.differences(caught, model) == [], caught


def test_report_names_what_outlives_a_call() -> None:
    model = harness.compiled("NAMES.append('c')\nreturn len(NAMES) + n")
    assert "a call changes a list that outlives it" in str(model.report)
    quiet = harness.compiled("names = ['a']\nnames.append('c')\nreturn len(names) + n")
    assert "outlives" not in str(quiet.report)
