"""The digits from end to end: trained, saved, exported by the command line, classified."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import chainer
import numpy as np
import onnxruntime
import pytest

from models.digits import DIGITS, accuracy, load, train
from tests.models.parity import eager

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", DIGITS)
def test_onnxruntime_classifies_every_held_out_digit_as_chainer_does(
    name: str, tmp_path: Path
) -> None:
    _, shape = DIGITS[name]
    snapshot, path = tmp_path / "digits.npz", tmp_path / "digits.onnx"
    chain = train(name, snapshot)
    sizes = ",".join(map(str, shape))
    command = [str(Path(sys.executable).with_name("elichika")), "export"]
    command += [f"models/digits.py:build_{name}", "--weights", str(snapshot)]
    command += ["--input", f"x=float32[batch,{sizes}]", "-o", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    x, t = chainer.dataset.concat_examples(load(shape)[1])
    expected = eager(chain, x).array
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    actual = session.run(None, {"x": x})[0]
    np.testing.assert_array_equal(expected.argmax(axis=1), actual.argmax(axis=1))
    assert accuracy(actual, t) == accuracy(expected, t) > 0.9
