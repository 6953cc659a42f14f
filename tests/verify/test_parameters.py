"""A model that is held against a chain with other weights: they are named, not the compiler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chainer
import numpy as np
import pytest
from chainer import functions as F
from chainer import links as L

import elichika
from elichika.verify.parameters import Differences


class Net(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(3, 4, 3)
            self.bn = L.BatchNormalization(4)
            self.lstm = L.LSTM(4, 5)
            self.fc = L.Linear(5, 2)

    def forward(self, x: Any) -> Any:
        self.lstm.reset_state()
        h = F.relu(self.bn(self.conv(x)))
        return self.fc(self.lstm(F.mean(h, axis=(2, 3))))


X = np.random.RandomState(0).rand(2, 3, 8, 8).astype(np.float32)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Net]:
    path, chain = tmp_path_factory.mktemp("weights") / "net.onnx", Net()
    elichika.compile_model(chain, X, path, fold_norms=False)
    return path, chain


def test_weights_that_hold_a_normalization_are_left_out(tmp_path: Path) -> None:
    elichika.compile_model(Net(), X, tmp_path / "net.onnx")
    with pytest.raises(elichika.VerificationError) as caught:
        elichika.load(tmp_path / "net.onnx").verify(X, chain=Net())
    first = caught.value.message.split(": other weights?")[0]
    assert first == "fc/W, lstm/upward/W differ between the chain and the model"


def test_the_chain_of_a_model_has_its_parameters(saved: tuple[Path, Net]) -> None:
    path, chain = saved
    model = elichika.load(path)
    assert Differences.between(chain, model.proto.graph, ["/fc"]) == Differences("Net")
    assert model.verify(X, chain=chain).other_weights == []


def test_another_chain_is_named_by_its_parameters(saved: tuple[Path, Net]) -> None:
    with pytest.raises(elichika.VerificationError) as caught:
        elichika.load(saved[0]).verify(X, chain=Net())
    first = caught.value.message.split(": other weights?")[0]
    assert first == "conv/W, fc/W, lstm/upward/W differ between the chain and the model"
    assert caught.value.hint == "give the chain the weights that the model was made with"


@pytest.mark.parametrize("name", ["fc/b", "bn/avg_mean", "bn/gamma"])
def test_one_that_differs_is_named(name: str, saved: tuple[Path, Net]) -> None:
    path, chain = saved
    other = chain.copy("copy")
    link, _, attribute = name.partition("/")
    held = getattr(other[link], attribute)
    array = held if isinstance(held, np.ndarray) else held.array
    array += 1
    with pytest.raises(elichika.VerificationError, match=f"^{name} differs between the chain and"):
        elichika.load(path).verify(X, chain=other)


def test_equal_parameters_leave_the_error_as_it_is(saved: tuple[Path, Net]) -> None:
    class Other(Net):
        def forward(self, x: Any) -> Any:
            return super().forward(x) + 1

    path, chain = saved
    other = Other()
    other.copyparams(chain, copy_persistent=True)
    with pytest.raises(elichika.VerificationError, match=r"^On examples\[0\], `output` differs"):
        elichika.load(path).verify(X, chain=other)


def test_a_difference_that_results_do_not_show_is_reported(saved: tuple[Path, Net]) -> None:
    path, chain = saved
    other = chain.copy("copy")
    other.fc.W.array[:] *= np.float32(1 + 1e-6)
    report = elichika.load(path).verify(X, chain=other)
    assert report.other_weights == ["fc/W"]
    assert "parameters that differ all the same: fc/W" in str(report)


class Words(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(9, 4)

    def forward(self, ids: Any) -> Any:
        return self.embed(ids)


def test_quite_another_chain_is_named_and_not_blamed(saved: tuple[Path, Net]) -> None:
    with pytest.raises(elichika.InputError) as caught:
        elichika.load(saved[0]).verify(X, chain=Words())
    said = (
        "Another chain? Words has no bn/avg_mean, bn/avg_var, bn/beta and 7 more, as the model has."
    )
    assert caught.value.message.startswith(f"{said} The chain itself fails on examples[0]: ")
    assert caught.value.frames and caught.value.frames[-1].function.endswith("forward")
    assert caught.value.hint == "verify a model with the chain that it was made of"


def test_a_chain_around_that_of_the_model_is_named(saved: tuple[Path, Net]) -> None:
    with pytest.raises(elichika.InputError, match=r"Another chain\? Classifier has no") as caught:
        elichika.load(saved[0]).verify(X, chain=L.Classifier(saved[1]))
    assert caught.value.hint == (
        "verify a model with the chain that it was made of: /predictor of this one?"
    )


def test_a_chain_made_with_other_arguments_is_named() -> None:
    def sized(n: int) -> chainer.Chain:
        return chainer.Sequential(L.Linear(4, 5), F.relu, L.Linear(5, n))

    x = np.ones((2, 4), np.float32)
    model = elichika.compile_model(sized(2), x)
    with pytest.raises(elichika.VerificationError) as caught:
        model.verify(x, chain=sized(3))
    assert caught.value.message.startswith(
        "Another chain? 1/W has shape (3, 5) in the chain, not (2, 5), "
        "1/b has shape (3,) in the chain, not (2,). On "
    )


class Twice(chainer.Chain):
    """A weight of two products, which the model keeps transposed."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.fc = L.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        return self.fc(F.tanh(self.fc(x)))


def test_a_weight_that_is_kept_transposed(tmp_path: Path) -> None:
    chain, x = Twice(), X[:, 0, 0, :4].copy()
    model = elichika.compile_model(chain, x, tmp_path / "m.onnx")
    assert "fc/W.T" in {tensor.name for tensor in model.proto.graph.initializer}
    assert Differences.between(chain, model.proto.graph, ["/fc"]) == Differences("Twice")
    found = Differences.between(Twice(), model.proto.graph, ["/fc"])
    assert found == Differences("Twice", contents=("fc/W",))
