"""Pillow: images made of arrays, resized and converted, and arrays made of images.

    y = np.asarray(Image.fromarray(x).resize((w, h)))

Each axis is a sum of windows whose weights are as Pillow's own lines have them:
bytes are weighted by multiples of 2^-22 and rounded after each axis, floats summed in float64.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from elichika import idioms
from elichika.lowerings.images.windows import WHOLE, WIDE, Axis, numbers, rank_of
from elichika.registry import Lowering, lowers, walked
from elichika.values.c_order import in_order
from onnx_graph import ONNXGraph, Value, all_known, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext

__all__ = ["LOWERINGS", "resampled"]

NEAREST = 0
#: Weights of bytes are whole numbers of this part.
UNIT = 2.0**22


def from_array(w: LoweringContext, obj: Any, mode: Any = None) -> Any:
    """An image of single bytes in C order shares the array's memory; all others are copies.

    Where the order is not known, nothing may be written to the array as long as there is an image.
    """
    array = w.as_array(obj)
    channels = w.dims(array)[2:]
    if all_known(channels) and tuple(channels) not in ((), (3,)):
        w.refuse("of `Image.fromarray` images of one or three channels are compiled")
    kept = array
    value = w.read(array)
    if dtype_of(value) != np.uint8 or rank_of(value) > 2:
        float_ = dtype_of(value) == np.float64
        kept = w.new_array(w.graph.Cast(value, to=np.dtype(np.float32)) if float_ else value)
    elif not in_order(w, array):
        kept = w.may_be(w.new_array(value), array)
    return w.call(idioms.images.of_array, [sys.modules["PIL.Image"].Image, kept, mode], {})


@lowers(idioms.images.sampled)
def sampled(w: LoweringContext, pixels: Any, width: Any, height: Any, resample: Any) -> Any:
    """Pixels of height, width and perhaps channels."""
    sizes = [w.value_of(n, np.int64) for n in (width, height)]
    return w.new_array(resampled(w, w.value_of(pixels), (1, 0), sizes, resample))


def resampled(
    w: LoweringContext, image: Value, axes: tuple[int, int], sizes: list[Value], resample: Any
) -> Value:
    """Return an image whose axes, across and down, have other sizes."""
    g, number = w.graph, w.narrow(resample)
    if w.is_symbolic(number) or (number != NEAREST and number not in FILTERS):
        w.refuse(
            "the filters of Pillow that are compiled are the nearest, box, bilinear, Hamming, "
            "bicubic and Lanczos ones, where it is known which"
        )
    resized = []
    for number_of_axis, new in zip(axes, sizes, strict=True):
        old = g.size(image, number_of_axis)
        scale = g.Div(g.Cast(old, to=WIDE), g.Cast(new, to=WIDE))
        resized.append((number_of_axis, Axis(old, new, scale)))
    if number == NEAREST:
        for place, axis in resized:
            image = g.Gather(image, _nearest(g, axis), axis=place)
        return image

    if dtype_of(image) == np.int32:
        w.refuse("images of int32 are resized to the nearest pixel alone, not by other filters")

    def both(order: int) -> Any:
        found = image
        for place, axis in resized[::order]:
            found = _resized(g, found, place, axis, FILTERS[number])
        return w.new_array(found)

    if not _may_go_down_first():
        return w.value_of(both(1))
    down = w.scalar(bool, _goes_down_first(g, *(axis for _, axis in resized)))
    return w.value_of(w.branch(w.truth(down), lambda: both(-1), lambda: both(1)))


@cache
def _may_go_down_first() -> bool:
    """Tell whether this Pillow resizes some images down before it does across: newer ones do."""
    import PIL.Image

    pixels = np.random.RandomState(0).randint(0, 256, (40, 8)).astype(np.uint8)
    image, size = PIL.Image.fromarray(pixels), (12, 9)
    whole = np.asarray(image.resize(size))
    return not np.array_equal(whole, np.asarray(image.resize((12, 40)).resize(size)))


def _goes_down_first(g: ONNXGraph, across: Axis, down: Axis) -> Value:
    """Where this leaves fewer pixels to the second pass, by Pillow's reckoning."""
    fewer, narrower = g.Sub(down.old, down.new), g.Sub(across.old, across.new)
    return g.And(g.Greater(fewer, np.int64(0)), g.Less(g.Mul(narrower, np.int64(2)), fewer))


