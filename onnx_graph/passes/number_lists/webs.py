"""What lists of numbers flow through, all of which becomes a tensor or none of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import Dim, add, bounds, multiply
from onnx_graph.integers import Integers
from onnx_graph.marks import CHECK
from onnx_graph.passes.editing import OUTPUTS_FIRST, bodies, is_check, nested
from onnx_graph.passes.stacks import NO_SPLIT
from onnx_graph.values import (
    Dims,
    const_array,
    shape_or_none,
)

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

_SMALL = 16
"""How many numbers an element may have."""
_LAST = np.array(-1)
_MADE_BY = (
    *("SequenceEmpty", "SequenceConstruct", "SplitToSequence"),
    *("SequenceInsert", "SequenceErase"),
)
_Home = tuple[ir.Node, int]
"""An If or Loop, and which result or carried value of it."""


@dataclass
class Web:
    """All values that one list flows through."""

    values: dict[Value, None] = field(default_factory=dict)
    nodes: dict[ir.Node, None] = field(default_factory=dict)
    shapes: list[Dims | None] = field(default_factory=list)
    """Those of the elements, as far as they are put in."""
    written: dict[ir.Node, ir.Node] = field(default_factory=dict)
    """What takes out the element behind one that is put in, and what puts it in."""
    fits: bool = True
    carried: bool = False
    lengths: dict[Value, int | Dim | None] = field(default_factory=dict)
    """Those that are sizes of something else, so that they are called like it."""

    def is_worth_it(self) -> bool:
        """Tell whether a Loop carries the list."""
        return self.fits and self.carried

    def writes_whole(self) -> bool:
        """Tell whether what is put in before an element is there only to be in its place."""
        inside = [node for node in self.nodes if is_inside(node) and not _is_guard(node)]
        return set(inside) == set(self.written.values())

    def sizes(self) -> tuple[int, ...] | None:
        """Return the sizes of the elements, None where they are not known to be the same."""
        found = set(self.shapes)
        dims = found.pop() if len(found) == 1 else None
        if dims is None or not all(len(one) == len(dims) for one in self._taken_out()):
            return None
        sizes = tuple(size for size in dims if type(size) is int)
        return sizes if len(sizes) == len(dims) and math.prod(sizes) <= _SMALL else None

    def _taken_out(self) -> Iterator[Dims]:
        """Yield the sizes that elements have where they are read, as far as they are known.

        Two lists that are always empty may have become one, of elements of two ranks.
        """
        for node in self.nodes:
            dims = shape_or_none(node.outputs[0]) if node.op_type == "SequenceAt" else None
            if dims is not None:
                yield dims


def webs(graph: ONNXGraph) -> Iterator[Web]:
    """Yield the lists that Loops carry and that may be tensors."""
    homes = {body.graph: body for body in _homes(graph)}
    integers = Integers(graph.main.graph)
    seen: set[Value] = set()
    for scope in nested(graph.main.graph):
        for node in scope:
            for value in node.outputs if node.op_type == "Loop" else ():
                if is_list(value) and value not in seen:
                    web = _traced(graph, value, homes, integers)
                    seen.update(web.values)
                    if web.is_worth_it() and web.sizes() is not None and web.writes_whole():
                        web.lengths = {one: integers.size(one) for one in web.values}
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


def _traced(
    graph: ONNXGraph, start: Value, homes: Mapping[ir.Graph, _Body], integers: Integers
) -> Web:
    """Follow a list forwards and backwards."""
    web, todo = Web(), [start]
    while todo and web.fits:
        value = todo.pop()
        if value in web.values:
            continue
        web.values[value] = None
        if value.dtype in (None, ir.DataType.STRING):
            web.fits = False
            break
        todo += _sources(web, value, homes, integers)
        todo += _readers(web, value)
        if value.is_graph_output() and value.graph is not graph.main.graph:
            todo += _results(web, value, homes)
        elif value.is_graph_output() and value.dtype in NO_SPLIT:
            web.fits = False
    return web


def _sources(
    web: Web, value: Value, homes: Mapping[ir.Graph, _Body], integers: Integers
) -> list[Value]:
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
            web.shapes += map(shape_or_none, operands)
        case "SequenceInsert":
            web.fits = web.fits and (len(operands) == 2 or len(node.outputs[0].uses()) == 1)
            if not is_copied(node) and not _is_guard(node):
                web.shapes.append(shape_or_none(operands[1]))
            return operands[:1]
        case "SequenceErase":
            insert = _written(node, integers)
            last = const_array(operands[1]) if len(operands) > 1 else _LAST
            popped = last is not None and last.ndim == 0 and int(last) == -1
            guarded = is_guarded(node)
            web.fits = web.fits and (popped or guarded or insert is not None)
            if insert is not None:
                web.written[node] = insert
            return operands[:1]
        case "SplitToSequence":
            dims = shape_or_none(operands[0])
            web.fits = web.fits and _gives_rows(node)
            web.shapes.append(None if dims is None else dims[1:])
    return []


def _carried(web: Web, node: ir.Node, index: int) -> list[Value]:
    """Return all places of what a Loop carries."""
    (body,) = bodies(node)
    start = node.inputs[index + 2] if 0 <= index < len(node.inputs) - 2 else None
    if start is None:
        web.fits = False
        return []
    web.carried = True
    return [start, body.inputs[index + 2], body.outputs[index + 1], node.outputs[index]]


def _readers(web: Web, value: Value) -> list[Value]:
    """Return the lists that come of one."""
    found: list[Value] = []
    for use in value.uses():
        node = use.node
        if node.op_type == "Loop":
            found += _carried(web, node, use.idx - 2)
        elif node.op_type in ("Identity", "SequenceInsert", "SequenceErase"):
            found.append(node.outputs[0])
        elif _reads(node) and not is_check(node):
            web.nodes[node] = None
        else:
            web.fits = False
    return found


def _results(web: Web, value: Value, homes: Mapping[ir.Graph, _Body]) -> list[Value]:
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


def is_list(value: Value) -> bool:
    """Tell whether a value is a list."""
    return type(value.type) is ir.SequenceType


def is_copied(node: ir.Node) -> bool:
    """Tell whether an element is put in only to be taken out again: that copies a list."""
    uses = list(node.outputs[0].uses())
    alone = len(uses) == 1 and not node.outputs[0].is_graph_output()
    if not alone or node.op_type != "SequenceInsert":
        return False
    return uses[0].node.op_type == "SequenceErase" and len(uses[0].node.inputs) == 1


def is_copy(node: ir.Node) -> bool:
    """Tell whether an element is taken out that was put in just before."""
    longer = None if node.op_type != "SequenceErase" else node.inputs[0]
    made = None if longer is None else longer.producer()
    return made is not None and is_copied(made)


def is_inside(node: ir.Node) -> bool:
    """Tell whether a node puts an element before another one."""
    return node.op_type == "SequenceInsert" and len(node.inputs) > 2


def _reads(node: ir.Node) -> bool:
    """Tell whether a node asks for an element, the length or all elements of a list."""
    stacks = node.op_type == "ConcatFromSequence" and _gives_rows(node)
    return stacks or node.op_type in ("SequenceAt", "SequenceLength")


def _gives_rows(node: ir.Node) -> bool:
    """Tell whether a node splits a tensor along its first axis, or stacks elements along it."""
    numbers = {name: one.as_int() for name, one in node.attributes.items()}
    if node.op_type == "ConcatFromSequence":
        return numbers.get("axis") == 0 and numbers.get("new_axis") == 1
    return len(node.inputs) == 1 and not numbers.get("axis") and numbers.get("keepdims") == 0


def is_guarded(node: ir.Node) -> bool:
    """Tell whether an element is taken out where it was put in: the list waits for checks."""
    longer = node.inputs[0] if node.op_type == "SequenceErase" else None
    made = None if longer is None else longer.producer()
    return made is not None and _is_guard(made)


def _is_guard(node: ir.Node) -> bool:
    """Tell whether an element is put in to be taken out, where checks say 0."""
    uses = list(node.outputs[0].uses())
    if not is_inside(node) or len(uses) != 1 or node.outputs[0].is_graph_output():
        return False
    erase, place = uses[0].node, node.inputs[2]
    same = erase.op_type == "SequenceErase" and len(erase.inputs) == 2 and place is erase.inputs[1]
    return same and place is not None and _is_passed(place, {})


def _is_passed(value: Value, known: dict[Value, bool]) -> bool:
    """Tell whether a number is 0 as long as no check fails: the sizes of checks, added up."""
    if value in known:
        return known[value]
    known[value] = True  # so it is at the begin of a turn
    number, node = const_array(value), value.producer()
    if number is not None:
        known[value] = bool(number.ndim == 0 and number == 0)
    elif node is None:
        known[value] = False
    elif node.op_type == "Size":
        check = None if node.inputs[0] is None else node.inputs[0].producer()
        known[value] = check is not None and check.op_type == "Range" and CHECK in check.meta
    else:
        known[value] = _parts_passed(value, node, known)
    return known[value]


def _parts_passed(value: Value, node: ir.Node, known: dict[Value, bool]) -> bool:
    place = value.index()
    assert place is not None
    parts: list[Value | None] = []
    if node.op_type in ("Add", "Identity"):
        parts = list(node.inputs)
    elif node.op_type == "If":
        parts = [body.outputs[place] for body in bodies(node)]
    elif node.op_type == "Loop" and place + 2 < len(node.inputs):
        (body,) = bodies(node)
        known[body.inputs[place + 2]] = True
        parts = [node.inputs[place + 2], body.outputs[place + 1]]
    return bool(parts) and all(one is not None and _is_passed(one, known) for one in parts)


def _written(node: ir.Node, integers: Integers) -> ir.Node | None:
    """Return what puts an element before the one that a node takes out: that is written."""
    longer = node.inputs[0]
    insert = None if longer is None else longer.producer()
    if longer is None or insert is None or not is_inside(insert) or len(node.inputs) != 2:
        return None
    place, after = insert.inputs[2], node.inputs[1]
    alone = len(longer.uses()) == 1 and not longer.is_graph_output() and not is_check(insert)
    if place is None or after is None or not alone:
        return None
    return insert if _is_next(integers, after, place) and _is_from_start(integers, place) else None


def _is_next(integers: Integers, after: Value, place: Value) -> bool:
    """Tell whether a position is surely the one after another."""
    sum_ = after.producer()
    if sum_ is not None and sum_.op_type == "Add" and place in sum_.inputs:
        other = sum_.inputs[1 - sum_.inputs.index(place)]
        one = None if other is None else const_array(other)
        if one is not None and one.ndim == 0 and one == 1:
            return True
    return add(integers.form(after), multiply(integers.form(place), -1)) == 1


def _is_from_start(integers: Integers, place: Value) -> bool:
    """Tell whether a position is not below 0, or is Where(i < 0, i + n, i)."""
    low, choice = bounds(integers.form(place))[0], place.producer()
    if low is not None and low >= 0:
        return True
    test = None if choice is None or choice.op_type != "Where" else choice.inputs[0]
    less = None if test is None else test.producer()
    if choice is None or less is None or less.op_type != "Less":
        return False
    zero = None if less.inputs[1] is None else const_array(less.inputs[1])
    known = zero is not None and zero.ndim == 0 and zero == 0
    return known and less.inputs[0] is choice.inputs[2]
