"""Two branches that read the same array become one read by a chosen index."""

from __future__ import annotations

import numpy as np
import pytest

from onnx_graph import ONNXGraph
from onnx_graph.passes import chosen_indices
from tests.onnx_graph.passes.text import I64, F, check

ONE = F(1)
FEEDS = [
    {"x": np.arange(3, dtype=F), "c": np.array(c), "i": np.array(i), "j": np.array(j, np.int32)}
    for c, i, j in ((True, 2, -1), (False, 2, -3), (True, -1, 0), (False, 0, 1))
]


def branches(g: ONNXGraph, *, sums: bool) -> None:
    x, c = g.input("x", F, ("n",)), g.input("c", np.bool_, ())
    i, j = g.input("i", I64, ()), g.input("j", np.int32, ())
    then, other = g.body("then"), g.body("else")
    with then:
        a = g.Gather(x, i, axis=0)
    with other:
        b = g.Gather(x, g.Cast(j, to=I64), axis=0)
        b = g.Add(b, ONE) if sums else b
    (y,) = g.If(c, then, [a], other, [b])
    g.output("y", g.Exp(y))


def test_of_unlike_integers() -> None:
    before = """
    if_1: float[] = If(c)
      else_branch () => (gather_1) {
        cast_1: int64[] = Cast<to=7>(j)
        gather_1: float[] = Gather<axis=0>(x, cast_1)
      }
      then_branch () => (gather_2) {
        gather_2: float[] = Gather<axis=0>(x, i)
      }
    y: float[] = Exp(if_1)
    """
    after = """
    cast_1: int64[] = Cast<to=7>(j)
    where_1: int64[] = Where(c, i, cast_1)
    gather_1: float[] = Gather<axis=0>(x, where_1)
    y: float[] = Exp(gather_1)
    """
    check(chosen_indices, lambda g: branches(g, sums=False), before, after, FEEDS)


def test_what_else_a_branch_does_stays_there() -> None:
    g = ONNXGraph()
    branches(g, sums=True)
    assert chosen_indices.run(g) == 0


@pytest.mark.parametrize("axes", [({}, {"axis": 1}), ({"axis": 1}, {}), ({"axis": 0}, {"axis": 1})])
def test_reads_along_unlike_axes_stay_apart(axes: tuple[dict[str, int], dict[str, int]]) -> None:
    """An axis that is left out is the first one."""
    g = ONNXGraph()
    x, c, i = g.input("x", F, (3, 3)), g.input("c", np.bool_, ()), g.input("i", I64, ())
    then, other = g.body("then"), g.body("else")
    with then:
        a = g.Gather(x, i, **axes[0])
    with other:
        b = g.Gather(x, i, **axes[1])
    (y,) = g.If(c, then, [a], other, [b])
    g.output("y", g.Exp(y))
    assert chosen_indices.run(g) == 0
