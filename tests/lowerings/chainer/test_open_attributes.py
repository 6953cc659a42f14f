"""Functions of Chainer whose attributes are known only when the model runs."""

from __future__ import annotations

from typing import Any

import chainer.functions as F
import pytest

import elichika
from tests.programs import Program, check, compiled, f32


def leaky_relu(self: Any, x: Any, n: int, a: float) -> Any:
    """Take a slope."""
    return F.leaky_relu(x, a), F.leaky_relu(-x, slope=n)


def elu(self: Any, x: Any, n: int, a: float) -> Any:
    """Take a scale."""
    return F.elu(x, a), F.elu(-x, n)


def space_to_depth(self: Any, x: Any, n: int, a: float) -> Any:
    """Take a size of blocks."""
    return F.space2depth(x[None, None], n) * a


def normalized(self: Any, x: Any, n: int, a: float) -> Any:
    """Take a number of channels."""
    return F.local_response_normalization(x[:, :, None], n, alpha=a)


INPUTS = [(f32(4, 4), 2, 0.25), (f32(4, 4, seed=1), 1, -0.5), (f32(4, 4, seed=2), 4, 1.5)]


@pytest.mark.parametrize("forward", [leaky_relu, elu, space_to_depth, normalized])
def test_decided_when_the_model_runs(forward: Any) -> None:
    program = Program(forward, INPUTS)
    check(program, compiled(program))


@pytest.mark.parametrize(
    "function",
    [F.sum, F.prod, F.max, F.average, F.cumsum, F.logsumexp, F.flip, F.argmax],
    ids=lambda f: f.__name__,
)
def test_an_axis_is_not(function: Any) -> None:
    def forward(self: Any, x: Any, n: int, a: float) -> Any:
        return function(x, n)

    with pytest.raises(elichika.StagingError) as caught:
        compiled(Program(forward, [(INPUTS[0][0], 1, 0.5)]))
    assert caught.value.message.startswith("`axis` is known only when the model runs")
