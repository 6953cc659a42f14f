"""And, Or and Not of truths that are known."""

from __future__ import annotations

import numpy as np

from onnx_graph import ONNXGraph
from onnx_graph.passes import truths
from tests.onnx_graph.passes.text import I64, F, check


def test_truths() -> None:
    def build(g: ONNXGraph) -> None:
        c, n = g.input("c", np.bool_, ()), g.input("n", I64, ())
        z = g.input("z", F, ())
        pairs = [g.Or(c, False), g.And(True, c), g.Or(c, c), g.And(c, False), g.Or(True, c)]
        pairs += [g.Not(g.Greater(n, 2)), g.Not(g.Less(n, 2)), g.Not(g.Less(z, 2.0))]
        for name, value in zip("pqrstuvw", pairs, strict=True):
            g.output(name, g.Identity(value))

    before = """
    or_1: bool[] = Or(c, False)
    and_1: bool[] = And(True, c)
    or_2: bool[] = Or(c, c)
    and_2: bool[] = And(c, False)
    or_3: bool[] = Or(True, c)
    greater_1: bool[] = Greater(n, 2)
    not_1: bool[] = Not(greater_1)
    less_1: bool[] = Less(n, 2)
    not_2: bool[] = Not(less_1)
    less_2: bool[] = Less(z, float32(2.0))
    not_3: bool[] = Not(less_2)
    p: bool[] = Identity(or_1)
    q: bool[] = Identity(and_1)
    r: bool[] = Identity(or_2)
    s: bool[] = Identity(and_2)
    t: bool[] = Identity(or_3)
    u: bool[] = Identity(not_1)
    v: bool[] = Identity(not_2)
    w: bool[] = Identity(not_3)
    """
    after = """
    lessorequal_1: bool[] = LessOrEqual(n, 2)
    greaterorequal_1: bool[] = GreaterOrEqual(n, 2)
    less_1: bool[] = Less(z, float32(2.0))
    not_1: bool[] = Not(less_1)
    p: bool[] = Identity(c)
    q: bool[] = Identity(c)
    r: bool[] = Identity(c)
    s: bool[] = Identity(False)
    t: bool[] = Identity(True)
    u: bool[] = Identity(lessorequal_1)
    v: bool[] = Identity(greaterorequal_1)
    w: bool[] = Identity(not_1)
    """
    feeds = [
        {"c": np.array(c), "n": np.array(n), "z": np.array(z, F)}
        for c in (False, True)
        for n, z in ((1, np.nan), (2, 2), (3, 1))
    ]
    check(truths, build, before, after, feeds)
