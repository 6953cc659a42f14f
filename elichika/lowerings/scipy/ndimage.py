"""`scipy.ndimage.gaussian_filter`: each axis is the sum of windows with the same weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.images.windows import WIDE, rank_of
from onnx_graph import ONNXGraph, Value, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

__all__ = ["gaussian_filter"]

SINGLE = np.dtype(np.float32)
#: How scipy goes on beyond the ends, by the names of its modes.
MODES = ("reflect", "grid-mirror", "nearest", "grid-wrap", "wrap")


def gaussian_filter(
    w: LoweringContext,
    input: Any,
    sigma: Any,
    order: Any = 0,
    output: Any = None,
    mode: Any = "reflect",
    cval: Any = 0.0,
    truncate: Any = 4.0,
    *,
    radius: Any = None,
    axes: Any = None,
) -> Any:
    """Each axis is the sum of windows with the same weights, in float64; then it is rounded."""
    g, value = w.graph, w.value_of(input)
    settings = [w.narrow(one) for one in (sigma, order, mode, truncate, output, radius, axes)]
    widths = settings[0]
    match widths:
        case list() | tuple():
            widths = w.static_items(widths)
        case _:
            widths = [widths] * rank_of(value)
    known = not w.is_symbolic((*widths, *settings[1:])) and len(widths) == rank_of(value)
    plain = settings[1] == 0 and settings[2] in MODES and settings[4:] == [None, None, None]
    if not (known and plain) or dtype_of(value) not in (SINGLE, WIDE):
        w.refuse(
            "`gaussian_filter` is compiled for float32 and float64, a `sigma` that is known, "
            "order 0 and the modes reflect, nearest and wrap"
        )
    for axis, width in enumerate(widths):
        if width > 1e-15:
            reach = int(float(settings[3]) * float(width) + 0.5)
            value = _blurred(g, value, axis, _bell(float(width), reach), settings[2])
    return w.new_array(g.Identity(value))


def _bell(width: float, reach: int) -> np.ndarray[Any, Any]:
    """Return scipy's weights: a bell of this width, of sum 1."""
    places = np.arange(-reach, reach + 1)
    heights = np.exp(-0.5 / (width * width) * places**2)
    weights: np.ndarray[Any, Any] = heights / heights.sum()
    return weights


def _blurred(
    g: ONNXGraph, value: Value, axis: int, weights: np.ndarray[Any, Any], mode: str
) -> Value:
    rank, kind, reach = rank_of(value), dtype_of(value), len(weights) // 2
    size = g.size(value, axis)
    numbers = g.Range(g.constant(np.int64(0)), size, g.constant(np.int64(1)))
    reached = g.Add(g.Unsqueeze(numbers, [1]), np.arange(-reach, reach + 1, dtype=np.int64))
    order = [*(n for n in range(rank) if n != axis), axis]
    rows = g.Transpose(g.Cast(value, to=WIDE), perm=order)
    windows = g.Gather(rows, _inside(g, reached, size, mode), axis=rank - 1)
    found = g.ReduceSum(g.Mul(windows, g.constant(weights)), [rank], keepdims=0)
    back = [order.index(n) for n in range(rank)]
    return g.Cast(g.Transpose(found, perm=back), to=kind)


def _inside(g: ONNXGraph, place: Value, size: Value, mode: str) -> Value:
    """Return where scipy reads for a place that may be beyond an end."""
    if mode == "nearest":
        return g.Min(g.Max(place, np.int64(0)), g.Sub(size, np.int64(1)))
    some = g.Max(size, np.int64(1))
    if mode in ("wrap", "grid-wrap"):
        return g.Mod(place, some)
    twice = g.Mul(some, np.int64(2))
    around = g.Mod(place, twice)
    return g.Min(around, g.Sub(g.Sub(twice, np.int64(1)), around))
