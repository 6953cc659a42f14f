"""Stacks what a Loop appends to a list in some of its turns, and picks those turns after it.

l = Loop(n, True, SequenceEmpty()) body (…, l) => (True, If(c) { SequenceInsert(l, v) } { l })
v, c = Loop(n, True)               body (…)    => (True, If(c) { v } { 0 }, c)
l = SplitToSequence(Compress<axis=0>(v, c), axis=0, keepdims=0)

A carried list costs a reference for each element and turn, and in every branch around. The body may
not read the list, and the elements have one known size that is small: what is stacked in a turn
that appends nothing takes as much room. Lists that grow in the same turns share what tells them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.control import may_be_result
from onnx_graph.dims import Dim, is_known
from onnx_graph.marks import CHECK
from onnx_graph.passes.editing import bodies, copied, drop, nested, remade, surely_replace
from onnx_graph.passes.stacks import NO_SPLIT
from onnx_graph.values import dims_of, dtype_of, is_empty_sequence, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph
    from onnx_graph.scopes import Scope


AFTER: Mapping[str, str] = {
    "conditions": "branches that append alike need no rows to be picked",
    "stacks": "what is appended every turn needs no rows to be picked",
}

_SMALL = 16
"""How many numbers an element may have."""


@dataclass(frozen=True)
class _Grown:
    """A list at the end of a body: `element` is None where nothing is appended."""

    element: Value | None
    nodes: tuple[ir.Node, ...]

    def pattern(self) -> object:
        """Return what lists that grow in the same turns have in common."""
        return self.element is not None


@dataclass(frozen=True)
class _Either:
    """A list that is a result of an If."""

    node: ir.Node
    index: int
    then: _Grown | _Either
    other: _Grown | _Either

    def pattern(self) -> object:
        """Return what lists that grow in the same turns have in common."""
        return id(self.node), self.then.pattern(), self.other.pattern()


def run(graph: ONNXGraph) -> int:
    """Stack lists; return how many."""
    changed = 0
    for scope in list(nested(graph.main.graph)):
        for node in list(scope):
            if node.op_type == "Loop":
                changed += _loop(graph, node)
    return changed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No Loop carries a list only to append small elements in some turns.

    Lists that grow in other turns than those of the first such list wait for the next round.
    """
    for scope in nested(graph.main.graph):
        for node in scope:
            if node.op_type == "Loop":
                (body,) = bodies(node)
                for index in range(len(node.inputs) - 2):
                    if _grown_in_branches(node, body, index) is not None:
                        yield f"carried list {index} is only appended to"


def _loop(graph: ONNXGraph, node: ir.Node) -> int:
    (body,) = bodies(node)
    groups: dict[object, dict[int, _Either]] = {}
    for index in range(len(node.inputs) - 2):
        found = _grown_in_branches(node, body, index)
        if found is not None:
            groups.setdefault(found.pattern(), {})[index] = found
    if not groups:
        return 0
    group = next(iter(groups.values()))  # the next round finds the others
    _pick(graph, node, body, group)
    return len(group)


def _grown_in_branches(node: ir.Node, body: ir.Graph, index: int) -> _Either | None:
    """Return how a carried list grows, if that is all that happens to it."""
    start, inner, end = node.inputs[index + 2], body.inputs[index + 2], body.outputs[index + 1]
    if start is None or not is_empty_sequence(start) or inner.is_graph_output():
        return None
    if end.uses() or sum(value is end for value in body.outputs) != 1:
        return None
    found = _traced(end, inner)
    if not isinstance(found, _Either) or len(list(_ends(found))) != len(inner.uses()):
        return None
    elements = [end.element for end in _ends(found) if end.element is not None]
    kinds = {(value.dtype, shape_or_none(value)) for value in elements}
    if len(kinds) != 1:
        return None
    dtype, dims = kinds.pop()
    if dims is None or dtype in (None, ir.DataType.STRING, *NO_SPLIT):
        return None
    sizes = [size for size in dims if is_known(size)]
    return found if len(sizes) == len(dims) and math.prod(sizes) <= _SMALL else None


def _traced(value: Value, inner: Value) -> _Grown | _Either | None:
    """Follow a list back to the one that a turn begins with; None where something else happens."""
    node = value.producer()
    if node is None or CHECK in node.meta:
        return None
    if node.op_type == "If":
        index = next(place for place, result in enumerate(node.outputs) if result is value)
        then, other = (_side(node, name, index, inner) for name in ("then_branch", "else_branch"))
        if then is None or other is None or not (then.pattern() or other.pattern()):
            return None
        return _Either(node, index, then, other)
    if node.op_type == "SequenceErase" and len(node.inputs) == 1:  # a copy, at little cost
        longer = None if node.inputs[0] is None else node.inputs[0].producer()
        if longer is None or not _inserts(longer, inner) or len(longer.outputs[0].uses()) != 1:
            return None
        return _Grown(None, (node, longer))
    return _Grown(node.inputs[1], (node,)) if _inserts(node, inner) else None


def _side(if_: ir.Node, name: str, index: int, inner: Value) -> _Grown | _Either | None:
    result = if_.attributes[name].as_graph().outputs[index]
    return None if result.uses() else _traced(result, inner)


