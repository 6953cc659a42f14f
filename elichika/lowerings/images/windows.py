"""New pixels as sums of old ones within windows along an axis, and pixels by their numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from onnx_graph import ONNXGraph, Value, dims_of

__all__ = ["WHOLE", "WIDE", "Axis", "Windows", "inside_image", "numbers", "rank_of", "summed"]

WIDE, WHOLE = np.dtype(np.float64), np.dtype(np.int64)


class Axis(NamedTuple):
    """An axis that is resized: its old and new size, and how many old pixels are one new pixel."""

    old: Value
    new: Value
    scale: Value


class Windows(NamedTuple):
    """Which pixels a new one is made of, int64[new, k], and their weights, float[new, k]."""

    pixels: Value
    weights: Value


def rank_of(value: Value) -> int:
    """Return how many axes there are."""
    return len(dims_of(value))


def summed(g: ONNXGraph, image: Value, axis: int, windows: Windows) -> Value:
    """Return the sums of windows along an axis."""
    behind = list(range(2, rank_of(image) - axis + 1))
    weights = g.Unsqueeze(windows.weights, behind) if behind else windows.weights
    parts = g.Gather(image, windows.pixels, axis=axis)
    parts = g.Mul(parts, weights)
    return g.ReduceSum(parts, [axis + 1], keepdims=0)


def inside_image(g: ONNXGraph, axis: Axis, pixel: Value) -> Value:
    """Return numbers of pixels; beyond an end there is the pixel at the end."""
    last = g.Sub(g.Cast(axis.old, to=WIDE), np.float64(1))
    return g.Cast(g.Min(g.Max(pixel, np.float64(0)), last), to=WHOLE)


def numbers(g: ONNXGraph, count: Value) -> Value:
    """Return 0, 1, … as float64."""
    return g.Cast(g.Range(g.constant(np.int64(0)), count, g.constant(np.int64(1))), to=WIDE)
