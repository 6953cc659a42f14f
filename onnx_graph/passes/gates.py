"""Puts gates that alternate in a product one after the other, so that they need no Reshape.

z = Gemm(x, W, b)                                     # z: [m, n * k], W: [i, n * k]
a, c = Squeeze(Split<axis=2>(Reshape(z, [m, n, k])))  # the columns 0, k, 2k, … and 1, k + 1, …
z = Gemm(x, W.gates, b.gates)                         # the same columns in the order of the gates
a, c = Split<axis=1>(z)

`F.lstm` and its relatives take gates so. Sums of such products and constant vectors count as well.
A weight moves where all that read it are such products; not in a graph that takes other weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import is_known, same
from onnx_graph.passes.editing import nested, surely_replace
from onnx_graph.passes.shared_weights import turns
from onnx_graph.values import const_array, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {
    "identities": "a copy between a product and its gates hides them",
    "duplicates": "which leaves one of two products that are alike",
}
ORDERED = ".gates"
"""What the name of a weight gets, whose columns are in the order of the gates."""


@dataclass
class _Gates:
    """A Reshape that takes a sum of products apart.

    Attributes:
        weights: The constants of the sum, each with the axis that has the gates, and where it is
            read: a node and the number of the operand.
    """

    reshape: ir.Node
    split: ir.Node
    squeezes: list[ir.Node]
    width: int
    count: int
    weights: list[tuple[Value, int, ir.Node, int]]


def run(graph: ONNXGraph) -> int:
    """Order gates; return how many sums of products."""
    found = _found(graph)
    moved: dict[tuple[int, int], Value] = {}
    for gates in found:
        order = np.arange(gates.width * gates.count).reshape(gates.width, gates.count).T.ravel()
        for value, axis, node, index in gates.weights:
            if (id(value), axis) not in moved:
                array = np.take(graph.array_of(value), order, axis=axis)
                moved[id(value), axis] = graph.initializer(f"{value.name}{ORDERED}", array)
            node.replace_input_with(index, moved[id(value), axis])
            if not value.uses() and value.name is not None:
                del graph.main.graph.initializers[value.name]
        _take_apart(graph, gates)
    return len(found)


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No product of weights that can move has gates that alternate."""
    for gates in _found(graph):
        yield f"{gates.reshape.outputs[0].name} has gates that alternate"


def _found(graph: ONNXGraph) -> list[_Gates]:
    """Return what can be ordered: every weight of it is read by such sums alone, in one way."""
    if graph.open_weights:
        return []
    found = [
        gates
        for scope in nested(graph.main.graph)
        for node in scope
        if node.op_type == "Reshape" and (gates := _gates_of(node)) is not None
    ]
    while True:
        ways: dict[int, set[tuple[int, int, int]]] = {}
        readers: dict[int, int] = {}
        for gates in found:
            for value, axis, _, _ in gates.weights:
                ways.setdefault(id(value), set()).add((axis, gates.width, gates.count))
                readers[id(value)] = readers.get(id(value), 0) + 1
        fit = [
            gates
            for gates in found
            if all(
                len(ways[id(value)]) == 1 and readers[id(value)] == len(value.uses())
                for value, *_ in gates.weights
            )
        ]
        if len(fit) == len(found):
            return found
        found = fit


def _gates_of(reshape: ir.Node) -> _Gates | None:
    whole, parts = reshape.inputs[0], shape_or_none(reshape.outputs[0])
    split = _only_reader(reshape.outputs[0], "Split")
    if whole is None or split is None or parts is None or len(parts) != 3:
        return None
    before = shape_or_none(whole)
    rows, *sizes = parts
    if before is None or len(before) != 2 or not same(before[0], rows):
        return None
    numbers = [size for size in (*sizes, before[1]) if is_known(size)]
    if len(numbers) != 3 or numbers[0] * numbers[1] != numbers[2]:
        return None
    squeezes = [_only_reader(value, "Squeeze") for value in split.outputs]
    width, count, size = numbers
    single = len(squeezes) == count and _axis(split, 3) == 2
    if not single or not all(one is not None and _squeezes_last(one) for one in squeezes):
        return None
    weights = _weights(whole, size)
    kept = [one for one in squeezes if one is not None]
    return None if not weights else _Gates(reshape, split, kept, width, count, weights)


def _only_reader(value: Value, op_type: str) -> ir.Node | None:
    uses = list(value.uses())
    if len(uses) != 1 or value.is_graph_output() or uses[0].idx != 0:
        return None
    node = uses[0].node
    return node if node.op_type == op_type and node.graph is value.graph else None


def _axis(node: ir.Node, rank: int) -> int:
    return node.attributes["axis"].as_int() % rank if "axis" in node.attributes else 0


def _squeezes_last(node: ir.Node) -> bool:
    axes = None if len(node.inputs) < 2 or node.inputs[1] is None else const_array(node.inputs[1])
    return axes is not None and axes.tolist() in ([2], [-1])


def _weights(value: Value, size: int) -> list[tuple[Value, int, ir.Node, int]] | None:
    """Return the constants of a sum of products that only one node reads; None if it is another."""
    node = value.producer()
    readers = [use for use in value.uses() if use.node.op_type != "Shape"]
    if node is None or len(readers) != 1 or value.is_graph_output():
        return None
    if node.op_type in ("Gemm", "MatMul"):
        places = [(1, 0 if node.op_type == "Gemm" and turns(node) else 1)]
        if len(node.inputs) > 2 and node.inputs[2] is not None:
            places.append((2, 0))
        if node.op_type == "MatMul" and len(shape_or_none(node.inputs[0] or value) or ()) != 2:
            return None
        return _constants(node, places, size)
    if node.op_type != "Add":
        return None
    found: list[tuple[Value, int, ir.Node, int]] = []
    for index, part in enumerate(node.inputs):
        constant = part is not None and part.is_initializer()
        weights = None
        if constant:
            weights = _constants(node, [(index, 0)], size)
        elif part is not None and part.graph is value.graph:
            weights = _weights(part, size)
        if weights is None:
            return None
        found += weights
    return found


def _constants(
    node: ir.Node, places: list[tuple[int, int]], size: int
) -> list[tuple[Value, int, ir.Node, int]] | None:
    """Return operands of a node, if they are weights that have the gates on these axes."""
    found = []
    for index, axis in places:
        value = node.inputs[index]
        dims = None if value is None else shape_or_none(value)
        if value is None or dims is None or not value.is_initializer() or value.is_graph_output():
            return None
        if len(dims) != (2 if index == 1 and node.op_type != "Add" else 1) or dims[axis] != size:
            return None
        found.append((value, axis, node, index))
    return found


def _take_apart(graph: ONNXGraph, gates: _Gates) -> None:
    """Split the sum itself into its gates."""
    whole = gates.reshape.inputs[0]
    assert whole is not None and whole.type is not None and gates.reshape.graph is not None
    dims = shape_or_none(whole)
    assert dims is not None
    sizes = graph.constant(np.full(gates.count, gates.width, np.int64))
    parts = graph.emit_into(
        graph.owner(whole),
        "Split",
        [whole, sizes],
        {"axis": 1},
        gates.count,
        after=gates.reshape.outputs[0],
        types=[(whole.type, (dims[0], gates.width))] * gates.count,
    )
    for squeeze, part in zip(gates.squeezes, parts, strict=True):
        surely_replace(graph, squeeze.outputs[0], part)
        gates.reshape.graph.remove(squeeze, safe=True)
    for node in (gates.split, gates.reshape):
        gates.reshape.graph.remove(node, safe=True)
