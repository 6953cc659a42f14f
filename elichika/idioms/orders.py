"""Numpy's sorting by several keys, partitions and medians as Python: walked on symbolic values."""

from __future__ import annotations

from typing import Any

import numpy as np

from elichika.idioms.signals import note


def lexsort(keys: Any, axis: int = -1) -> Any:
    """Sort by several keys, the last first."""
    if np.ndim(keys[0]) == 0:
        return np.int64(0)
    if any(np.shape(key) != np.shape(keys[0]) for key in keys[1:]):
        raise ValueError("all keys need to be the same shape")
    order = np.argsort(keys[0], axis=axis, kind="stable")
    for key in keys[1:]:
        key = np.take_along_axis(np.asarray(key), order, axis)
        order = np.take_along_axis(order, np.argsort(key, axis=axis, kind="stable"), axis)
    return order


PARTS_ARE_OPEN = (
    "numpy leaves the order within the parts of a partition open, and it differs between machines; "
    "the model sorts them"
)


def require_within(kth: Any, array: Any, axis: int) -> None:
    """Raise what a partition raises of a place that is not there."""
    note(PARTS_ARE_OPEN)
    places, size = np.asarray(kth), array.shape[axis]
    if places.dtype.kind not in "iub":
        raise TypeError("Partition index must be integer")
    if array.size and ((places < -size) | (places >= size)).any():
        raise ValueError("kth is out of bounds")


def partition(a: Any, kth: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    """Bring the kth element to its place: a sort does."""
    array = np.ravel(a) if axis is None else np.asarray(a)
    along = -1 if axis is None else axis
    require_within(kth, array, along)
    return np.sort(array, along)


def argpartition(a: Any, kth: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    """The places of a partition: those of a sort."""
    array = np.ravel(a) if axis is None else np.asarray(a)
    along = -1 if axis is None else axis
    require_within(kth, array, along)
    return np.argsort(array, along, kind="stable")


def partition_in_place(
    a: Any, kth: Any, axis: int = -1, kind: Any = None, order: Any = None
) -> None:
    """Bring the kth element to its place within the array."""
    require_within(kth, a, axis)
    a.sort(axis)


def median(
    a: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Any:
    """The middle of the sorted elements, or the mean of the two middle ones."""
    array = np.asarray(a)
    axes = (
        tuple(range(array.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    )
    np.ones((1,) * array.ndim).sum(axes)  # raises what is wrong with the axes
    axes = tuple([one % array.ndim for one in axes])
    others = tuple([one for one in range(array.ndim) if one not in axes])
    if len(axes) != 1 and others and _product(array, others) == 0:
        raise ValueError("cannot reshape array of size 0")
    sizes = [array.shape[one] for one in others]
    lines = np.transpose(array, others + axes).reshape(*sizes, _product(array, axes))
    size = lines.shape[-1]
    number = np.zeros(1, array.dtype).mean().dtype
    nothing = np.full((*sizes, 1), np.nan, number)
    line = np.concatenate((np.sort(lines), nothing.astype(array.dtype)), -1)
    low, high = line[..., max((size - 1) // 2, 0)], line[..., size // 2]
    both = np.stack((low, high), -1).mean(-1)
    result = np.where(size % 2 == 1, low.astype(number), both)
    result = np.where(size == 0, nothing[..., 0], result)
    if array.dtype.kind == "f":
        result = np.where(np.isnan(line[..., max(size - 1, 0)]), nothing[..., 0], result)
    if keepdims:
        result = result.reshape([1 if i in axes else array.shape[i] for i in range(array.ndim)])
    if out is None:
        return result[()]
    out[...] = result
    return out


def _product(array: Any, axes: Any) -> Any:
    total = 1
    for axis in axes:
        total *= array.shape[axis]
    return total
