"""Computes sums of products over the turns of a Loop as one product after it.

s = Loop(n, True, z) body (…, c) => (True, Add(c, MatMul(Transpose(a), b)))
A, B = Loop(n, True) body (…)    => (True, a, b)
s = Gemm(Reshape(A, [-1, m]), Reshape(B, [-1, n]), z, transA=1)

So are sums of rows that each turn adds at indices, by ScatterElements, and sums of all rows of a
matrix, which are its product with ones. Gradients of parameters that all turns use are such sums:
of the size of the parameter, in each turn. Nobody may read the sum within the loop, and the sizes
must be those of all turns. Without a turn, the sum is what it begins with, -0.0 as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.control import may_be_result
from onnx_graph.dims import Dim, is_known, symbols
from onnx_graph.passes.editing import (
    bodies,
    copied,
    drop,
    nested,
    remade,
    surely_replace,
    used,
)
from onnx_graph.passes.stacks import turns_of
from onnx_graph.values import const_array, dims_of, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph
    from onnx_graph.scopes import Scope

AFTER: Mapping[str, str] = {
    "at_once": "a loop that is no loop any more sums at once",
}

_FLOATS = (ir.DataType.FLOAT, ir.DataType.DOUBLE)


def run(graph: ONNXGraph) -> int:
    """Move sums out of loops, the inner ones first; return how many."""
    moved = 0
    for scope in list(nested(graph.main.graph)):
        for node in list(scope):
            if node.op_type == "Loop":
                moved += _loop(graph, node)
    return moved


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No Loop adds products up that it does not read."""
    for scope in nested(graph.main.graph):
        for node in scope:
            if node.op_type == "Loop":
                for index in _summed(graph, node):
                    yield f"carried value {index} is a sum of products"


@dataclass(frozen=True)
class _Term:
    """What a turn adds: the product of one value, turned, with another, or rows at indices, or all.

    Attributes:
        left: What is turned, or the indices; None for the sum of all rows.
        right: What it is multiplied with, or the rows.
        is_product: It is a product.
    """

    left: Value | None
    right: Value
    is_product: bool

    @property
    def parts(self) -> list[Value]:
        """What a turn has of it."""
        return [self.right] if self.left is None else [self.left, self.right]


def _loop(graph: ONNXGraph, node: ir.Node) -> int:
    summed = _summed(graph, node)
    if not summed:
        return 0
    (body,) = bodies(node)
    home = graph.owner(node.outputs[0])
    sums = [(node.outputs[index], node.inputs[index + 2]) for index in summed]
    carried = [body.inputs[index + 2] for index in summed]
    ends = [body.outputs[index + 1] for index in summed]
    terms = [term for found in summed.values() for term in found]
    drop(body.outputs, [index + 1 for index in summed])
    for end, inner in zip(ends, carried, strict=True):
        _remove_sum(body, end, inner)
    drop(body.inputs, [index + 2 for index in summed])
    stacks = _Stacks(graph, node, body)
    stacks.add(value for term in terms for value in term.parts)
    operands = [x for place, x in enumerate(node.inputs) if place - 2 not in summed]
    kept = [place for place in range(len(node.outputs)) if place not in summed]
    stacks.close(node, remade(graph, node, operands, kept, stacks.added))
    for (old, start), found in zip(sums, summed.values(), strict=True):
        assert start is not None
        surely_replace(graph, old, _total(graph, home, stacks, start, found))
    assert node.graph is not None
    node.graph.remove(node, safe=True)
    return len(summed)


def _summed(graph: ONNXGraph, node: ir.Node) -> dict[int, list[_Term]]:
    """Return which carried values are sums, each with what a turn adds."""
    (body,) = bodies(node)
    found: dict[int, list[_Term]] = {}
    for index in range(len(node.inputs) - 2):
        terms = _terms(graph, node, body, index)
        if terms is not None:
            found[index] = terms
    return found


