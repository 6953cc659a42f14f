"""The quick ones among the models of `models/zoo.py`; `make zoo` compares all of them.

What keeps a wrong model from passing: the sizes of an entry differ in batch, lengths and contents
from those that it is compiled with, and decoders end early, late and not at all.
"""

from __future__ import annotations

import chainer
import pytest

import elichika
from benchmarks.commands import differs
from models import Model
from models.zoo import ZOO
from tests.models.parity import assert_same

DECODERS = [
    model for model in ZOO if "max_length" in model.sizes[0] and model.method != "beam_search"
]


def run(chain: chainer.Chain, model: Model, **sizes: object) -> object:
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        return getattr(chain, model.method)(*model.inputs(**sizes))


@pytest.mark.parametrize("model", ZOO, ids=lambda model: model.name)
def test_compiled_once_right_on_other_inputs(model: Model) -> None:
    chain = model.build()
    compiled = elichika.compile_model(
        chain,
        model.inputs(),
        method=model.method,
        dynamic_axes=model.dynamic_axes,
        static=model.static,
        verify=False,
    )
    assert len(model.sizes) > 4
    for sizes in model.sizes:
        expected = run(chain, model, **sizes)
        assert_same(
            expected, compiled(*model.inputs(**sizes)), loosened=model.loosened, flips=model.flips
        )


@pytest.mark.parametrize("model", DECODERS, ids=lambda model: model.name)
def test_decoders_end_at_unlike_lengths(model: Model) -> None:
    chain, lengths, early = model.build(), set(), 0
    for sizes in model.sizes:
        found = [len(sentence) for sentence in run(chain, model, **sizes)]
        lengths |= set(found)
        early += min(found) < (sizes["max_length"] or 100)
    assert len(lengths) > 2
    assert early > 2


@pytest.mark.parametrize("name", ["K-means", "Speech recognition, CTC", "L-BFGS"])
def test_the_command_line_writes_the_same_file(name: str) -> None:
    (model,) = (model for model in ZOO if model.name == name)
    assert differs(model) is None
