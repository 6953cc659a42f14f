"""Functions of chainer-mask-rcnn and chainer_addons, as their authors wrote them.

`make packages` installs both. Where a package imports others of no use here, one file is loaded.
"""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import pytest
from chainer import functions as F

import elichika
from tests.models.parity import assert_same, eager

PACKAGES = {"chainer_mask_rcnn", "chainer_addons"}
pytestmark = [
    pytest.mark.packages,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in PACKAGES),
        reason="`make packages` installs them",
    ),
    pytest.mark.filterwarnings("ignore"),
]


def module(package: str, path: str) -> Any:
    """Load one file of a package, without the package."""
    found = importlib.util.find_spec(package)
    assert found is not None and found.submodule_search_locations is not None
    file = Path(found.submodule_search_locations[0]) / path
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def compare(chain: chainer.Link, inputs: list[Any], axes: Any) -> list[Any]:
    """Compile for the first inputs, compare on all; return what eager Chainer gives."""
    model = elichika.compile_model(chain, inputs[0], dynamic_axes=axes, verify=False)
    found = [eager(chain, *given) for given in inputs]
    for given, expected in zip(inputs, found, strict=True):
        assert_same(expected, model(*given))
    return found


class Aligned(chainer.Chain):
    def __init__(self, sampling_ratio: int) -> None:
        super().__init__()
        self.align = module("chainer_mask_rcnn", "functions/roi_align_2d.py").roi_align_2d
        self.sampling_ratio = sampling_ratio

    def forward(self, x: Any, rois: Any) -> Any:
        return self.align(x, rois, 2, 3, 0.5, self.sampling_ratio)


def regions(count: int, height: int, width: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A map, and regions within it, of all sizes: one sample of a region is one turn."""
    random = np.random.RandomState(seed)
    x = random.randn(2, 2, height, width).astype("f")
    corner = random.rand(count, 2) * (width, height)
    size = random.rand(count, 2) * (width, height)
    index = random.randint(0, 2, (count, 1))
    return x, np.concatenate([index, corner, corner + size], 1).astype("f")


@pytest.mark.parametrize("sampling_ratio", [2, 0])
def test_regions_are_aligned(sampling_ratio: int) -> None:
    sizes = [(2, 6, 7, 0), (1, 5, 5, 1), (5, 9, 4, 2), (0, 6, 6, 3), (3, 12, 16, 4)]
    inputs = [regions(*size) for size in sizes]
    compare(Aligned(sampling_ratio), inputs, {"x": {2: "h", 3: "w"}, "rois": {0: "n"}})


def maps(*shapes: tuple[int, ...]) -> list[tuple[np.ndarray]]:
    return [(np.random.RandomState(i).randn(*shape).astype("f"),) for i, shape in enumerate(shapes)]


@pytest.mark.parametrize("normalize", [True, False])
def test_compact_bilinear_pooling(normalize: bool) -> None:
    pooling = module("chainer_addons", "links/pooling/compact_bilinear.py")
    chain = pooling.CompactBilinearPooling(4, 8, normalize=normalize)
    inputs = maps((2, 4, 3, 5), (1, 4, 2, 2), (3, 4, 1, 7), (5, 4, 6, 1))
    compare(chain, inputs, {0: {0: "batch", 2: "h", 3: "w"}})


class Functions(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        self.functions = importlib.import_module("chainer_addons.functions")
        with self.init_scope():
            self.alpha = chainer.Parameter(np.array([1.7], "f"))

    def forward(self, x: Any, t: Any) -> Any:
        size = F.absolute(x)
        return (
            self.functions.alpha_prod(size, F.broadcast_to(self.alpha, x.shape)),
            self.functions.signed_square_root(x),
            self.functions.smoothed_cross_entropy(x, t, x.shape[1]),
        )


def test_functions() -> None:
    inputs = []
    for seed, batch in enumerate((3, 1, 8, 2)):
        random = np.random.RandomState(seed)
        x = random.randn(batch, 5).astype("f")
        inputs.append((x, random.randint(0, 5, batch).astype("i")))
    inputs[2][0][:4, 2] = 0
    inputs[3][1][0] = -1
    found = compare(Functions(), inputs, {"x": {0: "batch"}, "t": {0: "batch"}})
    assert (found[2][1].array == 0).sum() == 4
