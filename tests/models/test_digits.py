"""Chainer's side of the digits: training is repeatable, a snapshot holds what was trained."""

from __future__ import annotations

from pathlib import Path

import chainer
import numpy as np
import pytest

from models.digits import DIGITS, accuracy, load, train


@pytest.mark.parametrize("name", DIGITS)
def test_the_snapshot_classifies_held_out_digits(name: str, tmp_path: Path) -> None:
    build, shape = DIGITS[name]
    trained = train(name, tmp_path / "digits.npz")
    restored = build()
    chainer.serializers.load_npz(str(tmp_path / "digits.npz"), restored)
    x, t = chainer.dataset.concat_examples(load(shape)[1])
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        one, other = trained(x).array, restored(x).array
    np.testing.assert_array_equal(one, other)
    assert accuracy(one, t) > {"cnn": 0.98, "lstm": 0.94}[name]


def test_training_twice_gives_the_same_weights(tmp_path: Path) -> None:
    one, other = (train("cnn", tmp_path / f"{i}.npz", n_epochs=1) for i in range(2))
    for (path, parameter), (_, again) in zip(
        sorted(one.namedparams()), sorted(other.namedparams()), strict=True
    ):
        np.testing.assert_array_equal(parameter.array, again.array, err_msg=path)


def test_no_digit_is_both_trained_on_and_held_out() -> None:
    training_set, held_out = load((64,))
    assert (len(training_set), len(held_out)) == (1347, 450)
    seen = {x.tobytes() for x, _ in training_set}
    assert sum(x.tobytes() in seen for x, _ in held_out) <= 1
