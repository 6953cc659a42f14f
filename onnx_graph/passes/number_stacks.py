"""Holds lists of numbers that Loops push to and pop from as tensors.

l = Loop(n, True, SequenceEmpty()) body (…, l) => (True, If(c) { SequenceInsert(l, v) }
                                                               { SequenceErase(l, -1) })
t = Loop(n, True, [])              body (…, t) => (True, If(c) { Concat(t, [v]) }
                                                               { Slice(t, 0, -1) })

onnxruntime copies a reference for each element of a list wherever a list is changed or a branch
gives one; to copy the numbers takes far less. All that a list flows through becomes a tensor, or
nothing: what reads it may ask for an element and the length. The elements have one known size that
is small.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.passes.editing import OUTPUTS_FIRST, bodies, is_check, nested, replace
from onnx_graph.values import (
    const_array,
    dtype_of,
    shape_or_none,
)

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {
    "stacks": "what is only appended to needs no list in the Loop at all",
    "branched_stacks": "which takes lists out of branches as stacks",
    "conditional_stacks": "what is only appended to needs no list in the Loop at all",
}

_SMALL = 16
"""How many numbers an element may have."""
_LAST = np.array(-1)
_MADE_BY = ("SequenceEmpty", "SequenceConstruct", "SequenceInsert", "SequenceErase")
_READ_BY = ("SequenceAt", "SequenceLength")
_Home = tuple[ir.Node, int]
"""An If or Loop, and which result or carried value of it."""


@dataclass
class _Web:
    """All values that one list flows through."""

    values: dict[Value, None] = field(default_factory=dict)
    nodes: dict[ir.Node, None] = field(default_factory=dict)
    elements: list[Value] = field(default_factory=list)
    fits: bool = True
    carried: bool = False
    popped: bool = False

    def is_stack(self) -> bool:
        """Tell whether a Loop carries the list, and elements are taken off."""
        return self.fits and self.carried and self.popped

    def sizes(self) -> tuple[int, ...] | None:
        """Return the sizes of the elements, None where they are not known to be the same."""
        found = {shape_or_none(value) for value in self.elements}
        dims = found.pop() if len(found) == 1 else None
        if dims is None:
            return None
        sizes = tuple(size for size in dims if type(size) is int)
        return sizes if len(sizes) == len(dims) and math.prod(sizes) <= _SMALL else None


def run(graph: ONNXGraph) -> int:
    """Turn lists into tensors; return how many."""
    found = list(_webs(graph))
    for web in found:
        sizes = web.sizes()
        assert sizes is not None
        for value in web.values:
            if value.producer() is None or value.producer() not in web.nodes:
                _retype(graph, value, sizes)
        copies = {node for node in web.nodes if _is_copy(node) or _is_copied(node)}
        for node in web.nodes:
            _rewrite(graph, node, sizes, copied=node in copies)
    return len(found)


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No Loop carries a list of small elements of one size that is pushed to and popped from."""
    for web in _webs(graph):
        yield f"a list goes through {len(web.values)} values"


# -- what a list flows through ---------------------------------------------------------------------


def _webs(graph: ONNXGraph) -> Iterator[_Web]:
    """Yield the lists that Loops carry and that may be tensors."""
    homes = {body.graph: body for body in _homes(graph)}
    seen: set[Value] = set()
    for scope in nested(graph.main.graph):
        for node in scope:
            for value in node.outputs if node.op_type == "Loop" else ():
                if _is_list(value) and value not in seen:
                    web = _traced(graph, value, homes)
                    seen.update(web.values)
                    if web.is_stack() and web.sizes() is not None:
                        yield web


@dataclass(frozen=True)
class _Body:
    graph: ir.Graph
    node: ir.Node


def _homes(graph: ONNXGraph) -> Iterator[_Body]:
    for scope in nested(graph.main.graph):
        for node in scope:
            for body in bodies(node):
                yield _Body(body, node)


def _traced(graph: ONNXGraph, start: Value, homes: Mapping[ir.Graph, _Body]) -> _Web:
    """Follow a list forwards and backwards."""
    web, todo = _Web(), [start]
    while todo and web.fits:
        value = todo.pop()
        if value in web.values:
            continue
        web.values[value] = None
        if value.dtype in (None, ir.DataType.STRING):
            web.fits = False
            break
        todo += _sources(web, value, homes)
        todo += _readers(web, value)
        if value.is_graph_output():
            todo += _results(web, value, homes)
    return web


