"""Arrays are blurred as scipy does."""

from __future__ import annotations

from typing import Any

import chainer
import pytest
from scipy import ndimage

import elichika
from tests.lowerings.images.test_opencv import drawn, same


class Blurred(chainer.Chain):
    def forward(self, x: Any) -> Any:
        return (
            ndimage.gaussian_filter(x, 1.3),
            ndimage.gaussian_filter(x, sigma=(2.5, 0)),
            ndimage.gaussian_filter(x, 1, mode="nearest"),
            ndimage.gaussian_filter(x[0], 0.7, mode="wrap", truncate=2.0),
        )


def test_blurred() -> None:
    axes = {"x": {0: "height", 1: "width"}}
    model = elichika.compile_model(Blurred(), [drawn(5, 6, seed=0)], dynamic_axes=axes)
    for seed, sizes in enumerate(((1, 1), (2, 9), (30, 3), (12, 12), (3, 0))):
        x = drawn(*sizes, seed=seed)
        same(Blurred()(x), model(x))


def test_what_is_blurred_otherwise_is_refused() -> None:
    class Edges(chainer.Chain):
        def forward(self, x: Any) -> Any:
            return ndimage.gaussian_filter(x, 1, order=1)

    with pytest.raises(elichika.StagingError, match="order 0"):
        elichika.compile_model(Edges(), [drawn(5, 6, seed=0)])
