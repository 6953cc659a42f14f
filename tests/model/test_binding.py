"""Inputs that are read in place and outputs that are written in place."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import onnxruntime
import pytest
from chainer import functions as F
from onnxruntime import OrtValue

import elichika
from elichika import CompiledModel, InputError, ModelRuntimeError, compile_model
from tests.programs import f32


class Rows(chainer.Chain):  # type: ignore[misc]
    """Sums and doubled rows; fails where a number is negative."""

    def forward(self, x: Any, n: int) -> Any:
        assert (x >= 0).all(), "negative"
        return {"sums": F.sum(x, axis=1) + n, "twice": x * 2}


class Stacks(chainer.Chain):  # type: ignore[misc]
    def forward(self, xs: Any) -> Any:
        return F.stack(xs)


class Counts(chainer.Chain):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: Any) -> Any:
        self.calls += 1
        return x * self.calls


@pytest.fixture(scope="module")
def model() -> CompiledModel:
    return compile_model(Rows(), (f32(2, 3), 1), dynamic_axes={"x": {0: "rows"}}, verify=False)


def names(model: CompiledModel) -> list[str]:
    return [port.name for port in model.session.get_outputs()]


def test_the_session_is_onnxruntimes(model: CompiledModel, tmp_path: Path) -> None:
    assert isinstance(model.session, onnxruntime.InferenceSession)
    assert model.session is model.session
    model.save(tmp_path / "m.onnx")
    (sums, twice) = elichika.load(tmp_path / "m.onnx").session.run(
        None, {"x": np.ones((2, 3), np.float32), "n": np.array(4)}
    )
    assert sums.tolist() == [7, 7] and twice.tolist() == [[2] * 3] * 2


def test_arrays_are_read_and_written_in_place(model: CompiledModel) -> None:
    sums, twice = names(model)
    x, n = np.zeros((4, 3), np.float32), np.array(0)
    y = np.full(4, -1, np.float32)
    bound = model.bind({"x": x, "n": n}, {sums: y})
    seen = []
    for number in range(3):
        x[...] = number
        n[...] = 10 * number
        found = bound()
        assert found[sums] is y and bound.outputs == {sums: y} and bound.inputs["x"] is x
        np.testing.assert_array_equal(y, Rows()(x, int(n))["sums"].array)
        np.testing.assert_array_equal(found[twice], x * 2)
        seen.append(found[twice])
    assert [array[0, 0] for array in seen] == [0, 2, 4], "what has no place is a new array"


def test_all_outputs_have_a_place(model: CompiledModel) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    into = dict(
        zip(names(model), (np.zeros(2, np.float32), np.zeros((2, 3), np.float32)), strict=True)
    )
    found = model.bind({"x": x, "n": 5}, into)()
    assert all(found[name] is into[name] for name in into) and list(found) == names(model)
    np.testing.assert_array_equal(into[names(model)[0]], x.sum(axis=1) + 5)


def test_values_of_onnxruntime(model: CompiledModel) -> None:
    """As they lie on a device; here that is the CPU."""
    sums, twice = names(model)
    x = OrtValue.ortvalue_from_numpy(np.ones((2, 3), np.float32))
    y = OrtValue.ortvalue_from_shape_and_type([2], np.float32)
    found = model.bind({"x": x, "n": 1}, {sums: y})()
    assert found[sums] is y and y.numpy().tolist() == [4, 4]
    assert found[twice].tolist() == [[2] * 3] * 2
    wrong = OrtValue.ortvalue_from_numpy(np.ones((2, 4), np.float32))
    with pytest.raises(InputError, match=r"`x` has size 4 on axis 1"):
        model.bind({"x": wrong, "n": 1})
    with pytest.raises(InputError, match=r"has dtype float64, not float32"):
        model.bind({"x": OrtValue.ortvalue_from_numpy(np.ones((2, 3))), "n": 1})


def test_failures_have_the_users_line(model: CompiledModel) -> None:
    x = np.ones((2, 3), np.float32)
    bound = model.bind({"x": x, "n": 1})
    bound()
    x[1, 1] = -1
    with pytest.raises(ModelRuntimeError, match="negative") as caught:
        bound()
    assert caught.value.frames
    x[1, 1] = 1
    assert bound()[names(model)[0]].tolist() == [4, 4], "it runs again"


def test_an_output_of_another_shape_is_not_written(model: CompiledModel) -> None:
    y = np.full(3, 7, np.float32)
    bound = model.bind({"x": f32(2, 3) ** 2, "n": 1}, {names(model)[0]: y})
    with pytest.raises(ModelRuntimeError, match="shape"):
        bound()
    assert y.tolist() == [7, 7, 7]


def test_what_is_not_bound(model: CompiledModel) -> None:
    x, (sums, twice) = f32(2, 3), names(model)
    good = {"x": x, "n": 1}
    y = np.zeros(2, np.float32)
    for inputs, outputs, said in (
        ({"n": 1}, {}, "The input x float32[rows, 3] is missing."),
        ({**good, "z": x}, {}, "The model has no input `z`"),
        (good, {"z": y}, "The model has no output `z`; it has sums, twice."),
        (good, {sums: y.astype("d")}, "`sums` is a tensor(float), not a tensor(double)."),
        (good, {sums: [0.0, 0.0]}, "`sums` cannot be written in place."),
        (
            {"x": f32(3, 2).T, "n": 1},
            {},
            "`x` is not read in place: its elements are not in order.",
        ),
        (good, {sums: np.zeros((2, 2), np.float32)[:, 0]}, "`sums` cannot be written in place."),
        (good, {twice: x}, "`twice` and `x` share memory."),
        (good, {sums: x.reshape(-1)[:2]}, "`sums` and `x` share memory."),
    ):
        with pytest.raises(InputError, match=re.escape(said)):
            model.bind(inputs, outputs)
    fixed = np.zeros(2, np.float32)
    fixed.flags.writeable = False
    with pytest.raises(InputError, match=r"`sums` cannot be written in place\."):
        model.bind(good, {sums: fixed})


def test_lists_and_state_are_not_bound() -> None:
    rows = [f32(2), f32(2)]
    stacks = compile_model(Stacks(), [rows], verify=False)
    if any(port.type.startswith("seq") for port in stacks.session.get_inputs()):
        with pytest.raises(InputError, match=r"`xs` is a list, and onnxruntime binds arrays\."):
            stacks.bind({"xs": rows})
    counts = compile_model(Counts(), [f32(2)], state=True, verify=False)
    with pytest.raises(InputError, match="keeps state, or runs"):
        counts.bind({"x": f32(2)})
    with pytest.raises(
        InputError, match=r"A model that keeps state, or runs elsewhere, is not bound\."
    ):
        compile_model(Rows(), (f32(2, 3), 1), verify=False).on("reference").bind({})


def test_a_copy_is_bound_anew(model: CompiledModel) -> None:
    bound = model.bind({"x": np.ones((2, 3), np.float32), "n": 1})
    model._session.leave()  # as a forked process does
    with pytest.raises(
        InputError, match=r"The model was bound in another process; bind it in this one\."
    ):
        bound()
    other = copy.deepcopy(model)
    assert other.bind({"x": np.ones((2, 3), np.float32), "n": 2})()[names(model)[0]].tolist() == [
        5,
        5,
    ]
