"""Which whole numbers a value surely is one of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx_ir as ir

from onnx_graph.values import dims_of

__all__ = ["range_of"]

#: More numbers than these nobody asks for.
MOST = 64


def range_of(value: ir.Value) -> range | None:
    """Return numbers of which a whole number, or a bool, is one; None where they are not few."""
    if value.dtype == ir.DataType.BOOL:
        return range(2)
    node = value.producer()
    known = _known(value)
    if known is not None:
        return range(known, known + 1)
    found = _RANGES.get(node.op_type, _any)(node) if node is not None else None
    return found if found is not None and len(found) <= MOST else None


def _known(value: ir.Value | None) -> int | None:
    tensor = None if value is None else value.const_value
    if tensor is None or tensor.size != 1 or not np.issubdtype(tensor.numpy().dtype, np.integer):
        return None
    return int(tensor.numpy().reshape(()))


def _any(node: ir.Node) -> range | None:
    return None


def _rest(node: ir.Node) -> range | None:
    """Return what is left by a division by a known number, which has its sign."""
    number = _known(node.inputs[1])
    if (
        number is None
        or number <= 0
        or ("fmod" in node.attributes and node.attributes["fmod"].as_int())
    ):
        return None
    return range(number)


def _cast(node: ir.Node) -> range | None:
    """Return what a cast gives of bools, or of whole numbers that are few."""
    (operand,) = node.inputs
    target = node.outputs[0].dtype
    if operand is None or target is None or not target.is_integer():
        return None
    found = range_of(operand) if operand.dtype is not None and _is_whole(operand.dtype) else None
    return found if found is None or (found and found[0] >= 0 and found[-1] < 128) else None


def _is_whole(dtype: ir.DataType) -> bool:
    return dtype == ir.DataType.BOOL or dtype.is_integer()


def _place(node: ir.Node) -> range | None:
    """Return the places along an axis of known size."""
    data = node.inputs[0]
    if data is None or data.shape is None:
        return None
    axis = node.attributes["axis"].as_int() if "axis" in node.attributes else 0
    size: Any = dims_of(data)[axis]
    return range(size) if type(size) is int and size > 0 else None


def _one_of_two(node: ir.Node) -> range | None:
    """Return the numbers of both operands that a truth chooses between."""
    sides = [range_of(side) for side in node.inputs[1:] if side is not None]
    if None in sides or not all(sides):
        return None
    firsts, lasts = zip(*((side[0], side[-1]) for side in sides if side), strict=True)
    return range(min(firsts), max(lasts) + 1)


def _same(node: ir.Node) -> range | None:
    (operand,) = node.inputs[:1]
    return None if operand is None else range_of(operand)


_RANGES: dict[str, Callable[[ir.Node], range | None]] = {
    "ArgMax": _place,
    "ArgMin": _place,
    "Cast": _cast,
    "Identity": _same,
    "Mod": _rest,
    "Reshape": _same,
    "Squeeze": _same,
    "Unsqueeze": _same,
    "Where": _one_of_two,
}
