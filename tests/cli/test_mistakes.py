"""Names, inputs and orders that are nearly right, and what is said of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from elichika.cli import app

MODEL = """
import chainer
from chainer import links as L


class Net(chainer.Chain):
    def __init__(self, size=3):
        super().__init__()
        with self.init_scope():
            self.fc = L.Linear(size, 2)

    def forward(self, ids):
        return self.fc(ids)


def lazy():
    return Net(None)
"""
IDS = "ids=float32[batch,3]"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def imported() -> Iterator[None]:
    """Forget what a test imports from its folder."""
    yield
    sys.modules.pop("nets", None)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.parametrize(
    ("description", "hint"),
    [
        ("ids=float32", "did you mean float32[]?"),
        ("ids=Float32[batch,3]", "did you mean float32[batch,3]?"),
        ("ids=float32(batch,3)", "did you mean float32[batch,3]?"),
        ("ids: float32[batch,3]", "did you mean ids=float32[batch,3]?"),
        ("ids=float32[batch,3", "a bracket is not closed"),
        ("ids=[float32[3]", "a bracket is not closed"),
        ("ids=flaot32[batch,3]", "did you mean `float32`?"),
        ("idz=float32[batch,3]", "did you mean `ids`?"),
        (
            "ids=[float32[a],float32[b]]",
            "for a size that each element has of its own, give unlike numbers, as in "
            "[float32[3],float32[5]]",
        ),
        ('ids={"a": float32[3]}', "a dict is given by its items: --input \"d['key']=float32[3]\""),
    ],
)
def test_inputs(description: str, hint: str) -> None:
    result = run("export", "model.py:Net", "--input", description, "-o", "m.onnx")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[1:] == [f"Hint: {hint}"]


def test_the_name_is_missing_in_the_source() -> None:
    result = run("export", "model.py", "--input", IDS, "-o", "m.onnx")
    assert result.stderr.endswith("Hint: name what makes the chain: model.py:Net, model.py:lazy\n")


def test_model_and_source_are_exchanged() -> None:
    assert run("export", "model.py:Net", "--input", IDS, "-o", "m.onnx").exit_code == 0
    result = run("verify", "model.py:Net", "m.onnx")
    assert result.stderr.endswith("Hint: the model comes first, then what makes the chain\n")
    assert "Hint" not in run("verify", "n.onnx", "model.py:Net").stderr


def test_a_chain_without_values_is_not_compared() -> None:
    given = "model.py:lazy", "--input", IDS
    assert run("export", *given, "--initialize", "-o", "m.onnx").exit_code == 0
    result = run("verify", "m.onnx", *given)
    assert result.exit_code == 2 and result.stderr == (
        "InputError: fc/W of the chain is not initialized yet: its first call would draw other "
        "values than the model has.\nHint: pass by --weights the weights that the model was made "
        "with\n"
    )


def test_recorded_classes(folder: Path, imported: None) -> None:
    (folder / "nets.py").write_text(MODEL)
    (folder / "evaluate.py").write_text("import nets\n")
    result = run("profile", "evaluate.py", "--chain", "nets.py:Nets", "-o", "calls.npz")
    assert result.stderr.endswith("Hint: did you mean `Net`?\n")
    result = run("profile", "evaluate.py", "--chain", "nets.py:Net", "-o", "calls.npz")
    assert result.exit_code == 2 and "Hint" not in result.stderr


def test_a_run_on_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("export", "model.py:Net", "--input", IDS, "-o", "m.onnx").exit_code == 0
    assert "┃ place" in run("trace", "m.onnx").stdout
    monkeypatch.setenv("COLUMNS", "40")
    lines = run("trace", "m.onnx").stdout.splitlines()
    assert max(map(len, lines)) <= 40
    place = lines.index("model.py:13")
    assert lines[place + 1] == "  return self.fc(ids)" and "float32[3, 2]" in lines[place + 2]