def _terms(graph: ONNXGraph, node: ir.Node, body: ir.Graph, index: int) -> list[_Term] | None:
    """Return what a turn adds to a carried value that it does not read otherwise."""
    inner, end = body.inputs[index + 2], body.outputs[index + 1]
    sizes = shape_or_none(end)
    alone = len(inner.uses()) == 1 and not inner.is_graph_output() and not end.uses()
    if not alone or sizes is None or len(sizes) not in (1, 2) or end.dtype not in _FLOATS:
        return None
    if sum(value is end for value in body.outputs) != 1 or not all(map(is_known, sizes)):
        return None
    parts = list(_parts(body, end, sizes))
    if sum(part is inner for part in parts) != 1 or len(parts) == 1 or 0 in sizes:
        return None
    home = graph.owner(node.outputs[0])
    terms = [_term(graph, home, body, part) for part in parts if part is not inner]
    known = [term for term in terms if term is not None]
    return known if len(known) == len(terms) else None


def _parts(body: ir.Graph, value: Value, sizes: Sequence[int | Dim]) -> Iterator[Value]:
    """Yield what a value is the sum of, all of it of the same sizes."""
    node = value.producer()
    if node is not None and node.op_type == "Add" and node.graph is body:
        shapes = [None if part is None else shape_or_none(part) for part in node.inputs]
        alike = [shape is not None and list(shape) == list(sizes) for shape in shapes]
        if all(alike) and len(value.uses()) + value.is_graph_output() == 1:
            for part in node.inputs:
                assert part is not None
                yield from _parts(body, part, sizes)
            return
    yield value


def _term(graph: ONNXGraph, home: Scope, body: ir.Graph, value: Value) -> _Term | None:
    node = value.producer()
    if node is None or node.graph is not body:
        return None
    left, right, *_ = (*node.inputs, None)
    if node.op_type == "ReduceSum":
        found = _Term(None, left, True) if left is not None and _adds_all(node) else None
    elif node.op_type == "MatMul" and left is not None and right is not None:
        turned = left.producer()
        if turned is None or turned.op_type != "Transpose" or turned.graph is not body:
            return None
        (source,) = turned.inputs
        assert source is not None
        found = _Term(source, right, True)
    elif node.op_type == "ScatterElements" and _adds_rows(node):
        _, places, rows = node.inputs
        assert places is not None and rows is not None
        found = _Term(places, rows, False)
    else:
        return None
    if found is None or not all(_is_even(graph, home, body, part) for part in found.parts):
        return None
    return found


def _adds_all(node: ir.Node) -> bool:
    """Tell whether a ReduceSum adds the rows of its operand."""
    axes = None if len(node.inputs) < 2 or node.inputs[1] is None else const_array(node.inputs[1])
    keeps = "keepdims" not in node.attributes or node.attributes["keepdims"].as_int()
    return axes is not None and axes.tolist() == [0] and not keeps


def _adds_rows(node: ir.Node) -> bool:
    """Tell whether a ScatterElements adds rows to zeros."""
    attributes, zeros = node.attributes, node.inputs[0]
    array = None if zeros is None else const_array(zeros)
    is_sum = "reduction" in attributes and attributes["reduction"].as_string() == "add"
    axis = attributes["axis"].as_int() if "axis" in attributes else 0
    return is_sum and axis == 0 and array is not None and not array.any()


def _is_even(graph: ONNXGraph, home: Scope, body: ir.Graph, value: Value) -> bool:
    """Tell whether a matrix of a turn has the same sizes in all turns, and a known width."""
    dims = shape_or_none(value)
    if value.graph is not body or dims is None or len(dims) != 2 or symbols(dims[1]):
        return False
    return all(scope.encloses(home) for dim in dims for scope in graph.birthplace(dim))


