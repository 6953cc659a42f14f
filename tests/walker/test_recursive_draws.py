"""Random recursive programs, compiled; `make fuzz-recursion` draws more of them."""

from __future__ import annotations

import pytest

from .fuzz_recursion import judged
from .recursive_draws import program

SEEDS = [1, 3, 4, 16, 23, 500040, 500048, 770082, 4100038, 30000003, 30000023, 30000060]


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_python(seed: int) -> None:
    assert judged(seed) == ("same", "")


def test_a_refusal_comes_without_walking_every_call() -> None:
    what, how = judged(0)  # it was walked until `max_seconds` were over
    assert what == "same" or "no common type" in how


def test_programs_differ() -> None:
    texts = [program(seed) for seed in range(60)]
    assert len(set(texts)) > 55
    assert sum("def f1" in text for text in texts) > 15
    assert sum("for " in text for text in texts) > 15
    assert sum("np.concatenate" in text for text in texts) > 3
