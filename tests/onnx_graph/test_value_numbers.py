"""What is computed alike has one number."""

from __future__ import annotations

import numpy as np

from onnx_graph import ONNXGraph, Value
from onnx_graph.value_numbers import ValueNumbers


def graph() -> tuple[ONNXGraph, Value, Value]:
    g = ONNXGraph()
    return g, g.input("x", np.float32, ("N",)), g.input("c", np.bool_, ())


def chosen(g: ONNXGraph, c: Value, x: Value, least: float) -> Value:
    then, other = g.body("then"), g.body("else")
    with then:
        a = g.Exp(x)
    with other:
        b = g.Add(x, g.constant(np.float32(least)))
    (result,) = g.If(c, then, [a], other, [b])
    return result


def test_what_is_computed_alike_has_one_number() -> None:
    g, x, _ = graph()
    numbers = ValueNumbers()
    first, again, other = (
        numbers.of(g.ReduceSum(g.Add(x, g.constant(np.float32(by))), keepdims=keep))
        for by, keep in ((1, 0), (1, 0), (2, 0))
    )
    assert first == again != other
    assert numbers.of(g.ReduceSum(g.Add(x, g.constant(np.float32(1))), keepdims=1)) != first


def test_results_of_branches_that_compute_alike_have_one_number() -> None:
    g, x, c = graph()
    numbers = ValueNumbers()
    first, again, other = (numbers.of(chosen(g, c, x, least)) for least in (1, 1, 2))
    assert first == again != other
    assert numbers.of(chosen(g, g.Not(c), x, 1)) != first


def test_results_of_one_node_differ() -> None:
    g, x, _ = graph()
    numbers = ValueNumbers()
    values, indices = g.TopK(x, g.constant(np.array([1])), outputs=2)
    assert numbers.of(values) != numbers.of(indices)


def test_what_is_drawn_is_equal_to_itself_alone() -> None:
    g = ONNXGraph(random=True)
    numbers = ValueNumbers()
    first, other = (g.RandomNormal(shape=[2], dtype=1) for _ in range(2))
    assert numbers.of(first) == numbers.of(first) != numbers.of(other)


def test_far_back_nodes_are_told_apart() -> None:
    g, x, _ = graph()
    numbers = ValueNumbers()
    first, again = x, x
    for _ in range(2000):
        first, again = g.Neg(first), g.Neg(again)
    assert numbers.of(first) != numbers.of(again)
