"""Parity cases fail where a compiler bakes a result or freezes a path; `make standins` asks all."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.standin_rates import LEAST, STANDINS, Parity, groups, rate

SAMPLE = 80
CASES = groups()


def sample(cases: list[Parity]) -> list[Parity]:
    return random.Random(0).sample(cases, min(SAMPLE, len(cases)))


@pytest.mark.parametrize("compiler", STANDINS.values(), ids=STANDINS)
def test_cases_fail_under_a_standin(compiler: Any) -> None:
    rates = {group: rate(sample(cases), compiler) for group, cases in CASES.items()}
    asked = sum(found.asked for found in rates.values())
    assert asked > 200
    assert sum(found.failed for found in rates.values()) >= LEAST * asked, rates
