"""What detectors of chainercv do before and behind their networks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika import idioms
from elichika.lowerings.images import pillow
from elichika.registry import Lowering, lowers
from elichika.values.symbolic import Scalar
from onnx_graph import ONNXGraph, Value, dtype_of

if TYPE_CHECKING:
    from elichika.lowerings.context import LoweringContext
    from elichika.lowerings.python.context import ContainerContext

__all__ = ["LOWERINGS"]

#: cv2.resize refuses more.
MOST_CHANNELS = 512


def non_maximum_suppression(
    w: LoweringContext, bbox: Any, thresh: Any, score: Any = None, limit: Any = None
) -> Any:
    """Boxes of equal scores keep the order that `argsort` gives them."""
    return w.call(idioms.boxes.suppressed, [bbox, thresh, score, limit], {})


@lowers(idioms.boxes.kept_in_order)
def kept_in_order(w: LoweringContext, bbox: Any, thresh: Any, limit: Any) -> Any:
    """The operator suppresses above its threshold, chainercv from it on; it takes float32 only."""
    g, boxes = w.graph, w.value_of(bbox)
    thresh, limit = w.narrow(thresh), w.narrow(limit)
    known = not isinstance(thresh, Scalar) and (limit is None or isinstance(limit, int))
    if dtype_of(boxes) != np.float32 or not known or not 0 < np.float32(thresh) <= 1:
        return w.walked(idioms.boxes.kept_boxes, [bbox, thresh, limit], {})
    below = np.nextafter(np.float32(thresh), np.float32(-np.inf))
    count = g.size(boxes, 0)
    places = g.Range(g.constant(np.int64(0)), count, g.constant(np.int64(1)))
    falling = g.Unsqueeze(g.Neg(g.Cast(places, to=np.dtype(np.float32))), [0, 1])
    most = g.Unsqueeze(count, [0]) if limit is None else g.constant(np.array([max(limit, 1)]))
    found = g.NonMaxSuppression(
        g.Unsqueeze(boxes, [0]), falling, most, g.constant(np.array([below], np.float32))
    )
    return w.new_array(g.Gather(found, g.constant(np.int64(2)), axis=1))


def prepare(w: ContainerContext, predictor: Any, img: Any) -> Any:
    """From an image that has the size already the mean is subtracted in place: the caller's own.

    `predict` does not look at it again, so that a copy will do where nothing is around `predict`.
    """
    predictors = sys.modules["chainercv.links"].FeaturePredictor
    if w.frames[0].program is w.program_of(predictors.predict):
        img = w.call(np.copy, [img], {})
    return w.walked(predictors._prepare, [predictor, img], {})


def resize_pil(w: LoweringContext, img: Any, size: Any, interpolation: Any) -> Any:
    """Each weight is that of a triangle which widens where the image shrinks.

    onnxruntime's Resize with `antialias` and `exclude_outside` is meant to be the same, but it is
    up to 3e-5 of the range apart. Of other filters each window is summed by itself.
    """
    import PIL.Image  # which the function itself imports

    if w.narrow(interpolation) == PIL.Image.BILINEAR:  # type: ignore[attr-defined, unused-ignore]
        return _resized(w, img, size, interpolation, _triangles)
    image = _single(w, img)
    height, width = _sizes(w, image, size)
    return w.new_array(pillow.resampled(w, image, (2, 1), [width, height], interpolation))


def resize_cv2(w: LoweringContext, img: Any, size: Any, interpolation: Any) -> Any:
    """Each pixel is between two neighbours, also where the image shrinks; edges are repeated."""
    channels = w.graph.size(w.value_of(img), 0)
    few = w.graph.LessOrEqual(channels, np.int64(MOST_CHANNELS))
    w.check(few, ValueError, f"OpenCV resizes images of at most {MOST_CHANNELS} channels")
    return _resized(w, img, size, interpolation, _neighbours)


def _resized(w: LoweringContext, img: Any, size: Any, interpolation: Any, weights: Any) -> Any:
    """Return the image resized across, then down, each a product with a matrix of weights."""
    import PIL.Image  # which the function itself imports

    g, image = w.graph, _single(w, img)
    if interpolation != PIL.Image.BILINEAR:  # type: ignore[attr-defined, unused-ignore]
        w.refuse("of the filters only the bilinear one is compiled for OpenCV")
    height, width = _sizes(w, image, size)
    old_height, old_width = (g.size(image, axis) for axis in (1, 2))
    across = g.Transpose(weights(g, old_width, width), perm=[1, 0])
    down = weights(g, old_height, height)
    return w.new_array(g.MatMul(down, g.MatMul(image, across)))


def _single(w: LoweringContext, img: Any) -> Value:
    image = w.value_of(img)
    if dtype_of(image) != np.float32:
        w.refuse("images are resized that are float32", "convert it: `img.astype(np.float32)`")
    return image


def _sizes(w: LoweringContext, image: Value, size: Any) -> list[Value]:
    """Return a height and width, checked to be some, and those of the image."""
    g = w.graph
    wished = [w.value_of(n, np.int64) for n in w.static_items(size)]
    for verb, sizes in (("from", [g.size(image, axis) for axis in (1, 2)]), ("to", wished)):
        positive = g.Greater(g.Min(*sizes), np.int64(0))
        w.check(
            positive, ValueError, f"an image is resized {verb} a height and width of at least 1"
        )
    return wished


def _triangles(g: ONNXGraph, old: Value, new: Value) -> Value:
    """Return the weights, float32[new, old], of a triangle filter that widens where it shrinks."""
    wide = np.dtype(np.float64)
    scale = g.Div(g.Cast(old, to=wide), g.Cast(new, to=wide))
    distance = g.Sub(_middles(g, old, 0), g.Mul(_middles(g, new, 1), scale))
    near = g.Div(g.Abs(distance), g.Max(scale, np.float64(1)))
    weights = g.Max(g.Sub(np.float64(1), near), np.float64(0))
    total = g.ReduceSum(weights, [1], keepdims=1)
    return g.Cast(g.Div(weights, total), to=np.dtype(np.float32))


def _neighbours(g: ONNXGraph, old: Value, new: Value) -> Value:
    """Return the weights, float32[new, old], of the two pixels that a place lies between.

    Places are float64, as in OpenCV's builds for x86; other builds round them to float32.
    """
    wide, half, one = np.dtype(np.float64), np.float64(0.5), np.float64(1)
    scale = g.Div(g.Cast(old, to=wide), g.Cast(new, to=wide))
    place = g.Sub(g.Mul(_middles(g, new, 1), scale), half)
    place = g.Min(g.Max(place, np.float64(0)), g.Sub(g.Cast(old, to=wide), one))
    pixels = g.Sub(_middles(g, old, 0), half)
    weights = g.Max(g.Sub(one, g.Abs(g.Sub(pixels, place))), np.float64(0))
    return g.Cast(weights, to=np.dtype(np.float32))


def _middles(g: ONNXGraph, count: Value, axis: int) -> Value:
    """Return float64[1, count] or, with axis 1, float64[count, 1]: the middles of pixels."""
    numbers = g.Range(g.constant(np.int64(0)), count, g.constant(np.int64(1)))
    return g.Unsqueeze(g.Add(g.Cast(numbers, to=np.dtype(np.float64)), np.float64(0.5)), [axis])


LOWERINGS: tuple[tuple[str, str, Lowering], ...] = (
    (
        "chainercv.utils.bbox.non_maximum_suppression",
        "_non_maximum_suppression_cpu",
        non_maximum_suppression,
    ),
    ("chainercv.links", "FeaturePredictor._prepare", prepare),
    ("chainercv.transforms.image.resize", "_resize_pil", resize_pil),
    ("chainercv.transforms.image.resize", "_resize_cv2", resize_cv2),
)
