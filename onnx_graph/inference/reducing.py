"""Operators that reduce axes."""

from __future__ import annotations

from collections.abc import Sequence

from onnx_graph.inference.call import Call, Rule
from onnx_graph.values import Dims

REDUCTIONS = [
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "ReduceSumSquare",
]


def _dropped(dims: Dims, axes: set[int], keep: bool) -> Dims:
    if keep:
        return tuple(1 if axis in axes else dim for axis, dim in enumerate(dims))
    return tuple(dim for axis, dim in enumerate(dims) if axis not in axes)


def reduce(call: Call) -> Sequence[Dims | None]:
    """Reduce the axes that the second operand names; all, or none, without it."""
    dims, keep = call.dims(0), bool(call.attribute("keepdims", 1))
    if dims is None:
        return [None]
    axes = [] if call.operand(1) is None else call.numbers(1)
    if axes is None:
        count = call.vector(1)
        if keep:
            return [call.unknown(len(dims))]
        return [None if not count else call.unknown(len(dims) - len(count))]
    if not axes:
        if call.attribute("noop_with_empty_axes", 0):
            return [dims]
        axes = list(range(len(dims)))
    return [_dropped(dims, set(call.axes(axes, len(dims))), keep)]


def arg_extreme(call: Call) -> Sequence[Dims | None]:
    """Reduce one axis."""
    dims = call.dims(0)
    if dims is None:
        return [None]
    axis = call.axis(call.attribute("axis", 0), len(dims))
    return [_dropped(dims, {axis}, bool(call.attribute("keepdims", 1)))]


RULES: dict[str, Rule] = {
    **dict.fromkeys(REDUCTIONS, reduce),
    "ArgMax": arg_extreme,
    "ArgMin": arg_extreme,
}
