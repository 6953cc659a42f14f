"""A pass on a graph: its text before and after, and what both compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from onnx_graph import ONNXGraph
from onnx_graph.passes import unused
from onnx_graph.passes.contract import Pass
from tests.onnx_graph.claims import session
from tests.onnx_graph.passes.checked import checked

F, I64 = np.float32, np.int64
Feeds = Sequence[Mapping[str, Any]]
Build = Callable[[ONNXGraph], Any]

X: Feeds = [{"x": np.arange(4, dtype=F)}, {"x": np.zeros(0, F)}]
NX: Feeds = [{"x": np.arange(3, dtype=F), "n": np.array(n)} for n in (0, 1, 4)]
CX: Feeds = [{"x": np.arange(3, dtype=F), "c": np.array(c)} for c in (True, False)]
CD: Feeds = [{"c": np.array(c), "d": np.array(d)} for c in (False, True) for d in (False, True)]


def built(build: Build) -> ONNXGraph:
    graph = ONNXGraph()
    build(graph)
    return graph


def text_of(graph: ONNXGraph) -> str:
    """Return the text without sizes and braces of the main graph."""
    lines = graph.to_text().splitlines()[1:-1]
    return "\n".join(line[2:] for line in lines)


def _dedented(text: str) -> str:
    return "\n".join(line[4:] for line in text.strip("\n").rstrip().splitlines())


def check(
    pass_: Pass, build: Build, before: str, after: str, feeds: Feeds, *, then: Sequence[Pass] = ()
) -> None:
    """Compare the texts and what both graphs compute; the pass keeps what it says; twice is once.

    Args:
        pass_: The file of the pass.
        build: Writes the graph.
        before: Its text.
        after: Its text after the pass, and after those of `then` and `unused`.
        feeds: Inputs to run both graphs on.
        then: Passes that take away what this one makes needless.
    """
    passed = built(build)
    assert text_of(passed) == _dedented(before)
    assert list(pass_.ensures(passed))
    assert all([checked(one).run(passed) for one in (pass_, *then)])
    checked(unused).run(passed)
    assert text_of(passed) == _dedented(after)
    assert not pass_.run(passed)
    same(built(build), passed, feeds)


def same(plain: ONNXGraph, passed: ONNXGraph, feeds: Feeds) -> None:
    """Run both graphs, and compare what they give: types, shapes and every number."""
    first, second = (session(g.to_model().SerializeToString()) for g in (plain, passed))
    for feed in feeds:
        for one, other in zip(first.run(None, feed), second.run(None, feed), strict=True):
            assert type(one) is type(other)
            pairs = zip(one, other, strict=True) if isinstance(one, list) else [(one, other)]
            for left, right in pairs:
                np.testing.assert_array_equal(left, right, strict=True)
