"""A sample of `make soak-failures`, and what it finds in a model that loses failures."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tests.special.lost import FORMS, SOURCES, Lost
from tests.special.soak import isolated
from tests.special.trials import Trial, chain_from

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", SOURCES)
def test_a_sample_of_each_table(name: str) -> None:
    forms = itertools.cycle(FORMS)
    trials = itertools.islice(SOURCES[name](), 5, 200, 28)
    assert list(isolated(map(Lost, trials, forms))) == []


def _trial() -> Trial:
    given = {"x": np.ones((2, 2), np.float32), "i": np.array([0, 1])}
    return Trial("x[i]", lambda: chain_from("x[i]", "x, i"), given)


@pytest.mark.parametrize("form", FORMS)
def test_each_form(form: str) -> None:
    assert list(isolated([Lost(_trial(), form)])) == []


def test_a_model_that_never_fails_is_a_finding() -> None:
    class Never(Lost):
        def _compiled(self, sizes: str) -> Any:
            return lambda x, i, one: 0 if self.form == "caught" else one

    found = [text for _, text in isolated(Never(_trial(), f) for f in ("ignored", "caught"))]
    assert any(text.startswith("eager raises IndexError") for text in found)
    assert any("the handler: 0" in text for text in found)


def test_a_model_that_always_fails_is_a_finding() -> None:
    class Always(Lost):
        def _compiled(self, sizes: str) -> Any:
            def model(*_: Any) -> Any:
                raise ValueError

            return model

    assert any("the model raises" in text for _, text in isolated([Always(_trial(), "loop")]))
