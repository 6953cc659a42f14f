"""Steps of training from the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import elichika
from tests.cli.test_cli import run

MODEL = """
import chainer
import chainer.functions as F
import chainer.links as L


class Net(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.out = L.Linear(4, 3)

    def forward(self, x):
        return self.out(x)

    def loss(self, x, t):
        return F.softmax_cross_entropy(self(x), t)


def build():
    return L.Classifier(Net())
"""
INPUTS = ("--input", "x=float32[n,4]", "--input", "t=int32[n]<3")


@pytest.fixture
def source(tmp_path: Path) -> str:
    (tmp_path / "net.py").write_text(MODEL)
    return str(tmp_path / "net.py")


def test_a_step(source: str, tmp_path: Path) -> None:
    path = tmp_path / "step.onnx"
    options = ["--train", "--optimizer", "Adam", "--set", "alpha=0.1", *INPUTS, "-o", path]
    assert run("export", f"{source}:build", *options).exit_code == 0
    step = elichika.load(path)
    x, t = np.ones((2, 4), np.float32), np.array([0, 2], np.int32)
    losses = [float(step(x, t)) for _ in range(50)]
    assert losses[-1] < losses[0]
    assert step.state["optimizer/t"] == 50


def test_a_step_of_a_method(source: str, tmp_path: Path) -> None:
    path = tmp_path / "step.onnx"
    options = ["--method", "loss", "--train", "--optimizer", "SGD", *INPUTS, "-o", path]
    assert run("export", f"{source}:Net", *options).exit_code == 0
    assert set(elichika.load(path).state) == {
        *("optimizer/t", "out/W", "out/W/sgd/t", "out/b", "out/b/sgd/t")
    }


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--optimizer", "Adam"], "--optimizer is for --train, and --set for --optimizer."),
        (["--train", "--set", "lr=1"], "--optimizer is for --train, and --set for --optimizer."),
        (["--train", "--optimizer", "Adm"], "did you mean `Adam`?"),
        (["--train", "--optimizer", "SGD", "--set", "rate=1"], "SGD has no argument 'rate'."),
        (["--train", "--optimizer", "SGD", "--set", "lr"], "give a number, as in lr=0.001."),
    ],
)
def test_bad_options(source: str, tmp_path: Path, options: list[str], text: str) -> None:
    path = tmp_path / "step.onnx"
    result = run("export", f"{source}:build", *options, *INPUTS, "-o", path)
    assert result.exit_code == 2
    assert text in result.stderr
    assert not path.exists()
