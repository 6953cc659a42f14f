"""What follows from a size that became known since is known as well."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from onnx_graph import ONNXGraph, Value
from onnx_graph.passes import learned_sizes
from onnx_graph.values import contents_of, shape_or_none
from tests.onnx_graph.passes.checked import checked
from tests.onnx_graph.passes.text import I64, F

PASS = checked(learned_sizes)


def graph() -> tuple[ONNXGraph, Value]:
    """A graph and a value of it of two rows, how many nobody knows yet."""
    g = ONNXGraph()
    x = g.input("x", F, (2, 3))
    found = g.Compress(x, g.input("kept", np.bool_, (2,)), axis=0)
    g.output("found", found)
    return g, found


def learn(g: ONNXGraph, found: Value, rows: int = 2) -> None:
    found.shape = ir.Shape([rows, 3])
    PASS.run(g)
    assert PASS.run(g) == 0
    assert not list(PASS.ensures(g))


def test_results_of_operators() -> None:
    g, found = graph()
    twice = g.Concat(found, found, axis=0)
    counts = g.Add(g.Shape(twice), 1)
    g.output("counts", g.Mul(counts, 2))
    learn(g, found)
    assert shape_or_none(twice) == (4, 3)
    assert contents_of(counts) == (5, 4)


def test_nothing_is_learned_of_what_nobody_knows() -> None:
    g, found = graph()
    g.output("y", g.Concat(found, found, axis=0))
    before = g.to_text()
    assert PASS.run(g) == 0
    assert g.to_text() == before


def test_branches() -> None:
    g, found = graph()
    one, other = g.body("then"), g.body("else")
    with one:
        negative = g.Neg(found)
    with other:
        twice = g.Concat(found, found, axis=0)
    c = g.input("c", np.bool_, ())
    alike = g.If(c, one, [negative, negative], other, [g.constant(np.zeros((2, 3), F)), twice])
    for name, value in zip(("same", "unlike"), alike, strict=True):
        g.output(name, value)
    learn(g, found)
    assert shape_or_none(alike[0]) == (2, 3)
    rows, columns = shape_or_none(alike[1]) or ()
    assert str(rows).startswith("unk_")
    assert columns == 3


@pytest.mark.parametrize("grows", [False, True])
def test_what_a_loop_carries(grows: bool) -> None:
    g, found = graph()
    body = g.body("loop", loop=True)
    with body:
        rows = g.fresh_dim(body)
        h = body.input(F, (rows, 3), "h")
        end = g.Concat(h, h, axis=0) if grows else g.Mul(h, 2)
        end = g.Reshape(end, g.shape_tensor([g.size(end, 0), 3]))
        count = g.Shape(h)
    last, counts = g.Loop(g.input("n", I64, ()), None, body, [found], carried=[end], scans=[count])
    g.output("last", last)
    g.output("counts", counts)
    learn(g, found)
    if grows:
        assert str((shape_or_none(last) or ())[0]).startswith("unk_")
        assert shape_or_none(h) == (rows, 3)
    else:
        assert shape_or_none(last) == shape_or_none(h) == (2, 3)
        assert contents_of(count) == (2, 3)


def test_what_a_loop_stacks() -> None:
    g, found = graph()
    body = g.body("loop", loop=True)
    with body:
        scaled = g.Mul(found, 2)
    (stack,) = g.Loop(g.input("n", I64, ()), None, body, [], carried=[], scans=[scaled])
    g.output("stack", stack)
    learn(g, found)
    turns, *element = shape_or_none(stack) or ()
    assert str(turns).startswith("unk_")
    assert element == [2, 3]


def test_what_cannot_run_is_left_to_fail() -> None:
    g, found = graph()
    wrong = g.Add(found, g.constant(np.zeros((5, 3), F)))
    g.output("wrong", wrong)
    before = shape_or_none(wrong)
    learn(g, found)
    assert shape_or_none(wrong) == before
