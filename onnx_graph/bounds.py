"""How large whole numbers of the graph may be: no number is below -b or as large as b."""

from __future__ import annotations

from collections.abc import Callable, Collection

import onnx_ir as ir

from onnx_graph.values import const_array

__all__ = ["UNBOUND", "bound_of"]

#: What holds of each number of 64 bits.
UNBOUND = 2**63
#: No axis of a tensor is that long, and no loop has that many turns.
LONGEST = 2**31 - 2**16
#: After how many nodes nothing is known.
DEEP = 12
_MOST: dict[ir.DataType | None, int] = {
    ir.DataType.BOOL: 2,
    ir.DataType.INT8: 2**7,
    ir.DataType.UINT8: 2**8,
    ir.DataType.INT16: 2**15,
    ir.DataType.UINT16: 2**16,
    ir.DataType.INT32: 2**31,
    ir.DataType.UINT32: 2**32,
}


def bound_of(value: ir.Value | None, turns: Collection[ir.Value] = (), depth: int = 0) -> int:
    """Return a bound of whole numbers, or bools.

    Args:
        value: The numbers.
        turns: Values that count the turns of loops.
        depth: How many nodes lie behind.
    """
    if value is None or depth == DEEP:
        return UNBOUND
    if value.dtype is not ir.DataType.INT64:
        return _MOST.get(value.dtype, UNBOUND)
    known = const_array(value)
    if known is not None:
        return max(int(known.max()) + 1, -int(known.min())) if known.size else 0
    node = value.producer()
    if node is None:
        return LONGEST if value in turns else UNBOUND
    rule = _BOUNDS.get(node.op_type, _unbound)
    operands = node.inputs
    if node.op_type in ("If", "Loop"):
        operands, rule = _given(node, value), max
    return min(rule([bound_of(one, turns, depth + 1) for one in operands]), UNBOUND)


def _given(node: ir.Node, value: ir.Value) -> list[ir.Value | None]:
    """Return what an If or Loop gives as one of its results; None of what it carries."""
    number = node.outputs.index(value)
    if node.op_type == "Loop":
        carried = len(node.inputs) - 2
        return [
            node.attributes["body"].as_graph().outputs[number + 1] if number >= carried else None
        ]
    return [one.as_graph().outputs[number] for one in node.attributes.values()]


def _unbound(bounds: list[int]) -> int:
    return UNBOUND


def _first(bounds: list[int]) -> int:
    return bounds[0]


_Rule = Callable[[list[int]], int]
_BOUNDS: dict[str, _Rule] = {
    **dict.fromkeys(
        ("Shape", "Size", "ArgMax", "ArgMin", "NonZero", "SequenceLength"), lambda bounds: LONGEST
    ),
    **dict.fromkeys(("Concat", "Clip", "Max", "Min"), max),
    **dict.fromkeys(("Abs", "Neg"), lambda bounds: bounds[0] + 1),
    **dict.fromkeys(
        (
            *("Cast", "Compress", "Expand", "Flatten", "Gather", "GatherElements", "GatherND"),
            *("Identity", "ReduceMax", "ReduceMin", "Reshape", "Slice", "Split", "Squeeze"),
            *("Tile", "Transpose", "Unsqueeze"),
        ),
        _first,
    ),
    **dict.fromkeys(("Add", "Sub"), sum),
    "Mod": lambda bounds: bounds[1],
    "Mul": lambda bounds: bounds[0] * bounds[1] + 1,
    "Range": lambda bounds: max(bounds[:2]),
    "Where": lambda bounds: max(bounds[1:]),
}
