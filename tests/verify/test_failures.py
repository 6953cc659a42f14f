"""A compile that fails asks the chain: where Chainer refuses the example too, that is said."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
import pytest
from chainer import functions as F
from chainer import links as L

import elichika

X = np.ones((2, 3), np.float32)


class Encoder(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(9, 4)

    def forward(self, ids: Any) -> Any:
        for t in range(ids.shape[1]):
            h = self.embed(ids[:, t])
        return h


class Unknown(chainer.Chain):
    def forward(self, x: Any) -> Any:
        return F.cast(x, "float8")


class Elsewhere(chainer.Chain):
    def forward(self, x: Any) -> Any:
        print("never seen")
        y = {f"{float(x.sum())}": x}
        return F.reshape(x, (7, 7)) + y["6.0"]


class Fine(chainer.Chain):
    def forward(self, x: Any) -> Any:
        return {f"{float(x.sum())}": x}


class Used(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        self.items = iter([1, 2, 3])

    def forward(self, x: Any) -> Any:
        return {f"{float(x.sum())}": next(self.items)}


class Draws(chainer.Chain):
    def forward(self, x: Any) -> Any:
        return x * np.random.rand(3) + F.reshape(x, (7, 7))


def test_wrong_inputs_are_told_in_words_of_chainer() -> None:
    axes = {0: {0: "batch", 1: "time"}}
    with pytest.raises(elichika.InputError) as caught:
        elichika.compile_model(Encoder(), [X], dynamic_axes=axes, verify=False)
    assert caught.value.message.startswith(
        "The chain itself fails on the example: InvalidType: Invalid operation is performed in: "
        "EmbedIDFunction"
    )
    assert caught.value.frames[-1].label == "test_failures.py:26"


def test_what_the_walk_raises_itself_is_not_said_twice() -> None:
    with pytest.raises(elichika.StagingError, match=r"^InvalidType: Invalid oper") as caught:
        elichika.compile_model(Encoder(), [X], verify=False)
    assert caught.value.also is None


def test_what_chainer_refuses_below_the_same_line_is_the_error() -> None:
    with pytest.raises(elichika.InputError, match=r"TypeError: data type 'float8' not under"):
        elichika.compile_model(Unknown(), [X])


def test_what_chainer_refuses_elsewhere_is_said_besides(capsys: Any) -> None:
    with pytest.raises(elichika.StagingError) as caught:
        elichika.compile_model(Elsewhere(), [X])
    lines = str(caught.value).splitlines()
    assert lines[0] == "a dict key must be known before the model runs"
    assert lines[-2].startswith("Chainer refuses the example, too: InvalidType: ")
    assert lines[-2].endswith("(test_failures.py:39)") and lines[-1].startswith("Hint: ")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("chain", [Fine(), Used()])
def test_what_chainer_takes_stays_a_refusal(chain: Any) -> None:
    with pytest.raises(elichika.StagingError) as caught:
        elichika.compile_model(chain, [X])
    assert caught.value.also is None
    assert not isinstance(chain, Used) or list(chain.items) == [1, 2, 3]


def test_random_numbers_stay_as_they_are() -> None:
    np.random.seed(0)
    expected = np.random.rand()
    np.random.seed(0)
    with pytest.raises(elichika.UnsupportedFunction) as caught:
        elichika.compile_model(Draws(), [X])
    assert caught.value.also is not None and np.random.rand() == expected
