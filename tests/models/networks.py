"""Twelve networks of the package chainercv2, each of another family."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import chainer
import pytest

from models.images import images
from models.weights import calibrate, seeded


@dataclass(frozen=True)
class Network:
    """A network, the image size it was made for, and another one that it takes."""

    name: str
    family: str
    size: tuple[int, int] = (224, 224)
    second_size: tuple[int, int] = (256, 288)
    slow: bool = False
    loosened: float = 1.0

    def build(self) -> chainer.Chain:
        """Make the network with random weights, its statistics set on data."""
        with warnings.catch_warnings(), seeded(0):
            warnings.simplefilter("ignore")
            from chainercv2.model_provider import get_model

            chain = get_model(self.name)
            calibrate(chain, images(6, *self.size))
        return chain


NETWORKS = (
    Network("preresnet18", "pre-activated residual", slow=True),
    Network("seresnet10", "squeeze and excitation"),
    Network("mobilenetv2_wd4", "linear bottlenecks", slow=True),
    Network("mobilenetv3_small_w7d20", "hard swish"),
    Network("shufflenet_g3_wd4", "channel shuffle in groups"),
    Network("squeezenet_v1_1", "fire modules"),
    Network("densenet121", "dense connections", slow=True),
    # onnxruntime's float32 Sigmoid is coarser than numpy's: with these weights its logits are 3e-5
    # from those computed in float64, Chainer's 1e-5, and up to 1.5e-4 apart on a single image.
    Network("efficientnet_b0", "compound scaling, swish", slow=True, loosened=3.0),
    # Only sizes from 299 to 330 leave the map of 8x8 that its last pooling window covers.
    Network("inceptionv3", "inception", (299, 299), (300, 320), slow=True),
    Network("dpn68", "dual paths", slow=True),
    Network("darknet_tiny", "leaky rectifiers", slow=True),
    Network("ghostnet", "cheap operations", slow=True),
)


def parameters() -> list[object]:
    """One pytest parameter a network; those that take long are marked for `make cv2`."""
    return [
        pytest.param(network, id=network.name, marks=[pytest.mark.cv2] if network.slow else [])
        for network in NETWORKS
    ]
