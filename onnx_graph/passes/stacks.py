"""Stacks what a Loop appends to a list once a turn, in time linear in the turns.

l = Loop(n, True, SequenceEmpty()) body (…, l) => (True, SequenceInsert(l, v))
s = Loop(n, True)                  body (…)    => (True, v)
l = SplitToSequence(s, axis=0, keepdims=0)

A carried list costs a reference for each element and turn. The elements must have one shape, and
the body may not read the list. A list that begins with elements has them before those of the stack.
What reads single elements, the length or all of them at once then reads the tensor, and no sequence
is left; `branched_stacks` takes such a list through an If.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.control import may_be_result, turns
from onnx_graph.dims import Dim, is_known, same
from onnx_graph.passes.editing import (
    bodies,
    copied,
    drop,
    is_check,
    nested,
    original,
    remade,
    replace,
    surely_replace,
)
from onnx_graph.passes.sizes import learn
from onnx_graph.values import Dims, dims_of, is_empty_sequence, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph
    from onnx_graph.scopes import Scope


AFTER: Mapping[str, str] = {"unused": "a node that nobody uses may read the list"}


#: Element types that onnxruntime cannot split into lists.
NO_SPLIT = frozenset(
    ir.DataType[name] for name in ("UINT8", "INT8", "UINT16", "INT16", "UINT32", "UINT64")
)


def run(graph: ONNXGraph) -> int:
    """Stack lists; return how many lists and readings of lists were changed."""
    changed = 0
    for scope in list(nested(graph.main.graph)):
        for node in list(scope):
            if node.op_type == "Loop":
                changed += _loop(graph, node)
        for node in list(scope):
            if node.op_type in ("SequenceAt", "SequenceLength", "ConcatFromSequence"):
                changed += _read(graph, node)
    return changed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No Loop carries a list only to append to it once a turn, if its elements have one shape."""
    for scope in nested(graph.main.graph):
        for node in scope:
            if node.op_type == "Loop":
                (body,) = bodies(node)
                for index in range(len(node.inputs) - 2):
                    if _appended(graph, node, body, index) is not None:
                        yield f"carried list {index} is only appended to"


def _loop(graph: ONNXGraph, node: ir.Node) -> int:
    (body,) = bodies(node)
    carried = len(node.inputs) - 2
    changed = 0
    for index in reversed(range(carried)):
        element = _appended(graph, node, body, index)
        if element is not None:
            node = _stacked(graph, node, body, index, element)
            changed += 1
    return changed


def _appended(graph: ONNXGraph, node: ir.Node, body: ir.Graph, index: int) -> Value | None:
    """Return what is appended to a carried list, if that is all that happens to it."""
    start, inner, end = node.inputs[index + 2], body.inputs[index + 2], body.outputs[index + 1]
    producer = end.producer()
    if start is None or producer is None:
        return None
    if producer.op_type != "SequenceInsert" or producer.graph is not body:
        return None
    if producer.inputs[0] is not inner or any(v is not None for v in producer.inputs[2:]):
        return None
    alone = len(inner.uses()) == 1 and not end.uses() and not inner.is_graph_output()
    if not alone or sum(value is end for value in body.outputs) != 1:
        return None
    element = producer.inputs[1]
    assert element is not None
    dims = shape_or_none(element)
    home = graph.owner(node.outputs[0])
    if element.dtype in NO_SPLIT:
        return None
    if dims is None or not all(
        scope.encloses(home) for dim in dims for scope in graph.birthplace(dim)
    ):
        return None
    return element if is_empty_sequence(start) or _begins_alike(start, dims) else None


def _begins_alike(start: Value, dims: Dims) -> bool:
    """Tell whether a list is made of elements of these sizes."""
    producer = start.producer()
    if producer is None or producer.op_type != "SequenceConstruct":
        return False
    shapes = [shape_or_none(value) for value in producer.inputs if value is not None]
    return all(
        shape is not None and len(shape) == len(dims) and all(map(same, shape, dims))
        for shape in shapes
    )


