"""Calls of the staged functions of numpy with drawn arguments: a sample of `make soak-names`."""

from __future__ import annotations

import pytest

from tests.language.document import numpy_names, numpy_uses
from tests.lowerings.numpy.names import ROWS
from tests.lowerings.numpy.soak_names import soak


@pytest.mark.parametrize("part", range(2))
def test_a_sample_of_calls(part: int) -> None:
    rows = ROWS[part::12]
    tally = soak(len(rows), 5, rows)
    assert tally.wrong == {}
    assert sum(tally.held.values()) > 5 * sum(tally.refused.values())


def test_every_staged_function_is_drawn() -> None:
    drawn = {row.name for row in ROWS}
    used, _ = numpy_uses()
    assert {name for name in numpy_names() if used[name]} - drawn == set()
