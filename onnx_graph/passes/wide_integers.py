"""Compares whole numbers of 64 bits where onnxruntime may take their lower halves for signed.

y = Max(a, b)          # of int64 that may be 2**31 or more
y = Where(Greater(a, b), a, b)

Where two numbers have one upper half, its Min, Max, Clip and Sign, and ReduceMin and ReduceMax,
compare the lower ones as int32, of two pairs at a time; a single pair is compared as it is.  Range
counts in float64.  Comparisons, Where and sums are right.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.bounds import bound_of
from onnx_graph.marks import SOURCE
from onnx_graph.passes.editing import bodies, nested, replace
from onnx_graph.values import shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph
    from onnx_graph.scopes import Scope

AFTER: Mapping[str, str] = {
    "at_once": "which computes the smallest and largest of all turns",
    "recurrences": "which reads loops as they are",
}

NARROW = 2**31
"""Below this bound no number is taken for another one."""
_HALF = 2**32


def run(graph: ONNXGraph) -> int:
    """Rewrite such comparisons; return how many."""
    changed, turns = 0, _turns(graph)
    for scope in nested(graph.main.graph):
        for node in list(scope):
            if is_wide(node, turns):
                _rewrite(graph, node)
                changed += 1
    return changed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No number that may be wide is compared so."""
    turns = _turns(graph)
    for scope in nested(graph.main.graph):
        for node in scope:
            if is_wide(node, turns):
                yield f"this {node.op_type} of wide whole numbers"


def _turns(graph: ONNXGraph) -> set[Value]:
    """Return what counts the turns of loops."""
    nodes = (node for scope in nested(graph.main.graph) for node in scope)
    loops = (node for node in nodes if node.op_type == "Loop")
    return {body.inputs[0] for node in loops for body in bodies(node)}


def is_wide(node: ir.Node, turns: Collection[Value] = ()) -> bool:
    """Tell whether onnxruntime may be wrong on a node."""
    if node.op_type not in _REWRITTEN or node.outputs[0].dtype is not ir.DataType.INT64:
        return False
    compared = _COMPARED.get(node.op_type, len(node.inputs))
    if len(node.inputs) < _LEAST.get(node.op_type, 1):  # it compares nothing: a barrier
        return False
    if node.op_type in _ALONE and all(map(_is_one, node.inputs)):
        return False
    return any(
        value is not None and bound_of(value, turns) > NARROW for value in node.inputs[:compared]
    )


def _is_one(value: Value | None) -> bool:
    """Tell whether a value surely is a single number: such are compared as they are."""
    sizes = None if value is None else shape_or_none(value)
    return value is None or (sizes is not None and all(size == 1 for size in sizes))


class _Emitter:
    """Emits nodes, one after the other, in the place of another one."""

    def __init__(self, graph: ONNXGraph, node: ir.Node) -> None:
        self.graph = graph
        self._node = node
        self._scope: Scope = graph.owner(node.outputs[0])
        self._last = node.outputs[0]

    def __call__(self, op: str, *operands: Any, **attributes: Any) -> Value:
        values = [
            one if one is None or isinstance(one, Value) else self.graph.constant(np.array(one))
            for one in operands
        ]
        (made,) = self.graph.emit_into(self._scope, op, values, attributes, after=self._last)
        producer = made.producer()
        assert producer is not None
        if SOURCE in self._node.meta:
            producer.meta[SOURCE] = self._node.meta[SOURCE]
        self._last = made
        return made


def _rewrite(graph: ONNXGraph, node: ir.Node) -> None:
    (old,) = node.outputs
    made = _REWRITTEN[node.op_type](_Emitter(graph, node), node)
    made.shape = old.shape
    replaced = replace(graph, old, made)
    assert replaced and node.graph is not None
    node.graph.remove(node, safe=True)


def _chosen(comparison: str, emit: _Emitter, node: ir.Node) -> Value:
    """Return the smallest or largest of some numbers, two by two."""
    operands = [value for value in node.inputs if value is not None]
    return functools.reduce(lambda a, b: emit("Where", emit(comparison, a, b), a, b), operands)


def _clip(emit: _Emitter, node: ir.Node) -> Value:
    low, high = (*node.inputs[1:], None, None)[:2]
    made = node.inputs[0]
    for comparison, bound in (("Greater", low), ("Less", high)):
        if bound is not None:
            made = emit("Where", emit(comparison, made, bound), made, bound)
    assert made is not None
    return made


def _sign(emit: _Emitter, node: ir.Node) -> Value:
    int64 = ir.DataType.INT64.value
    (value,) = node.inputs
    above, below = (
        emit("Cast", emit(op, value, np.int64(0)), to=int64) for op in ("Greater", "Less")
    )
    return emit("Sub", above, below)


def _reduced(least: int, emit: _Emitter, node: ir.Node) -> Value:
    """Return the smallest or largest by the upper halves, and the lower ones of these.

    Args:
        least: What no lower half, taken as int32, is beyond: the first or last of them.
        emit: Emits nodes.
        node: The ReduceMin or ReduceMax.
    """
    value, *axes = node.inputs
    attributes = {name: one.value for name, one in node.attributes.items()}
    narrow, wide = ir.DataType.INT32.value, ir.DataType.INT64.value
    lower = emit("Mod", value, np.int64(_HALF))
    upper = emit("Cast", emit("Div", emit("Sub", value, lower), np.int64(_HALF)), to=narrow)
    moved = emit("Cast", emit("Sub", lower, np.int64(_HALF // 2)), to=narrow)
    best = emit(node.op_type, upper, *axes, **{**attributes, "keepdims": 1})
    among = emit("Where", emit("Equal", upper, best), moved, np.int32(least))
    halves = (emit(node.op_type, one, *axes, **attributes) for one in (upper, among))
    upper, lower = (emit("Cast", half, to=wide) for half in halves)
    whole = emit("Mul", upper, np.int64(_HALF))
    return emit("Add", whole, emit("Add", lower, np.int64(_HALF // 2)))


def _range(emit: _Emitter, node: ir.Node) -> Value:
    """Return as many steps from 0 on, moved to the start."""
    start, limit, step = node.inputs
    return emit("Add", emit("Range", np.int64(0), emit("Sub", limit, start), step), start)


#: How many operands those have that compare some.
_LEAST = {"Min": 2, "Max": 2, "Clip": 2}
#: What is right on single numbers.
_ALONE = ("Min", "Max", "Clip", "Sign")
#: Of how many operands it counts how wide they are, if not of all.
_COMPARED = dict.fromkeys(("Sign", "ReduceMin", "ReduceMax", "Range"), 1)
_REWRITTEN: dict[str, Callable[[_Emitter, ir.Node], Value]] = {
    "Clip": _clip,
    "Max": functools.partial(_chosen, "Greater"),
    "Min": functools.partial(_chosen, "Less"),
    "Range": _range,
    "ReduceMax": functools.partial(_reduced, -(2**31)),
    "ReduceMin": functools.partial(_reduced, 2**31 - 1),
    "Sign": _sign,
}
