"""What detectors of chainercv do before and behind their networks; loaded once it is imported."""

from __future__ import annotations

from typing import Any

import numpy as np
import PIL.Image
from chainercv.transforms.image.resize import _resize_pil
from chainercv.utils.bbox.non_maximum_suppression import _non_maximum_suppression_cpu

from elichika import idioms
from elichika.registry import lowers
from elichika.values import Scalar
from onnx_graph import ONNXGraph, Value, dtype_of


@lowers(_non_maximum_suppression_cpu)
def non_maximum_suppression(
    w: Any, bbox: Any, thresh: Any, score: Any = None, limit: Any = None
) -> Any:
    """Boxes of equal scores keep the order that `argsort` gives them."""
    return w.call(idioms.suppressed, [bbox, thresh, score, limit], {})


@lowers(idioms.kept_in_order)
def kept_in_order(w: Any, bbox: Any, thresh: Any, limit: Any) -> Any:
    """The operator suppresses above its threshold, chainercv from it on; it takes float32 only."""
    g, boxes = w.graph, w.value_of(bbox)
    thresh, limit = w.narrow(thresh), w.narrow(limit)
    known = not isinstance(thresh, Scalar) and (limit is None or isinstance(limit, int))
    if dtype_of(boxes) != np.float32 or not known or not 0 < np.float32(thresh) <= 1:
        return w.walked(idioms.kept_boxes, [bbox, thresh, limit], {})
    below = np.nextafter(np.float32(thresh), np.float32(-np.inf))
    count = g.size(boxes, 0)
    places = g.Range(g.constant(np.int64(0)), count, g.constant(np.int64(1)))
    falling = g.Unsqueeze(g.Neg(g.Cast(places, to=np.dtype(np.float32))), [0, 1])
    most = g.Unsqueeze(count, [0]) if limit is None else g.constant(np.array([max(limit, 1)]))
    found = g.NonMaxSuppression(
        g.Unsqueeze(boxes, [0]), falling, most, g.constant(np.array([below], np.float32))
    )
    return w.new_array(g.Gather(found, g.constant(np.int64(2)), axis=1))


@lowers(_resize_pil)
def resize_pil(w: Any, img: Any, size: Any, interpolation: Any) -> Any:
    """Across, then down, as Pillow goes; each a product with the weights of its filter.

    onnxruntime's Resize with `antialias` and `exclude_outside` is meant to be the same, but it is
    up to 3e-5 of the range apart.
    """
    g, image = w.graph, w.value_of(img)
    if interpolation != PIL.Image.BILINEAR or dtype_of(image) != np.float32:
        w.refuse("of Pillow's filters only the bilinear one is compiled, of float32 images")
    height, width = (w.value_of(n, np.int64) for n in w.static_items(size))
    across = g.Transpose(_triangles(g, g.size(image, 2), width), perm=[1, 0])
    down = _triangles(g, g.size(image, 1), height)
    return w.new_array(g.MatMul(down, g.MatMul(image, across)))


def _triangles(g: ONNXGraph, old: Value, new: Value) -> Value:
    """Return the weights, float32[new, old], of a triangle filter that widens where it shrinks."""
    wide, half = np.dtype(np.float64), np.float64(0.5)

    def middles(count: Value, axis: int) -> Value:
        numbers = g.Range(g.constant(np.int64(0)), count, g.constant(np.int64(1)))
        return g.Unsqueeze(g.Add(g.Cast(numbers, to=wide), half), [axis])

    scale = g.Div(g.Cast(old, to=wide), g.Cast(new, to=wide))
    distance = g.Sub(middles(old, 0), g.Mul(middles(new, 1), scale))
    near = g.Div(g.Abs(distance), g.Max(scale, np.float64(1)))
    weights = g.Max(g.Sub(np.float64(1), near), np.float64(0))
    total = g.ReduceSum(weights, [1], keepdims=1)
    return g.Cast(g.Div(weights, total), to=np.dtype(np.float32))
