"""One array for two inputs of a program that can tell."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import chainer
import chainer.functions as F
import numpy as np
import pytest

import elichika
from tests.programs import Program, compiled, difference, f32

INPUTS = (f32(3, 2), f32(3, 2, seed=1))
MESSAGE = (
    "`x` and `y` share memory, and the program can tell: it writes to one of them, asks whether "
    "they are one, or takes gradients."
)
AXES = {"x": {0: "rows"}, "y": {0: "rows"}}


def writes(self: Any, x: Any, y: Any) -> Any:
    x += 1
    return y * 2


def writes_in_a_branch(self: Any, x: Any, y: Any) -> Any:
    if x.sum() > 0:
        x[0] = 0
    return y.sum()


def writes_in_a_loop(self: Any, x: Any, y: Any) -> Any:
    for i in range(len(x)):
        y[i] = i
    return x


def writes_to_a_view(self: Any, x: Any, y: Any) -> Any:
    x[1:][:, 0] = 5
    return y


def asks(self: Any, x: Any, y: Any) -> Any:
    return x is y


def differentiates(self: Any, x: Any, y: Any) -> Any:
    F.sum(x * y).backward()
    return x.grad


def reads(self: Any, x: Any, y: Any) -> Any:
    z = x.copy()
    z += y
    return F.sum(chainer.as_variable(z) * y)


WRITERS = [writes, writes_in_a_branch, writes_in_a_loop, writes_to_a_view, asks]


@pytest.mark.parametrize("forward", WRITERS)
def test_one_array_for_two_inputs_is_refused(forward: Any, tmp_path: Path) -> None:
    model = compiled(Program(forward, [INPUTS], AXES))
    apart = [value.copy() for value in INPUTS]
    assert difference(forward(None, *[value.copy() for value in apart]), model(*apart)) is None
    model.save(tmp_path / "m.onnx")
    x = f32(4, 2)
    for one in (model, elichika.load(tmp_path / "m.onnx")):
        for both in ((x, x), (x, x[::-1]), (x[1:], x[:-1])):
            with pytest.raises(elichika.InputError, match=re.escape(MESSAGE)):
                one(*both)
        wide = f32(4, 4)
        one(wide[:, :2], wide[:, 2:])


def test_one_variable_for_two_inputs_is_refused() -> None:
    x, y = map(chainer.Variable, INPUTS)
    model = compiled(Program(differentiates, [(x, y)], AXES))
    assert difference(INPUTS[1], model(x, y)) is None
    with pytest.raises(elichika.InputError, match=re.escape(MESSAGE)):
        model(x, x)


def test_what_is_only_read_may_be_one_array() -> None:
    model = compiled(Program(reads, [INPUTS], AXES))
    assert difference(reads(None, INPUTS[0], INPUTS[0]), model(INPUTS[0], INPUTS[0])) is None
    assert np.isfinite(model(INPUTS[0], INPUTS[0]))