def _nearest(g: ONNXGraph, axis: Axis) -> Value:
    """Pillow adds the step for each pixel, with the roundings that this brings."""
    first = g.Mul(axis.scale, 0.5)
    steps = g.Expand(axis.scale, g.Unsqueeze(g.Sub(axis.new, np.int64(1)), [0]))
    places = g.CumSum(g.Concat(g.Unsqueeze(first, [0]), steps, axis=0), np.int64(0))
    last = g.Sub(axis.old, np.int64(1))
    return g.Min(g.Cast(g.Floor(places), to=WHOLE), last)


class Filter(NamedTuple):
    """How far a filter reaches, and the weight of a pixel by its distance."""

    reach: float
    weight: Callable[[ONNXGraph, Value], Value]


class Window(NamedTuple):
    """Which pixels, float64[new, 1], a new one is made of, and how the filter lies."""

    number: Value
    middle: Value
    first: Value
    behind: Value
    reach: Value
    wide: Value


def _window(g: ONNXGraph, axis: Axis, reach: float) -> Window:
    one, half = np.float64(1), np.float64(0.5)
    wide = g.Max(axis.scale, one)
    far = g.Mul(wide, reach)
    number = g.Unsqueeze(numbers(g, axis.new), [1])
    middle = g.Mul(g.Add(number, half), axis.scale)
    first = g.Max(g.Floor(g.Add(g.Sub(middle, far), half)), np.float64(0))
    behind = g.Min(g.Floor(g.Add(g.Add(middle, far), half)), g.Cast(axis.old, to=WIDE))
    return Window(number, middle, first, behind, far, wide)


def _weights(
    g: ONNXGraph, axis: Axis, window: Window, pixel: Value, filter_: Filter
) -> tuple[Value, Value]:
    """Return the weights of some pixels, and which of them there are.

    An axis that keeps its size is left alone by Pillow: each pixel is its own window.
    """
    inside = g.And(g.GreaterOrEqual(pixel, window.first), g.Less(pixel, window.behind))
    other = g.Not(g.Equal(axis.old, axis.new))
    there = g.And(inside, g.Or(other, g.Equal(pixel, window.number)))
    distance = g.Add(g.Sub(pixel, window.middle), np.float64(0.5))
    distance = g.Mul(distance, g.Div(np.float64(1), window.wide))
    weights = g.Where(there, filter_.weight(g, distance), np.float64(0))
    return g.Div(weights, g.ReduceSum(weights, [1], keepdims=1)), there


def _resized(g: ONNXGraph, image: Value, place: int, axis: Axis, filter_: Filter) -> Value:
    """Return an image, in its own dtype, with another size of an axis."""
    window = _window(g, axis, filter_.reach)
    of_kind = _of_bytes if dtype_of(image) == np.uint8 else _of_floats
    return of_kind(g, image, place, axis, window, filter_)


def _of_floats(
    g: ONNXGraph, image: Value, place: int, axis: Axis, window: Window, filter_: Filter
) -> Value:
    """Sum windows alone: beyond them there may be what is infinite."""
    count = g.Add(g.Mul(g.Cast(g.Ceil(window.reach), to=WHOLE), np.int64(2)), np.int64(1))
    pixel = g.Add(window.first, g.Unsqueeze(numbers(g, count), [0]))
    weights, there = _weights(g, axis, window, pixel, filter_)
    pixels = g.Cast(g.Where(there, pixel, window.first), to=WHOLE)
    behind = list(range(2, rank_of(image) - place + 1))
    if behind:
        weights, there = g.Unsqueeze(weights, behind), g.Unsqueeze(there, behind)
    parts = g.Mul(g.Gather(g.Cast(image, to=WIDE), pixels, axis=place), weights)
    parts = g.Where(there, parts, np.float64(0))
    return g.Cast(g.ReduceSum(parts, [place + 1], keepdims=0), to=dtype_of(image))


