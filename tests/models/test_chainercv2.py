"""A handful of the networks that others wrote; `make cv2` compares them all."""

from __future__ import annotations

from pathlib import Path

import pytest

import elichika
from models.images import images
from tests.models.networks import HANDFUL, NETWORKS, Network
from tests.models.parity import assert_same, eager

AXES = {"x": {0: "batch", 2: "height", 3: "width"}}


CHOSEN = [network for network in NETWORKS if network.name in HANDFUL]


@pytest.mark.parametrize("network", CHOSEN, ids=lambda network: network.name)
def test_one_file_is_right_at_every_size(network: Network, tmp_path: Path) -> None:
    chain = network.build()
    path = tmp_path / f"{network.name}.onnx"
    model = elichika.compile_model(
        chain, images(2, *network.size), path, dynamic_axes=AXES, verify=False
    )
    assert path.stat().st_size > 0
    sizes = [(1, network.size), (2, network.size), (3, network.size), (1, network.second_size)]
    for batch, size in sizes:
        x = images(batch, *size, seed=batch)
        expected, actual = eager(chain, x), model(x)
        assert_same(expected, actual)
        # A difference in one image may not hide behind the larger logits of another.
        for i in range(batch):
            assert_same(expected[i], actual[i], f"image {i} of {batch}")
