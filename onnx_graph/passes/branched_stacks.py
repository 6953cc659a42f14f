"""Takes a list that is a stack in one branch, and empty in the other, out of an If as a stack.

l = If(c) { SplitToSequence(s) } { SequenceEmpty() }
l = SplitToSequence(If(c) { s } { Expand(0, [0, …]) }, axis=0, keepdims=0)

The empty stack gets its sizes from whatever has them outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.control import may_be_result
from onnx_graph.dims import Dim, add, compare, is_known, substitute, symbols
from onnx_graph.passes.editing import bodies, copied, drop, nested, remade, surely_replace
from onnx_graph.passes.empties import size_asked
from onnx_graph.values import (
    dims_of,
    dtype_of,
    is_empty_sequence,
    is_tensor,
    shape_or_none,
)

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {"stacks": "what a Loop appends to is no stack before"}

#: A value and which of its axes has a size; None and the size, where it is a number.
_Size = tuple[Value | None, int]


def run(graph: ONNXGraph) -> int:
    """Let Ifs give stacks; return how many."""
    changed = 0
    for scope in list(nested(graph.main.graph)):
        for node, index, stack in list(_found(graph, scope)):
            if node.graph is scope:
                changed += _take_out(graph, node, index, stack)
    return changed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No If gives a list that is a stack in one branch, and empty in the other.

    It stays where nothing outside has the sizes of an element.
    """
    for scope in nested(graph.main.graph):
        for node, index, stack in _found(graph, scope):
            if _empty_shape(graph, node, stack) is not None:
                yield f"result {index} of an If is a stack or empty"


def _found(graph: ONNXGraph, scope: ir.Graph) -> Iterator[tuple[ir.Node, int, Value]]:
    """Yield the last such result of each If of a scope, and the stack."""
    for node in scope:
        if node.op_type != "If":
            continue
        for index in reversed(range(len(node.outputs))):
            sides = [body.outputs[index] for body in bodies(node)]
            empty = [is_empty_sequence(side) for side in sides]
            if sum(empty) != 1:
                continue
            stack = _stack_of(sides[empty.index(False)])
            if stack is not None and not node.outputs[index].is_graph_output():
                yield node, index, stack
                break


def _stack_of(list_: Value) -> Value | None:
    split = list_.producer()
    if split is None or split.op_type != "SplitToSequence" or split.graph is not list_.graph:
        return None
    keep, axis = split.attributes.get("keepdims"), split.attributes.get("axis")
    whole = len(split.inputs) == 1 and axis is not None and axis.as_int() == 0
    if not whole or keep is None or keep.as_int() != 0:
        return None
    stack = split.inputs[0]
    return None if stack is None or stack.shape is None else stack


def _take_out(graph: ONNXGraph, node: ir.Node, index: int, stack: Value) -> int:
    sizes = _empty_shape(graph, node, stack)
    if sizes is None:
        return 0
    home, old = graph.owner(node.outputs[0]), node.outputs[index]
    assert old.type is not None and stack.type is not None and node.graph is not None
    first = _joined(graph, node, stack)
    for body in bodies(node):
        list_ = body.outputs[index]
        scope = graph.owner(list_)
        drop(body.outputs, [index])
        if not is_empty_sequence(list_):
            made = stack
            if stack.graph is not body or stack.is_graph_output() or not may_be_result(body, stack):
                made = copied(graph, scope, stack)
        else:
            parts = [graph.constant(np.array([0], np.int64))]
            for part in sizes:
                value, axis = part
                if value is None:
                    parts.append(graph.constant(np.array([axis], np.int64)))
                else:
                    ends = {"start": axis, "end": axis + 1}
                    parts.extend(graph.emit_into(scope, "Shape", [value], ends))
            (shape,) = graph.emit_into(scope, "Concat", list(parts), {"axis": 0})
            zero = graph.constant(np.zeros((), dtype_of(stack)))
            kind = [(stack.type, (0, *dims_of(stack)[1:]))]
            (made,) = graph.emit_into(scope, "Expand", [zero, shape], {}, types=kind)
        body.outputs.append(made)
    whole = Value(type=stack.type, shape=ir.Shape([first, *dims_of(stack)[1:]]))
    kept = [place for place in range(len(node.outputs)) if place != index]
    remade(graph, node, list(node.inputs), kept, [whole])
    types = [(old.type, shape_or_none(old))]
    split = {"axis": 0, "keepdims": 0}
    (list_,) = graph.emit_into(home, "SplitToSequence", [whole], split, after=whole, types=types)
    surely_replace(graph, old, list_)
    node.graph.remove(node, safe=True)
    return 1


def _empty_shape(graph: ONNXGraph, node: ir.Node, stack: Value) -> list[_Size] | None:
    """Return where the sizes of an element are found before an If; None if one is nowhere."""
    before = _sizes_before(graph, node)
    sizes = [(None, d) if is_known(d) else before.get(str(d)) for d in dims_of(stack)[1:]]
    found = [size for size in sizes if size is not None]
    return found if len(found) == len(sizes) else None


def _sizes_before(graph: ONNXGraph, node: ir.Node) -> dict[str, _Size]:
    """Return values that are there before a node, by the sizes that they have."""
    known: dict[str, _Size] = {}
    scope = graph.owner(node.outputs[0])
    for enclosing in scope.chain():
        values = [*enclosing.graph.inputs]
        for other in enclosing.graph:
            if other is node or any(
                node.graph is inner for b in bodies(other) for inner in nested(b)
            ):
                break
            values += other.outputs
        for value in values:
            if is_tensor(value):
                for axis, dim in enumerate(shape_or_none(value) or ()):
                    known.setdefault(str(dim), (value, axis))
    return known


def _joined(graph: ONNXGraph, node: ir.Node, stack: Value) -> int | Dim:
    """Return how many elements there are: a size that is none where the list is empty."""
    length = dims_of(stack)[0]
    asked = size_asked(node.inputs[0])
    if asked is not None:
        size, zero = asked
        symbol = str(size)
        empty = node.attributes["then_branch" if zero else "else_branch"].as_graph().outputs
        if symbols(size) == {symbol} and any(map(is_empty_sequence, empty)):
            one_more = add(Dim(symbol), 1)
            if compare(substitute(length, {symbol: one_more}), "==", one_more):
                return size
    return graph.fresh_dim(graph.owner(node.outputs[0]))
