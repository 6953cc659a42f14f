"""The Max around a float64 MatMul stays where a constant factor is near."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from onnx_graph import ONNXGraph
from onnx_graph.passes import float64_barriers
from tests.onnx_graph.passes.text import check


def _products(far: bool) -> Callable[[ONNXGraph], None]:
    def build(g: ONNXGraph) -> None:
        x, y = g.input("x", np.float64, (3, 3)), g.input("y", np.float64, (3, 3))
        product = g.Max(g.MatMul(g.Max(g.Sub(x, y)), g.Max(g.Transpose(y, perm=[1, 0]))))
        moved = g.Add(g.Squeeze(g.Unsqueeze(product, [0]), [0]), 1.0)
        scale = g.ReduceSum(y, keepdims=0) if far else g.Cast(g.Size(g.Shape(x)), to=np.float64)
        g.output("z", g.Div(moved, scale))

    return build


def test_barriers_stay_where_a_constant_factor_is_near() -> None:
    random = np.random.RandomState(0)
    feeds = [{name: random.randn(3, 3) for name in "xy"}]
    before = """
    sub_1: double[3, 3] = Sub(x, y)
    max_1: double[3, 3] = Max(sub_1)
    transpose_1: double[3, 3] = Transpose<perm=(1, 0)>(y)
    max_2: double[3, 3] = Max(transpose_1)
    matmul_1: double[3, 3] = MatMul(max_1, max_2)
    max_3: double[3, 3] = Max(matmul_1)
    unsqueeze_1: double[1, 3, 3] = Unsqueeze(max_3, [0])
    squeeze_1: double[3, 3] = Squeeze(unsqueeze_1, [0])
    add_1: double[3, 3] = Add(squeeze_1, float64(1.0))
    reducesum_1: double[] = ReduceSum<keepdims=0>(y)
    z: double[3, 3] = Div(add_1, reducesum_1)
    """
    after = """
    sub_1: double[3, 3] = Sub(x, y)
    transpose_1: double[3, 3] = Transpose<perm=(1, 0)>(y)
    matmul_1: double[3, 3] = MatMul(sub_1, transpose_1)
    unsqueeze_1: double[1, 3, 3] = Unsqueeze(matmul_1, [0])
    squeeze_1: double[3, 3] = Squeeze(unsqueeze_1, [0])
    add_1: double[3, 3] = Add(squeeze_1, float64(1.0))
    reducesum_1: double[] = ReduceSum<keepdims=0>(y)
    z: double[3, 3] = Div(add_1, reducesum_1)
    """
    check(float64_barriers, _products(far=True), before, after, feeds)
    g = ONNXGraph()
    _products(far=False)(g)
    assert float64_barriers.run(g) == 2  # those of the operands
    assert "matmul_1: double[3, 3] = MatMul(sub_1, transpose_1)" in g.to_text()
    assert "= Max(matmul_1)" in g.to_text()
