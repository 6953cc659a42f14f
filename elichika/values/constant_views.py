"""Views that numpy made before the model runs: which elements of the owner they show."""

from __future__ import annotations

from typing import Any

import numpy as np

from elichika.values.symbolic import Read, Window, Write
from onnx_graph import ONNXGraph, Value

#: Where each element lies is a constant of the model: beyond this size it is not followed.
MAX_SIZE = 100_000

AnyArray = np.ndarray[Any, Any]


def owner_of(array: AnyArray) -> AnyArray:
    """Return the array that owns the memory; `as_strided` of numpy puts an object in between."""
    base = array.base
    while base is not None:
        if isinstance(base, np.ndarray):
            array = base
        base = getattr(base, "base", None)
    return array


def window_on(owner: AnyArray, view: AnyArray) -> Window | None:
    """Return what a view shows of the owner of its memory; None where that is not followed."""
    elements = _elements(owner, view)
    if elements is None:
        return None
    whole = np.array_equal(elements.reshape(-1), np.arange(owner.size))
    shape, back = (np.array(array.shape, np.int64) for array in (view, owner))

    def read(g: ONNXGraph, base: Value) -> Value:
        shown: Value
        if whole:
            shown = g.Reshape(base, g.constant(shape), allowzero=1)
        else:
            flat = g.Reshape(base, g.constant(np.array([-1], np.int64)))
            shown = g.Gather(flat, g.constant(elements), axis=0)
        return shown

    def write(g: ONNXGraph, base: Value, new: Value) -> Value:
        flat = g.Reshape(new, g.constant(np.array([-1], np.int64)))
        if not whole:
            old = g.Reshape(base, g.constant(np.array([-1], np.int64)))
            flat = g.ScatterElements(old, g.constant(elements.reshape(-1)), flat, axis=0)
        changed: Value = g.Reshape(flat, g.constant(back), allowzero=1)
        return changed

    def remake(_: tuple[Value, ...]) -> tuple[Read, Write]:
        return read, write

    return Window(("elements", view.shape, elements.tobytes()), (), remake)


def _elements(owner: AnyArray, view: AnyArray) -> AnyArray | None:
    """Return which elements of the owner a view has, by number, in the order of rows."""
    if owner.dtype != view.dtype or max(owner.size, view.size) > MAX_SIZE or owner.size == 0:
        return None
    known = _offsets(owner)
    order = np.argsort(known, axis=None)
    wanted = _offsets(view) + (_address(view) - _address(owner))
    found = np.searchsorted(known.reshape(-1), wanted, sorter=order)
    elements: AnyArray = order[np.minimum(found, owner.size - 1)]
    if not np.array_equal(known.reshape(-1)[elements], wanted):
        return None
    if np.unique(elements).size != view.size:
        return None  # elements that are one in memory: numpy forbids or confuses such writes
    return elements.astype(np.int64)


def _offsets(array: AnyArray) -> AnyArray:
    """Return how many bytes after the first element each one lies."""
    total = np.zeros(array.shape, np.int64)
    for axis, (size, stride) in enumerate(zip(array.shape, array.strides, strict=True)):
        steps = np.arange(size, dtype=np.int64) * stride
        total += steps.reshape([-1] + [1] * (array.ndim - axis - 1))
    return total


def _address(array: AnyArray) -> int:
    address: int = array.__array_interface__["data"][0]
    return address