def _of_bytes(
    g: ONNXGraph, image: Value, place: int, axis: Axis, window: Window, filter_: Filter
) -> Value:
    """Multiply with a matrix of weights; sums of whole numbers are exact in float64."""
    rank = rank_of(image)
    pixel = g.Unsqueeze(numbers(g, axis.old), [0])
    weights, _ = _weights(g, axis, window, pixel, filter_)
    weights = _from_zero(g, g.Mul(weights, UNIT))
    last = [*(n for n in range(rank) if n != place), place]
    rows = g.Transpose(g.Cast(image, to=WIDE), perm=last)
    found = g.MatMul(rows, g.Transpose(weights, perm=[1, 0]))
    found = g.Floor(g.Mul(g.Add(found, UNIT / 2), 1 / UNIT))
    found = g.Min(g.Max(found, np.float64(0)), np.float64(255))
    found = g.Transpose(found, perm=[last.index(n) for n in range(rank)])
    return g.Cast(found, to=dtype_of(image))


def _from_zero(g: ONNXGraph, x: Value) -> Value:
    """Round to whole numbers; halves away from zero."""
    return g.Mul(g.Sign(x), g.Floor(g.Add(g.Abs(x), np.float64(0.5))))


def _box(g: ONNXGraph, x: Value) -> Value:
    return g.Cast(g.And(g.Greater(x, -0.5), g.LessOrEqual(x, 0.5)), to=WIDE)


def _bilinear(g: ONNXGraph, x: Value) -> Value:
    return g.Max(g.Sub(np.float64(1), g.Abs(x)), np.float64(0))


def _sinc(g: ONNXGraph, x: Value) -> Value:
    angle = g.Mul(x, np.pi)
    none = g.Equal(x, 0.0)
    return g.Where(none, np.float64(1), g.Div(g.Sin(angle), g.Where(none, np.float64(1), angle)))


def _hamming(g: ONNXGraph, x: Value) -> Value:
    bell = g.Add(g.Mul(g.Cos(g.Mul(x, np.pi)), 0.46), 0.54)
    return g.Where(g.Less(g.Abs(x), 1.0), g.Mul(_sinc(g, x), bell), np.float64(0))


def _bicubic(g: ONNXGraph, x: Value) -> Value:
    a, x = -0.5, g.Abs(x)
    near = g.Add(g.Mul(g.Mul(g.Sub(g.Mul(x, a + 2), a + 3), x), x), 1.0)
    far = g.Mul(g.Sub(g.Mul(g.Add(g.Mul(g.Sub(x, 5.0), x), 8.0), x), 4.0), a)
    return g.Where(g.Less(x, 1.0), near, g.Where(g.Less(x, 2.0), far, np.float64(0)))


def _lanczos(g: ONNXGraph, x: Value) -> Value:
    inside = g.And(g.GreaterOrEqual(x, -3.0), g.Less(x, 3.0))
    return g.Where(inside, g.Mul(_sinc(g, x), _sinc(g, g.Div(x, 3.0))), np.float64(0))


#: By Pillow's numbers.
FILTERS = {
    1: Filter(3.0, _lanczos),
    2: Filter(1.0, _bilinear),
    3: Filter(2.0, _bicubic),
    4: Filter(0.5, _box),
    5: Filter(1.0, _hamming),
}
LOWERINGS: tuple[tuple[str, str, Lowering], ...] = (
    ("PIL.Image", "fromarray", from_array),
    ("PIL.Image", "Image.resize", walked(idioms.images.resized)),
    ("PIL.Image", "Image.convert", walked(idioms.images.converted)),
)
