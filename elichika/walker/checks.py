"""What a model checks while it runs, and what would be an error of the walked program."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from elichika.values.symbolic import Scalar
from elichika.values.words import IN_A_TRY
from elichika.walker.core import NodePlace
from elichika.walker.guards import Guards
from elichika.walker.walk import Walk
from onnx_graph import Body
from onnx_graph import checks as graph_checks
from onnx_graph.failing import may_raise, reads_within, squeezes
from onnx_graph.marks import CHECK, SURE

#: Operators that fail only where an index is out of range, which a check has excluded.
INDEXED = frozenset(
    {
        *("Gather", "GatherND", "GatherElements", "ScatterND", "ScatterElements"),
        *("SequenceAt", "SequenceInsert", "SequenceErase"),
    }
)
#: Operators that fail of nothing, which a check has excluded.
OF_SOME = frozenset({"ArgMax", "ReduceMax", "ReduceMin"})
#: Operators that never fail as they are used here, besides those of `onnx_graph.failing`.
SAFE = frozenset(
    {
        *("SequenceLength", "SequenceConstruct", "SequenceEmpty", "Constant"),
        *("ConstantOfShape", "Compress"),
    }
)

#: Operators that fail only where Chainer's type check, or what is asked before, finds a misfit.
ASKED = frozenset({"MaxPool", "AveragePool", "BatchNormalization", "Pad", "Split"})


class Checks:
    """The part of the walker that makes a model fail where the program does."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        #: The bodies of the arms that were opened by checks, the innermost last.
        self.opened: list[Body] = []
        self.guards = Guards(w, lambda: self.proofs)
        #: How many checks of an index or a key there were.
        self.proofs = 0
        self._approved: dict[int, Any] = {}
        #: Paths of the chain's links, by `id`.
        self.layers: dict[int, str] = {}

    def emit(self, condition: Any, exception: type[BaseException], message: str) -> None:
        """Emit a check whose failure nothing catches."""
        with self.located():
            text = f"{exception.__name__}: {message}"
            token = graph_checks.check(self.w.graph, condition, text)
            check = graph_checks.check_of(token)
            self._approved[id(check)] = check
            old = self.w.held(self.w.token, "value").onnx_value
            self.w.store.set(self.w.token, "value", Scalar(int, self.w.graph.Add(old, token)))

    @contextmanager
    def located(self, exact: bool | None = None) -> Iterator[None]:
        """Emit nodes that remember the user's present line.

        Args:
            exact: See `Guards.within`.
        """
        body, opened = self.w.graph.scope.graph, len(self.opened)
        proofs, sizes = self.proofs, self.guards.sizes
        before = len(body) if self.w.guarded else 0
        source = NodePlace(self.w.place(), self._layer()) if self.w.frames else None
        with self.w.graph.at(source), self.guards.within(exact):
            yield
        if not self.w.guarded:
            return
        nodes = list(body)[before:]
        for inner in self.opened[opened:]:
            nodes += inner.graph
        asked = ASKED if exact else frozenset()
        if self.guards.sizes > sizes or self.proofs > proofs:
            asked |= OF_SOME
        fail = [
            node
            for node in nodes
            if node.op_type not in asked and not self._is_safe(node, self.proofs > proofs)
        ]
        if fail:
            self.w.refuse(*IN_A_TRY)

    @contextmanager
    def sure(self) -> Iterator[None]:
        """Emit nodes of which none fails, whatever they look like: only checks do."""
        body, opened = self.w.graph.scope.graph, len(self.opened)
        before, guarded = len(body), self.w.guarded
        self.w.guarded = 0
        try:
            with self.guards.within(None):
                yield
        finally:
            self.w.guarded = guarded
        for graph in (body, *(one.graph for one in self.opened[opened:])) if guarded else ():
            for node in list(graph)[before if graph is body else 0 :]:
                self._approved[id(node)] = node

    def _is_safe(self, node: Any, proved: bool) -> bool:
        """Tell whether a node within a `try` fails only where a check of the program does."""
        if id(node) in self._approved or SURE in node.meta:
            return True
        if node.op_type in INDEXED and CHECK not in node.meta:
            appends = node.op_type == "SequenceInsert" and len(node.inputs) == 2
            safe = proved or appends or reads_within(node)
        elif node.op_type == "Squeeze":
            safe = all(need.holds() for need in squeezes(node))
        elif node.op_type == "SplitToSequence":
            safe = node.inputs[1:] in ((), (None,))  # into rows
        else:
            safe = node.op_type in SAFE or not may_raise(node)
        if safe:
            self._approved[id(node)] = node
        return safe

    def _layer(self) -> str:
        """Return the path of the link whose method the walk is in, the innermost one."""
        for frame in reversed(self.w.frames):
            if frame.first_argument is not None:
                held = self.w.store.get_key((id(frame), frame.first_argument))
                if id(held) in self.layers:
                    return self.layers[id(held)]
        return ""
