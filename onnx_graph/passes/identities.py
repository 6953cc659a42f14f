"""Removes nodes that give back their operand.

    y = Identity(x)                          # y is x
    y = Cast<to=float>(x)                    # of a float x
    y = Transpose<perm=[0, 1]>(x)
    y = Not(Not(x))
    y = Add(x, 0)                            # of integers, with a 0-d constant
    y = Mul(x, 1.0)
    y = Where(True, x, z)                    # where z does not widen it
    y = Gather(Unsqueeze(x, [0]), 0)
    y = Reshape(x, Shape(x))
    y = Unsqueeze(Gather(x, 0), [0])         # where x has one number

An Identity stays, and stands for these, where ONNX asks for one: a body may not return a value of
an outer scope.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import same
from onnx_graph.passes.editing import copied_before, may_replace, nested, replace, surely_replace
from onnx_graph.values import const_array, dims_of, is_sequence, rank_of, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {"truths": "a Not that becomes another comparison is no Not of a Not"}

#: Which operand, if it is which number, makes an operator give back the other one.
_NEUTRAL = {
    "Add": ((0, 0), (1, 0)),
    "Sub": ((1, 0),),
    "Mul": ((0, 1), (1, 1)),
    "Div": ((1, 1),),
}


def run(graph: ONNXGraph) -> int:
    """Remove identities; return how many."""
    removed = 0
    for scope in nested(graph.main.graph):
        for node in list(scope):
            source = _source(node)
            if source is None:
                continue
            before = source.shape
            if replace(graph, node.outputs[0], source):
                source.shape = before
                scope.remove(node, safe=True)
                removed += 1
            elif node.op_type != "Identity":
                copy = copied_before(node, source)
                surely_replace(graph, node.outputs[0], copy)
                scope.remove(node, safe=True)
                removed += 1
    return removed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No node gives back its operand, but where ONNX asks for a copy as a result."""
    for scope in nested(graph.main.graph):
        for node in scope:
            source = _source(node)
            if source is None:
                continue
            if node.op_type != "Identity" or may_replace(graph, node.outputs[0], source):
                yield f"this {node.op_type} gives back its operand"


def _source(node: ir.Node) -> Value | None:
    """Return the operand that a node gives back, None if it does something."""
    if not node.inputs or node.inputs[0] is None:
        return None
    source: Value = node.inputs[0]
    if node.op_type == "Identity":
        return source
    if node.op_type == "Cast" and not is_sequence(source):
        return source if node.attributes["to"].as_int() == source.dtype else None
    if node.op_type == "Not":
        inner = source.producer()
        return inner.inputs[0] if inner is not None and inner.op_type == "Not" else None
    if node.op_type == "Transpose" and "perm" in node.attributes:
        order = list(node.attributes["perm"].as_ints())
        return source if order == sorted(order) else None
    if node.op_type == "Where":
        return _chosen(node)
    if node.op_type == "Gather":
        return _only_row(node)
    if node.op_type == "Reshape":
        return source if _is_own_shape(node.inputs[1], source) else None
    return _only_number(node) if node.op_type == "Unsqueeze" else _beside_neutral(node)


def _chosen(node: ir.Node) -> Value | None:
    """Return what a Where of a known truth gives, if the other operand does not widen it."""
    condition, *sides = node.inputs
    known = None if condition is None else const_array(condition)
    if known is None or known.ndim or node.outputs[0].shape is None:
        return None
    value = sides[0 if known else 1]
    if value is None or const_array(value) is not None or value.shape is None:
        return None
    dims, widened = dims_of(value), dims_of(node.outputs[0])
    return value if len(dims) == len(widened) and all(map(same, dims, widened)) else None


def _is_own_shape(sizes: Value | None, value: Value) -> bool:
    node = None if sizes is None else sizes.producer()
    if node is None or node.op_type != "Shape" or node.inputs[0] is not value:
        return False
    return not {"start", "end"} & node.attributes.keys()


def _only_row(node: ir.Node) -> Value | None:
    """Return what an axis of size 1 was given to before its only row is taken."""
    data, index = node.inputs
    added = None if data is None else data.producer()
    known = None if index is None else const_array(index)
    if added is None or added.op_type != "Unsqueeze" or known is None or known.ndim:
        return None
    source, axes = added.inputs
    first = None if axes is None else const_array(axes)
    axis = node.attributes["axis"].as_int() if "axis" in node.attributes else 0
    fits = first is not None and first.tolist() == [0] and axis == 0 and known in (0, -1)
    return source if fits else None


def _only_number(node: ir.Node) -> Value | None:
    """Return the list of one number that a node makes of the number of such a list."""
    number = node.inputs[0]
    read = None if number is None else number.producer()
    if read is None or read.op_type != "Gather" or number is None or rank_of(number) != 0:
        return None
    source, index = read.inputs
    known = None if index is None else const_array(index)
    alone = source is not None and shape_or_none(source) == (1,)
    return source if alone and known is not None and known in (0, -1) else None


def _beside_neutral(node: ir.Node) -> Value | None:
    """Return the operand that a 0-d constant leaves as it is; -0.0 + 0 is no longer -0.0."""
    for place, neutral in _NEUTRAL.get(node.op_type, ()):
        value, other = node.inputs[1 - place], node.inputs[place]
        known = None if other is None else const_array(other)
        if value is None or known is None or known.ndim or known != neutral:
            continue
        if neutral == 0 and known.dtype.kind not in "iu":
            continue
        if const_array(value) is None and value.dtype is node.outputs[0].dtype:
            return value
    return None
