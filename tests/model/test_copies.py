"""Models pickle and copy: the copy is a model of its own, whose session is made anew."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import pytest
from chainer import functions as F
from chainer import links as L
from joblib import Parallel, delayed  # which scikit-learn brings

from elichika import (
    CompiledModel,
    InputError,
    ModelRuntimeError,
    VerificationError,
    compile_model,
    load,
)
from tests.programs import f32

COPIES: dict[str, Callable[[CompiledModel], CompiledModel]] = {
    "pickled": lambda model: pickle.loads(pickle.dumps(model)),
    "pickled, old": lambda model: pickle.loads(pickle.dumps(model, protocol=2)),
    "deep": copy.deepcopy,
    "shallow": copy.copy,
    "twice": lambda model: copy.deepcopy(pickle.loads(pickle.dumps(model))),
}


class Network(chainer.Chain):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.rows = L.Linear(20, 30)  # large enough to lie apart from the model
            self.out = L.Linear(30, 2)
        self.calls = 0

    def forward(self, x: Any) -> Any:
        assert x.shape[0] > 0, "no rows"
        self.calls = self.calls + 1
        h = F.relu(self.rows(x))
        return {"y": self.out(h), "calls": self.calls if x[0, 0] > 0 else None}


@pytest.fixture(params=["built", "loaded"])
def model(request: Any, tmp_path: Path) -> CompiledModel:
    path = tmp_path / "m.onnx"
    made = compile_model(Network(), [f32(3, 20)], path, dynamic_axes="n", state=True, verify=False)
    return made if request.param == "built" else load(path, threads=1)


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_gives_what_the_model_gives(model: CompiledModel, how: str, tmp_path: Path) -> None:
    model(f32(2, 20))
    other = COPIES[how](model)
    (tmp_path / "m.onnx").unlink()
    for x in (f32(3, 20) + 1, f32(1, 20) - 9):
        wanted, found = model(x), other(x)
        np.testing.assert_array_equal(wanted["y"], found["y"])
        assert wanted["calls"] == found["calls"]
    other.reset()
    assert model.state != other.state and other(f32(1, 20) + 1)["calls"] == 1
    with pytest.raises(ModelRuntimeError, match=r"no rows") as caught:
        other(f32(0, 20))
    assert caught.value.frames[-1].file.endswith("test_copies.py")
    other.save(tmp_path / "again.onnx")
    np.testing.assert_array_equal(load(tmp_path / "again.onnx")(x)["y"], model(x)["y"])


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_is_verified_with_a_chain(how: str) -> None:
    chain, x = L.Linear(20, 30), f32(2, 20)
    other = COPIES[how](compile_model(chain, [x]))
    assert other.graph is None and other.report.verification.agreed
    with pytest.raises(InputError, match=r"verified with chain=…"):
        other.verify(x)
    assert other.verify(x, chain=chain).agreed
    chain.W.array[0, 0] += 1
    with pytest.raises(VerificationError, match=r"W differs between the chain and the model"):
        other.verify(x, chain=chain)


def test_parameters_beside_the_file_come_along(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from onnx_graph import export

    monkeypatch.setattr(export.save, "__kwdefaults__", {"limit": 1000})
    chain, x = L.Linear(20, 30), f32(2, 20)
    compile_model(chain, [x], tmp_path / "m.onnx")
    (beside,) = tmp_path.glob("*.data")
    other = pickle.loads(pickle.dumps(load(tmp_path / "m.onnx")))
    beside.unlink()
    np.testing.assert_allclose(other(x), chain(x).array, rtol=1e-4, atol=1e-6)


def test_what_draws_and_what_runs_elsewhere() -> None:
    class Draws(chainer.Chain):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return F.dropout(x) + x

    model = compile_model(Draws(), [f32(2, 3)], train=True, random="onnx")
    assert copy.deepcopy(model).draws
    there = compile_model(L.Linear(3, 2), [f32(2, 3)]).on("reference")
    other = pickle.loads(pickle.dumps(there))
    assert type(other._runner) is type(there._runner)
    np.testing.assert_array_equal(other(f32(2, 3)), there(f32(2, 3)))


def test_models_go_to_other_processes(tmp_path: Path) -> None:
    chain, inputs = L.Linear(20, 30), [f32(n, 20) for n in (1, 2, 5)]
    made = compile_model(chain, [inputs[0]], tmp_path / "m.onnx", dynamic_axes="n")
    made(inputs[0])  # with a session, which stays here
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.map(made, inputs)
    by_joblib = Parallel(n_jobs=2)(delayed(load(tmp_path / "m.onnx"))(x) for x in inputs)
    for x, *found in zip(inputs, there, by_joblib, strict=True):
        for one in found:
            np.testing.assert_allclose(one, chain(x).array, rtol=1e-4, atol=1e-6)