def _remove_sum(body: ir.Graph, end: Value, inner: Value) -> None:
    """Remove the sums that a carried value was part of."""
    open_ = [end]
    while open_:
        value = open_.pop()
        node = value.producer()
        if value is inner or node is None or node.op_type != "Add" or used(node):
            continue
        assert node.graph is body
        parts = [part for part in node.inputs if part is not None]
        for place in range(len(node.inputs)):
            node.replace_input_with(place, None)
        body.remove(node)
        open_ += parts


class _Stacks:
    """What a Loop gives of all its turns."""

    def __init__(self, graph: ONNXGraph, loop: ir.Node, body: ir.Graph) -> None:
        self._graph, self._body, self._home = graph, body, graph.owner(loop.outputs[0])
        self._inside = graph.owner(body.inputs[0])
        self._turns = turns_of(graph, loop)
        self._place: dict[Value, int] = {}
        self._of: dict[Value, Value] = {}
        self.added: list[Value] = []

    def add(self, values: Iterable[Value]) -> None:
        """Let the Loop stack some values of its body."""
        for value in dict.fromkeys(values):
            kept = value
            if value.is_graph_output() or not may_be_result(self._body, value):
                kept = copied(self._graph, self._inside, value)
            self._place[value] = len(self.added)
            self._body.outputs.append(kept)
            sizes: list[int | Dim] = [self._turns]
            for dim in dims_of(value):  # without a turn onnxruntime takes 0 for what is no number
                sizes.append(self._graph.fresh_dim(self._home) if symbols(dim) else dim)
            self.added.append(Value(type=value.type, shape=ir.Shape(sizes)))

    def close(self, old: ir.Node, new: ir.Node) -> None:
        """Take the stacks of the Loop that stands for the one before."""
        first = len(new.outputs) - len(self.added)
        for value, place in self._place.items():
            self._of[value] = new.outputs[first + place]

    def rows(self, value: Value, after: Value) -> Value:
        """Return the rows of a value in all turns."""
        graph, stack = self._graph, self._of[value]
        count, width = dims_of(value)
        shape = graph.constant(np.array([-1, width], np.int64))
        assert stack.type is not None
        types = [(stack.type, (self._turns * count, width))]
        operands = [stack, shape]
        (rows,) = graph.emit_into(self._home, "Reshape", operands, {}, after=after, types=types)
        return rows


def _total(
    graph: ONNXGraph, home: Scope, stacks: _Stacks, start: Value, terms: Sequence[_Term]
) -> Value:
    """Return the sum over all turns."""
    total, last = start, stacks.added[0]
    for term in terms:
        left = None if term.left is None else stacks.rows(term.left, last)
        right = stacks.rows(term.right, last if left is None else left)
        if left is None:
            total = last = _sum_of_rows(graph, home, right, total)
            continue
        assert total.type is not None
        types = [(total.type, dims_of(start))]
        op, values, attributes = (
            ("Gemm", [left, right, total], {"transA": 1})
            if term.is_product
            else ("ScatterElements", [total, left, right], {"axis": 0, "reduction": "add"})
        )
        (total,) = graph.emit_into(home, op, values, attributes, after=right, types=types)
        last = total
    return total


def _sum_of_rows(graph: ONNXGraph, home: Scope, rows: Value, start: Value) -> Value:
    """Return a vector with the rows of a matrix added: none of them leaves -0.0 what it is."""
    last = rows

    def emitted(op: str, *values: Value, **attributes: int) -> Value:
        nonlocal last
        (last,) = graph.emit_into(home, op, list(values), attributes, after=last)
        return last

    assert start.dtype is not None
    shape, axis = emitted("Shape", rows, start=0, end=1), graph.constant([0])
    ones = emitted("Expand", graph.constant(np.ones(1, start.dtype.numpy())), shape)
    row = emitted("Unsqueeze", ones, axis)
    first = emitted("Unsqueeze", start, axis)
    return emitted("Squeeze", emitted("Gemm", row, rows, first), axis)
