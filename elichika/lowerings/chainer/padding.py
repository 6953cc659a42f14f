"""Lowering of `chainer.functions.pad`, in all modes of `numpy.pad` but `empty` and a function."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from chainer.functions.array.pad import Pad

from elichika.errors import UnsupportedFunction
from elichika.lowerings.chainer.array import joined
from elichika.lowerings.numeric import constant_like
from elichika.lowerings.numpy.extremes import extreme
from elichika.lowerings.sizes import known, rank, require_nonempty, value_of_size
from elichika.numbers.kernels import where
from elichika.registry import lowers
from onnx_graph import ONNXGraph, Value, dims_of, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

#: Whether numpy folds what it has added itself, and not the array again and again.
AFRESH = np.lib.NumpyVersion(np.__version__) < "2.0.0"


@lowers(Pad)
def pad(w: LoweringContext, node: Any, x: Value) -> Value:
    """Constants by Pad; the other modes along one axis after the other, whatever its size."""
    g = w.graph
    widths = np.broadcast_to(np.asarray(node.pad_width), (rank(x), 2)).tolist()
    if any(width < 0 for pair in widths for width in pair):
        raise UnsupportedFunction("pad takes no negative widths", (), "index with a slice")
    options = dict(node.keywords)
    if node.mode == "constant":
        values = _pairs(options.pop("constant_values", 0), x)
        _no_more(node.mode, options)
        return _constant(g, x, widths, values)
    read = _reader(node.mode, options, x)
    _no_more(node.mode, options)
    for axis, (before, after) in enumerate(widths):
        if before or after:
            x = require_nonempty(g, x, [axis], "pad")
            x = read(g, x, axis, before, after)
    return x


def _pairs(option: Any, x: Value) -> Any:
    """Return an option of numpy's as an array of a pair for each axis."""
    return np.broadcast_to(np.asarray(option), (rank(x), 2))


def _no_more(mode: str, options: dict[str, Any]) -> None:
    if options:
        raise UnsupportedFunction(f"pad in mode {mode!r} does not compile with {options}")


def _reader(mode: str, options: dict[str, Any], x: Value) -> Any:
    """Return what pads one axis; take the options of the mode out of `options`."""
    if mode in SOURCES and options.pop("reflect_type", "even") == "even":
        return partial(extended, mode=mode)
    if dtype_of(x).kind == "f" and mode in _STATISTICS:
        lengths = _pairs(options.pop("stat_length", None), x)
        if 0 in lengths:
            raise UnsupportedFunction("pad does not compile with a statistic over no elements")
        statistic = _STATISTICS[mode]
        return lambda g, x, axis, *widths: _stretched(g, x, axis, widths, lengths[axis], statistic)
    if dtype_of(x).kind == "f" and mode == "linear_ramp":
        ends = _pairs(options.pop("end_values", 0), x)
        return lambda g, x, axis, *widths: _ramps(g, x, axis, widths, ends[axis])
    odd = " with reflect_type='odd'" if mode in SOURCES else f" for {dtype_of(x)}"
    raise UnsupportedFunction(f"pad does not compile in mode {mode!r}{odd}")


def _constant(g: ONNXGraph, x: Value, widths: list[list[int]], values: Any) -> Value:
    """Axis by axis where the constants differ, the later axes over the earlier ones."""
    if (values == values.flat[0]).all():
        return _filled(g, x, widths, values.flat[0])
    for axis in range(rank(x)):
        for side in range(2):
            alone = [[0, 0] for _ in widths]
            alone[axis][side] = widths[axis][side]
            x = _filled(g, x, alone, values[axis, side])
    return x


def _filled(g: ONNXGraph, x: Value, widths: list[list[int]], value: Any) -> Value:
    """Name the axes: such a Pad onnxruntime does not make part of a pool.

    It gives MaxPool, which takes padding for -inf, a Pad with zeros, and AveragePool one that is
    as wide as the window, which it then does not load.
    """
    axes = [axis for axis, width in enumerate(widths) if any(width)]
    if not axes:
        return x
    pads = [widths[axis][side] for side in range(2) for axis in axes]
    return g.Pad(x, pads, constant_like(g, value, x), axes)


def extended(g: ONNXGraph, x: Value, axis: int, before: Any, after: Any, mode: str) -> Value:
    """Pad one axis with its own elements; `before` and `after` are sizes or int64 scalars."""
    if mode in ("reflect", "symmetric") and AFRESH:
        x = _require_few_folds(g, x, axis, before, after, mode)
    size = g.dim_value(dims_of(x)[axis])
    first, last = (value_of_size(g, width) for width in (before, after))
    steps = g.Range(g.Neg(first), g.Add(size, last), 1)
    return g.Gather(x, SOURCES[mode](g, steps, size), axis=axis)


