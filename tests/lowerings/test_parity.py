from __future__ import annotations

import warnings

import pytest

from tests.lowerings.cases import CASES
from tests.lowerings.harness import Case, check

PARAMETERS = [
    pytest.param(case, dtype, id=f"{case.id}-{dtype}") for case in CASES for dtype in case.dtypes
]


@pytest.mark.parametrize(("case", "dtype"), PARAMETERS)
def test_parity(case: Case, dtype: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(case, dtype)
