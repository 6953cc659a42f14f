"""Checks that two arrays have equal sizes by reshaping one to the other's shape.

    n = Gather(Shape(a), 0)                  # a: float[N, 3], b: float[M, 3]
    m = Gather(Shape(b), 0)
    range_1 = Range(0, 0, Cast(Equal(n, m))) # a check
    y = Reshape(a, Add(Shape(a), Size(range_1)))

    y = Reshape(a, Shape(b))                 # the check

Where all other sizes are the same numbers, and none is 0, no other shape has as many elements: the
Reshape fails where the check does.  What is tied need not be one of the two; then an array that it
is computed from, of one of the sizes, is reshaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import onnx_ir as ir
from onnx_ir import Value

from onnx_graph.dims import Dim
from onnx_graph.marks import CHECK, SOURCE
from onnx_graph.passes import unused
from onnx_graph.passes.editing import before, may_replace, nested, surely_replace
from onnx_graph.values import const_array, set_contents, shape_or_none

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph

AFTER: Mapping[str, str] = {"checks_first": "which reads what a Range checks"}

#: How many nodes lie between what is tied and what is reshaped, at most.
FAR = 8


@dataclass(frozen=True)
class _Tied:
    """A check of two sizes for which one value waits.

    Attributes:
        check: The Range.
        tie: The Reshape that waits for it.
        reshaped: What is reshaped instead.
        reader: The node that reads this.
        other: The array whose shape it gets.
    """

    check: ir.Node
    tie: ir.Node
    reshaped: Value
    reader: ir.Node
    other: Value


def run(graph: ONNXGraph) -> int:
    """Write checks of sizes as Reshapes; return how many."""
    changed = 0
    for scope in nested(graph.main.graph):
        for node in list(scope):
            found = _found(graph, node)
            if found is not None:
                _reshape(graph, found)
                changed += 1
    if changed:
        unused.run(graph)
    return changed


def ensures(graph: ONNXGraph) -> Iterator[str]:
    """No Range compares the sizes of two arrays for one that a Reshape checks as well."""
    for scope in nested(graph.main.graph):
        for node in scope:
            if _found(graph, node) is not None:
                yield f"the check {node.meta[CHECK]!r}"


def _reshape(graph: ONNXGraph, found: _Tied) -> None:
    with before(graph, found.reader):
        made = graph.Reshape(found.reshaped, _shape_of(graph, found), allowzero=1)
    tied, data = found.tie.outputs[0], found.tie.inputs[0]
    made.shape = ir.Shape(shape_or_none(found.other) or ())
    set_contents(made, None)
    node = made.producer()
    assert node is not None and data is not None
    node.meta[CHECK] = found.check.meta[CHECK]
    if SOURCE in found.check.meta:
        node.meta[SOURCE] = found.check.meta[SOURCE]
    if found.reader is found.tie:
        made.shape = tied.shape
        surely_replace(graph, tied, made)
    else:
        for place, operand in enumerate(found.reader.inputs):
            if operand is found.reshaped:
                found.reader.replace_input_with(place, made)
        data.shape = tied.shape
        surely_replace(graph, tied, data)
    for gone in (found.tie, *_after(found.check), found.check):
        assert gone.graph is not None
        gone.graph.remove(gone, safe=True)


def _shape_of(graph: ONNXGraph, found: _Tied) -> Value:
    """Return the shape of the other array: one that is there already, or a new one."""
    home = found.reader.graph
    order = {node: place for place, node in enumerate(home or ())}
    for use in found.other.uses():
        is_before = order.get(use.node, len(order)) < order[found.reader]
        if is_before and use.node.op_type == "Shape" and not use.node.attributes:
            return use.node.outputs[0]
    shape: Value = graph.Shape(found.other)
    return shape


def _found(graph: ONNXGraph, check: ir.Node) -> _Tied | None:
    """Return how a check is written as a Reshape; None where it is not of two sizes."""
    tie = _tie(check) if CHECK in check.meta and check.op_type == "Range" else None
    sizes = _sizes(check) if tie is not None else []
    if tie is None or len(sizes) != 2:
        return None
    tied, data = tie.outputs[0], tie.inputs[0]
    for (array, axis), (other, other_axis) in (sizes, sizes[::-1]):
        dims, wanted = shape_or_none(array), shape_or_none(other)
        if dims is None or wanted is None or axis != other_axis:
            continue
        size = dims[axis]
        if not _alone(wanted, axis) or type(size) is not Dim:
            continue
        for reshaped, reader in _ways(tie, data):
            shape = (*wanted[:axis], size, *wanted[axis + 1 :])
            if shape_or_none(reshaped) != shape or reshaped is other:
                continue
            if not _is_before(other, reader):
                continue
            if reader is tie or (data is not None and may_replace(graph, tied, data)):
                return _Tied(check, tie, reshaped, reader, other)
    return None


def _alone(dims: tuple[int | Dim, ...], axis: int) -> bool:
    """Tell whether all sizes but one are numbers, and not 0."""
    rest = [*dims[:axis], *dims[axis + 1 :]]
    return type(dims[axis]) is Dim and all(type(size) is int and size for size in rest)


def _is_before(value: Value, node: ir.Node) -> bool:
    """Tell whether a value is there before a node."""
    home, made = node.graph, value.producer()
    if value.graph is not home or made is None:
        return True
    order = {other: place for place, other in enumerate(home or ())}
    return order[made] < order[node]


def _ways(tie: ir.Node, data: Value | None) -> Iterator[tuple[Value, ir.Node]]:
    """Yield what a tie waits for, with the node that reads it on the way there."""
    todo = [(data, tie)]
    for _ in range(FAR):
        if not todo:
            return
        value, reader = todo.pop(0)
        if value is None or value.graph is not tie.graph:
            continue
        yield value, reader
        made = value.producer()
        if made is not None and made.op_type not in ("If", "Loop"):
            todo += [(operand, made) for operand in made.inputs]


def _tie(check: ir.Node) -> ir.Node | None:
    """Return the only Reshape that waits for a check, in the same body."""
    after = _after(check)
    if len(after) != 2:
        return None
    tie = _only_reader(after[0].outputs[0])
    if tie is None or tie.op_type != "Reshape" or "allowzero" not in tie.attributes:
        return None
    shape = next((one for one in after[0].inputs if one is not after[1].outputs[0]), None)
    made = None if shape is None else shape.producer()
    plain = made is not None and made.op_type == "Shape" and not made.attributes
    if not plain or made is None or made.inputs[0] is not tie.inputs[0]:
        return None
    return tie if tie.graph is check.graph else None


def _after(check: ir.Node) -> list[ir.Node]:
    """Return the only nodes between a check and what waits for it, the last one first."""
    size = _only_reader(check.outputs[0])
    if size is None or size.op_type != "Size":
        return []
    added = _only_reader(size.outputs[0])
    return [added, size] if added is not None and added.op_type == "Add" else []


def _only_reader(value: Value) -> ir.Node | None:
    uses = list(value.uses())
    return uses[0].node if len(uses) == 1 and not value.is_graph_output() else None


def _sizes(check: ir.Node) -> list[tuple[Value, int]]:
    """Return the arrays whose sizes a check compares, each with the axis."""
    cast = check.inputs[2].producer() if check.inputs[2] is not None else None
    equal = cast.inputs[0].producer() if cast is not None and cast.inputs[0] is not None else None
    if equal is None or equal.op_type != "Equal":
        return []
    return [found for one in equal.inputs if one is not None for found in _sized(one)]


def _sized(size: Value) -> Iterator[tuple[Value, int]]:
    """Yield the array that a number is a size of, and the axis."""
    match size.producer():
        case ir.Node(op_type="Gather", inputs=(shape, index)) if shape is not None:
            number = None if index is None else const_array(index)
            made = shape.producer()
            if number is None or number.ndim or made is None or made.op_type != "Shape":
                return
            if not made.attributes and made.inputs[0] is not None:
                dims = shape_or_none(made.inputs[0]) or ()
                if -len(dims) <= int(number) < len(dims):
                    yield made.inputs[0], int(number) % len(dims)
