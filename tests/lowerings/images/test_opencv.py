"""Images are resized as OpenCV does, where it is installed."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
import pytest

import elichika


class Resized(chainer.Chain):
    def __init__(self, cv2: Any, flag: int) -> None:
        super().__init__()
        self.cv2, self.flag = cv2, flag

    def forward(self, x: Any, height: Any, width: Any) -> Any:
        resize, flag = self.cv2.resize, self.flag
        return (
            resize(x, (width, height), interpolation=flag),
            resize(x[:, :, 0], (np.int64(width), np.int32(height)), interpolation=flag),
            resize(x[:, :, :1], (width + 1, height), interpolation=flag),
            resize(x, None, fx=1.7, fy=2, interpolation=flag),
        )


def drawn(*sizes: int, seed: int) -> np.ndarray:
    return np.random.RandomState(seed).randn(*sizes).astype(np.float32)


def same(expected: Any, found: Any) -> None:
    for one, other in zip(expected, found, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("flag", range(4), ids=["nearest", "linear", "cubic", "area"])
def test_resized(flag: int) -> None:
    cv2 = pytest.importorskip("cv2")
    chain, axes = Resized(cv2, flag), {"x": {0: "height", 1: "width"}}
    inputs = [drawn(5, 6, 3, seed=0), 4, 5]
    model = elichika.compile_model(chain, inputs, dynamic_axes=axes, verify=False)
    random = np.random.RandomState(flag)
    for seed in range(40):
        height, width, *sizes = (int(n) for n in random.randint(1, 14, 4))
        x = drawn(height, width, 3, seed=seed)
        sizes = [height, width] if seed % 8 == 0 else sizes
        same(chain(x, *sizes), model(x, *sizes))
    for bad in (np.full((4, 4, 3), np.nan, "f"), np.zeros((0, 4, 3), "f")):
        if flag or not bad.size:
            with pytest.raises(elichika.ModelRuntimeError):
                model(bad, 2, 2)
    with pytest.raises(elichika.ModelRuntimeError):
        model(inputs[0], 0, 3)


def test_bytes_are_resized_to_the_nearest_alone() -> None:
    cv2 = pytest.importorskip("cv2")

    class Bytes(chainer.Chain):
        def __init__(self, flag: int) -> None:
            super().__init__()
            self.flag = flag

        def forward(self, x: Any) -> Any:
            return cv2.resize(x, (7, 3), interpolation=self.flag)

    x = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
    model = elichika.compile_model(Bytes(cv2.INTER_NEAREST), [x])
    np.testing.assert_array_equal(model(x[::-1].copy()), Bytes(cv2.INTER_NEAREST)(x[::-1].copy()))
    with pytest.raises(elichika.StagingError, match="float32"):
        elichika.compile_model(Bytes(cv2.INTER_LINEAR), [x])