def _inserts(node: ir.Node, inner: Value) -> bool:
    """Tell whether a node appends to a list."""
    if node.op_type != "SequenceInsert" or node.inputs[0] is not inner:
        return False
    return all(place is None for place in node.inputs[2:])


def _ends(grown: _Grown | _Either) -> Iterator[_Grown]:
    if isinstance(grown, _Grown):
        yield grown
        return
    yield from _ends(grown.then)
    yield from _ends(grown.other)


def _pick(graph: ONNXGraph, node: ir.Node, body: ir.Graph, group: dict[int, _Either]) -> None:
    """Rebuild a Loop with stacks, and what tells which rows count, in the place of lists."""
    home = graph.owner(node.outputs[0])
    lists = [node.outputs[index] for index in group]
    drop(body.outputs, [index + 1 for index in group])
    added = _stacked(graph, body, list(group.values()))
    body.outputs.extend(added)
    drop(body.inputs, [index + 2 for index in group])
    operands = [value for index, value in enumerate(node.inputs) if index - 2 not in group]
    kept = [index for index in range(len(node.outputs)) if index not in group]
    turns = graph.fresh_dim(home)
    stacks = [Value(type=value.type, shape=ir.Shape([turns, *dims_of(value)])) for value in added]
    remade(graph, node, operands, kept, stacks)
    count = graph.fresh_dim(home)
    for old, stack in zip(lists, stacks[:-1], strict=True):
        surely_replace(graph, old, _rows_that_count(graph, home, old, stack, stacks[-1], count))
    assert node.graph is not None
    node.graph.remove(node, safe=True)


def _rows_that_count(
    graph: ONNXGraph, home: Scope, old: Value, stack: Value, counts: Value, count: Dim
) -> Value:
    """Return the list of those rows of a stack that were appended."""
    assert stack.type is not None and old.type is not None
    types = [(stack.type, (count, *dims_of(stack)[1:]))]
    operands = [stack, counts]
    (rows,) = graph.emit_into(home, "Compress", operands, {"axis": 0}, after=stack, types=types)
    split = {"axis": 0, "keepdims": 0}
    kind = [(old.type, shape_or_none(old))]
    (made,) = graph.emit_into(home, "SplitToSequence", [rows], split, after=rows, types=kind)
    return made


def _stacked(graph: ONNXGraph, body: ir.Graph, lists: Sequence[_Either]) -> list[Value]:
    """Return what a turn adds to the stacks, last whether it counts."""
    known = [_known_before(body, one) for one in lists]
    kept, *others = reversed(_opened(graph, lists, [value is None for value in known]))
    found = [others.pop() if value is None else value for value in known]
    inside = graph.owner(body.inputs[0])
    for place, value in enumerate(found):
        if value in found[:place] or value.is_graph_output() or not may_be_result(body, value):
            found[place] = copied(graph, inside, value)
    return [*found, kept]


def _known_before(body: ir.Graph, grown: _Either) -> Value | None:
    """Return what is appended, if it is one value of the body itself: its turn needs no branch."""
    elements = {end.element for end in _ends(grown) if end.element is not None}
    (element, *others) = elements
    return element if not others and element.graph is body else None


def _opened(graph: ONNXGraph, lists: Sequence[_Either], routed: Sequence[bool]) -> list[Value]:
    """Rebuild an If such that it gives what is appended to some lists, and whether it is."""
    node = lists[0].node
    gone = [one.index for one in lists]
    like = [next(end.element for end in _ends(one) if end.element is not None) for one in lists]
    like = [value for value, through in zip(like, routed, strict=True) if through]
    branches = {"then_branch": [one.then for one in lists]}
    branches["else_branch"] = [one.other for one in lists]
    for name, sides in branches.items():
        body = node.attributes[name].as_graph()
        scope = graph.owner(body.outputs[0])
        drop(body.outputs, gone)
        for value in _results(graph, sides, routed, like):
            free = value.graph is body and not value.is_graph_output()
            if not free or not may_be_result(body, value):
                value = copied(graph, scope, value)
            body.outputs.append(value)
    flag = Value(type=ir.TensorType(ir.DataType.BOOL), shape=ir.Shape(()))
    added = [*(Value(type=value.type, shape=value.shape) for value in like), flag]
    kept = [index for index in range(len(node.outputs)) if index not in gone]
    remade(graph, node, node.inputs, kept, added)
    assert node.graph is not None
    node.graph.remove(node, safe=True)
    return added


def _results(
    graph: ONNXGraph,
    sides: Sequence[_Grown | _Either],
    routed: Sequence[bool],
    like: Sequence[Value],
) -> list[Value]:
    """Return what one branch appends to some lists, or zeros, and whether it appends."""
    deeper = [side for side in sides if isinstance(side, _Either)]
    if deeper:
        return _opened(graph, deeper, routed)
    ends = [side for side in sides if isinstance(side, _Grown)]
    for node in (node for end in ends for node in end.nodes):
        assert node.graph is not None
        node.graph.remove(node, safe=True)
    appends = graph.constant(ends[0].element is not None)
    elements = [end.element for end, through in zip(ends, routed, strict=True) if through]
    return [*(_filled(graph, *pair) for pair in zip(elements, like, strict=True)), appends]


def _filled(graph: ONNXGraph, element: Value | None, model: Value) -> Value:
    if element is not None:
        return element
    return graph.constant(np.zeros([int(str(size)) for size in dims_of(model)], dtype_of(model)))
