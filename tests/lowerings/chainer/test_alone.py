"""Each lowering by itself gives what the node of Chainer that it stands for gives."""

from __future__ import annotations

import warnings

import pytest

from tests.lowerings.chainer.alone import check_alone
from tests.lowerings.chainer.cases import Case
from tests.lowerings.chainer.table import ALONE, alone_id

PARAMETERS = [
    pytest.param(case, call, dtype, id=f"{alone_id(case, call)}-{dtype}")
    for case, call in ALONE
    for dtype in case.dtypes
]


@pytest.mark.parametrize(("case", "call", "dtype"), PARAMETERS)
def test_each_lowering_alone(case: Case, call: str, dtype: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_alone(case, call, dtype)
