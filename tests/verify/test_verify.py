"""Verification sees what examples do not show, and calls no right model wrong."""

from __future__ import annotations

import threading
import time
from typing import Any

import chainer
import numpy as np
import pytest
from chainer import functions as F
from chainer import links as L

from elichika.errors import InputError, VerificationError
from elichika.model.compiled import CompiledModel
from elichika.model.loading import load
from elichika.signature import OutputLeaf
from tests.programs import f32
from tests.verify.hand import FRAME, Program, compiled

F32 = np.dtype("f")


def tensor(value: Any, dtype: Any = F32, kind: str = "variable") -> OutputLeaf:
    return OutputLeaf(kind, value, np.dtype(dtype))


def test_a_right_model_passes_on_every_named_size() -> None:
    model = compiled(
        lambda self, x: F.relu(x) * 2,
        lambda g, x: tensor(g.Mul(g.Relu(x), 2.0)),
        (f32(2, 3),),
        dynamic_axes={"x": {0: "batch", 1: "width"}},
    )
    report = model.verify()
    assert {"the example", "x negated", "batch=1, width=1"} <= set(report.agreed)
    assert any("batch=3" in text for text in report.agreed)
    assert any("width=2" in text for text in report.agreed)
    assert report.not_tried == report.unstable == report.failed == []
    assert "worst relative error 0.0e+00" in str(report)


