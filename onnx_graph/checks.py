"""Run-time checks: nodes that fail by construction, and the tokens that keep them alive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import onnx_ir as ir
from onnx_ir import Value

from onnx_graph import operands
from onnx_graph.dims import Dim
from onnx_graph.errors import GraphError
from onnx_graph.marks import CHECK
from onnx_graph.values import (
    const_array,
    contents_of,
    describe,
    is_sequence,
    is_tensor,
    set_contents,
    shape_or_none,
)

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph


def check(graph: ONNXGraph, condition: object, message: str) -> Value:
    """Emit a check that fails when a bool scalar is False.

    It is ``Range(0, 0, condition ? 1 : 0)``, of no numbers: a step of 0 is an error. That is so on
    a GPU too, where an index out of range gives 0: its operands, and the size that is the token,
    are on the CPU in any case. The step is a float64: OpenVINO ends the process at an int that is
    0, and converters to half precision leave that type alone. The name of the Range carries the
    message. No pass removes it.

    Returns:
        The token, an int64 scalar that is 0.

    Raises:
        GraphError: the condition is no bool scalar.
    """
    value = operands.as_value(graph, condition)
    if value.dtype is not ir.DataType.BOOL or value.shape is None or value.shape.rank() != 0:
        raise GraphError(f"a check takes a bool scalar, not {describe(value)}")
    constant = const_array(value)
    if constant is not None and bool(constant):
        return graph.constant(0)
    nothing = graph.Range(np.float64(0), np.float64(0), graph.Cast(value, to=np.float64))
    node = nothing.producer()
    assert node is not None
    node.meta[CHECK] = message
    token: Value = graph.Size(nothing)
    set_contents(token, None)
    return token


def check_of(token: Value) -> ir.Node | None:
    """Return the node that fails, by the token that :func:`check` gave; None of one that holds."""
    made = token.producer()
    nothing = None if made is None else made.inputs[0]
    return None if nothing is None else nothing.producer()


def equal_sizes(graph: ONNXGraph) -> list[tuple[str, str]]:
    """Return the names of sizes that the main graph, before passes, needs to be equal.

    It checks them, or sums over them in a matrix product.
    """
    found = []
    for node in graph.main.graph:
        names = [size.symbol for size in _needed_equal(node) if isinstance(size, Dim)]
        if len(names) == 2 and names[0] is not None and names[1] is not None:
            found.append((names[0], names[1]))
    return found


def _needed_equal(node: ir.Node) -> Sequence[object]:
    """Return the two sizes that a node fails without, if they are not equal."""
    if CHECK in node.meta:
        step = node.inputs[2]
        cast = None if step is None else step.producer()
        tested = None if cast is None else cast.inputs[0]
        made = None if tested is None else tested.producer()
        if made is not None and made.op_type == "Equal":
            return [None if value is None else contents_of(value) for value in made.inputs]
    if node.op_type in ("MatMul", "Gemm"):
        one, other = node.inputs[:2]
        first = () if one is None else shape_or_none(one) or ()
        second = () if other is None else shape_or_none(other) or ()
        if first and second:
            turned, other_turned = (node.attributes.get_int(f"trans{of}", 0) for of in "AB")
            return first[0 if turned else -1], second[-1 if other_turned else -2 :][0]
    return ()


def tie(
    graph: ONNXGraph, value: object, token: object, dims: Sequence[int | Dim] | None = None
) -> Value:
    """Return a copy of a tensor or sequence that exists only when the token's checks passed.

    A tensor is reshaped to its own shape plus the token, which is 0; a number is taken from a list
    of it alone, at the token, since OpenVINO reads the shape of a number as a number; a sequence
    gets a dummy put in and taken out at the token's position. None touches the elements.

    Args:
        graph: The graph.
        value: What depends on the token.
        token: What :func:`check` gave.
        dims: The sizes of a tensor by other names, where the token's check proves them equal.

    Raises:
        GraphError: the value is an optional, or the token is no int64 scalar.
    """
    subject, zero = operands.as_value(graph, value), operands.as_value(graph, token)
    if not operands.is_int64_scalar(zero):
        raise GraphError(f"a token is an int64 scalar, not {describe(zero)}")
    if zero.const_value is not None:
        return subject
    if is_sequence(subject):
        dummy = graph.constant(np.zeros(0, subject.dtype.numpy() if subject.dtype else None))
        longer = graph.SequenceInsert(subject, dummy, zero)
        result: Value = graph.SequenceErase(longer, zero)
        result.shape = subject.shape
        return result
    if not is_tensor(subject):
        raise GraphError(f"{describe(subject)} cannot be tied to a token")
    if subject.shape is not None and subject.shape.rank() == 0:
        result = graph.Gather(graph.Unsqueeze(subject, [0]), zero, axis=0)
    else:
        shape = graph.Add(graph.Shape(subject), zero)
        result = graph.Reshape(subject, shape, allowzero=1)
    if subject.shape is not None:
        result.shape = ir.Shape(subject.shape.dims if dims is None else dims)
        set_contents(result, None)
    return result
