"""A sample of `make fuzz-gradients`."""

from __future__ import annotations

import pytest

from tests.training.fuzz import outcome_of


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(24))
def test_random_programs(seed: int) -> None:
    outcome = outcome_of(seed)
    assert outcome.verdict in ("right", "refused"), f"{outcome.why}\n{outcome.source}"
