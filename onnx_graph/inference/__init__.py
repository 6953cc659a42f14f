"""Types of results: element type, rank, sizes and known contents, never false at any size.

Sizes come from rules of our own, one for each operator that models use (``RULES``); for the
others onnx-shape-inference is asked, and believed only where all operand sizes are known numbers.
A size that no rule vouches for is a fresh unknown symbol.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import onnx_ir as ir

from onnx_graph.dims import Dim, is_known, weight
from onnx_graph.errors import GraphError
from onnx_graph.inference import (
    contents,
    elementwise,
    library,
    linear,
    moving,
    reducing,
    reshaping,
    sequences,
    windows,
)
from onnx_graph.inference.call import Call, MismatchError, Rule
from onnx_graph.inference.dtypes import result_types
from onnx_graph.values import Dims, describe, is_tensor, set_contents

if TYPE_CHECKING:
    from onnx_graph.builder import ONNXGraph
    from onnx_graph.scopes import Scope

RULES: dict[str, Rule] = {
    **elementwise.RULES,
    **moving.RULES,
    **reshaping.RULES,
    **reducing.RULES,
    **linear.RULES,
    **windows.RULES,
    **sequences.RULES,
}

_HEAVIEST = 60
_MOST_ELEMENTS = 2**62


def _require_possible(node: ir.Node, dims: Sequence[int | Dim]) -> None:
    """Refuse a result of more elements than fit into any memory, as onnx's own checker does."""
    known = [dim for dim in dims if is_known(dim)]
    if 0 not in known and math.prod(known) >= _MOST_ELEMENTS:
        shown = ", ".join(map(str, dims))
        raise GraphError(f"{node.op_type}: no array has the shape ({shown})")


def type_node(graph: ONNXGraph, scope: Scope, node: ir.Node) -> None:
    """Set the types of a node's results.

    Raises:
        GraphError: the operands cannot fit together, whatever their unknown sizes.
    """
    call = Call(graph, scope, node)
    for value, type_ in zip(node.outputs, result_types(call), strict=True):
        value.type = type_
    for value, dims in zip(node.outputs, _shapes(call), strict=True):
        if dims is not None:
            _require_possible(node, dims)
            value.shape = ir.Shape(
                graph.fresh_dim(scope) if isinstance(dim, Dim) and weight(dim) > _HEAVIEST else dim
                for dim in dims
            )
    first = node.outputs[0]
    if first.dtype is ir.DataType.INT64 and is_tensor(first):
        set_contents(first, contents.known(call))


def inferred_sizes(graph: ONNXGraph, node: ir.Node) -> Sequence[Dims | None]:
    """Return the sizes of the results of a node that has its types, as they follow now.

    Raises:
        GraphError: the operands cannot fit together, whatever their unknown sizes.
    """
    return _shapes(Call(graph, graph.owner(node.outputs[0]), node))


def inferred_contents(
    graph: ONNXGraph, node: ir.Node
) -> int | Dim | tuple[int | Dim | None, ...] | None:
    """Return what is known of the first result of a node that has its types, if it is int64."""
    first = node.outputs[0]
    if first.dtype is not ir.DataType.INT64 or not is_tensor(first):
        return None
    return contents.known(Call(graph, graph.owner(first), node))


def _shapes(call: Call) -> Sequence[Dims | None]:
    """Ask the rule of an operator, or the library.

    Raises:
        GraphError: the operands cannot fit together, whatever their unknown sizes.
    """
    try:
        rule = RULES.get(call.op)
        return library.shapes(call) if rule is None else rule(call)
    except MismatchError as error:
        operands = ", ".join(describe(value) for value in call.inputs if value is not None)
        raise GraphError(f"{call.op}: {error}; operands: {operands}") from error
