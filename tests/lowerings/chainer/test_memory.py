from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any
from unittest import mock

import chainer
import numpy as np
import pytest
from chainer.function import FunctionAdapter

from elichika.lowerings.chainer.views import VIEW_FUNCTIONS
from tests.lowerings.chainer.alone import array_of, record
from tests.lowerings.chainer.cases import Case
from tests.lowerings.chainer.table import ALONE, alone_id


@pytest.mark.parametrize(("case", "call"), ALONE, ids=[alone_id(*one) for one in ALONE])
def test_only_view_functions_share_memory(case: Case, call: str) -> None:
    """A result that shares memory with an input comes from a class in the table."""
    sharing: set[type] = set()
    apply = chainer.FunctionNode.apply

    def watching(self: Any, inputs: Sequence[Any]) -> Any:
        before = [array_of(item) for item in inputs]
        results = apply(self, inputs)
        made = [array_of(item) for item in results if item is not None]
        if any(np.shares_memory(old, new) for old in before for new in made):
            sharing.add(type(self._function if isinstance(self, FunctionAdapter) else self))
        return results

    with mock.patch.object(chainer.FunctionNode, "apply", watching), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in case.dtypes:
            record(call, *case.converted(dtype), train=case.train)
    assert sharing <= VIEW_FUNCTIONS
