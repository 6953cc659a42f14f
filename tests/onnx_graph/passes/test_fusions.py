"""A product and its transposition as results, which onnxruntime would make one of."""

from __future__ import annotations

import numpy as np
import pytest

from onnx_graph import ONNXGraph
from onnx_graph.passes import fusions
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.text import check


def test_text() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", np.float32, (2, 3))
        product = g.Gemm(x, np.ones((3, 2), np.float32))
        g.output("y", product)
        g.output("z", g.Transpose(product, perm=[1, 0]))

    before = """
    y: float[2, 2] = Gemm(x, float32([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]))
    z: float[2, 2] = Transpose<perm=(1, 0)>(y)
    """
    after = """
    gemm_1: float[2, 2] = Gemm(x, float32([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]))
    z: float[2, 2] = Transpose<perm=(1, 0)>(gemm_1)
    y: float[2, 2] = Identity(gemm_1)
    """
    check(fusions, build, before, after, [{"x": np.arange(6, dtype=np.float32).reshape(2, 3)}])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_both_are_results(dtype: type) -> None:
    g = ONNXGraph()
    a, b = g.input("a", dtype, (4, 3)), g.input("b", dtype, (2, 4))
    product = g.Gemm(g.Transpose(a, perm=[1, 0]), g.Transpose(b, perm=[1, 0]))
    g.output("whole", product)
    g.output("turned", g.Transpose(product, perm=[1, 0]))
    assert g.optimize()["fusions"] == 1
    feeds = {"a": np.arange(12, dtype=dtype).reshape(4, 3), "b": np.ones((2, 4), dtype)}
    whole, turned = session(g.to_model().SerializeToString()).run(None, feeds)
    expected = feeds["a"].T @ feeds["b"].T
    np.testing.assert_array_equal(whole, expected)
    np.testing.assert_array_equal(turned, expected.T)
