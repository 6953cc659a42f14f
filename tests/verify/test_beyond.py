"""Inputs beyond the range of the example, of which numpy warns: no evidence against a model."""

from __future__ import annotations

from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest

import elichika
from elichika.verify.derive import derived
from elichika.verify.verifier import verify

X = np.random.RandomState(0).rand(1, 2, 4, 4).astype(np.float32) + np.float32(0.1)


class LogPool(chainer.Chain):
    """A maximum of logarithms; what one with a nan in it gives is the runtime's own."""

    def forward(self, x: Any) -> Any:
        return F.max_pooling_2d(F.log(x), 2)


class LogPools(LogPool):
    """The same, in calls that leave something behind."""

    def __init__(self) -> None:
        super().__init__()
        self.count = np.zeros((), np.float32)

    def forward(self, x: Any) -> Any:
        self.count = self.count + 1
        return super().forward(x) * self.count


@pytest.mark.parametrize("state", [False, True])
def test_a_nan_of_the_inputs_tried_does_not_fail_a_model(state: bool) -> None:
    chain = LogPools() if state else LogPool()
    report = elichika.compile_model(chain, [X], state=state).report.verification
    assert any("invalid value" in why for _, why in report.warned)
    assert {"x permuted", "x within the range seen", "everything changed (1)"} <= {*report.agreed}
    assert np.isfinite(report.worst)


def test_it_does_on_an_input_that_is_given() -> None:
    given = X.copy()
    given[0, 0, 0, 1] = -1
    with pytest.raises(elichika.VerificationError, match=r"On examples\[0\]"):
        elichika.compile_model(LogPool(), [X], examples=[(given,)])


class Wrong(chainer.Chain):
    """What is compared with a model of another program."""

    def forward(self, x: Any) -> Any:
        return F.absolute(x) if x.min() < 0 else x


def test_where_numpy_does_not_warn_it_does() -> None:
    class Plain(chainer.Chain):
        def forward(self, x: Any) -> Any:
            return x * 1

    model = elichika.compile_model(Plain(), [X], verify=False)
    with pytest.raises(elichika.VerificationError, match="negated"):
        verify(Wrong(), model)


def test_the_first_inputs_are_within_the_range() -> None:
    model = elichika.compile_model(LogPool(), [X], verify=False)
    trials = list(derived(model.signature.inputs.specs, [X]))
    low, high = X.min(), X.max()
    inside = [t.text for t in trials if low <= t.leaves[0].min() <= t.leaves[0].max() <= high]
    assert trials[0].text in inside
    assert all(trial.beyond for trial in trials if trial.text not in inside)
    assert {"everything changed (1)", "everything changed (2)"} <= {*inside}
