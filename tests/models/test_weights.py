"""The models' own promises: weights under which a difference shows, the same each time."""

from __future__ import annotations

import ast
from pathlib import Path

import chainer
import numpy as np
import pytest

from models import MODELS, Model
from models.weights import calibrate, seeded
from tests.models.spread import assert_spread, logits

SMALL = [model for model in MODELS if not model.large]
"""The large ones are looked at where they are compiled, to build them once only."""


def run(chain: chainer.Chain, *inputs: object) -> object:
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        return chain(*inputs)


@pytest.mark.parametrize("model", SMALL, ids=lambda model: model.name)
def test_logits_spread_on_inputs_not_calibrated_on(model: Model) -> None:
    chain = model.build()
    for sizes in model.sizes:
        assert_spread(logits(model, run(chain, *model.inputs(**sizes))))


@pytest.mark.parametrize("name", ["MLP", "LSTM language model", "NStepLSTM tagger"])
def test_two_builds_have_the_same_weights(name: str) -> None:
    model = next(model for model in MODELS if model.name == name)
    one, other = (dict(model.build().namedparams()) for _ in range(2))
    assert one.keys() == other.keys()
    for path, parameter in one.items():
        np.testing.assert_array_equal(parameter.array, other[path].array)


def test_building_leaves_the_global_generator_alone() -> None:
    np.random.seed(3)
    expected = np.random.rand()
    np.random.seed(3)
    with seeded(0):
        np.random.rand()
    assert np.random.rand() == expected


def test_statistics_of_every_batch_normalization_are_set() -> None:
    resnet = next(model for model in MODELS if model.name == "ResNet50").build()
    found = [link for link in resnet.links() if isinstance(link, chainer.links.BatchNormalization)]
    assert len(found) == 53
    for link in found:
        assert np.abs(link.avg_mean).max() > 0
        assert np.ptp(link.avg_var) > 0


def test_calibration_keeps_what_a_link_got_first() -> None:
    class Twice(chainer.Chain):
        def __init__(self) -> None:
            super().__init__()
            with self.init_scope():
                self.l = chainer.links.Linear(4, 4)

        def forward(self, x):
            return self.l(self.l(x) * 100)

    with seeded(0):
        chain, x = Twice(), np.random.normal(size=(500, 4)).astype(np.float32)
        calibrate(chain, x)
    np.testing.assert_allclose(run(chain.l, x).array.std(axis=0), 1, rtol=0.1)


def test_models_do_not_know_elichika() -> None:
    folder = Path(__file__).parents[2] / "models"
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            else:
                continue
            roots = {name.split(".")[0] for name in names}
            assert not roots & {"elichika", "canonicalizer", "onnx_graph"}, path
