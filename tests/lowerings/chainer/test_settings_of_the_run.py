"""Settings that only the run knows: where Chainer does not take them, a model fails."""

from __future__ import annotations

from collections import Counter
from typing import Any

import chainer.functions as F
import numpy as np
import pytest

import elichika
from tests.lowerings.chainer.soak_settings import judged, settings
from tests.programs import Program, compiled, difference, f32, outcome
from tests.sources import module_of
from tests.table import Table, hold

INPUTS = [(f32(4, 6), n) for n in (3, 0, 6, 7, 50, 1)]
case = Table(INPUTS, {"x": {0: "rows", 1: "columns"}})


@case()
def last_boundary(self: Any, x: Any, n: int) -> Any:
    return F.split_axis(x, [2, n], axis=1)


@case()
def only_boundary(self: Any, x: Any, n: int) -> Any:
    return F.split_axis(x, (n,), axis=0)


@case()
def shape_of_nothing(self: Any, x: Any, n: int) -> Any:
    return F.reshape(x[:0], (0, n - 1))


CHANNELS = [(f32(2, n, 4, 4), k) for n, k in ((9, 3), (7, 1), (8, 3), (3, 1), (15, 5), (12, 5))]


@case(CHANNELS, {"x": {1: "channels"}})
def places_of_a_kernel(self: Any, x: Any, n: int) -> Any:
    return F.shift(x, ksize=(3, n), dilate=2)


BOUNDS = [(f32(2, 3), a) for a in (0.5, float("nan"), 0.0, float("inf"), -1.0)]


@case(BOUNDS)
def bounds(self: Any, x: Any, a: float) -> Any:
    return F.clip(x, a, None), F.clip(x, None, a), F.clip(x, -1.0, a)


@case(BOUNDS)
def known_bounds(self: Any, x: Any, a: float) -> Any:
    return F.clip(x * a, float("nan"), 1.0)


WINDOWS = [(f32(1, 2, 2, 3), k) for k in (4, 5, -4, -2, 1, 8)]


@case(WINDOWS)
def places_in_windows(self: Any, x: Any, n: int) -> Any:
    return F.upsampling_2d(x, np.arange(12).reshape(1, 2, 2, 3) % n, 2)


@case([(f32(1, 2, 6, 6), k) for k in (2, 1, 3, 4, 6)], {"x": {2: "h", 3: "w"}})
def pooled_and_unpooled(self: Any, x: Any, n: int) -> Any:
    return F.upsampling_2d(*F.max_pooling_2d(x, n, return_indices=True), 2)


@pytest.mark.parametrize("program", case.programs, ids=lambda program: program.name)
def test_beyond_what_is_taken(program: Program) -> None:
    hold(program)


def steps(self: Any, stop: float, step: float) -> Any:
    return np.arange(0.0, stop, step)


def test_a_range_of_endless_steps_has_one_number() -> None:
    model = compiled(Program(steps, [(3.0, 0.5)]))
    for step in (0.5, 1.0, 100.0, -1.0):
        assert difference(steps(None, 3.0, step), model(3.0, step)) is None
    with pytest.raises(elichika.ModelRuntimeError, match="beyond all measure"):
        model(3.0, float("inf"))


def folded(self: Any, x: Any) -> Any:
    return F.pad(x, (50, 5), "reflect").array, np.pad(x, (5, 50), "symmetric")


def test_widths_that_numpy_folds_afresh() -> None:
    model = compiled(Program(folded, [(f32(20),)], {"x": {0: "n"}}))
    for size in (1, 2, 3, 4, 6, 20):
        x = f32(size)
        expected, found = folded(None, x), outcome(model, (x,))
        if isinstance(found, elichika.ElichikaError):
            assert np.lib.NumpyVersion(np.__version__) < "2.0.0"
        else:
            assert difference(expected, found) is None


TWICE = {
    "F.normalize(x, axis=(1, 1))": "duplicate",
    "F.normalize(x, axis=(1, -2))": "duplicate",
    "F.prod(x, axis=(1, -2))": "duplicate",
    "F.squeeze(x, axis=(0, -3))": "duplicate",
    "F.repeat(x, 2, axis=5)": "axis 5 is out of bounds",
}


@pytest.mark.parametrize("call", TWICE)
def test_axes_that_numpy_does_not_take(call: str) -> None:
    source = f"def forward(self, x):\n    return {call}\n"
    names = {"F": F, "__name__": "calls"}
    forward = module_of(source, f"<axes {abs(hash(call)):x}>", names)["forward"]
    with pytest.raises(elichika.ElichikaError, match=TWICE[call]):
        compiled(Program(forward, [(f32(1, 3, 4),)], {"x": {1: "n"}}))


#: Of these each constant is an input once; `make soak-settings` takes all.
SAMPLED = ("F.split_axis(", "F.shift(", "F.clip(", "F.squeeze(", "F.pad(", "F.normalize(")


def test_constants_as_inputs() -> None:
    found = [setting for setting in settings() if setting.call.startswith(SAMPLED)][::3]
    kinds = Counter(judged(setting)[0] for setting in found)
    assert kinds["same"] >= 10 and not kinds["wrong"]
