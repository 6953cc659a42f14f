"""Passes that are held to what their files say, each time that they run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pytest

import onnx_graph.passes
from onnx_graph import ONNXGraph
from onnx_graph.passes.contract import DROPS_CHECKS, Kept, Pass, faults


@dataclass(frozen=True)
class Checked:
    """A pass with the conditions before and after it."""

    name: str
    pass_: Pass
    before: Mapping[str, Pass] = field(default_factory=dict)
    """The passes that have nothing left to do when this one runs."""

    @property
    def AFTER(self) -> Mapping[str, str]:  # noqa: N802
        return self.pass_.AFTER

    def run(self, graph: ONNXGraph) -> int:
        require("before", self.name, faults(graph))
        for name, other in self.before.items():
            require(f"left over by {name} before", self.name, other.ensures(graph))
        kept = Kept(graph)
        changed = self.pass_.run(graph)
        require("after", self.name, faults(graph))
        drops_checks = self.name in DROPS_CHECKS
        require("changed by", self.name, kept.changes(graph, drops_checks=drops_checks))
        if not changed:
            require("left over by", self.name, self.pass_.ensures(graph))
        return changed

    def ensures(self, graph: ONNXGraph) -> Iterator[str]:
        return self.pass_.ensures(graph)


def checked(pass_: Pass) -> Checked:
    """Hold one pass to its conditions."""
    lists = onnx_graph.passes
    every = {**lists.PASSES, **lists.ONCE, **lists.FOR_ONNXRUNTIME}
    (name,) = (name for name, other in every.items() if other is pass_)
    return Checked(name, pass_)


def require(when: str, name: str, found: Iterator[str]) -> None:
    texts = list(found)
    assert not texts, f"{when} {name}: {'; '.join(texts)}"


def check_all(patch: pytest.MonkeyPatch) -> None:
    """Hold every pass to its conditions; when the last ones run, the others have nothing to do."""
    rounds, once = onnx_graph.passes.PASSES, onnx_graph.passes.ONCE
    checked = {name: Checked(name, pass_) for name, pass_ in rounds.items()}
    patch.setattr(onnx_graph.passes, "PASSES", checked)
    last = {name: Checked(name, pass_, before=rounds) for name, pass_ in once.items()}
    patch.setattr(onnx_graph.passes, "ONCE", last)
    after = onnx_graph.passes.FOR_ONNXRUNTIME
    last = {name: Checked(name, pass_) for name, pass_ in after.items()}
    patch.setattr(onnx_graph.passes, "FOR_ONNXRUNTIME", last)
