"""Chains whose arrays are on a GPU, with a stand-in for CuPy's array where CuPy is missing."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import pytest
from chainer import functions as F
from chainer import links as L
from chainer.backends import cuda

from elichika import VerificationError, compile_model, load
from elichika.call.host import on_host
from tests.programs import f32


class FarArray(cuda.ndarray):  # type: ignore[misc]
    """An array that nothing can be done with but to fetch it, as CuPy's without a GPU."""

    __cuda_array_interface__ = property(lambda self: {"version": 3})

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array
        self.fetched = 0

    dtype = property(lambda self: self._array.dtype)
    shape = property(lambda self: self._array.shape)
    ndim = property(lambda self: self._array.ndim)

    def get(self) -> np.ndarray[Any, Any]:
        self.fetched += 1
        return self._array.copy()

    def __array__(self, *_: Any) -> np.ndarray[Any, Any]:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")


class Network(chainer.Chain):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.fc = L.Linear(3, 4)
            self.bn = L.BatchNormalization(4)
        self.scale = f32(4) + 2
        self.again = self.fc

    def forward(self, x: Any, n: int) -> Any:
        h = self.bn(self.fc(x))
        for _ in range(n):
            h = F.tanh(h) * self.scale
        return h


def sent(chain: chainer.Chain) -> list[FarArray]:
    """Put what a chain holds on the other device; return the arrays."""
    far = []
    for link in chain.links():
        for parameter in link.params(include_uninit=False):
            if parameter.name in vars(link) and not isinstance(parameter.array, FarArray):
                parameter._data = [FarArray(parameter.array)]
                far.append(parameter.array)
        for name, held in list(vars(link).items()):
            if isinstance(held, np.ndarray):
                vars(link)[name] = FarArray(held)
                far.append(vars(link)[name])
    return far


@pytest.fixture
def pair() -> tuple[chainer.Chain, chainer.Chain, list[FarArray]]:
    np.random.seed(0)
    near = Network()
    near.bn.avg_mean[...] = f32(4)
    far = copy.deepcopy(near)
    arrays = sent(far)
    return near, far, arrays


def test_the_model_is_that_of_the_chain_on_the_cpu(pair: Any, tmp_path: Path) -> None:
    near, far, arrays = pair
    assert len(arrays) >= 7
    model = compile_model(far, [f32(2, 3), 2], tmp_path / "m.onnx", dynamic_axes={"x": {0: "n"}})
    assert model.report.verification.agreed
    for x, n in ((f32(5, 3), 0), (f32(1, 3), 4)):
        with chainer.using_config("train", False):
            expected = near(x, n).array
        np.testing.assert_allclose(model(x, n), expected, rtol=1e-4, atol=1e-6)
    assert load(tmp_path / "m.onnx").verify((f32(2, 3), 3), chain=far).agreed


def test_the_chain_stays_where_it_is(pair: Any) -> None:
    _, far, arrays = pair
    compile_model(far, [f32(2, 3), 2])
    held = [parameter.array for parameter in far.params()]
    held += [far.scale, far.bn.avg_mean, far.bn.avg_var]
    assert all(any(one is array for array in arrays) for one in held)
    assert all(array.fetched for array in arrays)


def test_what_is_one_stays_one(pair: Any) -> None:
    near, far, _ = pair
    copied = on_host(far)
    assert copied is not far and copied.again is copied.fc
    assert all(isinstance(one.array, np.ndarray) for one in copied.params())
    assert {str(link.device) for link in copied.links()} == {"@numpy"}
    assert on_host(near) is near and on_host(near.forward) == near.forward


def test_other_weights_are_found(pair: Any, tmp_path: Path) -> None:
    _, far, arrays = pair
    compile_model(far, [f32(2, 3), 2], tmp_path / "m.onnx", fold_norms=False)
    for array in arrays:
        if array.shape == (4, 3):
            array._array = array._array + 1
    with pytest.raises(VerificationError, match="fc/W differs between the chain and the model"):
        load(tmp_path / "m.onnx").verify((f32(2, 3), 2), chain=far)
