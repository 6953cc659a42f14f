"""Lets checks that inputs are not empty come first, where that decides branches after them.

    y = If(Greater(n, 0)) { Exp(x) } { Neg(z) }       # x: float[n]
    range_1 = Range(0, 0, Cast(Greater(n, 0)))        # a check, and what ties y to it

    range_1 = Range(0, 0, Cast(n))
    y = Exp(Reshape(x, Add(Shape(x), Size(range_1))))

A program that fails after a loop of no turn fails before it, too; what would come of the loop then
need not be computed. All that reads an input with such a size waits for the check, and so do all
results. A check does not move past another one that asks for something else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.checks import tie
from onnx_graph.dims import Dim, compare, substitute, symbols, terms_of
from onnx_graph.marks import CHECK
from onnx_graph.passes.editing import before, bodies, captures, nested
from onnx_graph.passes.empties import size_asked
from onnx_graph.values import (
    const_array,
    entries_of,
    is_truth,
    set_contents,
    shape_or_none,
)

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {
    "at_once": "which makes one check of many",
    "constants": "a check that holds is gone",
}

_COMPARED = {
    "Greater": ">",
    "GreaterOrEqual": ">=",
    "Less": "<",
    "LessOrEqual": "<=",
    "Equal": "==",
}


@dataclass
class _First:
    """Checks that can come first.

    Attributes:
        checks: The checks, each with the names of the sizes of which it asks that none is 0.
        inputs: The inputs that have such a size.
        decided: What is known then of truths.
    """

    checks: list[tuple[ir.Node, set[str]]]
    inputs: list[Value]
    decided: list[tuple[Value, bool]]


def run(graph: ONNXGraph) -> int:
    """Move checks to the beginning; return how many, and what they decide."""
    found = _found(graph)
    if found is None:
        return 0
    for value, truth in found.decided:
        value.replace_all_uses_with(graph.constant(np.array(truth)))
    _move(graph, found)
    graph.positive.update(name for _, names in found.checks for name in names)
    return len(found.checks) + len(found.decided)


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No check of an input's sizes decides what stands before it."""
    found = _found(graph)
    if found is not None:
        yield f"{len(found.checks)} checks decide {len(found.decided)} truths"


def at_least_one(graph: ONNXGraph, size: int | Dim) -> int | Dim:
    """Return a size by names that may be 0, where the graph has checked that its own are not."""
    return substitute(size, {name: Dim(name) + 1 for name in graph.positive})


def _found(graph: ONNXGraph) -> _First | None:
    inputs = {name for value in graph.main.graph.inputs for name in _names(value)}
    checks: list[tuple[ir.Node, set[str]]] = []
    for node in _checks(graph.main.graph):
        names = _asked(node) if node.graph is graph.main.graph else None
        sized = all(use.node.op_type == "Size" for use in node.outputs[0].uses())
        if not names or not sized or not names <= inputs:
            break
        checks.append((node, names))
    known = {name for _, names in checks for name in names}
    tied = [value for value in graph.main.graph.inputs if known & set(_names(value))]
    decided = list(_decided(graph, known, {node for node, _ in checks})) if known else []
    fits = decided and _all_wait(graph, tied)
    return _First(checks, tied, decided) if fits else None


def _names(value: Value) -> list[str]:
    """Return the sizes of an input that are names."""
    dims = shape_or_none(value) if type(value.type) is ir.TensorType else None
    return [str(dim) for dim in dims or () if symbols(dim) == {str(dim)}]


def _checks(scope: ir.Graph) -> Iterator[ir.Node]:
    """Yield all checks, in the order of the program."""
    for node in scope:
        if CHECK in node.meta:
            yield node
        for body in bodies(node):
            yield from _checks(body)


def _asked(check: ir.Node) -> set[str] | None:
    """Return the sizes of which a check asks that none is 0; None if it asks something else."""
    cast = _cast(check)
    asked = None if cast is None or cast.op_type != "Cast" else size_asked(cast.inputs[0])
    terms = {} if asked is None or asked[1] else terms_of(asked[0])
    if len(terms) != 1 or min(terms.values()) < 1:
        return None
    (atoms,) = terms
    plain = all(atom.kind == "symbol" for atom in atoms)
    return {atom.text for atom in atoms} if plain else None


def _decided(
    graph: ONNXGraph, names: set[str], checks: set[ir.Node]
) -> Iterator[tuple[Value, bool]]:
    """Yield comparisons of sizes that are known where none of these is 0, but for the checks'."""
    more = {name: Dim(name) + 1 for name in names}
    casts = {_cast(check) for check in checks}
    for scope in nested(graph.main.graph):
        for node in scope:
            operator = _COMPARED.get(node.op_type)
            if operator is None or None in node.inputs or node.outputs[0].is_graph_output():
                continue
            sizes = [entries_of(one) for one in node.inputs if one is not None]
            if any(len(one) != 1 or one[0] is None for one in sizes):
                continue
            left, right = (substitute(size, more) for (size,) in sizes if size is not None)
            truth = compare(left, operator, right)
            used = {use.node for use in node.outputs[0].uses()} - casts
            if truth is not None and used and is_truth(node.outputs[0]):
                yield node.outputs[0], truth


def _cast(check: ir.Node) -> ir.Node | None:
    step = check.inputs[2]
    return None if step is None else step.producer()


def _all_wait(graph: ONNXGraph, inputs: Sequence[Value]) -> bool:
    """Tell whether all results depend on one of these inputs."""
    reached = set(inputs)
    for node in graph.main.graph:
        if any(value in reached for value in captures(node)):
            reached.update(node.outputs)
    return all(value in reached for value in graph.main.graph.outputs)


def _move(graph: ONNXGraph, found: _First) -> None:
    """Put the checks first, and let the inputs wait for them."""
    main = graph.main.graph
    readers = {value: list(value.uses()) for value in found.inputs}
    with before(graph, main[0]):
        token = graph.constant(0)
        for check, names in found.checks:
            sizes = [_size(graph, found.inputs, name) for name in names]
            check.replace_input_with(2, graph.Cast(reduce(graph.Mul, sizes), to=np.float64))
            main.remove(check)
            main.append(check)
            token = _joined(graph, token, check)
        tied = {value: tie(graph, value, token) for value in found.inputs}
    for value, uses in readers.items():
        for use in uses:
            use.node.replace_input_with(use.idx, tied[value])


def _size(graph: ONNXGraph, inputs: Sequence[Value], name: str) -> Value:
    value = next(value for value in inputs if name in _names(value))
    axis = [str(dim) for dim in shape_or_none(value) or ()].index(name)
    size: Value = graph.Gather(graph.Shape(value), axis, axis=0)
    return size


def _joined(graph: ONNXGraph, token: Value, check: ir.Node) -> Value:
    """Return the sum of a token and that of a check, for which nothing else waits any more."""
    for use in list(check.outputs[0].uses()):
        use.node.outputs[0].replace_all_uses_with(graph.constant(0))
    made: Value = graph.Size(check.outputs[0])
    set_contents(made, None)
    return made if const_array(token) is not None else graph.Add(token, made)
