"""What a pass says of itself, and what all of them keep; the tests hold each pass to both.

A file of a pass has

    AFTER = {"unused": "…"}        # which passes come before it in the list, and why
    def run(graph) -> int          # change the graph; how often
    def ensures(graph)             # yield what it left over: nothing, once `run` has returned 0

`faults` yields what is wrong with a graph, before as after any pass. `Kept` is what a pass may not
change: the results with their types, and the checks with their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

import onnx_ir as ir

from onnx_graph import operands
from onnx_graph.control import may_be_result
from onnx_graph.dims import Dim
from onnx_graph.errors import GraphError
from onnx_graph.marks import CHECK
from onnx_graph.passes.editing import OUTPUTS_FIRST, bodies
from onnx_graph.schemas import signature
from onnx_graph.values import describe, shape_or_none, type_name

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

DROPS_CHECKS: Mapping[str, str] = {
    "constants": "a check that holds is a constant",
    "at_once": "a check of each turn is one of all turns",
    "conditions": "a branch that is never taken goes with its checks",
    "duplicates": "the same check twice is one check",
    "size_checks": "a check of sizes is a Reshape",
}
"""Which passes may leave fewer checks than they find, and why."""


UNKNOWN = "unknown"
"""What a size is called that nobody knows."""


class Pass(Protocol):
    """A file of this folder, as a type."""

    AFTER: Mapping[str, str]

    def run(self, graph: ONNXGraph) -> int:
        """Change a graph; return how often."""

    def ensures(self, graph: ONNXGraph) -> Iterator[str]:
        """Yield what the pass would still change: nothing, once `run` has returned 0."""


def faults(graph: ONNXGraph) -> Iterator[str]:
    """Yield what is wrong with a graph that is built, before or after any pass."""
    if graph.scope is not graph.main:
        yield "a body is still being built"
    if list(graph.outputs.values()) != list(graph.main.graph.outputs):
        yield "the results by name are not those of the main graph"
    initializers = {id(value) for value in graph.main.graph.initializers.values()}
    yield from _scope_faults(graph, graph.main.graph, initializers)


def _scope_faults(graph: ONNXGraph, scope: ir.Graph, outer: set[int]) -> Iterator[str]:
    """Go through a scope in order; `outer` holds the values that are there before it."""
    seen = outer | {id(value) for value in scope.inputs}
    for node in scope:
        for index, value in enumerate(node.inputs):
            if value is not None and id(value) not in seen:
                yield f"operand {index} of this {node.op_type}, {describe(value)}, is not visible"
        yield from _type_faults(graph, node)
        for body in bodies(node):
            yield from _scope_faults(graph, body, seen)
        yield from _shape_of_bodies(node)
        seen.update(id(value) for value in node.outputs)
    if len({id(value) for value in scope.outputs}) != len(scope.outputs):
        yield f"{scope.name} returns a value twice"
    for value in scope.outputs:
        if value.graph is not scope or not may_be_result(scope, value):
            yield f"{scope.name} returns {describe(value)}, which is not its own"


def _type_faults(graph: ONNXGraph, node: ir.Node) -> Iterator[str]:
    try:
        schema = signature(node.op_type, graph.opset)
        operands.check(schema, list(node.inputs), list(node.inputs))
    except GraphError as error:
        yield str(error)
    for value in node.outputs:
        if value.type is None:
            yield f"a result of this {node.op_type} has no type"


def _shape_of_bodies(node: ir.Node) -> Iterator[str]:
    """Hold the bodies of an If or Loop against its operands and results."""
    if node.op_type not in OUTPUTS_FIRST:
        return
    own = OUTPUTS_FIRST[node.op_type]
    for body in bodies(node):
        if len(body.outputs) != own + len(node.outputs):
            yield f"{len(body.outputs)} results of a body for {len(node.outputs)} of its If or Loop"
            continue
        if node.op_type == "Loop" and len(body.inputs) != len(node.inputs):
            yield f"{len(body.inputs)} inputs of a body for {len(node.inputs)} of its Loop"
            continue
        for value, inner in zip(node.outputs, body.outputs[own:], strict=True):
            if value.type != inner.type:
                yield f"{type_name(inner.type)} in a body, {type_name(value.type)} after it"


class Kept:
    """What of a graph stays when passes run; made before one, asked after it."""

    def __init__(self, graph: ONNXGraph) -> None:
        """Remember the results and the checks."""
        self._results = list(_results(graph))
        self._checks = dict(_checks(graph.main.graph, ()))

    def changes(self, graph: ONNXGraph, *, drops_checks: bool) -> Iterator[str]:
        """Yield what is not what it was."""
        for before, after in zip(self._results, _results(graph), strict=True):
            if not _is_refined(before, after):
                yield f"{' '.join(before)} has become {' '.join(after)}"
        now = dict(_checks(graph.main.graph, ()))
        gone = [node.meta[CHECK] for node in self._checks if node not in now]
        if gone and not drops_checks:
            yield f"the checks {gone} are gone"
        left = [node for node in self._checks if node in now]
        for place, one in enumerate(left):
            for other in left[place + 1 :]:
                if _precedes(now[other], now[one]) and _precedes(
                    self._checks[one], self._checks[other]
                ):
                    yield f"{one.meta[CHECK]!r} comes after {other.meta[CHECK]!r} now"


_Place = tuple[tuple[int, str], ...]


def _results(graph: ONNXGraph) -> Iterator[list[str]]:
    """Yield each result with its type; what a size is called that nobody knows does not matter."""
    for name, value in graph.outputs.items():
        sizes = [
            UNKNOWN if _is_unknown(size) else str(size) for size in shape_or_none(value) or "?"
        ]
        yield [f"{name}:", type_name(value.type), *sizes]


def _is_refined(before: list[str], after: list[str]) -> bool:
    """Tell whether a result is what it was, but for sizes that were unknown."""
    return len(before) == len(after) and all(
        one in (UNKNOWN, other) for one, other in zip(before, after, strict=True)
    )


def _is_unknown(size: int | Dim | str) -> bool:
    return isinstance(size, Dim) and any(name.startswith("unk_") for name in size.free_symbols())


def _checks(scope: ir.Graph, outer: _Place) -> Iterator[tuple[ir.Node, _Place]]:
    """Yield the checks with where they stand: numbers of nodes, from the main graph inwards."""
    for number, node in enumerate(scope):
        if CHECK in node.meta:
            yield node, (*outer, (number, ""))
        for attribute in node.attributes.values():
            if attribute.type is ir.AttributeType.GRAPH:
                inside = (*outer, (number, attribute.name))
                yield from _checks(attribute.as_graph(), inside)


def _precedes(one: _Place, other: _Place) -> bool:
    """Tell whether what stands at one place runs before another; two branches never both run."""
    for (number, branch), (later, another) in zip(one, other, strict=False):
        if number != later or branch != another:
            return number < later
    return False
