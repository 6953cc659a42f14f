"""The same model in other runtimes; `make runtimes` asks them about all models and programs."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import pytest
from typer.testing import CliRunner

import elichika
from elichika.cli import app
from tests.cli.programs import Steps, seeded
from tests.programs import f32

HAS_OPENVINO = pytest.mark.skipif(find_spec("openvino") is None, reason="openvino is not installed")
SECOND = [pytest.param("openvino", marks=HAS_OPENVINO), "reference"]
BATCH = {"x": {0: "batch"}}


def steps() -> elichika.CompiledModel:
    return elichika.compile_model(Steps(), (f32(2, 4), 2), dynamic_axes=BATCH, verify=False)


@pytest.mark.parametrize("runtime", SECOND)
def test_a_second_opinion(runtime: str) -> None:
    model = elichika.compile_model(seeded(), f32(2, 4), dynamic_axes=BATCH, verify=False)
    report = model.verify(runtime=runtime)
    assert "batch=3" in report.agreed
    other = model.on(runtime)
    np.testing.assert_allclose(other(f32(5, 4)), model(f32(5, 4)), rtol=1e-5)
    assert model.on("onnxruntime") is model


def test_onnx_itself_agrees_on_loops_checks_and_state() -> None:
    assert len(steps().verify(runtime="reference").agreed) > 8
    with pytest.raises(elichika.ModelRuntimeError, match="onnx's reference failed"):
        steps().on("reference")(f32(2, 4), 7)
    model = elichika.compile_model(Steps(), (f32(2, 4), 2), state=True, verify=False)
    other = model.on("reference")
    first, second = other(f32(2, 4), 2), other(f32(2, 4), 2)
    assert str(first) != str(second)
    np.testing.assert_allclose([first, second], [model(f32(2, 4), 2) for _ in "12"], rtol=1e-5)


@HAS_OPENVINO
def test_openvino_does_not_notice_an_index_out_of_range() -> None:
    """The gap that hides run-time checks; where it is gone, docs/runtimes.md says too much."""
    with pytest.raises(elichika.VerificationError, match="the chain raises AssertionError"):
        steps().verify(runtime="openvino")


def test_a_wrong_model_is_found() -> None:
    model, other = elichika.compile_model(seeded(), f32(2, 4), verify=False), seeded()
    other.l2.b.array += 1
    with pytest.raises(elichika.VerificationError, match="differs"):
        model.verify(chain=other, runtime="reference")


@pytest.mark.parametrize(
    ("runtime", "text"),
    [
        ("torch", "runtime is one of onnxruntime, openvino, reference, not 'torch'"),
        pytest.param("openvino", "openvino is not installed: pip install openvino", id="missing"),
    ],
)
def test_a_runtime_that_is_not_there(runtime: str, text: str, monkeypatch: Any) -> None:
    def absent(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr("elichika.runtimes.import_module", absent)
    with pytest.raises(elichika.InputError, match=text):
        steps().verify(runtime=runtime)


@HAS_OPENVINO
def test_what_openvino_cannot_load_is_a_short_error() -> None:
    class Lists(chainer.Chain):
        def forward(self, xs: Any) -> Any:
            return [x * 2 for x in xs]

    model = elichika.compile_model(Lists(), ([f32(2, 3), f32(1, 3)],), verify=False)
    with pytest.raises(elichika.InputError, match="OpenVINO cannot load the model") as error:
        model.on("openvino")
    assert len(str(error.value)) < 500 and "\n" not in str(error.value)


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    elichika.compile_model(seeded(), f32(2, 4), path, dynamic_axes=BATCH, verify=False)
    words = ["verify", str(path), "tests.cli.programs:seeded", "--input", "x=float32[batch,4]"]
    result = CliRunner().invoke(app, [*words, "--runtime", "reference"])
    assert result.exit_code == 0, result.stderr
    assert "reference" in result.stdout
    result = CliRunner().invoke(app, [*words, "--runtime", "tract"])
    assert result.exit_code == 2 and "runtime is one of" in result.stderr
