"""`--testcase` writes what ONNX's backend tests read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chainer
import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper
from typer.testing import CliRunner

import elichika
from elichika.cli import app
from elichika.model.testcase import write_testcase


class Lists(chainer.Chain):
    def forward(self, xs: Any, n: int) -> Any:
        return [x * n for x in xs], xs[0].sum()


def read(folder: Path, what: str, values: Any) -> list[Any]:
    """Read the files as ONNX's runner does: numbered, in the order of the graph."""
    found = []
    for number, value in enumerate(values):
        data = (folder / "test_data_set_0" / f"{what}_{number}.pb").read_bytes()
        if value.type.WhichOneof("value") == "sequence_type":
            found.append(numpy_helper.to_list(onnx.SequenceProto.FromString(data)))
        else:
            found.append(numpy_helper.to_array(onnx.TensorProto.FromString(data)))
    return found


def check(folder: Path) -> list[Any]:
    """Run the case in onnxruntime and compare; return the inputs."""
    graph = onnx.load(folder / "model.onnx").graph
    inputs = read(folder, "input", graph.input)
    expected = read(folder, "output", graph.output)
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    names = [value.name for value in graph.input]
    results = session.run(None, dict(zip(names, inputs, strict=True)))
    for actual, wanted in zip(results, expected, strict=True):
        pairs = zip(actual, wanted, strict=True) if isinstance(actual, list) else [(actual, wanted)]
        for one, other in pairs:
            np.testing.assert_array_equal(one, other)
    return inputs


@pytest.mark.parametrize("state", [False, True])
def test_a_case_of_the_command_line(state: bool, tmp_path: Path) -> None:
    arguments = ["tests.cli.programs:Steps", "--input", "x=float32[batch,4]", "--input", "n=2"]
    case = tmp_path / "case"
    (case / "test_data_set_0").mkdir(parents=True)
    (case / "test_data_set_0" / "input_9.pb").touch()
    if state:
        x = np.ones((2, 4), np.float32)
        from tests.cli.programs import Steps

        write_testcase(elichika.compile_model(Steps(), (x, 2), state=True, verify=False), case)
    else:
        words = ["export", *arguments, "-o", str(tmp_path / "m.onnx"), "--testcase", str(case)]
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.stderr
    inputs = check(case)
    assert inputs[0].shape[1] == 4 and inputs[1] == 2 and len(inputs) == (4 if state else 2)
    assert not (case / "test_data_set_0" / "input_9.pb").exists()


def test_lists(tmp_path: Path) -> None:
    xs = [np.ones(2, np.float32), np.ones(3, np.float32)]
    model = elichika.compile_model(Lists(), (xs, 3), verify=False)
    write_testcase(model, tmp_path)
    assert [len(x) for x in check(tmp_path)[0]] == [2, 3]


def test_a_loaded_model_has_no_example(tmp_path: Path) -> None:
    xs = [np.ones(2, np.float32)]
    elichika.compile_model(Lists(), (xs, 3), tmp_path / "m.onnx", verify=False)
    with pytest.raises(elichika.InputError, match="no example inputs"):
        write_testcase(elichika.load(tmp_path / "m.onnx"), tmp_path / "case")


def test_a_case_that_is_not_finished_leaves_the_old_one(tmp_path: Path, monkeypatch: Any) -> None:
    xs = [np.ones(2, np.float32)]
    write_testcase(elichika.compile_model(Lists(), (xs, 3), verify=False), tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    original, calls = Path.write_bytes, []

    def full(self: Path, data: bytes) -> int:
        calls.append(self)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        return original(self, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(elichika.InputError, match="No space left"):
        write_testcase(elichika.compile_model(Lists(), (xs, 7), verify=False), tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*")} == before


def test_a_folder_that_cannot_be_one_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "case").touch()
    words = ["export", "nowhere:Net", "-o", str(tmp_path / "m.onnx")]
    result = CliRunner().invoke(app, [*words, "--testcase", str(tmp_path / "case" / "deeper")])
    assert result.exit_code == 2 and "is not a folder" in result.stderr