def _stacked(
    graph: ONNXGraph, node: ir.Node, body: ir.Graph, index: int, element: Value
) -> ir.Node:
    """Rebuild a Loop with a stack in the place of a carried list."""
    home, inside = graph.owner(node.outputs[0]), graph.owner(body.inputs[0])
    list_, start = node.outputs[index], node.inputs[index + 2]
    insert = body.outputs[index + 1].producer()
    assert insert is not None
    drop(body.outputs, [index + 1])
    for position in range(len(insert.inputs)):
        insert.replace_input_with(position, None)
    body.remove(insert)
    drop(body.inputs, [index + 2])
    if element.graph is not body or element.is_graph_output() or not may_be_result(body, element):
        element = copied(graph, inside, element)
    body.outputs.append(element)
    sizes: list[int | Dim] = [turns_of(graph, node)]
    sizes += [d if is_known(d) else graph.fresh_dim(home) for d in dims_of(element)]
    stack = Value(type=element.type, shape=ir.Shape(sizes))
    operands = [value for position, value in enumerate(node.inputs) if position != index + 2]
    kept = [position for position in range(len(node.outputs)) if position != index]
    new = remade(graph, node, operands, kept, [stack])
    assert node.graph is not None and list_.type is not None and start is not None
    if not is_empty_sequence(start):
        stack = _after(graph, home, start, stack)
    types = [(list_.type, shape_or_none(list_))]
    (split,) = graph.emit_into(
        home, "SplitToSequence", [stack], {"axis": 0, "keepdims": 0}, after=stack, types=types
    )
    surely_replace(graph, list_, split)
    node.graph.remove(node, safe=True)
    return new


def turns_of(graph: ONNXGraph, node: ir.Node) -> int | Dim:
    """Return how many turns a Loop makes."""
    trip, start = node.inputs[:2]
    (body,) = bodies(node)
    assert start is not None
    going = original(body, body.outputs[0])
    return turns(graph, trip, start, going, graph.owner(node.outputs[0]))


def _after(graph: ONNXGraph, home: Scope, start: Value, stack: Value) -> Value:
    """Return a stack behind the elements that a list begins with.

    A stack of no turns has zeros for the sizes that are not numbers: it gets those of the elements.
    """
    construct = start.producer()
    assert construct is not None
    first = construct.inputs[0]
    assert first is not None
    if not all(map(is_known, dims_of(first))):
        last = stack

        def emitted(op: str, values: list[Value | None], **attributes: object) -> Value:
            nonlocal last
            (last,) = graph.emit_into(home, op, values, attributes, after=last)
            return last

        number = emitted("Shape", [stack], start=0, end=1)
        shape = emitted("Concat", [number, emitted("Shape", [first])], axis=0)
        stack = emitted("Reshape", [stack, shape], allowzero=1)
    last, parts, axes = stack, [], graph.constant(np.array([0], np.int64))
    for value in construct.inputs:
        (last,) = graph.emit_into(home, "Unsqueeze", [value, axes], {}, after=last)
        parts.append(last)
    (whole,) = graph.emit_into(home, "Concat", [*parts, stack], {"axis": 0}, after=last)
    return whole


def _read(graph: ONNXGraph, node: ir.Node) -> int:
    """Read the tensor that a list was split from."""
    list_ = node.inputs[0]
    split = None if list_ is None else list_.producer()
    if split is None or split.op_type != "SplitToSequence" or is_check(node):
        return 0
    if len(split.inputs) > 1 and split.inputs[1] is not None:
        return 0
    keep, axis = split.attributes.get("keepdims"), split.attributes.get("axis")
    if keep is None or keep.as_int() != 0 or (axis is not None and axis.as_int() != 0):
        return 0
    stack, old = split.inputs[0], node.outputs[0]
    assert stack is not None and node.graph is not None and old.type is not None
    scope = graph.owner(old)
    if node.op_type == "ConcatFromSequence":
        attributes = {name: a.as_int() for name, a in node.attributes.items()}
        rank = len(dims_of(stack))
        axis_ = attributes["axis"] % rank if stack.shape is not None else 0
        if stack.shape is None or not attributes.get("new_axis"):
            return 0
        new = stack
        if axis_:
            order = [*range(1, axis_ + 1), 0, *range(axis_ + 1, rank)]
            (new,) = graph.emit_into(scope, "Transpose", [stack], {"perm": order}, after=old)
        elif old.is_graph_output() and new.graph is not old.graph:
            return 0
        learn(graph, old, new)
    elif node.op_type == "SequenceAt":
        (new,) = graph.emit_into(
            scope,
            "Gather",
            [stack, node.inputs[1]],
            {"axis": 0},
            after=old,
            types=[(old.type, shape_or_none(old))],
        )
    else:
        (shape,) = graph.emit_into(scope, "Shape", [stack], {}, after=old)
        index = graph.constant(np.array(0, np.int64))
        (new,) = graph.emit_into(scope, "Gather", [shape, index], {"axis": 0}, after=shape)
    if not replace(graph, old, new):
        return 0
    node.graph.remove(node, safe=True)
    return 1
