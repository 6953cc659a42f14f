"""A model keeps the weights that its chain had when it was compiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chainer
import numpy as np
import pytest
from chainer import links as L

import elichika
from tests.programs import f32


class Net(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed, self.fc = L.EmbedID(30, 40), L.Linear(40, 3)
            self.bn = L.BatchNormalization(3)
        self.scale = f32(3)

    def forward(self, ids: Any) -> Any:
        return self.bn(self.fc(self.embed(ids))) * self.scale


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("options", [{}, {"reweightable": True}, {"fold_norms": False}], ids=str)
def test_what_a_chain_learns_later_is_not_in_the_model(
    options: dict[str, Any], verify: bool, tmp_path: Path
) -> None:
    chain, ids = Net(), np.array([3, 1, 4])
    with chainer.using_config("train", False):
        expected = chain(ids).array.copy()
    model = elichika.compile_model(chain, [ids], verify=verify, **options)
    for parameter in chain.params():
        parameter.array[...] = 7
    chain.bn.avg_mean[...] = 5
    chain.scale[...] = 0
    np.testing.assert_allclose(model(ids), expected, rtol=1e-4, atol=1e-6)
    model.save(tmp_path / "net.onnx")
    saved = elichika.load(tmp_path / "net.onnx")
    np.testing.assert_allclose(saved(ids), expected, rtol=1e-4, atol=1e-6)
