"""Views that a chain holds of its own arrays, where a call changes what they show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainer
import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import elichika
from tests.programs import Program, check, compiled, f32

INPUTS = [(f32(2, 3), 2), (f32(2, 3, seed=1), 0), (f32(2, 3, seed=2), -3)]

Viewed = Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]


def program_of(viewed: Viewed, forward: Callable[..., Any]) -> Program:
    """Return a program whose chain holds an array `w` and a view `row` of it."""

    def attributes() -> dict[str, Any]:
        w = np.arange(6, dtype=np.float32).reshape(2, 3)
        return {"w": w, "row": viewed(w)}

    return Program(forward, INPUTS, attributes=attributes)


def write_then_read(self: Any, x: Any, n: int) -> Any:
    """Change the array, and read the view."""
    self.w[0] = n
    return x * self.row[0], self.row.sum()


def write_in_a_loop(self: Any, x: Any, n: int) -> Any:
    """Read the view before the array changes, in a loop."""
    for i in range(n):
        x = x + self.row[0]
        self.w[0] = i + n
    return x


@pytest.mark.parametrize("forward", [write_then_read, write_in_a_loop])
@pytest.mark.parametrize(
    "viewed",
    [
        lambda w: w[::-1],
        lambda w: w.T[0],
        lambda w: as_strided(w, (4,), (4,)),
        lambda w: sliding_window_view(w, 2, 0)[0, :, 0],
    ],
    ids=["reversed", "column", "as_strided", "window"],
)
def test_followed(viewed: Viewed, forward: Callable[..., Any]) -> None:
    program = program_of(viewed, forward)
    check(program, compiled(program))


@pytest.mark.parametrize("forward", [write_then_read, write_in_a_loop])
@pytest.mark.parametrize(
    "viewed",
    [
        lambda w: np.broadcast_to(w[0], (4, 3)),
        lambda w: w.reshape(-1)[:3].view(np.int32),
    ],
    ids=["broadcast", "other dtype"],
)
def test_what_is_not_followed_is_refused(viewed: Viewed, forward: Callable[..., Any]) -> None:
    with pytest.raises(elichika.StagingError, match="a view of an array that was changed since"):
        compiled(program_of(viewed, forward))


def test_views_of_an_array_that_stays_are_read() -> None:
    def forward(self: Any, x: Any, n: int) -> Any:
        return chainer.Variable(x * n) + self.row[1], self.row.sum()

    program = program_of(lambda w: np.broadcast_to(w[0], (4, 3)), forward)
    check(program, compiled(program))
