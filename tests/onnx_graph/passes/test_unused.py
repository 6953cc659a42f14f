"""What nobody uses goes, but for checks."""

from __future__ import annotations

import numpy as np

from onnx_graph import ONNXGraph
from onnx_graph.passes import unused
from tests.onnx_graph.passes.text import F, X, check


def test_unused() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.input("x", F, ("N",))
        g.initializer("w", np.zeros(3, F))
        g.Exp(g.Sin(x))
        g.check(g.Less(g.size(x, 0), 9), "short")
        g.output("y", g.Relu(x))

    before = """
    shape_1: int64[1] = Shape(x)
    gather_1: int64[] = Gather<axis=0>(shape_1, 0)
    sin_1: float[N] = Sin(x)
    exp_1: float[N] = Exp(sin_1)
    less_1: bool[] = Less(gather_1, 9)
    cast_1: double[] = Cast<to=11>(less_1)
    range_1: double[unk_1] = Range(float64(0.0), float64(0.0), cast_1)  # check: short
    size_1: int64[] = Size(range_1)
    y: float[N] = Relu(x)
    """
    after = """
    shape_1: int64[1] = Shape(x)
    gather_1: int64[] = Gather<axis=0>(shape_1, 0)
    less_1: bool[] = Less(gather_1, 9)
    cast_1: double[] = Cast<to=11>(less_1)
    range_1: double[unk_1] = Range(float64(0.0), float64(0.0), cast_1)  # check: short
    y: float[N] = Relu(x)
    """
    check(unused, build, before, after, X)
