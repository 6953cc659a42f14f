"""The Python that models are written in: each program as it stands, in branches and in loops."""

from __future__ import annotations

import pytest

import elichika
from tests.language import harness
from tests.language.cases import in_place

CASES = [
    pytest.param(code, id=f"{row}: {' '.join(code.split())}")
    for table in (in_place,)
    for row, codes in table.CASES.items()
    for code in codes
]


@pytest.mark.parametrize("code", CASES)
def test_program(code: str) -> None:
    for wrapper in harness.WRAPPERS:
        model = harness.compiled(code, wrapper)
        assert not harness.differences(code, wrapper, model), wrapper


@pytest.mark.parametrize("code", in_place.REFUSED)
def test_refused(code: str) -> None:
    with pytest.raises(elichika.ElichikaError) as caught:
        harness.compiled(code, "plain")
    assert caught.value.message == in_place.REFUSED[code]
