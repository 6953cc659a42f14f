"""Factors of float64 products keep their precision in onnxruntime."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from elichika.numbers.kernels import matmul
from onnx_graph import ONNXGraph, Value
from tests.onnx_graph.claims import session

F64, F32 = np.float64, np.float32
C = np.float64(0.05)


def behind(g: ONNXGraph, x: Value, y: Value) -> Any:
    return g.Mul(C, matmul(g, x, y))


def divided(g: ONNXGraph, x: Value, y: Value) -> Any:
    return g.Div(matmul(g, x, y), C)


def before(g: ONNXGraph, x: Value, y: Value) -> Any:
    return matmul(g, g.Mul(x, C), y)


def behind_a_transpose(g: ONNXGraph, x: Value, y: Value) -> Any:
    return g.Mul(g.Transpose(matmul(g, x, y), perm=[1, 0]), C)


def twice(g: ONNXGraph, x: Value, y: Value) -> Any:
    m = matmul(g, x, g.Div(y, C))
    return g.Add(g.Mul(m, C), m)


NUMPY: dict[Callable[..., Any], Callable[..., Any]] = {
    behind: lambda x, y: C * (x @ y),
    divided: lambda x, y: (x @ y) / C,
    before: lambda x, y: (x * C) @ y,
    behind_a_transpose: lambda x, y: (x @ y).T * C,
    twice: lambda x, y: (x @ (y / C)) * C + x @ (y / C),
}


def graph_of(build: Callable[..., Any], dtype: Any) -> ONNXGraph:
    g = ONNXGraph()
    g.output("z", build(g, g.input("x", dtype, [3, 4]), g.input("y", dtype, [4, 5])))
    return g


@pytest.mark.parametrize("build", NUMPY, ids=lambda build: build.__name__)
def test_factors_are_not_rounded(build: Callable[..., Any]) -> None:
    g = graph_of(build, F64)
    random = np.random.RandomState(0)
    x, y = random.randn(3, 4), random.randn(4, 5)
    (z,) = session(g.to_model().SerializeToString()).run(None, {"x": x, "y": y})
    np.testing.assert_allclose(z, NUMPY[build](x, y), rtol=1e-13)


def test_float32_products_stay_as_they_are() -> None:
    g = ONNXGraph()
    matmul(g, g.input("x", F32, [3, 4]), g.input("y", F32, [4, 5]))
    assert [node.op_type for node in g.main.graph] == ["MatMul"]


def plain(g: ONNXGraph, x: Value, y: Value) -> Any:
    return g.Mul(C, g.MatMul(x, y))


def test_onnxruntime_rounds_them_otherwise() -> None:
    """The reason for the copies: where this fails, onnxruntime was repaired and they can go."""
    random = np.random.RandomState(0)
    x, y = random.randn(3, 4), random.randn(4, 5)
    model = graph_of(plain, F64).to_model().SerializeToString()
    (z,) = session(model).run(None, {"x": x, "y": y})
    assert np.abs(z - C * (x @ y)).max() > 1e-10
