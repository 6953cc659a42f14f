"""Puts operators on tensors in the place of those on lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import replace
from onnx_graph.values import (
    const_array,
    dtype_of,
)

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

from onnx_graph.passes.number_lists.webs import Web, is_guarded, is_inside, is_list


def split_results(graph: ONNXGraph, web: Web) -> None:
    """Give a list again where one is a result of the model."""
    main = graph.main.graph
    for index, value in enumerate(main.outputs):
        if value in web.values:
            split = ir.node("SplitToSequence", [value], {"axis": 0, "keepdims": 0})
            main.append(split)
            result = split.outputs[0]
            result.type, result.shape = value.type, value.shape
            result.meta.update(value.meta)
            main.outputs[index] = result
            names = [name for name, output in graph.outputs.items() if output is value]
            graph.outputs.update(dict.fromkeys(names, result))


def retype(graph: ONNXGraph, web: Web, value: Value, sizes: tuple[int, ...]) -> None:
    """Say of a list that is carried, given or chosen that it is a tensor."""
    assert value.dtype is not None
    value.type, value.shape = ir.TensorType(value.dtype), _shape(graph, web, value, sizes)


def _shape(graph: ONNXGraph, web: Web, value: Value, sizes: tuple[int, ...]) -> ir.Shape:
    length = web.lengths[value]
    return ir.Shape([graph.fresh_dim(graph.owner(value)) if length is None else length, *sizes])


def rewrite(
    graph: ONNXGraph, web: Web, node: ir.Node, sizes: tuple[int, ...], *, copied: bool
) -> None:
    """Put operators on tensors in the place of one on a list."""
    if is_inside(node):
        return  # what takes out an element stands for both
    old, home = node.outputs[0], node.graph
    assert home is not None
    operands = [value for value in node.inputs if value is not None]
    kind = None if is_list(old) else old
    match node.op_type:
        case "SequenceAt":
            new = _put(node, "Gather", operands, kind, axis=0)
        case "SequenceLength" if not sizes:
            new = _put(node, "Size", operands, kind)
        case "SequenceLength":
            shape = _put(node, "Shape", operands, kind)
            shape.shape = ir.Shape([1 + len(sizes)])
            new = _put(node, "Gather", [shape, _number(graph, 0)], kind, axis=0)
        case "ConcatFromSequence" | "SplitToSequence":
            new = _put(node, "Identity", operands, kind)
        case _ if copied:
            new = _put(node, "Identity", operands[:1], None)
        case "SequenceErase" if is_guarded(node):
            new = _guarded_tensor(graph, web, node, sizes)
        case "SequenceErase" if node in web.written:
            new = _written_tensor(graph, web.written[node], node, sizes)
        case _:
            op, operands, attributes = _pushed_or_popped(graph, node, operands, sizes)
            new = _put(node, op, operands, None, **attributes)
    if kind is None:
        new.type, new.shape = ir.TensorType(_dtype(old)), _shape(graph, web, old, sizes)
    replaced = replace(graph, old, new)
    assert replaced
    home.remove(node, safe=True)


def _guarded_tensor(graph: ONNXGraph, web: Web, node: ir.Node, sizes: tuple[int, ...]) -> Value:
    """Return a tensor that waits for the checks that a list waits for."""
    longer, old = node.inputs[0], node.outputs[0]
    insert = None if longer is None else longer.producer()
    assert insert is not None
    list_, _, place = insert.inputs
    assert list_ is not None and place is not None
    row = _put(node, "Unsqueeze", [list_, _number(graph, [0])], None)
    row.type = ir.TensorType(_dtype(old))
    row.shape = ir.Shape([1, *_shape(graph, web, old, sizes)])
    return _put(node, "Gather", [row, place], None, axis=0)


def _written_tensor(
    graph: ONNXGraph, insert: ir.Node, node: ir.Node, sizes: tuple[int, ...]
) -> Value:
    """Return a tensor with an element in the place of another one."""
    list_, element, place = insert.inputs
    assert list_ is not None and element is not None and place is not None
    row = _row(graph, node, element, sizes)
    at = _row(graph, node, place, ())
    if not sizes:
        return _put(node, "ScatterElements", [list_, at, row], None, axis=0)
    index = _put(node, "Unsqueeze", [at, _number(graph, [0])], at)
    index.shape = ir.Shape([1, 1])
    return _put(node, "ScatterND", [list_, index, row], None)


def _pushed_or_popped(
    graph: ONNXGraph, node: ir.Node, operands: list[Value], sizes: tuple[int, ...]
) -> tuple[str, list[Value], dict[str, int]]:
    """Return the operator that makes a tensor where a node makes a list."""
    match node.op_type:
        case "SequenceEmpty":
            nothing = np.zeros((0, *sizes), dtype_of(node.outputs[0]))
            return "Identity", [graph.constant(nothing)], {}
        case "SequenceConstruct":
            return "Concat", [_row(graph, node, value, sizes) for value in operands], {"axis": 0}
        case "SequenceInsert":
            rows = [operands[0], _row(graph, node, operands[1], sizes)]
            return "Concat", rows, {"axis": 0}
        case "SequenceErase":
            bounds = [_number(graph, [place]) for place in (0, -1, 0)]
            return "Slice", [operands[0], *bounds], {}
    return "Identity", operands[:1], {}


def _row(graph: ONNXGraph, node: ir.Node, value: Value, sizes: tuple[int, ...]) -> Value:
    """Return a number as a tensor of one."""
    known = const_array(value)
    if known is not None:
        return graph.constant(np.asarray(known)[None])
    row = _put(node, "Unsqueeze", [value, _number(graph, [0])], value)
    row.shape = ir.Shape([1, *sizes])
    return row


def _put(
    node: ir.Node, op: str, operands: list[Value], kind: Value | None, **attributes: int
) -> Value:
    """Put an operator before a node; its result is of a kind."""
    new = ir.node(op, operands, attributes)
    new.meta.update(node.meta)
    result = new.outputs[0]
    if kind is not None:
        result.type, result.shape = kind.type, kind.shape
    assert node.graph is not None
    node.graph.insert_before(node, new)
    return result


def _number(graph: ONNXGraph, number: int | list[int]) -> Value:
    return graph.constant(np.array(number, np.int64))


def _dtype(value: Value) -> ir.DataType:
    assert value.dtype is not None
    return value.dtype
