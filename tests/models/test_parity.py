"""Every model of `models/`: one file, right at every size that the table lists."""

from __future__ import annotations

from pathlib import Path

import onnx
import onnxruntime
import pytest

import elichika
from models import MODELS, Model
from tests.models.parity import assert_same, eager
from tests.models.spread import assert_spread, logits

CUDA = "CUDAExecutionProvider"
#: More of the same blocks; the table of operators has their links.
DEEPER = ("ResNet101", "ResNet152")
SHOWN = [model for model in MODELS if model.name not in DEEPER]
every_model = pytest.mark.parametrize("model", SHOWN, ids=lambda model: model.name)


@every_model
def test_one_file_is_right_at_every_size(model: Model, tmp_path: Path) -> None:
    chain, path = model.build(), tmp_path / "model.onnx"
    compiled = elichika.compile_model(
        chain,
        model.inputs(),
        path,
        dynamic_axes=model.dynamic_axes,
        static=model.static,
        verify=False,
    )
    onnx.checker.check_model(str(path), full_check=True)
    for sizes in model.sizes:
        inputs = model.inputs(**sizes)
        expected = eager(chain, *inputs)
        assert_spread(logits(model, expected))
        assert_same(expected, compiled(*inputs))


def test_a_resnet_gives_the_layers_that_are_asked_for() -> None:
    resnet = next(model for model in MODELS if model.name == "ResNet50")
    chain, (x, _) = resnet.build(), resnet.inputs(batch=1, height=64, width=64)
    layers = ["res3", "pool5", "prob"]
    compiled = elichika.compile_model(
        chain,
        {"x": x, "layers": layers},
        dynamic_axes=resnet.dynamic_axes,
        static=["layers"],
        verify=False,
    )
    larger, _ = resnet.inputs(batch=2, height=96, width=64)
    assert_same(eager(chain, larger, layers), compiled(larger, layers))


@pytest.mark.gpu
@pytest.mark.skipif(
    CUDA not in onnxruntime.get_available_providers(),
    reason="onnxruntime has no CUDA provider here",
)
@every_model
def test_right_on_cuda(model: Model) -> None:
    chain = model.build()
    compiled = elichika.compile_model(
        chain,
        model.inputs(),
        dynamic_axes=model.dynamic_axes,
        static=model.static,
        verify=False,
        providers=[CUDA, "CPUExecutionProvider"],
    )
    for sizes in model.sizes:
        inputs = model.inputs(**sizes)
        assert_same(eager(chain, *inputs), compiled(*inputs))