def _sources(web: _Web, value: Value, homes: Mapping[ir.Graph, _Body]) -> list[Value]:
    """Return the lists that one comes from."""
    node = value.producer()
    if node is None:
        body = None if value.graph is None else homes.get(value.graph)
        if body is None or body.node.op_type != "Loop":
            web.fits = False
            return []
        return _carried(web, body.node, list(body.graph.inputs).index(value) - 2)
    if node.op_type == "If":
        place = list(node.outputs).index(value)
        return [body.outputs[place] for body in bodies(node)]
    if node.op_type == "Loop":
        return _carried(web, node, list(node.outputs).index(value))
    if node.op_type == "Identity":
        web.nodes[node] = None
        return [one for one in node.inputs if one is not None]
    if node.op_type not in _MADE_BY or is_check(node):
        web.fits = False
        return []
    web.nodes[node] = None
    operands = [one for one in node.inputs if one is not None]
    match node.op_type:
        case "SequenceConstruct":
            web.elements += operands
        case "SequenceInsert":
            web.fits = web.fits and len(operands) == 2
            if not _is_copied(node):
                web.elements.append(operands[1])
            return operands[:1]
        case "SequenceErase":
            last = const_array(operands[1]) if len(operands) > 1 else _LAST
            web.fits = web.fits and last is not None and last.ndim == 0 and int(last) == -1
            web.popped = web.popped or not _is_copy(node)
            return operands[:1]
    return []


def _carried(web: _Web, node: ir.Node, index: int) -> list[Value]:
    """Return all places of what a Loop carries."""
    (body,) = bodies(node)
    start = node.inputs[index + 2] if 0 <= index < len(node.inputs) - 2 else None
    if start is None:
        web.fits = False
        return []
    web.carried = True
    return [start, body.inputs[index + 2], body.outputs[index + 1], node.outputs[index]]


def _readers(web: _Web, value: Value) -> list[Value]:
    """Return the lists that come of one."""
    found: list[Value] = []
    for use in value.uses():
        node = use.node
        if node.op_type == "Loop":
            found += _carried(web, node, use.idx - 2)
        elif node.op_type in ("Identity", "SequenceInsert", "SequenceErase"):
            found.append(node.outputs[0])
        elif node.op_type in _READ_BY and not is_check(node):
            web.nodes[node] = None
        else:
            web.fits = False
    return found


def _results(web: _Web, value: Value, homes: Mapping[ir.Graph, _Body]) -> list[Value]:
    """Return what a list is after the body that gives it."""
    body = None if value.graph is None else homes.get(value.graph)
    if body is None:
        web.fits = False
        return []
    found: list[Value] = []
    for place, one in enumerate(body.graph.outputs):
        if one is value and body.node.op_type == "Loop":
            found += _carried(web, body.node, place - OUTPUTS_FIRST["Loop"])
        elif one is value:
            found.append(body.node.outputs[place])
    return found


def _is_list(value: Value) -> bool:
    return type(value.type) is ir.SequenceType


def _is_copied(node: ir.Node) -> bool:
    """Tell whether an element is put in only to be taken out again: that copies a list."""
    uses = list(node.outputs[0].uses())
    alone = len(uses) == 1 and not node.outputs[0].is_graph_output()
    if not alone or node.op_type != "SequenceInsert":
        return False
    return uses[0].node.op_type == "SequenceErase" and len(uses[0].node.inputs) == 1


def _is_copy(node: ir.Node) -> bool:
    """Tell whether an element is taken out that was put in just before."""
    longer = None if node.op_type != "SequenceErase" else node.inputs[0]
    made = None if longer is None else longer.producer()
    return made is not None and _is_copied(made)


# -- what a list becomes ---------------------------------------------------------------------------


def _retype(graph: ONNXGraph, value: Value, sizes: tuple[int, ...]) -> None:
    assert value.dtype is not None
    value.type = ir.TensorType(value.dtype)
    value.shape = ir.Shape([graph.fresh_dim(graph.owner(value)), *sizes])


def _rewrite(graph: ONNXGraph, node: ir.Node, sizes: tuple[int, ...], *, copied: bool) -> None:
    """Put operators on tensors in the place of one on a list."""
    old, home = node.outputs[0], node.graph
    assert home is not None
    operands = [value for value in node.inputs if value is not None]
    kind = None if _is_list(old) else old
    match node.op_type:
        case "SequenceAt":
            new = _put(node, "Gather", operands, kind, axis=0)
        case "SequenceLength" if not sizes:
            new = _put(node, "Size", operands, kind)
        case "SequenceLength":
            shape = _put(node, "Shape", operands, kind)
            shape.shape = ir.Shape([1 + len(sizes)])
            new = _put(node, "Gather", [shape, _number(graph, 0)], kind, axis=0)
        case _ if copied:
            new = _put(node, "Identity", operands[:1], None)
        case _:
            op, operands, attributes = _pushed_or_popped(graph, node, operands, sizes)
            new = _put(node, op, operands, None, **attributes)
    if kind is None:
        new.type = ir.TensorType(_dtype(old))
        new.shape = ir.Shape([graph.fresh_dim(graph.owner(old)), *sizes])
    replaced = replace(graph, old, new)
    assert replaced
    home.remove(node, safe=True)


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
