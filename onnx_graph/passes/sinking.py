"""Moves what one branch alone reads into it, within loops.

    Loop body: { r = Unsqueeze(v); l = If(c) { Concat(l, r) } { l } }
    Loop body: { l = If(c) { r = Unsqueeze(v); Concat(l, r) } { l } }

Only nodes that cannot fail move, since the branch may not be taken. Outside loops nothing is gained
by it that would be worth a larger branch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import onnx_ir as ir

from onnx_graph.failing import may_raise
from onnx_graph.passes.editing import nested, owners
from onnx_graph.passes.safety import is_pure

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {
    "lookups": "a key that is there needs no place behind the others",
    "recurrences": "what a recurrence reads is told by where it stands",
    "fission": "what does not depend on the state leaves the loop",
}


def run(graph: ONNXGraph) -> int:
    """Sink, the last nodes first; return how many moved."""
    moved = 0
    for node, branch in _found(graph):
        assert node.graph is not None
        node.graph.remove(node)
        branch.insert_before(branch[0], node)
        moved += 1
    return moved


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """Nothing that cannot fail is computed on every turn for one branch of an If."""
    for node, _ in _found(graph):
        yield f"only one branch reads this {node.op_type}"


def _found(graph: ONNXGraph) -> Iterator[tuple[ir.Node, ir.Graph]]:
    """Yield nodes, each with the branch that reads it; one may be moved before the next."""
    held = owners(graph.main.graph)
    for scope in list(nested(graph.main.graph))[::-1]:
        if not _is_repeated(scope, held):
            continue
        for node in list(scope)[::-1]:
            branch = _reader(node, held) if is_pure(node) and not may_raise(node) else None
            if branch is not None:
                yield node, branch


def _is_repeated(scope: ir.Graph, held: Mapping[int, tuple[ir.Node, str]]) -> bool:
    """Tell whether a graph is the body of a Loop, or inside one."""
    home: ir.Graph | ir.Function | None = scope
    while id(home) in held:
        node, _ = held[id(home)]
        if node.op_type == "Loop":
            return True
        home = node.graph
    return False


def _reader(node: ir.Node, held: Mapping[int, tuple[ir.Node, str]]) -> ir.Graph | None:
    """Return the branch of an If beside a node in which all that reads it is, if there is one."""
    branches = set()
    for value in node.outputs:
        if value.is_graph_output():
            return None
        for use in value.uses():
            home = use.node.graph
            while id(home) in held and held[id(home)][0].graph is not node.graph:
                home = held[id(home)][0].graph
            if id(home) not in held or held[id(home)][0].op_type != "If":
                return None
            branches.add(home)
    (branch, *others) = branches or (None,)
    return branch if not others and type(branch) is ir.Graph else None
