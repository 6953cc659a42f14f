"""Operators on sequences and optionals. The sizes of a sequence are those of every element."""

from __future__ import annotations

from collections.abc import Sequence

import onnx_ir as ir

from onnx_graph.dims import ANY, Dim, same
from onnx_graph.inference.call import Call, MismatchError, Rule
from onnx_graph.values import Dims, is_empty_sequence, is_tensor, shape_or_none


def _common(one: Dims | None, other: Dims | None) -> Dims | None:
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple(a if same(a, b) else ANY for a, b in zip(one, other, strict=True))


def _opened(call: Call, dims: Dims | None) -> Dims | None:
    """Give sizes that differ from element to element a name for one element."""
    if dims is None:
        return None
    return tuple(call.fresh() if dim == ANY else dim for dim in dims)


def construct(call: Call) -> Sequence[Dims | None]:
    """Return the sizes that all elements share."""
    common = call.dims(0)
    for index in range(1, len(call.inputs)):
        common = _common(common, call.dims(index))
    return [common]


def empty(call: Call) -> Sequence[Dims | None]:
    """Return nothing; the first element decides."""
    return [None]


def insert(call: Call) -> Sequence[Dims | None]:
    """Return the sizes that old and new elements share."""
    _same_element(call)
    value = call.operand(0)
    if value is not None and is_empty_sequence(value):
        return [call.dims(1)]
    return [_common(call.dims(0), call.dims(1))]


def _same_element(call: Call) -> None:
    value, element = call.operand(0), call.operand(1)
    if value is None or element is None or value.dtype is not element.dtype:
        raise MismatchError("the element type differs")


def erase(call: Call) -> Sequence[Dims | None]:
    """Return the sizes of the elements."""
    value = call.operand(0)
    producer = None if value is None else value.producer()
    undoes = producer is not None and producer.op_type == "SequenceInsert"
    if producer is not None and undoes and not _position(producer) and len(call.inputs) == 1:
        inner = producer.inputs[0]
        return [None if inner is None else shape_or_none(inner)]
    return [call.dims(0)]


def _position(node: ir.Node) -> bool:
    return len(node.inputs) > 2 and node.inputs[2] is not None


def at(call: Call) -> Sequence[Dims | None]:
    """Return the sizes of one element."""
    return [_opened(call, call.dims(0))]


def concat_from(call: Call) -> Sequence[Dims | None]:
    """Join along an axis whose size becomes unknown."""
    dims = _opened(call, call.dims(0))
    if dims is None:
        return [None]
    axis = call.attribute("axis")
    if call.attribute("new_axis", 0):
        axis = call.axis(axis, len(dims) + 1)
        return [(*dims[:axis], call.fresh(), *dims[axis:])]
    axis = call.axis(axis, len(dims))
    return [(*dims[:axis], call.fresh(), *dims[axis + 1 :])]


def split_to(call: Call) -> Sequence[Dims | None]:
    """Cut an axis: single slices, equal pieces with a smaller last one, or given lengths."""
    dims = call.dims(0)
    if dims is None:
        return [None]
    axis = call.axis(call.attribute("axis", 0), len(dims))
    piece: int | Dim = ANY
    if call.operand(1) is None:
        if not call.attribute("keepdims", 1):
            return [dims[:axis] + dims[axis + 1 :]]
        piece = 1
    return [(*dims[:axis], piece, *dims[axis + 1 :])]


def optional(call: Call) -> Sequence[Dims | None]:
    """Return the sizes of the value inside."""
    return [call.dims(0)]


def get_element(call: Call) -> Sequence[Dims | None]:
    """Return the sizes of the value inside."""
    value = call.operand(0)
    tensor = value is not None and is_tensor(call.node.outputs[0])
    return [_opened(call, call.dims(0)) if tensor else call.dims(0)]


def scalar(call: Call) -> Sequence[Dims | None]:
    """Return no axes."""
    return [()]


RULES: dict[str, Rule] = {
    "SequenceConstruct": construct,
    "SequenceEmpty": empty,
    "SequenceInsert": insert,
    "SequenceErase": erase,
    "SequenceAt": at,
    "SequenceLength": scalar,
    "ConcatFromSequence": concat_from,
    "SplitToSequence": split_to,
    "Optional": optional,
    "OptionalGetElement": get_element,
    "OptionalHasElement": scalar,
}
