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
from benchmarks import encoding, runtime_cases, runtimes
from elichika.cli import app
from tests.cli.programs import Steps, seeded
from tests.programs import f32
from tests.walker import test_staging

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
def test_a_check_fails_in_openvino() -> None:
    for model in (steps(), steps().on("openvino")):
        with pytest.raises(elichika.ModelRuntimeError, match="too many"):
            model(f32(2, 4), 7)


class Stacks(chainer.Chain):
    """Loops that stack numbers and matrices, insert in front, and gather along many elements."""

    def forward(self, x: Any, n: int) -> Any:
        numbers, matrices, front = [], [], [x[0]]
        for i in range(n):
            numbers.append(x.sum() + i)
            matrices.append(x * i)
            if x[0, 0] > i:
                front.insert(0, x[0] + i)
        stacked = np.stack(matrices) if n else np.zeros((0, 2, 40), np.float32)
        return numbers, stacked, front, np.sort(x, axis=1)


def test_what_onnx_itself_gets_wrong() -> None:
    """Each was a difference that was not the model's: see `elichika.model.reference_operators`."""
    x = np.arange(80, 0, -1, dtype=np.float32).reshape(2, 40)
    model = elichika.compile_model(Stacks(), (x, 3), verify=False)
    assert len(model.verify((x - 78, 4), (x, 0), (x - 100, 1), runtime="reference").agreed) > 5


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

    monkeypatch.setattr("elichika.model.runtimes.import_module", absent)
    with pytest.raises(elichika.InputError, match=text):
        steps().verify(runtime=runtime)


@HAS_OPENVINO
def test_openvino_runs_after_a_failure() -> None:
    class First(chainer.Chain):
        def forward(self, x: Any, n: int) -> Any:
            return x[:n, 0].item()

    model = elichika.compile_model(First(), (f32(3, 2), 1), dynamic_axes=BATCH, verify=False)
    other = model.on("openvino")
    with pytest.raises(elichika.ModelRuntimeError, match="OpenVINO failed"):
        other(f32(4, 2), 3)
    assert other(f32(2, 2), 1) == f32(2, 2)[0, 0]


@HAS_OPENVINO
def test_what_openvino_cannot_load_is_a_short_error() -> None:
    class Lists(chainer.Chain):
        def forward(self, xs: Any) -> Any:
            return [x * 2 for x in xs]

    model = elichika.compile_model(Lists(), ([f32(2, 3), f32(1, 3)],), verify=False)
    with pytest.raises(elichika.InputError, match="OpenVINO cannot load the model") as error:
        model.on("openvino")
    assert len(str(error.value)) < 500 and "\n" not in str(error.value)


@pytest.fixture(scope="module")
def cases(tmp_path_factory: Any) -> Path:
    folder: Path = tmp_path_factory.mktemp("cases")
    runtime_cases.write_programs(folder, test_staging.PROGRAMS[18:30:4])
    return folder


@pytest.mark.parametrize("runtime", runtimes.RUNTIMES)
def test_programs_in_other_runtimes(runtime: str, cases: Path) -> None:
    """A sample of `make runtimes`: whatever is not the same has a reason that is known."""
    if not runtimes.is_there(runtime):
        pytest.skip(f"{runtime} is not installed; `make runtimes` installs it")
    verdicts = list(runtimes.asked(runtime, cases))
    assert len(verdicts) == len(list(cases.glob("*.onnx"))) >= 3
    assert any(one.outcome == "same" for one in verdicts)
    others = [one for one in verdicts if one.outcome != "same"]
    assert [one for one in others if runtimes.reason(runtime, one, cases) is None] == []


def test_a_difference_is_noticed() -> None:
    one = [np.array([1.0, np.inf]), np.array(2**40)]
    assert runtime_cases.same(one, one) is None
    for other, text in (
        ([one[0]], "another number of outputs"),
        ([one[0], np.array(2**40 + 1)], "other integers of more than 32 bits"),
        ([np.array([1.001, np.inf]), one[1]], "other float64, off by 1e-03"),
        ([np.array([1.0, 7.0]), one[1]], "other floats, not all of them finite"),
        ([np.array([1.0, -np.inf]), one[1]], "other floats, not all of them finite"),
        ([np.array([[1.0, np.inf]]), one[1]], "shape [1, 2], not [2]"),
        ([one[0].astype("f"), one[1]], "dtype float32, not float64"),
    ):
        assert runtime_cases.same(one, other) == text
    pixels, other = [np.arange(200, dtype=np.uint8)], np.arange(200, dtype=np.uint8)
    other[3] += 1
    assert runtime_cases.same(pixels, [other]) == "other bytes, 0.50% of them, by one"
    other[3] += 1
    assert runtime_cases.same(pixels, [other]) == "other integers or bools"
    assert encoding.decoded(encoding.encoded([one[0]]))[0].tolist() == one[0].tolist()


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    elichika.compile_model(seeded(), f32(2, 4), path, dynamic_axes=BATCH, verify=False)
    words = ["verify", str(path), "tests.cli.programs:seeded", "--input", "x=float32[batch,4]"]
    result = CliRunner().invoke(app, [*words, "--runtime", "reference"])
    assert result.exit_code == 0, result.stderr
    assert "reference" in result.stdout
    result = CliRunner().invoke(app, [*words, "--runtime", "tract"])
    assert result.exit_code == 2 and "runtime is one of" in result.stderr
