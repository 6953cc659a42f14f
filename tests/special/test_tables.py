"""A sample of `make soak-special`, and what becomes of a model that ends the process."""

from __future__ import annotations

import itertools
import os
import signal
from typing import Any

import numpy as np
import pytest

from tests.special.soak import Whole, isolated
from tests.special.trials import SOURCES, Trial, chain_from, program_from

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", SOURCES)
def test_a_sample_of_each_table(name: str) -> None:
    sample = map(Whole, itertools.islice(SOURCES[name](), 3, 400, 45))
    assert list(isolated(sample)) == []


class Deadly(Trial):
    """A model that ends the process where there is nothing."""

    def compiled(self) -> Any:
        def model(x: Any) -> Any:
            if not x.size:
                os.kill(os.getpid(), signal.SIGKILL)
            return x

        return model


def test_a_model_that_ends_the_process_is_a_finding() -> None:
    make = lambda: chain_from("x", "x")  # noqa: E731
    deadly = Deadly("deadly", make, {"x": np.ones(2, np.float32)})
    ((name, text),) = isolated([Whole(deadly)])
    assert name == "deadly"
    assert text.startswith(f"ends the process ({-signal.SIGKILL})")
    good = Trial("good", make, {"x": np.ones(2, np.float32)})
    assert [name for name, _ in isolated(map(Whole, [deadly, good, deadly, good]))] == [
        "deadly",
        "deadly",
    ]


def test_a_wrong_sign_is_a_finding() -> None:
    class Wrong(Trial):
        def compiled(self) -> Any:
            return lambda x: abs(x) * 0

    trial = Wrong("x * 0", lambda: chain_from("x * 0", "x"), {"x": np.ones(2, np.float32)})
    assert any("-0." in text for _, text in isolated([Whole(trial)]))
    assert program_from("x", "x")(None, 3) == 3
