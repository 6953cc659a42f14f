"""Steps of training as models, against the same steps of Chainer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
import pytest
from chainer import optimizer_hooks, optimizers

import elichika
from tests.programs import f32

AXES = {"x": {0: "n"}, "t": {0: "n"}}


class Network(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(4, 6, initialW=f32(6, 4, seed=1))
            self.l2 = L.Linear(6, 3, initialW=f32(3, 6, seed=2))
            self.unused = L.Linear(2, 2, initialW=f32(2, 2, seed=9))

    def forward(self, x: Any) -> Any:
        return self.l2(F.tanh(self.l1(x)))


class Normalized(chainer.Chain):
    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(2, 3, 3, initialW=f32(3, 2, 3, 3, seed=3), nobias=True)
            self.bn = L.BatchNormalization(3)
            self.out = L.Linear(12, 3, initialW=f32(3, 12, seed=4))

    def forward(self, x: Any) -> Any:
        return self.out(F.relu(self.bn(self.conv(x))))


def batch(n: int, seed: int = 0) -> tuple[Any, Any]:
    return f32(n, 4, seed=seed), (np.arange(n) + seed).astype(np.int32) % 3


def images(n: int, seed: int = 0) -> tuple[Any, Any]:
    return f32(n, 2, 4, 4, seed=seed), (np.arange(n) + seed).astype(np.int32) % 3


def hold(make: Any, setup: Any, data: Any = batch, steps: int = 8) -> elichika.CompiledModel:
    """Train by the model and by Chainer, by batches of other sizes; compare all that is learned."""
    net = L.Classifier(make())
    model = elichika.training_step(net, setup(net), data(4), dynamic_axes=AXES, verify=False)
    eager = L.Classifier(make())
    optimizer = setup(eager)
    for step in range(steps):
        given = data(1 + step % 5 + 1, seed=step)
        with chainer.using_config("train", True):
            optimizer.update(eager, *given)
        np.testing.assert_allclose(model(*given), eager.loss.array, rtol=2e-4)
    for name, parameter in eager.namedparams():
        kept = model.state.get(name.lstrip("/"))
        if kept is not None:
            np.testing.assert_allclose(kept, parameter.array, rtol=2e-3, atol=2e-5, err_msg=name)
    return model


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # what MSVAG divides by
@pytest.mark.parametrize(
    "make",
    [
        optimizers.SGD,
        optimizers.MomentumSGD,
        optimizers.CorrectedMomentumSGD,
        optimizers.NesterovAG,
        optimizers.Adam,
        optimizers.AdamW,
        optimizers.AMSGrad,
        optimizers.AdaBound,
        optimizers.AMSBound,
        optimizers.AdaDelta,
        optimizers.AdaGrad,
        optimizers.RMSprop,
        optimizers.RMSpropGraves,
        optimizers.SMORMS3,
        optimizers.MSVAG,
    ],
)
def test_optimizers(make: Any) -> None:
    model = hold(Network, lambda net: make().setup(net))
    rule = type(make().create_update_rule()).__name__.lower().removesuffix("rule")
    assert {"optimizer/t", "predictor/l1/W", f"predictor/l1/W/{rule}/t"} <= set(model.state)


@pytest.mark.parametrize(
    "hook",
    [
        optimizer_hooks.WeightDecay(0.01),
        optimizer_hooks.Lasso(0.01),
        optimizer_hooks.GradientClipping(0.5),
        optimizer_hooks.GradientHardClipping(-0.05, 0.05),
        optimizer_hooks.GradientLARS(),
    ],
)
def test_hooks(hook: Any) -> None:
    def setup(net: Any) -> Any:
        optimizer = optimizers.MomentumSGD(0.1).setup(net)
        optimizer.add_hook(hook)
        return optimizer

    hold(Network, setup)


def test_running_statistics() -> None:
    model = hold(Normalized, lambda net: optimizers.MomentumSGD(0.1).setup(net), images)
    assert {"predictor/bn/avg_mean", "predictor/bn/avg_var"} <= set(model.state)


def test_a_part_is_trained() -> None:
    """Parameters of which the rule is disabled stay, and are no state."""

    def setup(net: Any) -> Any:
        optimizer = optimizers.Adam().setup(net)
        net.predictor.l1.disable_update()
        return optimizer

    assert "predictor/l1/W" not in hold(Network, setup).state


def test_verification_steps_too() -> None:
    net = L.Classifier(Network())
    before = {name: parameter.array.copy() for name, parameter in net.namedparams()}
    optimizer = optimizers.Adam().setup(net)
    model = elichika.training_step(net, optimizer, batch(4), dynamic_axes=AXES)
    assert any("in a row" in text for text in model.report.verification.agreed)
    assert optimizer.t == 0
    for name, parameter in net.namedparams():
        assert (parameter.array == before[name]).all()
        assert (parameter.update_rule.t, parameter.update_rule.state) == (0, None)


NET = Network()


def test_a_loss_that_reaches_its_chain_by_a_global() -> None:
    def lossfun(x: Any, scale: Any) -> Any:
        return F.mean(NET(x) * scale) ** 2

    before = NET.l1.W.array.copy()
    optimizer = optimizers.Adam(0.1).setup(NET)
    inputs = f32(3, 4), 2.0
    model = elichika.training_step(NET, optimizer, inputs, lossfun=lossfun, dynamic_axes="n")
    assert (NET.l1.W.array == before).all()
    assert (optimizer.t, NET.l1.W.update_rule.t) == (0, 0)
    for step in range(4):
        given = f32(2 + step, 4, seed=step), float(step)
        loss = lossfun(*given)
        optimizer.update(lossfun, *given)
        np.testing.assert_allclose(model(*given), loss.array, rtol=1e-4, atol=1e-6)


def test_training_goes_on_on_either_side(tmp_path: Path) -> None:
    """Snapshots go from the model to Chainer, and back into a model that was loaded."""
    chain, rules, file = tmp_path / "chain.npz", tmp_path / "rules.npz", tmp_path / "step.onnx"

    def setup() -> tuple[Any, Any]:
        net = L.Classifier(Normalized())
        return net, optimizers.Adam(0.01).setup(net)

    net, optimizer = setup()
    model = elichika.training_step(net, optimizer, images(4), file, dynamic_axes=AXES)
    for step in range(3):
        model(*images(4, seed=step))
    model.save_npz(chain)
    model.save_npz(rules, of="optimizer")

    net, optimizer = setup()
    chainer.serializers.load_npz(chain, net)
    chainer.serializers.load_npz(rules, optimizer)
    assert optimizer.t == 3
    for step in range(3, 6):
        with chainer.using_config("train", True):
            optimizer.update(net, *images(5, seed=step))
        np.testing.assert_allclose(model(*images(5, seed=step)), net.loss.array, rtol=1e-4)

    chainer.serializers.save_npz(chain, net)
    chainer.serializers.save_npz(rules, optimizer)
    other = elichika.load(file)
    other.load_npz(chain)
    other.load_npz(rules, of="optimizer")
    for step in range(6, 9):
        np.testing.assert_allclose(other(*images(3, seed=step)), model(*images(3, seed=step)))
    other.reset()
    assert other.state["optimizer/t"] == 0


def test_names_of_arguments() -> None:
    net = L.Classifier(Network())
    model = elichika.training_step(net, optimizers.SGD().setup(net), batch(2), verify=False)
    assert [spec.name for spec in model.signature.inputs.specs] == ["x", "t"]
    x, t = batch(2)
    assert model(x=x, t=t).shape == ()


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: optimizers.Adam(), "This Adam is not set up."),
        (
            lambda: optimizers.SGD().setup(L.Linear(2, 2)),
            "This SGD trains a Linear, which is not in the chain.",
        ),
        (lambda: "Adam", "a chainer.Optimizer is needed, not str"),
    ],
)
def test_optimizers_that_do_not_fit(make: Any, text: str) -> None:
    with pytest.raises(elichika.InputError) as caught:
        elichika.training_step(L.Classifier(Network()), make(), batch(2))
    assert caught.value.message == text


def test_gradients() -> None:
    net = L.Classifier(Network())
    model = elichika.gradients(net, batch(3), dynamic_axes=AXES)
    for n in (1, 2, 5):
        given = batch(n, seed=n)
        loss, found = model(*given)
        net.cleargrads()
        eager = net(*given)
        eager.backward()
        np.testing.assert_allclose(loss, eager.array, rtol=1e-5)
        for name, parameter in net.namedparams():
            if parameter.grad is None:
                assert found[name] is None
            else:
                np.testing.assert_allclose(found[name], parameter.grad, rtol=1e-4, atol=1e-6)


def test_gradients_by_arguments() -> None:
    class Loss(chainer.Chain):
        def forward(self, x: Any, y: Any, scale: Any = 2.0) -> Any:
            return F.tanh(x) * y * scale

    model = elichika.gradients(Loss(), (f32(3, 2), f32(3, 2)), of=["x"], dynamic_axes="n")
    x, y = f32(4, 2, seed=1), f32(4, 2, seed=2)
    result, found = model(x, y)
    np.testing.assert_allclose(result, np.tanh(x) * y * 2, rtol=1e-5)
    np.testing.assert_allclose(found["x"], (1 - np.tanh(x) ** 2) * y * 2, rtol=1e-4, atol=1e-6)
    assert list(found) == ["x"]


def test_gradients_of_what_there_is_not() -> None:
    with pytest.raises(
        elichika.InputError, match=r"'/predictor/l1/w' is neither an argument nor"
    ) as caught:
        elichika.gradients(L.Classifier(Network()), batch(2), of=["/predictor/l1/w"])
    assert caught.value.hint == "did you mean `/predictor/l1/W`?"
