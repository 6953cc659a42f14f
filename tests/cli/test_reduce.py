"""`elichika reduce` through the command itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from elichika.cli import app

REFUSED = """
import chainer
import numpy as np
from chainer import functions as F, links as L


class Net(chainer.Chain):
    def __init__(self, n=3):
        super().__init__()
        with self.init_scope():
            self.fc = L.Linear(n, 2)

    def forward(self, x, n):
        h = F.relu(self.fc(x))
        if n > 2:
            h = h + np.packbits(h.array > 0)
        return h
"""
DIFFERS = """
import chainer
from chainer import functions as F
import elichika


class Half(chainer.FunctionNode):
    def forward(self, inputs):
        return (inputs[0] * 0.5,)


@elichika.lowers(Half)
def half(context, node, x):
    return context.graph.Mul(x, 0.25)


class Net(chainer.Chain):
    def forward(self, x):
        y = F.tanh(Half().apply((x,))[0])
        return y, F.sum(y)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def reduce(source: str, *more: str) -> Any:
    Path("model.py").write_text(source)
    return CliRunner().invoke(app, ["reduce", "model.py:Net", *more])


def test_a_refused_program() -> None:
    result = reduce(
        REFUSED, "--input", "x=float32[b,3]", "--input", "n=3", "-o", "small.py", "--json"
    )
    found = json.loads(result.stdout)
    assert found["exit_code"] == 0, result.stderr
    assert found["fault"].startswith("UnsupportedFunction: `numpy.packbits` is not supported")
    assert 'File "small.py", line ' in found["fault"]
    small = Path("small.py").read_text()
    assert small == found["program"] and "np.packbits(" in small
    assert len([line for line in small.splitlines() if line]) <= 6, small
    shown = CliRunner().invoke(
        app, ["check", "small.py:Net", "--input", found["again"].split("'")[3]]
    )
    assert "numpy.packbits" in shown.stderr and shown.exit_code == 1


def test_a_program_that_differs() -> None:
    found = json.loads(reduce(DIFFERS, "--input", "x=float32[b,3]", "--json").stdout)
    assert found["fault"].startswith("VerificationError: On the example, `output")
    small = Path("reduced.py").read_text()
    assert "Half().apply((x,))" in small and "tanh" not in small and "sum" not in small


def test_nothing_to_reduce() -> None:
    without = REFUSED.replace("+ np.packbits(h.array > 0)", "+ 1")
    result = reduce(without, "--input", "x=float32[b,3]", "--input", "n=3")
    assert result.exit_code == 2 and not Path("reduced.py").exists()
    assert result.stderr == (
        "InputError: model.py shows no fault: it compiles, or the chain itself fails.\n"
        "Hint: `elichika export` with the same options says which\n"
    )
    result = reduce(without, "--input", "x=float32[b,4]", "--input", "n=3")
    assert result.exit_code == 2 and "shows no fault" in result.stderr
