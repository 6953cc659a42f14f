"""Verification refuses what naive exporters make."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
import pytest
from chainer import functions as F

from elichika.errors import VerificationError
from tests.programs import chain_with, f32
from tests.standins import baked, frozen
from tests.verify.hand import Program


def branch(self: Any, x: Any) -> Any:
    if float(F.sum(x).array) > 0:
        return x * 2
    return x - 1


def trip_count(self: Any, x: Any, n: int = 2) -> Any:
    for _ in range(n):
        x = x * 2
    return x


def rows(self: Any, x: Any) -> Any:
    total = 0
    for row in x:
        total += F.sum(row)
    return total


def until(self: Any, x: Any) -> Any:
    while F.sum(abs(x)).array < 100:
        x = x * 2
    return x


def chosen(self: Any, x: Any, flag: bool) -> Any:
    return [F.relu(x) if flag else F.tanh(x)]


def found(self: Any, xs: Any) -> Any:
    return [x * 2 for x in xs if x.sum() > 0]


def straight(self: Any, x: Any) -> Any:
    return {"y": F.relu(x), "n": x.shape[0]}


X = chainer.Variable(f32(4, 3))
CONTROL_FLOW = [
    (branch, (X,)),
    (trip_count, (X, 2)),
    (rows, (X,)),
    (until, (X,)),
    (chosen, (X, True)),
    (found, ([f32(3), f32(3, seed=1)],)),
]


@pytest.mark.parametrize(("function", "inputs"), [*CONTROL_FLOW, (straight, (X,))])
def test_a_baked_result_is_refused(function: Any, inputs: Any) -> None:
    with pytest.raises(VerificationError):
        baked(chain_with(function), inputs, dynamic_axes="batch")


@pytest.mark.parametrize(("function", "inputs"), CONTROL_FLOW)
def test_a_frozen_path_is_refused(function: Any, inputs: Any) -> None:
    with pytest.raises(VerificationError):
        frozen(chain_with(function), inputs, dynamic_axes="batch")


def test_a_trace_of_a_straight_program_is_right() -> None:
    model = frozen(chain_with(straight), (X,), dynamic_axes="batch")
    assert model(f32(7, 3))["n"] == 7


def test_a_chain_without_source_is_traced_as_it_is() -> None:
    model = frozen(Program(lambda self, x: x * 2), (f32(3),), verify=False)
    np.testing.assert_array_equal(model(np.ones(3, "f")), [2, 2, 2])
