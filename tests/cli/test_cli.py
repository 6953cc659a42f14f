"""The commands: exit codes, one clear line for bad input, JSON for scripts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import pytest
from typer.testing import CliRunner

import elichika
from elichika.cli import app
from tests.cli.programs import seeded

SOURCE = "tests.cli.programs:seeded"
X = "x=float32[batch,4]"


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


def test_usage() -> None:
    assert run("export").exit_code == 2
    assert run("export", SOURCE).exit_code == 2
    assert run("--help").exit_code == 0


@pytest.mark.parametrize("source", [SOURCE, "tests/cli/programs.py:seeded"])
def test_export(source: str, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    result = run("export", source, "--input", X, "-o", str(path))
    assert result.exit_code == 0, result.stderr
    assert "x: float32[batch, 4]" in result.stdout and path.exists()


# Methods of models/zoo.py whose examples the command line can describe.
METHODS = {
    "models.seq2seq:build": ("translate", "xs=[int32[4],int32[2]]<20", "max_length=5"),
    "models.transformer:build": ("translate", "x_block=int32[batch,length]<20", "max_length=5"),
    "models.wavenet:build": ("synthesize", "condition=float32[batch,8,length,1]"),
}


@pytest.mark.parametrize("source", METHODS)
def test_a_method_is_exported(source: str, tmp_path: Path) -> None:
    path, (method, *inputs) = str(tmp_path / "m.onnx"), METHODS[source]
    described = [word for given in inputs for word in ("--input", given)]
    result = run("export", source, "--method", method, *described, "-o", path, "--no-verify")
    assert result.exit_code == 0, result.stderr
    assert elichika.load(path).signature.method == method


def test_what_a_call_runs_is_exported(tmp_path: Path) -> None:
    x = np.ones((1, 3), np.float32)
    for words, method, expected in ((), None, 6.0), (("--method", "forward"), "forward", 3.0):
        path = str(tmp_path / "m.onnx")
        given = ("tests.cli.programs:Doubled", "--input", "x=float32[batch,3]")
        assert run("check", *given, *words).exit_code == 0
        assert run("export", *given, *words, "-o", path).exit_code == 0
        model = elichika.load(path)
        assert model.signature.method == method and model(x).tolist() == [[expected] * 2]
        verified = run("verify", path, *given, "--json")
        assert verified.exit_code == 0, verified.stderr


def test_a_method_that_is_not_there() -> None:
    result = run("check", SOURCE, "--input", X, "--method", "predict")
    assert result.exit_code == 2
    assert "Net has no method `predict`" in result.stderr


def test_export_in_json(tmp_path: Path) -> None:
    result = run("export", SOURCE, "--input", X, "-o", str(tmp_path / "m.onnx"), "--json")
    found = json.loads(result.stdout)
    assert (found["status"], found["exit_code"], found["errors"]) == ("done", 0, [])
    assert found["inputs"] == [{"name": "x", "dtype": "float32", "shape": ["batch", 4]}]
    assert "the example" in found["verified"]["agreed"]


def test_errors_in_json(tmp_path: Path) -> None:
    result = run("export", "tests.cli.programs:failing", "-o", str(tmp_path / "m"), "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == found["exit_code"] == 2 and found["status"] == "bad input"
    assert found["errors"][0]["type"] == "InputError"
    assert found["errors"][0]["frames"][-1]["function"] == "failing"


def test_the_factory_may_give_the_inputs(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    result = run("export", "tests.cli.programs:with_inputs", "-o", str(path))
    assert result.exit_code == 0, result.stderr


def test_weights_make_another_model(tmp_path: Path) -> None:
    snapshot, path = tmp_path / "s.npz", tmp_path / "m.onnx"
    chain = seeded()
    chain.l2.b.array += 1
    chainer.serializers.save_npz(str(snapshot), chain)
    weights = ["--weights", str(snapshot)]
    source = ["tests.cli.programs:Lazy", "--input", X]
    result = run("export", *source, *weights, "-o", str(path))
    assert result.exit_code == 0, result.stderr
    assert run("verify", str(path), *source, *weights).exit_code == 0
    result = run("verify", str(path), SOURCE, "--input", X)
    assert result.exit_code == 3 and "`output` differs" in result.stderr
    assert run("verify", str(tmp_path / "no.onnx"), *source, *weights).exit_code == 2


def test_a_file_gets_other_weights(tmp_path: Path) -> None:
    first, second, weights = (str(tmp_path / name) for name in ("a.onnx", "b.onnx", "w.npz"))
    chain = seeded()
    chain.l1.W.array *= 2
    chainer.serializers.save_npz(weights, chain)
    assert run("export", SOURCE, "--input", X, "--reweightable", "-o", first).exit_code == 0
    result = run("reweight", first, weights, second, "--json")
    assert result.exit_code == 0 and json.loads(result.stdout)["model"] == second
    x = np.ones((2, 4), np.float32)
    with chainer.using_config("train", False):
        expected = chain(x).array
    np.testing.assert_allclose(elichika.load(second)(x), expected, rtol=1e-4, atol=1e-6)
    result = run("reweight", first, weights, second, "--weights-path", "model")
    assert result.exit_code == 2 and "holds none of the model's parameters" in result.stderr
    assert run("reweight", first, weights, str(tmp_path)).exit_code == 2


def test_a_page_of_the_report(tmp_path: Path) -> None:
    model, page = str(tmp_path / "m.onnx"), tmp_path / "m.html"
    given = ("export", SOURCE, "--input", X, "-o", model)
    assert run(*given, "--report", str(page)).exit_code == 0
    assert "Time of a run" not in page.read_text(encoding="utf-8")
    assert run(*given, "--report", str(page), "--profile").exit_code == 0
    assert "Time of a run" in page.read_text(encoding="utf-8")
    result = run(*given, "--profile")
    assert result.exit_code == 2 and "--profile is for the page of --report FILE." in result.stderr
    assert run(*given, "--report", str(tmp_path)).exit_code == 2


def test_check_shows_everything_at_once() -> None:
    result = run("check", "tests.cli.programs:Unsupported", "--input", X)
    assert result.exit_code == 1
    assert "in forward" in result.stderr and "in helper" in result.stderr
    assert "never_called" not in result.stderr
    assert run("check", SOURCE, "--input", X).exit_code == 0


def test_canonical() -> None:
    result = run("canonical", "tests.cli.programs:Net.forward")
    assert result.exit_code == 0 and result.stdout.startswith("def forward(self, x")
    assert run("canonical", "tests.cli.programs:NOTHING").exit_code == 2


def test_the_command_is_installed(tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("elichika")
    done = subprocess.run([command, "--help"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and "export" in done.stdout


def test_the_seed_is_put_back() -> None:
    assert (seeded().l1.W.array == seeded().l1.W.array).all()
