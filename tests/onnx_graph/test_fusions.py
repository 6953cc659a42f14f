"""A product and its transposition as results, which onnxruntime would make one of."""

from __future__ import annotations

import numpy as np
import pytest

from onnx_graph import ONNXGraph
from tests.onnx_graph.claims import session


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