def _require_few_folds(
    g: ONNXGraph, x: Value, axis: int, before: Any, after: Any, mode: str
) -> Value:
    """Return `x`, checked to be long enough for widths that differ.

    Before numpy 2.0 a third fold mirrors what the first two have added on both sides, wherever that
    ends. With equal widths, or on one side alone, it ends where a mirror is.
    """
    widths = known([before, after])
    if 0 in widths or (len(widths) == 2 and (before == after or max(widths) <= 6)):
        return x
    first, last = (value_of_size(g, width) for width in (before, after))
    short = 1 if mode == "reflect" else 0
    size = g.dim_value(dims_of(x)[axis])
    enough = g.LessOrEqual(g.Max(first, last), g.Mul(g.Sub(size, short), 3))
    plain = g.Or(g.Equal(first, last), g.Equal(g.Min(first, last), 0))
    holds = g.Or(g.Or(enough, plain), g.LessOrEqual(size, 1 + short))
    message = "ValueError: numpy before 2.0 folds an axis of this size in another way"
    return g.tie(x, g.check(holds, message))


def _mirrored(g: ONNXGraph, steps: Value, size: Value) -> Value:
    folded = g.Mod(steps, g.Max(g.Mul(size, 2), g.constant(1)))
    return g.Where(g.Less(folded, size), folded, g.Sub(g.Sub(g.Mul(size, 2), 1), folded))


def _reflected(g: ONNXGraph, steps: Value, size: Value) -> Value:
    period = g.Max(g.Sub(g.Mul(size, 2), 2), g.constant(1))
    folded = g.Mod(steps, period)
    return g.Where(g.Less(folded, size), folded, g.Sub(period, folded))


SOURCES = {
    "edge": lambda g, steps, size: g.Clip(steps, g.constant(0), g.Sub(size, 1)),
    "wrap": lambda g, steps, size: g.Mod(steps, g.Max(size, g.constant(1))),
    "symmetric": _mirrored,
    "reflect": _reflected,
}
"""For each mode, which element stands at a distance from the start of the axis."""


def _stretched(
    g: ONNXGraph, x: Value, axis: int, widths: Any, lengths: Any, statistic: Any
) -> Value:
    """Put a statistic of the first elements before them, and one of the last behind."""
    first, last = (None if length is None else int(length) for length in lengths)
    start = x if first is None else g.Slice(x, [0], [first], [axis])
    end = x if last is None else g.Slice(x, [-last], [2**62], [axis])
    parts = [
        _repeated(g, statistic(g, part, axis), axis, width)
        for part, width in zip((start, end), widths, strict=True)
    ]
    return joined(g, [parts[0], x, parts[1]], axis)


def _repeated(g: ONNXGraph, x: Value, axis: int, count: int) -> Value:
    return g.Gather(x, np.zeros(count, np.int64), axis=axis)


def _median(g: ONNXGraph, x: Value, axis: int) -> Value:
    """The mean of the middle one, or the middle two, in order."""
    size = g.dim_value(dims_of(x)[axis])
    ordered, _ = g.TopK(x, g.Unsqueeze(size, [0]), axis=axis, outputs=2)
    middle = g.shape_tensor([g.Div(g.Sub(size, 1), 2), g.Div(size, 2)])
    found = g.ReduceMean(g.Gather(ordered, middle, axis=axis), [axis], keepdims=1)
    squares = g.ReduceSumSquare(x, [axis], keepdims=1)  # nan where a nan is in it, and only there
    return where(g, g.IsNaN(squares), squares, found)


_STATISTICS = {
    "maximum": lambda g, x, axis: extreme(g, "ReduceMax", x, (axis,), 1),
    "minimum": lambda g, x, axis: extreme(g, "ReduceMin", x, (axis,), 1),
    "mean": lambda g, x, axis: g.ReduceMean(x, [axis], keepdims=1),
    "median": _median,
}


def _ramps(g: ONNXGraph, x: Value, axis: int, widths: Any, ends: Any) -> Value:
    """Go in equal steps from the end values to the outermost elements."""
    parts = []
    for edge, width, end in zip((0, -1), widths, ends, strict=True):
        shape = [-1 if other == axis else 1 for other in range(rank(x))]
        steps = np.arange(width) / max(width, 1)
        ramp = g.constant(steps.reshape(shape).astype(dtype_of(x)))
        outermost = g.Gather(x, [edge], axis=axis)
        low = constant_like(g, end, x)
        parts.append(g.Add(low, g.Mul(g.Sub(outermost, low), ramp)))
    reverse = g.Slice(parts[1], [-1], [-(2**62)], [axis], [-1])
    return joined(g, [parts[0], x, reverse], axis)
