"""Inputs that are seldom tried: no elements, one element, zeros of both signs, nan, inf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

#: What takes the place of the numbers of an array, in turn; None leaves the number.
PATTERNS: tuple[tuple[float | None, ...], ...] = (
    (0.0, -0.0, None),
    (-0.0,),
    (np.nan, None, 0.0),
    (np.inf, -np.inf, None, -0.0),
    (None, -np.inf, np.nan, np.inf, 0.0),
    (None, None, -np.inf),
)


def with_values(array: Any, pattern: Sequence[float | None]) -> Any:
    """Return a float array with the numbers of a pattern in it."""
    if not isinstance(array, np.ndarray) or array.dtype.kind != "f":
        return array
    changed = array.copy()
    flat = changed.reshape(-1)
    for start, number in enumerate(pattern):
        if number is not None:
            flat[start :: len(pattern)] = number
    return changed


def of_size(array: Any, axis: int, size: int) -> Any:
    """Return an array with another size of an axis, or as it is where it has no such axis."""
    if not isinstance(array, np.ndarray) or axis >= array.ndim:
        return array
    shape = (*array.shape[:axis], size, *array.shape[axis + 1 :])
    return np.resize(array, shape).astype(array.dtype)


def sizes(given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield sizes 0 and 1 of each axis by itself, of all arrays, and wherever a size stands."""
    arrays = {n: v for n, v in given.items() if isinstance(v, np.ndarray) and v.ndim}
    for size in (0, 1):
        for name, array in arrays.items():
            for axis in range(array.ndim):
                yield {**given, name: of_size(array, axis, size)}
        if len(arrays) > 1:
            for axis in range(max(a.ndim for a in arrays.values())):
                yield {**given, **{n: of_size(a, axis, size) for n, a in arrays.items()}}
        for old in sorted({s for a in arrays.values() for s in a.shape} - {size}):
            changed = {}
            for name, array in arrays.items():
                shape = [size if s == old else s for s in array.shape]
                changed[name] = np.resize(array, shape).astype(array.dtype)
            yield {**given, **changed}
        yield {
            **given,
            **{n: np.resize(a, [size] * a.ndim).astype(a.dtype) for n, a in arrays.items()},
        }


def values(given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the same sizes with each pattern in all float arrays, and in each by itself."""
    floats = [n for n, v in given.items() if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
    for pattern in PATTERNS:
        yield {n: with_values(v, pattern) for n, v in given.items()}
        for name in floats if len(floats) > 1 else ():
            yield {**given, name: with_values(given[name], pattern)}


def tried(given: Mapping[str, Any], resize: bool = True) -> list[dict[str, Any]]:
    """Return the inputs that a program is run on, each once."""
    every = [dict(given), *values(given)]
    for other in sizes(given) if resize else ():
        single = any(isinstance(v, np.ndarray) and v.size == 1 for v in other.values())
        every += [other, *(values(other) if single else ())]
    return distinct(every)


def distinct(every: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return inputs, each once."""
    return list({_key(one): one for one in every}.values())


def _key(given: Mapping[str, Any]) -> Any:
    return tuple(
        (v.shape, v.tobytes()) if isinstance(v, np.ndarray) else repr(v) for v in given.values()
    )


def mistaken(given: Mapping[str, Any], resize: bool = True) -> list[dict[str, Any]]:
    """Return inputs that programs seldom take, each once; the example is the first.

    Of each input by itself: indices out of range, other sizes, nothing, numbers below zero, lists
    of other lengths; of all inputs together: another size wherever one stands.
    """
    every = [dict(given)]
    for name, value in given.items():
        every += [{**given, name: other} for other in _mistaken(value, resize)]
    every += sizes(given) if resize else ()
    arrays = {n: v for n, v in given.items() if isinstance(v, np.ndarray) and v.ndim}
    for old in sorted({s for a in arrays.values() for s in a.shape}) if resize else ():
        shapes = {n: [old + 1 if s == old else s for s in a.shape] for n, a in arrays.items()}
        every.append({**given, **{n: _resized(arrays[n], s) for n, s in shapes.items()}})
    return distinct(every)


def _mistaken(value: Any, resize: bool) -> Iterator[Any]:
    """Yield other values of one input."""
    if isinstance(value, list):
        yield from _mistaken_list(value, resize)
    elif type(value) is bool:
        yield not value
    elif type(value) is int:
        yield from (0, 1, -1, -2, value + 1, value - 1, value + 2, 5, 12, -12)
    elif type(value) is float:
        yield from (0.0, 1.0, -1.0, -value, 2.5, 12.0, float("nan"), float("inf"))
    elif isinstance(value, np.ndarray):
        yield from _mistaken_array(value, resize)


def _mistaken_list(items: list[Any], resize: bool) -> Iterator[Any]:
    if resize:
        yield from (items[:0], items[:1], items[1:], [*items, *items[:1]])
    for place in sorted({0, len(items) - 1}) if items else ():
        for other in _mistaken(items[place], resize):
            yield [*items[:place], other, *items[place + 1 :]]
    if resize and all(isinstance(item, np.ndarray) and item.ndim for item in items):
        for size in (0, 1, 5):
            yield [of_size(item, 0, size) for item in items]


def _mistaken_array(array: Any, resize: bool) -> Iterator[Any]:
    if resize:
        for axis, size in enumerate(array.shape):
            for other in sorted({0, 1, 2, max(size - 1, 0), size + 1} - {size}):
                yield of_size(array, axis, other)
        if array.ndim > 1:
            yield _resized(array, [s + k + 1 for k, s in enumerate(array.shape)])
    if array.dtype.kind == "b" or not array.size:
        return
    numbers = [0, 1, *((-1, -2, -9) if array.dtype.kind in "if" else ()), 3, 9, 100]
    if array.dtype.kind in "iu":
        numbers.append(int(array.max()) + 1)
    for number in numbers:
        for places in (slice(None), slice(0, 1), slice(-1, None)):
            changed = array.copy()
            changed.reshape(-1)[places] = number
            yield changed


def _resized(array: Any, shape: Sequence[int]) -> Any:
    return np.resize(array, shape).astype(array.dtype)
