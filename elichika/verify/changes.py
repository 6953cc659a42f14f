"""How one input is changed: its sizes, its values, the length of a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from elichika.signature import InputSpec

__all__ = [
    "each_array",
    "has_arrays",
    "longer",
    "nudged",
    "of_other_sizes",
    "other_scalars",
    "permuted",
    "resized",
    "shaken",
    "within_range",
]

Array = np.ndarray[Any, Any]
Random = np.random.RandomState


def has_arrays(spec: InputSpec) -> bool:
    """Tell whether an input is an array or a list of arrays."""
    return "scalar" not in (spec.kind, spec.element)


def each_array(spec: InputSpec, leaf: Any, change: Callable[[Array], Array]) -> Any:
    """Return an array changed, or each array of a list; numbers stay."""
    if not has_arrays(spec):
        return leaf
    return list(map(change, leaf)) if spec.kind == "list" else change(leaf)


# Sizes


def resized(spec: InputSpec, leaf: Any, sizes: Mapping[Any, int], random: Random) -> Any:
    """Return an input with its named sizes changed."""
    if spec.kind == "list":
        leaf = _of_length(list(leaf), sizes.get(spec.length or "", len(leaf)), random)

    def changed(array: Array) -> Array:
        names = zip(spec.dims, array.shape, strict=True)
        shape = tuple(sizes.get(dim, size) for dim, size in names)
        return array if shape == array.shape else drawn(shape, array, random)

    return each_array(spec, leaf, changed)


def _of_length(items: list[Any], length: int, random: Random) -> list[Any]:
    known = len(items)
    while items and len(items) < length:
        items.append(items[random.randint(known)])
    return items[:length]


def drawn(shape: tuple[int, ...], values: Array, random: Random) -> Array:
    """Return an array of another shape whose elements are drawn from those of `values`."""
    if values.size == 0:
        return np.zeros(shape, values.dtype)
    return random.choice(values.ravel(), size=shape).astype(values.dtype)


# Values


def permuted(array: Array, random: Random) -> Array:
    """Return an array with its elements in another order."""
    return random.permutation(array.ravel()).reshape(array.shape)


def within_range(array: Array, random: Random) -> Array:
    """Return an array with other numbers between its smallest and largest; bools permuted."""
    numbers = array[np.isfinite(array)]
    if numbers.size == 0 or array.dtype.kind == "b":
        return permuted(array, random)
    if array.dtype.kind == "f":
        made = random.uniform(float(numbers.min()), float(numbers.max()), array.shape)
        return np.asarray(made).astype(array.dtype).clip(numbers.min(), numbers.max())
    low, high = int(numbers.min()), int(numbers.max())
    return random.randint(low, high + 1, array.shape, dtype=np.int64).astype(array.dtype)


def shaken(array: Array, random: Random) -> Array:
    """Return an array permuted, with other signs, and shifted by what its elements vary."""
    moved = permuted(array, random)
    finite = array[np.isfinite(array)]
    if array.dtype.kind != "f" or not finite.size:
        return moved
    signs = random.choice([-1.0, 1.0], array.shape)
    shift = random.uniform(-1, 1) * float(np.std(finite, dtype=np.float64) or 0)
    return np.asarray(moved * signs + shift).astype(array.dtype)


def nudged(array: Array, random: Random) -> Array:
    """Return a float array with its elements moved by up to four units in the last place."""
    if array.dtype.kind != "f":
        return array
    with np.errstate(all="ignore"):
        step = np.spacing(np.abs(array)) * random.randint(-4, 5, array.shape)
        moved = np.asarray(array + step).astype(array.dtype)
    return np.asarray(np.where(np.isfinite(moved), moved, array))


def other_scalars(value: Any) -> list[Any]:
    """Return the numbers to try in the place of one."""
    found: list[Any]
    match np.asarray(value).dtype.kind:
        case "b":
            found = [not value]
        case "f":
            found = [-value, value * 2, value + 0.5, 0.0, 1.0]
        case _:
            limits = np.iinfo(getattr(value, "dtype", np.int64))
            numbers = [int(value) + 1, 0, int(value) - 1, 1, int(value) + 5, -1]
            found = [number for number in numbers if limits.min <= number <= limits.max]
    kept: list[Any] = []
    for number in map(type(value), found):
        if number != value and number not in kept:
            kept.append(number)
    return kept


# Lists


def longer(spec: InputSpec, items: list[Any], random: Random) -> list[Any]:
    """Return a list with up to three more elements, or two if it is empty."""
    if not items:
        return [_first_element(spec), _first_element(spec)]
    more = each_array(spec, items[:3], lambda item: drawn(item.shape, item, random))
    return [*items, *more]


def _first_element(spec: InputSpec) -> Any:
    if not has_arrays(spec):
        assert spec.python_type is not None
        return spec.python_type(0)
    shape = tuple(dim if isinstance(dim, int) else 2 for dim in spec.dims)
    return np.zeros(shape, spec.dtype)


def of_other_sizes(spec: InputSpec, items: list[Any], random: Random) -> list[Any]:
    """Return a list with open sizes one larger, and those of the last element 1."""

    def changed(item: Array, last: bool) -> Array:
        names = zip(spec.dims, item.shape, strict=True)
        shape = [size if dim is not None else (1 if last else size + 1) for dim, size in names]
        return drawn(tuple(shape), item, random)

    first: list[Any] = each_array(spec, items[:-1], partial(changed, last=False))
    return [*first, *each_array(spec, items[-1:], partial(changed, last=True))]
