"""Models in half precision, quantized and simplified: what stays, what is allowed, what is not."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import chainer
import numpy as np
import onnx
import pytest
from chainer import functions as F
from chainer import links as L

from elichika import CompiledModel, InputError, ModelRuntimeError, VerificationError, compile_model
from elichika import load as load_model
from elichika.model import converting
from elichika.model.converting import allowed
from models.small import SMALL
from tests.programs import f32


class Steps(chainer.Chain):  # type: ignore[misc]
    """Has a loop, a list, a check, and a state."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.rows = L.Linear(24, 24)
        self.calls = 0

    def forward(self, x: Any, n: int) -> Any:
        assert n < 9, "too many"
        self.calls = self.calls + 1
        found = []
        for i in range(n):
            x = F.tanh(self.rows(x)) + x
            if i % 2:
                found.append(n - i)
        return {"last": x, "found": found, "calls": self.calls}


@pytest.fixture
def model() -> CompiledModel:
    with chainer.using_config("dtype", np.float32):
        np.random.seed(0)
        inputs = [f32(3, 24), 4]
        return compile_model(Steps(), inputs, state=True, reweightable=False, verify=False)


@pytest.mark.parametrize("names", [["fp16"], ["quantize"], ["simplify"], ["fp16", "simplify"]])
def test_what_a_conversion_leaves(names: list[str], model: CompiledModel, tmp_path: Path) -> None:
    made = model.converted(*names)
    assert made.signature == model.signature and made.graph is None
    report = made.verify(seconds=1.0)
    assert made.report.verification is report and len(report.agreed) > 5
    lossy = names != ["simplify"]
    assert (report.worst > 1e-4) == lossy and report.worst < 0.2
    assert ("is allowed, for" in str(report)) == lossy
    made.reset()
    made.save(tmp_path / "m.onnx")
    other = load_model(tmp_path / "m.onnx")
    for n, calls in ((5, 1), (0, 2), (1, 3)):
        wanted, found, again = model(f32(3, 24), n), made(f32(3, 24), n), other(f32(3, 24), n)
        np.testing.assert_allclose(found["last"], wanted["last"], rtol=0.1, atol=0.1)
        np.testing.assert_array_equal(found["last"], again["last"])
        assert found["found"] == wanted["found"]
        assert found["calls"] == calls
    with pytest.raises(ModelRuntimeError, match="too many") as caught:
        made(f32(3, 24), 9)
    assert caught.value.frames[-1].file.endswith("test_converting.py")


def test_a_check_and_an_input_that_nothing_reads_stay() -> None:
    """Other tools take a Reshape to what a value has anyway for nothing, with the check in it."""

    class Checks(chainer.Chain):  # type: ignore[misc]
        def forward(self, x: Any, unread: Any) -> Any:
            assert (x > 0).all(), "not positive"
            return x * 2

    x = np.abs(f32(2, 3)) + 1
    made = compile_model(Checks(), [x, 3], dynamic_axes="n").converted("simplify")
    np.testing.assert_array_equal(made(x, 3), x * 2)
    with pytest.raises(ModelRuntimeError, match="not positive"):
        made(-x, 3)


def test_a_file_remembers_what_is_allowed(tmp_path: Path) -> None:
    chain, x = L.Linear(40, 30), f32(2, 40)
    compile_model(chain, [x]).converted("fp16").save(tmp_path / "m.onnx")
    made = load_model(tmp_path / "m.onnx")
    assert allowed({"elichika.converted": "fp16,simplify"}) == (0.02, "half precision")
    assert allowed({"elichika.converted": "simplify"}) is None is allowed({})
    assert made.verify(x, chain=chain).allowed == "2e-02 is allowed, for half precision"
    with pytest.raises(VerificationError, match="1e-06 is allowed"):
        made.verify(x, chain=chain, tolerances={"float32": 1e-6})
    chain.b.array[0] += 5
    with pytest.raises(VerificationError, match=r"relative error of .* where 2e-02 is allowed"):
        made.verify(x, chain=chain)


def test_words_that_a_quantized_decoder_chooses_are_exact() -> None:
    small = SMALL[5]
    model = compile_model(
        small.build(), small.inputs[0], dynamic_axes=small.dynamic_axes, verify=False
    )
    quantized = model.converted("quantize")
    chain = small.build()
    chain.out.b.array[...] += np.arange(len(chain.out.b))  # other words are better then
    with pytest.raises(VerificationError, match=r"a list of \d+ against|`output` .* differs"):
        quantized.verify(*small.inputs, chain=chain)


def test_weights_are_those_that_it_has(tmp_path: Path) -> None:
    chain, x = L.Linear(4, 3), f32(2, 4)
    chainer.serializers.save_npz(tmp_path / "w.npz", chain)
    model = compile_model(chain, [x], reweightable=True)
    model.with_weights(tmp_path / "w.npz")
    with pytest.raises(InputError, match="made for the weights that it has"):
        model.converted("fp16").with_weights(tmp_path / "w.npz")


def test_what_cannot_be_done(monkeypatch: pytest.MonkeyPatch) -> None:
    model = compile_model(L.Linear(4, 3), [f32(2, 4)])
    with pytest.raises(InputError, match="not both"):
        model.converted("fp16", "quantize")
    with pytest.raises(InputError, match="not both"):
        model.converted("quantize").converted("simplify").converted("fp16")
    with pytest.raises(InputError, match=r"no conversion 'fp8': they are fp16, quantize, simplify"):
        model.converted("fp8")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "onnxsim", None)
        with pytest.raises(InputError, match="onnxsim is not installed: pip install"):
            model.converted("simplify")
    import onnxsim

    with monkeypatch.context() as patch:
        patch.setattr(onnxsim, "simplify", lambda proto: [][0])
        with pytest.raises(InputError, match="onnxsim cannot convert the model: list index"):
            model.converted("simplify")

    def renamed(proto: onnx.ModelProto) -> onnx.ModelProto:
        proto.graph.output[0].name = "z"
        return proto

    class Rows(chainer.Chain):  # type: ignore[misc]
        def forward(self, x: Any, n: int) -> Any:
            return [x[:i] * 2 for i in range(n)]

    with pytest.raises(InputError, match="changed the types of inputs or outputs"):
        compile_model(Rows(), [f32(3, 24), 2]).converted("fp16")
    monkeypatch.setattr(onnxsim, "simplify", lambda proto: (renamed(proto), True))
    with pytest.raises(InputError, match="changed the types of inputs"):
        model.converted("simplify")


def test_tools_leave_the_process_alone(capfd: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    before = list(root.handlers), root.manager.disable
    small = SMALL[3]
    model = compile_model(
        small.build(), small.inputs[0], dynamic_axes=small.dynamic_axes, verify=False
    )
    for name in converting.CONVERSIONS:
        model.converted(name)
    assert (list(root.handlers), root.manager.disable) == before
    assert capfd.readouterr() == ("", "")
