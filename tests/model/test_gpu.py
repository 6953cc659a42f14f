"""`make gpu`, with the CPU provider in the place of CUDA's where there is no GPU."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from benchmarks import gpu
from models import MODELS
from tests.walker import test_staging

HERE = gpu.CUDA in onnxruntime.get_available_providers()


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gpu, "FILE", tmp_path / "gpu" / "model.onnx")


@pytest.mark.skipif(HERE, reason="there is a GPU")
def test_without_a_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    assert gpu.main() == 0
    assert capsys.readouterr().out == "no GPU here: untested\n"


def test_a_model_is_compared_and_timed() -> None:
    (mlp,) = (one for one in MODELS if one.name == "MLP")
    (tagger,) = (one for one in MODELS if one.name == "NStepLSTM tagger")
    found = gpu.row(mlp, gpu.CPU, gpu.CPU)
    assert found.worst == found.tf32 < 1e-5 and found.bound > 0
    assert str(found).startswith("MLP: error ")
    assert math.isnan(gpu.row(tagger, gpu.CPU, gpu.CPU).bound), "lists are not bound"


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    (mlp,) = (one for one in MODELS if one.name == "MLP")
    real = gpu.loaded

    def wrong(model: Any, provider: Any) -> Any:
        there = real(model, gpu.CPU)
        return lambda *inputs: there(*inputs) + np.float32(1)

    monkeypatch.setattr(gpu, "loaded", wrong)
    with pytest.raises(AssertionError):
        gpu.row(mlp)
    programs = test_staging.PROGRAMS[:2]
    assert list(gpu.different(programs)) != []
    monkeypatch.setattr(gpu, "loaded", real)
    assert list(gpu.different(programs, gpu.CPU)) == []
