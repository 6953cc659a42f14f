"""Random programs with dicts, sets and exceptions; `make fuzz-containers` draws more of them."""

from __future__ import annotations

import pytest

from .container_draws import program
from .fuzz_containers import judged


@pytest.mark.parametrize("seed", [13, 17, 24, 29, 32, 43, 60, 69, 140003629, 4, 8, 12])
def test_same_as_python(seed: int) -> None:
    assert judged(seed) == ("same", "")


def test_programs_differ() -> None:
    texts = [program(seed) for seed in range(60)]
    assert len(set(texts)) > 55
    for part in ("def work", "finally:", "for ", "as e:", "in seen", "Counter(", "left = "):
        assert sum(part in text for text in texts) > 5
