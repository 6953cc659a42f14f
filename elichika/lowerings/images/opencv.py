"""`cv2.resize`: sums of windows along each axis.

    y = cv2.resize(x, (w, h))     # y[i, j] = sum of x[near i, near j], by weights

The weights are as OpenCV's own lines have them. Which pixels it multiplies by zero hangs on the
processor, so that images with nan are refused by a check when the model runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.lowerings.images.windows import (
    WHOLE,
    WIDE,
    Axis,
    Windows,
    inside_image,
    numbers,
    rank_of,
    summed,
)
from onnx_graph import ONNXGraph, Value, all_known, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

__all__ = ["resize"]

SINGLE = np.dtype(np.float32)
NEAREST, LINEAR, CUBIC, AREA = range(4)
#: What OpenCV copies as it is.
COPIED = tuple(map(np.dtype, ("uint8", "uint16", "int16", "float32", "float64")))
#: OpenCV refuses more channels.
MOST_CHANNELS = 512


def resize(
    w: LoweringContext,
    src: Any,
    dsize: Any,
    dst: Any = None,
    fx: Any = None,
    fy: Any = None,
    interpolation: Any = LINEAR,
) -> Any:
    """Resize an image, its channels last; of one channel OpenCV leaves out the axis.

    Of bytes it interpolates in fixed point, of float64 with weights that are less exact.
    """
    g, image, flag = w.graph, w.value_of(src), w.narrow(interpolation)
    taken = COPIED if flag == NEAREST else (SINGLE,)
    if dst is not None or (flag != NEAREST and flag not in WINDOWS) or dtype_of(image) not in taken:
        w.refuse(
            "`cv2.resize` is compiled for float32: linear, cubic and area; nearest also for others",
            "convert the image before it is resized: `image.astype(np.float32)`",
        )
    channels = w.dims(src)[2:]
    if rank_of(image) not in (2, 3) or not all_known(channels):
        w.refuse("`cv2.resize` takes a height, a width, and channels whose number is known")
    error = sys.modules["cv2"].error
    if channels and not 1 <= channels[0] <= MOST_CHANNELS:
        w.raise_static(error(f"an image has 1 to {MOST_CHANNELS} channels"))
    old = [g.size(image, axis) for axis in (0, 1)]
    w.check(g.Greater(g.Min(*old), np.int64(0)), error, "the image is empty")
    axes = _axes(w, old, dsize, [fy, fx])
    sizes = g.Min(*(axis.new for axis in axes))
    w.check(g.Greater(sizes, np.int64(0)), error, "an image is resized to at least 1 x 1")
    if flag == NEAREST:
        for number, axis in enumerate(axes):
            image = g.Gather(image, _nearest(g, axis), axis=number)
    else:
        finite = g.Less(g.ReduceMax(g.Abs(image), list(range(rank_of(image))), keepdims=0), np.inf)
        w.check(finite, FloatingPointError, "cv2.resize of nan or infinite pixels is not compiled")
        for number, windows in reversed([*enumerate(WINDOWS[flag](g, *axes))]):
            image = summed(g, image, number, windows)
    return w.new_array(g.Squeeze(image, [2]) if channels and channels[0] == 1 else image)


def _axes(w: LoweringContext, old: list[Value], dsize: Any, factors: list[Any]) -> list[Axis]:
    g, asked = w.graph, w.narrow(dsize)
    asked = None if asked is None else w.static_items(asked)
    one, wide = np.float64(1), [g.Cast(size, to=WIDE) for size in old]
    if asked is None or all(type(n) is int and n == 0 for n in asked):
        if any(w.is_symbolic(f) or not f or f <= 0 for f in map(w.narrow, factors)):
            w.refuse("`cv2.resize` without a size needs `fx` and `fy`, which are known numbers")
        by = [np.float64(factor) for factor in factors]
        new = [g.Cast(g.Round(g.Mul(n, f)), to=WHOLE) for n, f in zip(wide, by, strict=True)]
        return [Axis(*a) for a in zip(old, new, [g.constant(one / f) for f in by], strict=True)]
    if len(asked) != 2 or not all(_is_size(w.type_of(n)) for n in asked):
        w.refuse("the size that `cv2.resize` is given is a tuple of two ints")
    new = [w.value_of(n, np.int64) for n in reversed(asked)]
    ratios = [g.Div(g.Cast(n, to=WIDE), size) for n, size in zip(new, wide, strict=True)]
    return [Axis(*a) for a in zip(old, new, [g.Div(one, r) for r in ratios], strict=True)]


def _is_size(kind: type) -> bool:
    return kind is int or issubclass(kind, np.integer)


def _nearest(g: ONNXGraph, axis: Axis) -> Value:
    return inside_image(g, axis, g.Floor(g.Mul(numbers(g, axis.new), axis.scale)))


def _linear(g: ONNXGraph, *axes: Axis) -> list[Windows]:
    found = []
    for axis in axes:
        first, x = _split(g, axis)
        weights = g.Concat(g.Sub(np.float32(1), x), x, axis=1)
        found.append(Windows(_pixels(g, axis, first, np.arange(2)), weights))
    return found


def _cubic(g: ONNXGraph, *axes: Axis) -> list[Windows]:
    a, one = np.float32(-0.75), np.float32(1)

    def outer(at: Value) -> Value:
        inner = g.Add(g.Mul(g.Sub(g.Mul(at, a), np.float32(5) * a), at), np.float32(8) * a)
        return g.Sub(g.Mul(inner, at), np.float32(4) * a)

    def inner(at: Value) -> Value:
        return g.Add(g.Mul(g.Mul(g.Sub(g.Mul(at, a + 2), a + 3), at), at), one)

    found = []
    for axis in axes:
        first, x = _split(g, axis)
        weights = [outer(g.Add(x, one)), inner(x), inner(g.Sub(one, x))]
        weights.append(g.Sub(one, g.Add(weights[0], g.Add(weights[1], weights[2]))))
        pixels = _pixels(g, axis, first, np.arange(-1, 3))
        found.append(Windows(pixels, g.Concat(*weights, axis=1)))
    return found


def _area(g: ONNXGraph, *axes: Axis) -> list[Windows]:
    """Where both axes shrink a pixel is the mean of what it covers; else it is between two."""
    shrinks = g.And(*(g.LessOrEqual(axis.new, axis.old) for axis in axes))
    return [_covered(g, axis, shrinks) for axis in axes]


def _covered(g: ONNXGraph, axis: Axis, shrinks: Value) -> Windows:
    one, zero = np.float64(1), np.float64(0)
    number = g.Unsqueeze(numbers(g, axis.new), [1])
    start = g.Mul(number, axis.scale)
    first = g.Floor(start)
    count = g.Add(g.Max(g.Cast(g.Ceil(axis.scale), to=WHOLE), np.int64(1)), np.int64(1))
    taps = g.Unsqueeze(numbers(g, count), [0])
    pixel, last = g.Add(first, taps), g.Cast(axis.old, to=WIDE)
    stop = g.Min(g.Add(start, axis.scale), last)
    parts = g.Sub(g.Min(stop, g.Add(pixel, one)), g.Max(start, pixel))
    parts = g.Max(parts, zero)
    mean = g.Div(parts, g.ReduceSum(parts, [1], keepdims=1))
    after = g.Sub(g.Add(number, one), g.Div(g.Add(first, one), axis.scale))
    after = g.Where(g.LessOrEqual(after, zero), zero, g.Sub(after, g.Floor(after)))
    between = g.Where(
        g.Equal(taps, zero), g.Sub(one, after), g.Where(g.Equal(taps, one), after, zero)
    )
    weights = g.Cast(g.Where(shrinks, mean, between), to=SINGLE)
    return Windows(inside_image(g, axis, pixel), weights)


def _split(g: ONNXGraph, axis: Axis) -> tuple[Value, Value]:
    """Return the pixels before the middles of the new ones, and how far these lie behind."""
    half = np.float64(0.5)
    place = g.Sub(g.Mul(g.Add(g.Unsqueeze(numbers(g, axis.new), [1]), half), axis.scale), half)
    first = g.Floor(place)
    return first, g.Cast(g.Sub(place, first), to=SINGLE)


def _pixels(g: ONNXGraph, axis: Axis, first: Value, beside: np.ndarray[Any, Any]) -> Value:
    return inside_image(g, axis, g.Add(first, beside[None].astype(np.float64)))


WINDOWS: dict[Any, Callable[..., list[Windows]]] = {LINEAR: _linear, CUBIC: _cubic, AREA: _area}
