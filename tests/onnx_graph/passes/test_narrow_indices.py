"""What reads by an int32 need not widen it."""

from __future__ import annotations

import numpy as np

from onnx_graph import ONNXGraph
from onnx_graph.passes import narrow_indices
from tests.onnx_graph.passes.text import I64, F, check


def test_only_of_int32() -> None:
    def build(g: ONNXGraph) -> None:
        x, i = g.input("x", F, ("n",)), g.input("i", np.int32, ())
        j = g.input("j", np.uint8, ())
        g.output("y", g.Gather(x, g.Cast(i, to=I64), axis=0))
        g.output("z", g.Gather(x, g.Cast(j, to=I64), axis=0))

    before = """
    cast_1: int64[] = Cast<to=7>(i)
    y: float[] = Gather<axis=0>(x, cast_1)
    cast_2: int64[] = Cast<to=7>(j)
    z: float[] = Gather<axis=0>(x, cast_2)
    """
    after = """
    y: float[] = Gather<axis=0>(x, i)
    cast_1: int64[] = Cast<to=7>(j)
    z: float[] = Gather<axis=0>(x, cast_1)
    """
    feeds = [
        {"x": np.arange(4, dtype=F), "i": np.array(i, np.int32), "j": np.array(j, np.uint8)}
        for i, j in ((-1, 3), (-4, 0), (3, 1))
    ]
    check(narrow_indices, build, before, after, feeds)
