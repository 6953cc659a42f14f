"""If and Loop as units: bodies in, honestly typed results out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph import operands
from onnx_graph.dims import ANY, Dim, compare, is_known, is_size, maximum, same, substitute, symbols
from onnx_graph.errors import GraphError
from onnx_graph.failing import may_fail
from onnx_graph.marks import CHECK, DEMANDED, MAY_FAIL
from onnx_graph.scopes import Body, Scope
from onnx_graph.values import (
    Dims,
    const_array,
    contents_of,
    describe,
    is_empty_sequence,
    is_sequence,
    is_tensor,
    set_contents,
    shape_or_none,
    type_name,
)

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


def copied(graph: ONNXGraph, value: Value) -> Value:
    """Return the same contents as a value of the current scope, cheaply also for sequences."""
    if value.type is not None and not is_sequence(value):
        types = [(value.type, shape_or_none(value))]
        (result,) = graph.emit_into(graph.scope, "Identity", [value], {}, types=types)
        set_contents(result, contents_of(value))
        return result
    assert value.dtype is not None
    dummy = graph.constant(np.zeros(0, value.dtype.numpy()))
    result = graph.SequenceErase(graph.SequenceInsert(value, dummy))
    result.shape = value.shape
    return result


def may_be_result(body: ir.Graph, value: Value) -> bool:
    """Tell whether a body may return one of its own values without a copy.

    A Loop may return what it carries. onnxruntime counts in the memory of the iteration number, so
    that one, stacked as it is, would show the last turn everywhere.
    """
    if value.producer() is not None:
        return True
    return any(value is carried for carried in list(body.inputs)[2:])


def holds_check(graph: ir.Graph) -> bool:
    """Tell whether a graph or one of its subgraphs has a check."""
    marks = {CHECK, DEMANDED, MAY_FAIL}
    return any(not marks.isdisjoint(node.meta) or may_fail(node) for node in graph.all_nodes())


def _closed(graph: ONNXGraph, body: Body, results: Sequence[Value]) -> None:
    """Make values the outputs of a body, through a copy where ONNX asks for one."""
    with body:
        for value in results:
            outer = value.graph is not body.graph
            if outer or value.is_graph_output() or not may_be_result(body.graph, value):
                value = copied(graph, value)
            body.graph.outputs.append(value)
    body.closed = True


def _require_body(graph: ONNXGraph, body: Body, op: str) -> None:
    if body.parent is not graph.scope:
        raise GraphError(f"{op}: body {body.label!r} was not made in this scope")
    if body.closed or body.discarded:
        raise GraphError(f"{op}: body {body.label!r} is used or discarded")


def emit_if(
    graph: ONNXGraph,
    condition: object,
    then_body: Body,
    then_values: Sequence[object],
    else_body: Body,
    else_values: Sequence[object],
) -> list[Value]:
    """Emit an If.

    Args:
        graph: The graph; the If goes into its current scope.
        condition: A bool scalar.
        then_body: Run when it is True.
        then_values: Its results; values of outer scopes are copied inside.
        else_body: Run when it is False.
        else_values: Its results, as many and of the same dtypes.

    Returns:
        The results. Where the sizes of both sides differ the result has a fresh unknown one;
        where the ranks differ the rank is unknown. No result at all without a check in the
        bodies: nothing is emitted.

    Raises:
        GraphError: the condition is no bool scalar, or the sides do not match.
    """
    test = operands.as_value(graph, condition)
    if test.dtype is not ir.DataType.BOOL or test.shape is None or test.shape.rank() != 0:
        raise GraphError(f"If takes a bool scalar, not {describe(test)}")
    _require_body(graph, then_body, "If")
    _require_body(graph, else_body, "If")
    if len(then_values) != len(else_values):
        raise GraphError(f"If: {len(then_values)} results against {len(else_values)}")
    sides = []
    for body, values in ((then_body, then_values), (else_body, else_values)):
        results = [operands.as_value(graph, value) for value in values]
        graph.require_visible(f"If, results of {body.label!r}", results, body)
        sides.append(results)
    types = [
        _joined(graph, one, other, index)
        for index, (one, other) in enumerate(zip(*sides, strict=True))
    ]
    if not types:
        if not holds_check(then_body.graph) and not holds_check(else_body.graph):
            then_body.discard()
            else_body.discard()
            return []
        sides = [[graph.constant(0)], [graph.constant(0)]]
        types = [(ir.TensorType(ir.DataType.INT64), ())]
    _closed(graph, then_body, sides[0])
    _closed(graph, else_body, sides[1])
    attributes = {"then_branch": then_body, "else_branch": else_body}
    joined = graph.emit_into(graph.scope, "If", [test], attributes, outputs=len(types), types=types)
    then_body.node = else_body.node = joined[0].producer()
    return list(joined[: len(then_values)])


def _joined(
    graph: ONNXGraph, one: Value, other: Value, index: int
) -> tuple[ir.TypeProtocol, Dims | None]:
    if one.type is None or one.type != other.type:
        raise GraphError(
            f"If: result {index} is {describe(one)} ({type_name(one.type)}) on one side and "
            f"{describe(other)} ({type_name(other.type)}) on the other"
        )
    left, right = shape_or_none(one), shape_or_none(other)
    if is_empty_sequence(one) or is_empty_sequence(other):
        dims = right if is_empty_sequence(one) else left
        return one.type, _outside(graph, dims, is_sequence(one))
    if left is None or right is None or len(left) != len(right):
        return one.type, None
    return one.type, tuple(
        a if same(a, b) and _outlives(graph, a) else _open(graph, is_sequence(one))
        for a, b in zip(left, right, strict=True)
    )


def _open(graph: ONNXGraph, elements: bool) -> Dim:
    return ANY if elements else graph.fresh_dim()


def _outlives(graph: ONNXGraph, dim: int | Dim) -> bool:
    """Tell whether all symbols of a size were made in scopes that enclose the current one."""
    return all(scope.encloses(graph.scope) for scope in graph.birthplace(dim))


def emit_loop(
    graph: ONNXGraph,
    trip: object | None,
    condition: object | None,
    body: Body,
    initial: Sequence[object],
    cond_out: object | None,
    carried: Sequence[object],
    scans: Sequence[object],
) -> list[Value]:
    """Emit a Loop.

    Args:
        graph: The graph; the Loop goes into its current scope.
        trip: An int64 scalar, or None for no bound.
        condition: A bool scalar that is tested before the first turn, or None for True.
        body: Made with ``loop=True``; its inputs are declared with ``body.input`` in the order
            of ``initial``.
        initial: The values with which the carried inputs start.
        cond_out: A bool scalar of the body: whether to go on; None for True.
        carried: What the carried inputs become after a turn, as many as ``initial``.
        scans: Tensors of the body that are stacked over the turns.

    Returns:
        The carried values after the last turn, with the types that the body declares for them,
        then the stacked tensors.

    Raises:
        GraphError: a type does not fit; the declared types are no fixed point.
    """
    if not body.loop:
        raise GraphError(f"Loop: body {body.label!r} was not made with loop=True")
    _require_body(graph, body, "Loop")
    trips = None if trip is None else _scalar(graph, trip, ir.DataType.INT64, "trip count")
    start = _scalar(graph, True if condition is None else condition, ir.DataType.BOOL, "condition")
    go_on = _scalar(graph, True if cond_out is None else cond_out, ir.DataType.BOOL, "cond_out")
    starts = [operands.as_value(graph, value) for value in initial]
    ends = [operands.as_value(graph, value) for value in carried]
    stacked = [operands.as_value(graph, value) for value in scans]
    graph.require_visible("Loop", [trips, start, *starts])
    graph.require_visible("Loop, results of the body", [go_on, *ends, *stacked], body)
    declared = _carried_inputs(graph, body, starts, ends)
    bound: Dims = (turns(graph, trips, start, go_on),)
    (body.height,) = bound
    types = _loop_types(graph, declared, stacked, bound)
    exact = len(types)
    if not types:
        if not holds_check(body.graph):
            body.discard()
            return []
        stacked = [graph.constant(0)]
        types = [(ir.TensorType(ir.DataType.INT64), bound)]
    _closed(graph, body, [go_on, *ends, *stacked])
    emitted = [
        (type_, _at_no_turn(graph, dims, index >= len(declared)))
        for index, (type_, dims) in enumerate(types)
    ]
    operands_ = [trips, start, *starts]
    results = list(
        graph.emit_into(
            graph.scope, "Loop", operands_, {"body": body}, outputs=len(types), types=emitted
        )
    )
    body.node = results[0].producer()
    for index in range(len(declared), exact):
        results[index] = _with_sizes(graph, results[index], types[index][1])
    return results[:exact]


def _carried_inputs(
    graph: ONNXGraph, body: Body, starts: Sequence[Value], ends: Sequence[Value]
) -> list[Value]:
    """Return the inputs that a body carries; their types must hold before and after a turn."""
    declared = list(body.graph.inputs)[2:]
    if not len(declared) == len(starts) == len(ends):
        raise GraphError(
            f"Loop: {len(declared)} carried inputs, {len(starts)} initial values, "
            f"{len(ends)} values after a turn"
        )
    for what, actual in (("before the loop", starts), ("after one turn", ends)):
        _require_fixed_point(graph, body, declared, actual, what)
    return declared


def _loop_types(
    graph: ONNXGraph, declared: Sequence[Value], stacked: Sequence[Value], bound: Dims
) -> list[tuple[ir.TypeProtocol, Dims | None]]:
    """Return the types of what a Loop carries, then of what it stacks `bound` times."""
    types: list[tuple[ir.TypeProtocol, Dims | None]] = []
    for value in declared:
        assert value.type is not None
        kept = _outside(graph, shape_or_none(value), is_sequence(value))
        types.append((value.type, kept))
    for value in stacked:
        if not is_tensor(value):
            raise GraphError(f"Loop: {describe(value)} cannot be stacked; only tensors can")
        assert value.type is not None
        element = _outside(graph, shape_or_none(value), elements=False)
        types.append((value.type, None if element is None else bound + element))
    return types


def _at_no_turn(graph: ONNXGraph, dims: Dims | None, stacked: bool) -> Dims | None:
    """Forget the symbolic sizes of stacked elements: after no turn, onnxruntime makes them 0."""
    if dims is None or not stacked or compare(dims[0], ">", 0):
        return dims
    return dims[:1] + tuple(dim if is_known(dim) else graph.fresh_dim() for dim in dims[1:])


def _with_sizes(graph: ONNXGraph, value: Value, dims: Dims | None) -> Value:
    """Give a stack of no elements its symbolic sizes back, where these can be computed."""
    if dims is None or shape_or_none(value) == dims:
        return value
    try:
        sizes: list[object] = [graph.size(value, 0)]
        sizes += [dim if is_known(dim) else graph.dim_value(dim) for dim in dims[1:]]
    except GraphError:
        return value
    result: Value = graph.Reshape(value, graph.shape_tensor(sizes), allowzero=1)
    return result


def _scalar(graph: ONNXGraph, operand: object, dtype: ir.DataType, what: str) -> Value:
    value = operands.as_value(graph, operand)
    if value.dtype is not dtype or value.shape is None or value.shape.rank() != 0:
        raise GraphError(f"Loop: the {what} is {describe(value)}, not a scalar {dtype.name}")
    return value


def turns(
    graph: ONNXGraph, trip: Value | None, start: Value, go_on: Value, scope: Scope | None = None
) -> int | Dim:
    """Return how many turns a Loop of a scope makes: a fresh size where that is not known."""
    contents = None if trip is None else contents_of(trip)
    certain = all(
        (constant := const_array(value)) is not None and bool(constant) for value in (start, go_on)
    )
    if certain and is_size(contents):
        return maximum(contents, 0)
    return graph.fresh_dim(scope)


def _outside(graph: ONNXGraph, dims: Dims | None, elements: bool) -> Dims | None:
    """Forget sizes that belong to the body and may differ from turn to turn."""
    if dims is None:
        return None
    return tuple(dim if _outlives(graph, dim) else _open(graph, elements) for dim in dims)


def _require_fixed_point(
    graph: ONNXGraph, body: Scope, declared: Sequence[Value], actual: Sequence[Value], what: str
) -> None:
    bound: dict[str, int | Dim] = {}
    compound: list[tuple[int, int | Dim, int | Dim]] = []
    for index, (wanted, got) in enumerate(zip(declared, actual, strict=True)):
        dims, given = shape_or_none(wanted), shape_or_none(got)
        if is_empty_sequence(got) and wanted.type == got.type:
            continue
        fits = wanted.type == got.type and (
            dims is None or (given is not None and len(dims) == len(given))
        )
        for dim, size in zip(dims or (), given or (), strict=False) if fits else ():
            if dim == ANY and is_sequence(wanted):
                continue
            symbol = dim.symbol if isinstance(dim, Dim) else None
            if symbol is not None and symbol in body.born:
                fits = fits and same(bound.setdefault(symbol, size), size)
            elif symbols(dim) & body.born:
                compound.append((index, dim, size))
            else:
                fits = fits and same(dim, size)
        if not fits:
            raise GraphError(
                f"Loop: carried value {index} is declared as {describe(wanted)} but is "
                f"{describe(got)} {what}"
            )
    for index, dim, size in compound:
        if not same(substitute(dim, bound), size):
            raise GraphError(
                f"Loop: a size of carried value {index} is declared as {dim} but is {size} {what}"
            )
