"""Recurrent links over lists of sequences of unlike lengths, against Chainer."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np
import pytest
from chainer import links as L

from models import tagger
from tests.programs import Program, assert_equal, check, compiled, f32, outcome
from tests.walker.containers.inputs import LENGTHS, MATRICES, arrays

KINDS = [
    "NStepLSTM",
    "NStepBiLSTM",
    "NStepGRU",
    "NStepBiGRU",
    "NStepRNNTanh",
    "NStepBiRNNTanh",
    "NStepRNNReLU",
    "NStepBiRNNReLU",
]


def link(kind: str, *sizes: Any, dtype: str = "float32") -> Any:
    with chainer.using_config("dtype", np.dtype(dtype)):
        made = getattr(L, kind)(*sizes)
    random = np.random.RandomState(3)
    for parameter in made.params():
        parameter.array[...] = random.randn(*parameter.shape) * 0.5
    return made


def without_states(self: Any, xs: Any) -> Any:
    if "LSTM" in type(self.rnn).__name__:
        return self.rnn(None, None, xs)
    return self.rnn(None, xs)


def with_states(self: Any, xs: Any, h: Any) -> Any:
    if "LSTM" in type(self.rnn).__name__:
        return self.rnn(h, None, xs), self.rnn(None, h, xs)
    return self.rnn(h, xs)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", KINDS)
def test_link(kind: str, dtype: str) -> None:
    inputs = [([x.astype(dtype) for x in xs],) for (xs,) in MATRICES]
    made = link(kind, 2, 3, 4, 0.3, dtype=dtype)
    program = Program(without_states, inputs, attributes=lambda: {"rnn": made})
    check(program, compiled(program))


@pytest.mark.parametrize("kind", KINDS)
def test_given_states(kind: str) -> None:
    """There may be more states than sequences; fewer are an error."""
    made = link(kind, 2, 3, 4, 0.0)
    ways = 2 if "Bi" in kind else 1
    inputs = [(arrays(*n, units=3), f32(2 * ways, len(n) + 1, 4)) for n in LENGTHS]
    inputs += [(arrays(*n, units=3), f32(2 * ways, len(n), 4)) for n in LENGTHS]
    inputs += [(arrays(2, 3, units=3), f32(2 * ways, 1, 4))]
    program = Program(with_states, inputs, {"h": {1: "n"}}, attributes=lambda: {"rnn": made})
    check(program, compiled(program))


def known_number(self: Any, x: Any) -> Any:
    return self.rnn(None, [x, x[1:], x[:2]])


@pytest.mark.parametrize("axes", [None, "time"])
def test_known_number_of_sequences(axes: Any) -> None:
    sizes = (5,) if axes is None else (5, 3, 8)
    made = link("NStepGRU", 1, 3, 4, 0.0)
    inputs = [(f32(n, 3),) for n in sizes]
    program = Program(known_number, inputs, axes, attributes=lambda: {"rnn": made})
    check(program, compiled(program))


def last_states(self: Any, xs: Any) -> Any:
    _, ys = self.rnn(None, xs)
    return [y[-1] for y in ys], type(ys) is list


def test_empty_sequences_fail_as_in_chainer() -> None:
    made = link("NStepGRU", 1, 3, 4, 0.0)
    inputs = [*MATRICES, (arrays(2, 0, 3, units=3),), ([],)]
    program = Program(last_states, inputs, attributes=lambda: {"rnn": made})
    check(program, compiled(program))


def test_tagger() -> None:
    chain = tagger.build(n_units=8, n_tags=3)
    program = Program(lambda self, xs: None, [tagger.inputs()])
    model = compiled(program, lambda _, inputs, **options: _compile(chain, inputs, options))
    for lengths in ((3, 7, 1, 4), (1,), (6,), (2, 2, 9, 5, 1)):
        inputs = tagger.inputs(lengths)
        assert_equal(outcome(chain.forward, inputs), model(*inputs))


def _compile(chain: Any, inputs: Any, options: Any) -> Any:
    import elichika

    return elichika.compile_model(chain, inputs, verify=False)


def test_dropout_in_training_is_refused() -> None:
    import elichika

    made = link("NStepGRU", 2, 3, 4, 0.5)
    program = Program(without_states, MATRICES, attributes=lambda: {"rnn": made})
    with pytest.raises(elichika.StagingError, match="random numbers"):
        compiled(program, lambda *a, **k: elichika.compile_model(*a, train=True, **k))
