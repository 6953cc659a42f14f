"""A sum with what may be a single zero is written as a difference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from onnx_graph import ONNXGraph
from onnx_graph.passes import zero_sums
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.text import check

F = np.float32
X = [{"x": np.array([0.0, -0.0, 1.0, -1.0], F)}]


def test_a_sum_with_a_product_of_constants() -> None:
    def build(g: ONNXGraph) -> None:
        x = g.Neg(g.input("x", F, ("n",)))
        zero = g.Mul(g.constant(F(0)), F(2))
        g.output("y", g.Reciprocal(g.Add(x, zero)))
        g.output("z", g.Reciprocal(g.Add(g.Abs(x), zero)))

    before = """
    neg_1: float[n] = Neg(x)
    mul_1: float[] = Mul(float32(0.0), float32(2.0))
    add_1: float[n] = Add(neg_1, mul_1)
    y: float[n] = Reciprocal(add_1)
    abs_1: float[n] = Abs(neg_1)
    add_2: float[n] = Add(abs_1, mul_1)
    z: float[n] = Reciprocal(add_2)
    """
    after = """
    neg_1: float[n] = Neg(x)
    mul_1: float[] = Mul(float32(0.0), float32(2.0))
    neg_2: float[n] = Neg(neg_1)
    sub_1: float[n] = Sub(mul_1, neg_2)
    y: float[n] = Reciprocal(sub_1)
    abs_1: float[n] = Abs(neg_1)
    add_1: float[n] = Add(abs_1, mul_1)
    z: float[n] = Reciprocal(add_1)
    """
    check(zero_sums, build, before, after, [])


#: How a zero is made that is one only after folding, by our passes or by onnxruntime.
ZEROS: dict[str, Callable[[ONNXGraph], Any]] = {
    "product": lambda g: g.Mul(g.constant(np.zeros(1, F)), F(2)),
    "size": lambda g: g.Cast(g.Sub(g.Size(g.constant(np.zeros(3, F))), 3), to=F),
    "large": lambda g: g.ReduceSum(g.constant(np.zeros(6000, F)), keepdims=0),
    "slice": lambda g: g.Slice(g.constant(np.zeros(5000, F)), [0], [1], [0]),
    "filled": lambda g: g.Slice(g.ConstantOfShape(g.constant(np.array([5000]))), [0], [1], [0]),
    "one": lambda g: g.Add(g.constant(F(-1)), F(1)),
}
SUMS: dict[str, Callable[[ONNXGraph, Any, Any], Any]] = {
    "Add": lambda g, x, zero: g.Reciprocal(g.Add(x, zero)),
    "Add the other way": lambda g, x, zero: g.Reciprocal(g.Add(zero, x)),
    "Sub": lambda g, x, zero: g.Reciprocal(g.Sub(x, g.Neg(zero))),
}


@pytest.mark.parametrize("sum_", SUMS)
@pytest.mark.parametrize("zero", ZEROS)
def test_zeros_that_are_known_later(zero: str, sum_: str) -> None:
    g = ONNXGraph()
    x = g.Neg(g.input("x", F, ("n",)))
    g.output("y", SUMS[sum_](g, x, ZEROS[zero](g)))
    g.optimize()
    (y,) = session(g.to_model().SerializeToString()).run(None, X[0])
    assert y.tolist() == [np.inf, np.inf, -1, 1]


def test_other_sums_stay() -> None:
    g = ONNXGraph()
    x, n = g.input("x", F, ("n",)), g.input("n", F, ())
    kept = [
        g.Add(x, n),
        g.Add(x, g.constant(F(1))),
        g.Add(x, g.ReduceSum(g.constant(np.zeros((6000, 3), F)), [0], keepdims=0)),
        g.Sub(x, g.Mul(g.constant(F(0)), F(2))),
        g.Add(g.Cast(g.Shape(x), to=F), n),
        g.Add(x, g.Cast(g.size(x, 0), to=F)),
    ]
    for number, value in enumerate(kept[:-1]):
        g.output(f"y{number}", value)
    assert zero_sums.run(g) == 1  # of the Sub: that zero may be negative
    assert zero_sums.run(g) == 0
