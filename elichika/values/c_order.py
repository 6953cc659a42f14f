"""Which arrays numpy surely holds in C order: reshaping those gives views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.values.symbolic import Array
from onnx_graph import ONNXGraph, Value, dims_of

if TYPE_CHECKING:
    from elichika.values.context import TensorContext

#: Set on values that stand for arrays that numpy may hold in another order, or holds in this one.
UNORDERED, ORDERED = "elichika.unordered", "elichika.ordered"
#: How far back a computation is followed.
DEPTH = 12


def in_order(w: TensorContext, array: Array) -> bool:
    """Tell whether numpy surely holds an array in C order; a write does not change that."""
    if array.source is not None:
        return bool(array.source.flags.c_contiguous)
    root = array.root
    if array is not root:
        return contiguous(w.graph, w.read(array), {id(w.read(root)): in_order(w, root)})
    if root.ordered is None:
        value = w.read(root)
        alone = not root.shares and len(dims_of(value)) <= 1
        return alone or contiguous(w.graph, value)
    return root.ordered


def keep_order(w: TensorContext, array: Array, value: Value) -> None:
    """Note before a write that an array keeps its order, and what its new contents tell of it."""
    array.ordered = in_order(w, array)
    if not array.ordered:
        value.meta[UNORDERED] = True


def laid_out(w: TensorContext, made: Array, order: str | None, like: Any = None) -> Array:
    """Note the order that numpy's argument `order` gives a new array made after another."""
    value = w.read(made)
    if len(dims_of(value)) <= 1:
        made.ordered = True
    elif order in ("K", "A", None) and isinstance(like, (Array, np.ndarray)):
        made.ordered = in_order(w, w.as_array(like))
    else:
        made.ordered = order != "F"
    if not made.ordered:
        value.meta[UNORDERED] = True
    return made


def contiguous(
    g: ONNXGraph, value: Value, known: dict[int, bool] | None = None, depth: int = DEPTH
) -> bool:
    """Tell whether numpy surely holds an array in C order, going by how it was computed.

    Args:
        g: The graph.
        value: The contents of the array.
        known: Whether arrays with these contents, by their ids, are in C order.
        depth: How far back to look.
    """
    if known and id(value) in known:
        return known[id(value)]
    if UNORDERED in value.meta or ORDERED in value.meta:
        return UNORDERED not in value.meta
    node = value.producer()
    if node is None:
        return len(dims_of(value)) <= 1 or value.graph is g.main.graph
    operands = [v for v in node.inputs if v is not None]
    if not depth or not operands:
        return False
    if node.op_type in _ELEMENTWISE:
        sources = operands if node.op_type == "Cast" else map(_unrepeated, operands)
        return len(dims_of(value)) <= 1 or all(
            contiguous(g, v, known, depth - 1) for v in sources if dims_of(v)
        )
    if node.op_type == "Expand" and dims_of(value) != dims_of(operands[0]):
        return False  # a view whose strides are 0, or a copy that runs in their order
    if node.op_type in ("Reshape", "ScatterND", "ScatterElements", "Expand"):
        return contiguous(g, operands[0], known, depth - 1)
    if node.op_type == "If":
        sides = [side.as_graph().outputs[value.index() or 0] for side in node.attributes.values()]
        return all(contiguous(g, side, known, depth - 1) for side in sides)
    if node.op_type == "Gather" and _axis(node) == 0:
        return contiguous(g, operands[0], known, depth - 1)
    return node.op_type in ("MatMul", "Gemm", "Range", "ConstantOfShape")


def _unrepeated(value: Value) -> Value:
    """Return what a broadcast value repeats: a ufunc gives C order for it as for that.

    `astype` does not: what has strides of 0 it copies in the order of its strides.
    """
    node = value.producer()
    if node is None or node.op_type != "Expand" or UNORDERED in value.meta:
        return value
    return node.inputs[0] or value


def _axis(node: Any) -> int:
    return node.attributes["axis"].as_int() if "axis" in node.attributes else 0


_ELEMENTWISE = frozenset(
    [
        "Add",
        "Sub",
        "Mul",
        "Div",
        "Mod",
        "Pow",
        "And",
        "Or",
        "Xor",
        "Not",
        "Neg",
        "Abs",
        "Sign",
        "Exp",
        "Log",
        "Sqrt",
        "Tanh",
        "Sigmoid",
        "Relu",
        "Floor",
        "Ceil",
        "Round",
        "Cast",
        "Where",
        "Min",
        "Max",
        "Equal",
        "Less",
        "LessOrEqual",
        "Greater",
        "GreaterOrEqual",
        "Sin",
        "Cos",
        "Clip",
    ]
)
