"""Computes equal things once, also where a body repeats what an enclosing graph computes before it.

    a = Exp(x)
    b = Exp(x)      # b is a

Nothing moves: the first node stays where it is, so a node that can fail runs as before, and what
repeats it would not have failed after it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING

import onnx_ir as ir

from onnx_graph.marks import HINT
from onnx_graph.passes.editing import bodies, replace
from onnx_graph.schemas import RANDOM
from onnx_graph.value_numbers import node_key
from onnx_graph.values import const_array

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


AFTER: Mapping[str, str] = {"hoisting": "a body then repeats what stands before its Loop"}


def run(graph: ONNXGraph) -> int:
    """Merge duplicates; return how many nodes and initializers are gone."""
    return _merge_initializers(graph) + _merge(graph, graph.main.graph, {})


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No node repeats one of its scope or of an enclosing one, but as a result of the scope."""
    yield from _repeated(graph.main.graph, frozenset())


def _repeated(scope: ir.Graph, outer: frozenset[Hashable]) -> Iterator[str]:
    seen = set(outer)
    for node in scope:
        for body in bodies(node):
            yield from _repeated(body, frozenset(seen))
        if bodies(node) or node.op_type in RANDOM:
            continue
        key = node_key(node, id)
        if key in seen and not any(value.is_graph_output() for value in node.outputs):
            yield f"this {node.op_type} is computed before"
        seen.add(key)


def _merge(graph: ONNXGraph, scope: ir.Graph, outer: Mapping[Hashable, ir.Node]) -> int:
    seen = dict(outer)
    merged = 0
    for node in list(scope):
        for body in bodies(node):
            merged += _merge(graph, body, seen)
        if bodies(node) or node.op_type in RANDOM:
            continue
        key = node_key(node, id)
        first = seen.setdefault(key, node)
        if first is node:
            continue
        shapes = [value.shape for value in first.outputs]
        done = [
            replace(graph, old, new) for old, new in zip(node.outputs, first.outputs, strict=True)
        ]
        for value, shape in zip(first.outputs, shapes, strict=True):
            value.shape = shape
        if all(done):
            scope.remove(node, safe=True)
            merged += 1
    return merged


def _merge_initializers(graph: ONNXGraph) -> int:
    """Merge equal unnamed constants, and parameters that are one array in memory."""
    initializers = graph.main.graph.initializers
    seen: dict[Hashable, str] = {}
    merged = 0
    for name, value in list(initializers.items()):
        array = const_array(value)
        if array is None or array.dtype.kind == "O":
            continue
        key: Hashable = (array.dtype.str, array.shape)
        if HINT in value.meta:
            interface = array.__array_interface__
            key = (key, interface["data"][0], interface["strides"])
            if not array.size:
                continue
        else:
            key = (key, array.tobytes())
        first = seen.setdefault(key, name)
        if first != name and replace(graph, value, initializers[first]):
            del initializers[name]
            merged += 1
    return merged
