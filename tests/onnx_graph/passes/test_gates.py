"""Gates that alternate in a product come one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph, Value
from onnx_graph.passes import gates
from tests.onnx_graph.passes.text import F, built, same

ROWS = [{"x": np.arange(2 * n, dtype=F).reshape(n, 2), "h": np.ones((n, 3), F)} for n in (0, 1, 3)]


def _weight(*shape: int) -> Any:
    return np.arange(np.prod(shape), dtype=F).reshape(shape)


def _apart(g: ONNXGraph, z: Value, n: int = 3, k: int = 2) -> list[Value]:
    """Take alternating gates apart, as `F.lstm` does."""
    shape = g.shape_tensor([g.size(z, 0), n, k])
    parts = g.Split(g.Reshape(z, shape, allowzero=1), axis=2, num_outputs=k, outputs=k)
    return [g.Squeeze(part, [2]) for part in parts]


def test_gates_of_one_product() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N", 2))
        g.input("h", F, ("N", 3))
        w, b = g.initializer("w", _weight(6, 2)), g.initializer("b", _weight(6))
        one, other = _apart(g, g.Gemm(x, w, b, transB=1))
        g.output("y", g.Mul(g.Tanh(one), other))

    graph = built(build)
    assert graph.to_text().count("Squeeze") == 2
    assert list(gates.ensures(graph))
    assert gates.run(graph) == 1
    text = graph.to_text()
    assert "Squeeze" not in text
    assert "Reshape" not in text
    assert "w.gates: float[6, 2] = initializer" in text
    assert "  w: float" not in text
    assert not gates.run(graph)
    same(built(build), graph, ROWS)


def _sum(g: ONNXGraph, *, turned: bool = True) -> Value:
    x, h = g.input("x", F, ("N", 2)), g.input("h", F, ("N", 3))
    w, u = _weight(6, 2), _weight(6, 3)
    if turned:
        a = g.Gemm(x, g.initializer("w", w), g.initializer("b", _weight(6)), transB=1)
        c = g.MatMul(h, g.initializer("u", u.T.copy()))
    else:
        a = g.Gemm(x, g.initializer("w", w.T.copy()), g.initializer("b", _weight(6)))
        c = g.Gemm(h, g.initializer("u", u), transB=1)
    return g.Add(g.Add(a, c), g.initializer("v", _weight(6)))


@pytest.mark.parametrize("turned", [False, True])
def test_sums_of_products_and_vectors(turned: bool) -> None:
    def build(g: ONNXGraph) -> None:
        one, other = _apart(g, _sum(g, turned=turned))
        g.output("y", g.Sub(one, other))
        g.output("z", other)

    graph = built(build)
    assert gates.run(graph) == 1
    assert "Squeeze" not in graph.to_text()
    same(built(build), graph, ROWS)


def test_two_sums_that_share_their_weights() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N", 2))
        g.input("h", F, ("N", 3))
        w = g.initializer("w", _weight(6, 2))
        first = _apart(g, g.Gemm(x, w, transB=1))
        second = _apart(g, g.Gemm(g.Neg(x), w, transB=1))
        g.output("y", g.Sub(g.Mul(first[0], first[1]), g.Div(second[0], g.Exp(second[1]))))

    graph = built(build)
    assert gates.run(graph) == 2
    same(built(build), graph, ROWS)


def _stays(build: Any) -> None:
    graph = built(build)
    assert gates.run(graph) == 0
    assert not list(gates.ensures(graph))
    same(built(build), graph, ROWS)


@pytest.mark.parametrize("reader", ["other product", "result", "sum", "whole"])
def test_what_others_read_stays(reader: str) -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N", 2))
        g.input("h", F, ("N", 3))
        w = g.initializer("w", _weight(6, 2))
        z = g.Gemm(x, w, transB=1)
        one, other = _apart(g, z)
        y = g.Mul(one, other)
        if reader == "other product":
            g.output("o", g.Gemm(g.Neg(x), w, transB=1))
        if reader == "sum":
            g.output("o", g.ReduceSum(w))
        if reader == "whole":
            g.output("o", g.Neg(z))
        g.output("y", one if reader == "result" else y)
        if reader == "result":
            g.output("z", z)

    _stays(build)


def test_gates_of_another_width_stay() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N", 2))
        g.input("h", F, ("N", 3))
        w = g.initializer("w", _weight(6, 2))
        a = _apart(g, g.Gemm(x, w, transB=1))
        b = _apart(g, g.Gemm(g.Neg(x), w, transB=1), 2, 3)
        g.output("y", g.Add(a[0], a[1]))
        g.output("z", g.Add(g.Add(b[0], b[1]), b[2]))

    _stays(build)


def test_what_is_no_product_stays() -> None:
    def build(g: ONNXGraph) -> None:
        g.input("x", F, ("N", 2))
        h = g.input("h", F, ("N", 3))
        one, other = _apart(g, g.Concat(h, g.Neg(h), axis=1))
        g.output("y", g.Sub(one, other))

    _stays(build)


def test_open_weights_stay() -> None:
    def build(g: ONNXGraph) -> None:
        g.open_weights = True
        one, other = _apart(g, _sum(g))
        g.output("y", g.Sub(one, other))

    _stays(build)
