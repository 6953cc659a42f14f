"""Models compiled from three calls each, without a name for any size.

`python -m tests.models.test_examples` prints what they make of each, below it what its table says.
"""

from __future__ import annotations

import chainer
import pytest

import elichika
from models import MODELS, Model
from models.zoo import ZOO
from tests.models.parity import assert_same

SHOWN = 3
#: Those that take longest to compile are left out, and one whose sizes show themselves late.
LONG = (
    *("Seq2seq with attention, beam search", "Seq2seq with attention, n best"),
    *(
        "Transformer, greedy",
        "Transformer, greedy and incremental",
        "Speech recognition, attention",
    ),
    *("WaveNet, generation", "word2vec, nearest of 20,000 words"),
    *("GoogLeNet", "ResNet50"),
)
QUICK = [model for model in (*ZOO, *MODELS) if model.name not in LONG and not model.large]


def compiled(model: Model, *, by_examples: bool) -> tuple[chainer.Chain, elichika.CompiledModel]:
    chain = model.build()
    first, *more = (model.inputs(**sizes) for sizes in model.sizes[:SHOWN])
    shown = {"examples": more} if by_examples else {"dynamic_axes": model.dynamic_axes}
    options = {"method": model.method, "static": model.static, "verify": False}
    return chain, elichika.compile_model(chain, first, **shown, **options)


def signature_of(model: elichika.CompiledModel) -> str:
    return "; ".join(spec.describe() for spec in model.signature.inputs.specs)


def test_there_are_enough() -> None:
    assert len(QUICK) >= 20


@pytest.mark.parametrize("model", QUICK, ids=lambda model: model.name)
def test_three_calls_tell_all(model: Model) -> None:
    chain, by_examples = compiled(model, by_examples=True)
    _, by_names = compiled(model, by_examples=False)
    for ours, expert in zip(
        by_examples.signature.inputs.specs, by_names.signature.inputs.specs, strict=True
    ):
        assert ours.name == expert.name
        assert [type(dim) for dim in ours.dims] == [type(dim) for dim in expert.dims]
    for sizes in model.sizes:
        inputs = model.inputs(**sizes)
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            expected = getattr(chain, model.method)(*inputs)
        assert_same(expected, by_examples(*inputs), loosened=model.loosened, flips=model.flips)


if __name__ == "__main__":
    for one in QUICK:
        print(one.name)
        for found in (True, False):
            print("   ", signature_of(compiled(one, by_examples=found)[1]))