WRONG = {
    "a size": (
        lambda self, x: F.sum(x, axis=0) / x.shape[0],
        lambda g, x: tensor(g.Div(g.ReduceSum(x, [0], keepdims=0), 4.0)),
        (f32(4, 3),),
    ),
    "a branch": (
        lambda self, x: x * 2 if float(F.sum(x).array) > 0 else x - 1,
        lambda g, x: tensor(g.Mul(x, 2.0)),
        (abs(f32(4, 3)),),
    ),
    "a mask": (
        lambda self, x: x * (x.array > 0).astype("f"),
        lambda g, x: tensor(g.Mul(x, (f32(4, 3) > 0).astype("f"))),
        (chainer.Variable(f32(4, 3)),),
    ),
    "a trip count": (
        lambda self, x, n: sum((x for _ in range(n)), x),
        lambda g, x, n: tensor(g.Mul(x, 4.0)),
        (chainer.Variable(f32(4, 3)), 3),
    ),
    "a flag": (
        lambda self, x, flag: -x if flag else x,
        lambda g, x, flag: tensor(g.Neg(x)),
        (chainer.Variable(f32(4, 3)), True),
    ),
    "a length": (
        lambda self, xs: F.stack(xs) / len(xs),
        lambda g, xs: tensor(g.Div(g.ConcatFromSequence(xs, axis=0, new_axis=1), 2.0)),
        ([f32(3), f32(3)],),
    ),
    "the order of a list": (
        lambda self, xs: F.identity(xs[-1]),
        lambda g, xs: tensor(g.SequenceAt(xs, 1)),
        ([f32(3), f32(3, seed=1)],),
    ),
    "an id": (
        lambda self, ids: F.embed_id(ids, np.eye(5, dtype="f")),
        lambda g, ids: tensor(g.constant(np.eye(5, dtype="f")[[0, 2, 4]])),
        (np.array([0, 2, 4], np.int32),),
    ),
    "a baked result": (
        lambda self, x: float(F.sum(x).array),
        lambda g, x: tensor(g.constant(np.float64(f32(4, 3).sum())), "d", "python"),
        (f32(4, 3),),
    ),
    "a dtype": (
        lambda self, x: x.astype("d"),
        lambda g, x: tensor(g.Identity(x), "f", "ndarray"),
        (f32(4, 3),),
    ),
    "a shape": (
        lambda self, x: x[None],
        lambda g, x: tensor(g.Identity(x), "f", "ndarray"),
        (f32(4, 3),),
    ),
    "the structure": (
        lambda self, x: [x],
        lambda g, x: (tensor(g.Identity(x), "f", "ndarray"),),
        (f32(4, 3),),
    ),
    "the kind of a number": (
        lambda self, x: x.sum(),
        lambda g, x: tensor(g.ReduceSum(x, keepdims=0), "f", "ndarray"),
        (f32(4, 3),),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_models_are_seen(name: str) -> None:
    function, build, inputs = WRONG[name]
    axes = {} if isinstance(inputs[0], list) else {0: {0: "n"}}
    model = compiled(function, build, inputs, dynamic_axes=axes)
    with pytest.raises(VerificationError):
        model.verify()


def test_the_error_names_output_element_input_and_line() -> None:
    model = compiled(
        lambda self, x: {"y": F.identity(x), "z": x * x},
        lambda g, x: {"y": tensor(g.Identity(x)), "z": tensor(g.Mul(x, g.Abs(x)))},
        (np.array([1, 2, 3], "f"),),
    )
    model.signature.inputs.specs[0].example[...] = [1, 2, 3]
    with pytest.raises(VerificationError) as caught:
        model.verify()
    error = caught.value
    assert error.message == (
        "On x negated, `z` (result['z']) differs: at [2], 9.0 against -9.0, a relative error of "
        "2.0e+00 where 1e-04 is allowed."
    )
    assert error.frames == (FRAME,)
    assert error.hint == ("the first value is the chain's; x = [-1.0, -2.0, -3.0] (float32[3])")


def test_a_number_may_be_of_a_wider_type_if_it_is_equal() -> None:
    model = compiled(
        lambda self, n: n if n < 3 else float(n),
        lambda g, n: tensor(g.Cast(n, to=np.float64), "d", "python"),
        (2,),
    )
    report = model.verify()
    assert ("the example", "output is float 2.0 for int 2") in report.widened


# Where one side fails


def failing(x: Any) -> Any:
    assert x.sum() < 100
    return x * 2


def test_both_fail() -> None:
    model = compiled(
        lambda self, x: failing(x),
        lambda g, x: tensor(
            g.tie(g.Mul(x, 2.0), g.check(g.Less(g.ReduceSum(x, keepdims=0), 100.0), "assert")),
            kind="ndarray",
        ),
        (np.full(3, 20, "f"),),
    )
    report = model.verify()
    assert [text for text, why in report.failed if "AssertionError" in why] == ["x scaled by 3"]


def test_only_the_chain_fails() -> None:
    model = compiled(
        lambda self, x: failing(x),
        lambda g, x: tensor(g.Mul(x, 2.0), kind="ndarray"),
        (np.full(3, 20, "f"),),
    )
    with pytest.raises(
        VerificationError, match=r"(?s)the chain raises AssertionError.*, the model ret"
    ) as caught:
        model.verify()
    assert [frame.function for frame in caught.value.frames][-1] == "failing"


def test_only_the_model_fails() -> None:
    model = compiled(
        lambda self, x: x * 2,
        lambda g, x: tensor(
            g.tie(g.Mul(x, 2.0), g.check(g.Less(g.ReduceSum(x, keepdims=0), 100.0), "too large")),
            kind="ndarray",
        ),
        (np.full(3, 20, "f"),),
    )
    with pytest.raises(VerificationError, match="the model fails where the chain does not: too la"):
        model.verify()


def test_broadcasting_that_chainer_refuses_is_reported() -> None:
    model = compiled(
        lambda self, x, y: F.squared_difference(x, y),
        lambda g, x, y: tensor(g.Mul(g.Sub(x, y), g.Sub(x, y))),
        (chainer.Variable(f32(4)), chainer.Variable(f32(4))),
        dynamic_axes={"x": {0: "n"}, "y": {0: "m"}},
    )
    report = model.verify()
    assert any("InvalidType" in why for _, why in report.refused_by_eager)


def test_the_chain_fails_on_its_example() -> None:
    model = compiled(lambda self, x: failing(x), lambda g, x: tensor(x), (np.full(3, 99, "f"),))
    with pytest.raises(InputError, match="The chain itself fails on the example: AssertionError"):
        model.verify()


# Deadlines


def test_an_endless_chain_is_stopped(monkeypatch: Any) -> None:
    monkeypatch.setattr("elichika.verify.sides.PATIENCE", 0.3)

    def doubling(self: Any, x: Any) -> Any:
        while x.sum() < 100:
            x = x * 2
        return x

    def build(g: Any, x: Any) -> Any:
        body = g.body("body", loop=True)
        value = body.input("f", [3], "x")
        with body:
            after = g.Mul(value, 2.0)
            test = g.Less(g.ReduceSum(after, keepdims=0), 100.0)
        start = g.Less(g.ReduceSum(x, keepdims=0), 100.0)
        return tensor(
            g.Loop(None, start, body, [x], carried=[after], cond_out=test)[0], kind="ndarray"
        )

    report = compiled(doubling, build, (np.array([1, 2, 3], "f"),)).verify()
    assert [text for text, _ in report.not_tried] == ["x negated"]
    until = time.monotonic() + 10
    while threading.active_count() > 4 and time.monotonic() < until:  # a busy machine takes a while
        time.sleep(0.05)
    assert threading.active_count() < 5


def test_a_stop_that_is_swallowed_comes_again() -> None:
    from elichika.verify.eager import Eager

    def stubborn(self: Any, x: Any) -> Any:
        end = time.perf_counter() + 0.5
        while time.perf_counter() < end:
            try:
                while True:
                    x = x + 1
            except BaseException:
                continue

    model = compiled(lambda self, x: x, lambda g, x: tensor(x), (f32(1),))
    outcome = Eager(Program(stubborn)).run(model.signature.inputs.bound, 0.1)
    assert outcome.stopped or outcome.seconds < 2


# Near ties


def test_a_tie_is_unstable_not_wrong() -> None:
    def best(self: Any, x: Any) -> Any:
        return F.argmax(x, axis=0)

    model = compiled(
        best,
        lambda g, x: tensor(
            g.Cast(g.ArgMax(x, axis=0, keepdims=0, select_last_index=1), to=np.int32)
        ),
        (np.full(3, 0.1, "f"),),
    )
    report = model.verify()
    assert any("turns on rounding" in text for _, text in report.unstable)


def test_an_amplified_rounding_error_is_unstable() -> None:
    model = compiled(
        lambda self, x: x[0] - x[1:],
        lambda g, x: tensor(
            g.Add(g.Sub(g.Gather(x, 0), g.Slice(x, [1], [3])), 1e-7), kind="ndarray"
        ),
        (np.array([1.0000001, 1, 1], "f"),),
    )
    report = model.verify(derive=False)
    assert report.unstable and report.agreed == []


def test_a_float_of_a_float32_is_no_more_exact_than_that() -> None:
    def model_of(error: float, wide: float) -> CompiledModel:
        return compiled(
            lambda self, x: float(x[0]),
            lambda g, x: tensor(
                g.Add(
                    g.Cast(g.Add(g.Gather(x, 0), np.float32(error)), to=np.dtype("d")),
                    np.float64(wide),
                ),
                "d",
                "python",
            ),
            (np.array([1.5, 2], "f"),),
        )

    assert model_of(1e-5, 0).verify().agreed
    for error, wide in ((1e-2, 0), (0, 1e-5)):
        with pytest.raises(VerificationError, match="differs"):
            model_of(error, wide).verify()


# The user's objects


class Stateful(chainer.Chain):
    """Changes itself in every way a chain can."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.fc = L.Linear(3, 3)
            self.bn = L.BatchNormalization(3)
        self.calls: list[int] = []
        self.h = None
        self.table = np.zeros(3, "f")
        self.note = lambda value: self.remember(value)
        self.lock = threading.Lock()

    def remember(self, value: int) -> None:
        self.calls.append(value)

    def forward(self, x: Any) -> Any:
        with self.lock:
            self.note(len(self.calls))
        self.table += 1
        self.h = x if self.h is None else self.h + x
        return self.fc(self.h) * len(self.calls) + self.table


def of_stateful(chain: Stateful, **options: Any) -> CompiledModel:
    weight, bias = chain.fc.W.array.copy(), chain.fc.b.array.copy()
    return compiled(
        lambda self, x: None,
        lambda g, x: tensor(g.Add(g.Add(g.MatMul(x, weight.T.copy()), bias), np.ones(3, "f"))),
        (f32(2, 3),),
        chain=chain,
        **options,
    )


def test_the_chain_stays_as_it_is() -> None:
    chain = Stateful()
    model = of_stateful(chain)
    random = np.random.get_state()[1].tolist()
    report = model.verify()
    assert len(report.agreed) > 4
    assert chain.calls == [] and chain.h is None and not chain.table.any()
    assert np.random.get_state()[1].tolist() == random
    assert chain.fc.W.array.flags.writeable


def test_a_chain_that_writes_its_parameters() -> None:
    class Writer(chainer.Chain):
        def __init__(self) -> None:
            super().__init__()
            with self.init_scope():
                self.w = chainer.Parameter(np.ones(3, "f"))

        def forward(self, x: Any) -> Any:
            self.w.array[...] *= 2
            return x * self.w

    chain = Writer()
    model = compiled(
        lambda self, x: None, lambda g, x: tensor(g.Mul(x, 2.0)), (f32(3),), chain=chain
    )
    assert len(model.verify().agreed) > 4
    assert chain.w.array.tolist() == [1, 1, 1]


def test_train_mode_leaves_the_statistics_alone() -> None:
    from elichika.verify.eager import Eager

    chain = L.BatchNormalization(3)
    model = compiled(lambda self, x: x, lambda g, x: tensor(x), (f32(4, 3),))
    outcome = Eager(chain, train=True).run(model.signature.inputs.bound)
    assert outcome.error is None and not chain.avg_mean.any() and chain.N == 0


# Loaded models


def test_a_loaded_model_is_verified_on_given_inputs(tmp_path: Any) -> None:
    chain = Stateful()
    of_stateful(chain, dynamic_axes="n").save(tmp_path / "m.onnx")
    model = load(tmp_path / "m.onnx")
    with pytest.raises(InputError, match=r"is verified with chain="):
        model.verify(f32(5, 3))
    with pytest.raises(InputError, match="is verified on inputs that you give"):
        model.verify(chain=chain)
    with pytest.raises(InputError, match=r"examples\[0\]: `x` has size 4 on axis 1"):
        model.verify(f32(5, 4), chain=chain)
    report = model.verify(f32(5, 3), chain=chain)
    assert "examples[0]" in report.agreed and "n=1" in report.agreed
    chain.fc.b.array += 1
    with pytest.raises(VerificationError):
        model.verify(f32(5, 3), chain=chain)
