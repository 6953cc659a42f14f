"""Batch normalizations become part of the weights of the layer before them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph, Value
from onnx_graph.passes import folded_norms, unused
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import F, built, text_of

CHANNELS = 4
Norm = Mapping[str, Any]
PLAIN: Norm = {
    "gamma": np.array([0.5, -2, 0, 3], F),
    "beta": np.array([1, -1, 2, 0], F),
    "mean": np.array([0.5, 3, -2, 0], F),
    "var": np.array([1, 0.25, 0, 9], F),
}


def _random(*shape: int) -> Any:
    return np.random.RandomState(0).uniform(-1, 1, shape).astype(F)


def normalized(g: ONNXGraph, x: Value, norm: Norm = PLAIN) -> Value:
    parts = [g.initializer(name, array) for name, array in norm.items()]
    result: Value = g.BatchNormalization(x, *parts, epsilon=2e-5)
    return result


def image(g: ONNXGraph) -> Value:
    return g.input("x", F, ("n", 3, "h", 5))


def conv(g: ONNXGraph, *bias: Value) -> Value:
    w = g.initializer("w", _random(CHANNELS, 3, 3, 3))
    result: Value = g.Conv(image(g), w, *bias, kernel_shape=[3, 3])
    return result


def deconv(g: ONNXGraph) -> Value:
    w, b = g.initializer("w", _random(3, CHANNELS, 2, 2)), g.initializer("b", _random(CHANNELS))
    result: Value = g.ConvTranspose(image(g), w, b, kernel_shape=[2, 2], strides=[2, 2])
    return result


def product(g: ONNXGraph) -> Value:
    x, b = g.input("x", F, ("n", 3)), g.initializer("b", _random(CHANNELS))
    result: Value = g.Gemm(x, g.initializer("w", _random(CHANNELS, 3)), b, transB=1)
    return result


def plain_product(g: ONNXGraph) -> Value:
    result: Value = g.Gemm(g.input("x", F, ("n", 3)), g.initializer("w", _random(3, CHANNELS)))
    return result


def test_a_convolution() -> None:
    def build(g: ONNXGraph) -> None:
        g.output("y", g.Relu(normalized(g, conv(g))))

    graph = built(build)
    assert list(folded_norms.ensures(graph))
    assert checked(folded_norms).run(graph) == 1
    checked(unused).run(graph)
    assert text_of(graph) == (
        "w.normalized: float[4, 3, 3, 3] = initializer\n"
        "beta.normalized: float[4] = initializer\n"
        "conv_1: float[n, 4, h - 2, 3] = "
        "Conv<kernel_shape=(3, 3)>(x, w.normalized, beta.normalized)\n"
        "y: float[n, 4, h - 2, 3] = Relu(conv_1)"
    )
    assert not folded_norms.run(graph)


@pytest.mark.parametrize("layer", [conv, deconv, product, plain_product])
def test_what_layers_give(layer: Callable[[ONNXGraph], Value]) -> None:
    def build(g: ONNXGraph) -> None:
        g.output("y", normalized(g, layer(g)))

    graph = built(build)
    assert checked(folded_norms).run(graph) == 1
    plain, folded = (session(g.to_model().SerializeToString()) for g in (built(build), graph))
    for n in (0, 1, 3):
        shape = (n, 3) if "product" in layer.__name__ else (n, 3, 4, 5)
        x = np.random.RandomState(n).randn(*shape).astype(F)
        x[:1].flat[:1] = np.nan
        (one,), (other,) = (model.run(None, {"x": x}) for model in (plain, folded))
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
        assert one.shape == other.shape


def _with(**changed: Any) -> Norm:
    return {**PLAIN, **{name: np.array(given, F) for name, given in changed.items()}}


@pytest.mark.parametrize(
    "norm",
    [
        _with(var=[1, -1, 1, 1]),
        _with(var=[1, np.nan, 1, 1]),
        _with(gamma=[np.inf, 1, 1, 1]),
        _with(mean=[1e38, 1, 1, 1], var=[0, 1, 1, 1]),
        _with(gamma=[1e-38, 1, 1, 1]),
    ],
    ids=["root of -1", "nan", "inf", "too large", "too small"],
)
def test_numbers_that_do_not_fit(norm: Norm) -> None:
    def build(g: ONNXGraph) -> None:
        g.output("y", normalized(g, conv(g), norm))

    assert not folded_norms.run(built(build))


def shared(g: ONNXGraph) -> None:
    x, w = image(g), g.initializer("w", _random(CHANNELS, 3, 3, 3))
    for name, value in (("y", x), ("z", g.Neg(x))):
        g.output(name, normalized(g, g.Conv(value, w, kernel_shape=[3, 3])))


def read_twice(g: ONNXGraph) -> None:
    value = conv(g)
    g.output("y", g.Add(value, normalized(g, value)))


def result(g: ONNXGraph) -> None:
    value = conv(g)
    g.output("z", value)
    g.output("y", normalized(g, value))


def unknown_bias(g: ONNXGraph) -> None:
    g.output("y", normalized(g, conv(g, g.input("b", F, (CHANNELS,)))))


def open_weights(g: ONNXGraph) -> None:
    g.open_weights = True
    g.output("y", normalized(g, conv(g)))


def not_asked_for(g: ONNXGraph) -> None:
    g.folds_norms = False
    g.output("y", normalized(g, conv(g)))


def grouped(g: ONNXGraph) -> None:
    x = g.input("x", F, ("n", 4, 5, 5))
    w = g.initializer("w", _random(4, CHANNELS // 2, 2, 2))
    g.output("y", normalized(g, g.ConvTranspose(x, w, kernel_shape=[2, 2], group=2)))


STAY = [shared, read_twice, result, unknown_bias, open_weights, not_asked_for, grouped]


@pytest.mark.parametrize("build", STAY)
def test_others_stay(build: Callable[[ONNXGraph], None]) -> None:
    graph = built(build)
    assert not list(folded_norms.ensures(graph))
    assert not folded_norms.run(graph)


def test_in_a_branch() -> None:
    def build(g: ONNXGraph) -> None:
        x, c = image(g), g.input("c", np.bool_, ())
        w = g.initializer("w", _random(CHANNELS, 3, 3, 3))
        then, other = g.body("then"), g.body("else")
        with then:
            one = normalized(g, g.Conv(x, w, kernel_shape=[3, 3]))
        with other:
            two = g.Slice(g.Concat(x, x, axis=1), [0, 0, 0], [4, -2, -2], [1, 2, 3])
        (y,) = g.If(c, then, [one], other, [two])
        g.output("y", y)

    graph = built(build)
    assert checked(folded_norms).run(graph) == 1
    assert "BatchNormalization" not in graph.to_text()
