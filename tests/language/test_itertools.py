"""What `itertools` raises of wrong arguments is raised, with its own words."""

from __future__ import annotations

import itertools
import re

import pytest

import elichika
from tests.language import harness

WRONG = [
    *("islice(l, -1)", "islice(l, 0, 3, 0)", "islice(l, 1.5)", "islice(l)", "islice(l, 'a', 2)"),
    *("combinations((n, f), -1)", "combinations((n, f), 1.5)", "combinations((n, f))"),
    *("permutations((n, f), -1)", "combinations_with_replacement((n, f), 'a')"),
    *("product((n, f), repeat=-1)", "product((n, f), repeat=1.5)", "tee(l, -1)", "tee(l, 2.0)"),
]


@pytest.mark.parametrize("code", WRONG)
def test_wrong_arguments(code: str) -> None:
    given = {**vars(itertools), "n": 1, "f": 0.5, "l": [0.5]}
    with pytest.raises((TypeError, ValueError)) as raised:
        eval(code, given)
    with pytest.raises(elichika.ElichikaError, match=re.escape(str(raised.value))) as caught:
        harness.compiled(f"list(itertools.{code})")
    assert "internal error" not in str(caught.value)
