"""What a native call would come to: calls that Python cannot stop are looked at before they run."""

from __future__ import annotations

import collections
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from elichika.program import native_code as natives

__all__ = ["MOST_ITEMS", "too_large", "too_many", "too_much"]

MOST_BYTES = 2**31
"""Of an array that is known while compiling."""
MOST_CHARACTERS = 2**28
"""Of a text."""
MOST_ITEMS = 10**6
"""Of a list, tuple or range that is gone through while compiling."""
MOST_BITS = 10**6
"""Of a Python int."""

Arguments = Sequence[Any]


def too_much(function: Any, args: Arguments, kwargs: Mapping[str, Any]) -> str | None:
    """Say what a native call would make, where that is more than memory or time allow.

    An estimate: what is none of the cases here is run.
    """
    if type(function).__hash__ is None:
        return None
    amount = _AMOUNTS.get(function)
    if amount is not None:
        try:
            return amount(*args, **kwargs)
        except (TypeError, ValueError, OverflowError, ArithmeticError):
            return None  # the call itself says what is wrong
    if isinstance(function, np.ufunc):
        return _broadcast(*args)
    if function in _CONSUMERS or natives.is_numpy(function):
        return next(filter(None, (_length(a) for a in args if isinstance(a, range))), None)
    return None


def too_many(count: int) -> str | None:
    """Say how many items there are, where that is too much."""
    return f"{count:,} items" if count > MOST_ITEMS else None


def too_large(array: Any) -> str | None:
    """Say how large an array is, where it cannot be held; one that shares memory may be larger."""
    return _bytes(array.nbytes) if isinstance(array, np.ndarray) else None


def _length(items: range) -> str | None:
    return too_many(max((items.stop - items.start) // items.step, 0))


def _bytes(count: float) -> str | None:
    return f"an array of {count / 2**30:,.1f} GiB" if count > MOST_BYTES else None


def _text(length: int) -> str | None:
    return f"a text of {length:,} characters" if length > MOST_CHARACTERS else None


def _bits(count: float) -> str | None:
    return f"a number of {count:,.0f} bits" if count > MOST_BITS else None


# Python's own


def _are(kinds: type | tuple[type, ...], *values: Any) -> bool:
    return all(isinstance(value, kinds) for value in values)


def _power(base: Any, exponent: Any, modulus: Any = None) -> str | None:
    if not _are(int, base, exponent) or modulus is not None:
        return _broadcast(base, exponent)
    return _bits(base.bit_length() * max(exponent, 0)) if abs(base) > 1 else None


def _shift(number: Any, by: Any) -> str | None:
    if not _are(int, number, by):
        return _broadcast(number, by)
    return _bits(number.bit_length() + by) if number else None


def _product(left: Any, right: Any) -> str | None:
    for items, times in ((left, right), (right, left)):
        if isinstance(items, (str, bytes)) and isinstance(times, int):
            return _text(len(items) * times)
        if isinstance(items, (list, tuple)) and isinstance(times, int):
            return too_many(len(items) * times)
    if _are(int, left, right):
        return _bits(left.bit_length() + right.bit_length())
    return _broadcast(left, right)


def _sum(left: Any, right: Any) -> str | None:
    if _are((str, bytes), left, right):
        return _text(len(left) + len(right))
    return _broadcast(left, right)


def _factorial(number: int) -> str | None:
    return _bits(math.lgamma(number + 1) / math.log(2))


def _choices(total: int, chosen: int | None = None) -> str | None:
    chosen = total if chosen is None else min(chosen, total)
    return _bits(chosen * int(total).bit_length())


# numpy's


def _made(shape: Any, dtype: Any = None, *_: Any, **__: Any) -> str | None:
    sizes = shape if isinstance(shape, (list, tuple)) else (shape,)
    width = np.dtype(float if dtype is None else dtype).itemsize
    return _bytes(math.prod(map(int, sizes)) * width)


def _full(shape: Any, value: Any, dtype: Any = None, *_: Any, **__: Any) -> str | None:
    return _made(shape, np.asarray(value).dtype if dtype is None else dtype)


def _arange(*bounds: Any, **_: Any) -> str | None:
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds[:3], 1)[:3]
    return _bytes((stop - start) / step * 8)


def _linspace(start: Any, stop: Any, num: Any = 50, *_: Any, **__: Any) -> str | None:
    return _bytes(int(num) * 8 * max(np.size(start), np.size(stop)))


def _square(rows: Any, columns: Any = None, *_: Any, **__: Any) -> str | None:
    return _made((rows, rows if columns is None else columns))


def _tile(array: Any, reps: Any) -> str | None:
    return _bytes(np.asarray(array).nbytes * math.prod(map(int, np.ravel(reps))))


def _repeat(array: Any, repeats: Any, *_: Any, **__: Any) -> str | None:
    array, repeats = np.asarray(array), np.asarray(repeats)
    times = int(repeats) if repeats.size == 1 else int(repeats.sum()) / max(repeats.size, 1)
    return _bytes(array.nbytes * times)


def _outer(left: Any, right: Any, *_: Any, **__: Any) -> str | None:
    return _bytes(np.size(left) * np.size(right) * 8)


def _indices(dimensions: Any, *_: Any, **__: Any) -> str | None:
    return _bytes(math.prod(map(int, dimensions)) * len(dimensions) * 8)


def _grid(*axes: Any, **_: Any) -> str | None:
    return _bytes(math.prod(map(np.size, axes)) * len(axes) * 8)


def _joined(arrays: Any, *_: Any, **__: Any) -> str | None:
    return _bytes(sum(np.asarray(array).nbytes for array in arrays))


def _matmul(left: Any, right: Any, *_: Any, **__: Any) -> str | None:
    if np.ndim(left) < 2 or np.ndim(right) < 2:
        return None
    rows, columns = np.shape(left)[-2], np.shape(right)[-1]
    stacked = np.broadcast_shapes(np.shape(left)[:-2], np.shape(right)[:-2])
    return _bytes(math.prod(stacked) * rows * columns * 8)


def _broadcast(*operands: Any) -> str | None:
    if not any(isinstance(a, np.ndarray) for a in operands):
        return None
    try:
        shape = np.broadcast_shapes(*(np.shape(a) for a in operands))
    except ValueError:
        return None
    width = max(a.itemsize for a in operands if isinstance(a, (np.ndarray, np.generic)))
    return _bytes(math.prod(shape) * width)


#: What goes through the items of a range.
_CONSUMERS = frozenset({set, frozenset, bytes, bytearray, math.prod, math.fsum, collections.deque})
_AMOUNTS: dict[Any, Callable[..., str | None]] = {
    **dict.fromkeys((operator.pow, operator.ipow, pow), _power),
    **dict.fromkeys((operator.lshift, operator.ilshift), _shift),
    **dict.fromkeys((operator.mul, operator.imul), _product),
    **dict.fromkeys((operator.add, operator.iadd, operator.concat), _sum),
    **dict.fromkeys(
        (operator.matmul, operator.imatmul, np.matmul, np.dot, np.ndarray.dot), _matmul
    ),
    **dict.fromkeys(
        (operator.sub, operator.truediv, operator.floordiv, operator.mod, np.broadcast_arrays),
        _broadcast,
    ),
    **dict.fromkeys((np.zeros, np.ones, np.empty), _made),
    **dict.fromkeys((np.eye, np.identity, np.tri), _square),
    **dict.fromkeys((np.outer, np.kron), _outer),
    **dict.fromkeys((np.concatenate, np.stack, np.vstack, np.hstack, np.dstack), _joined),
    **dict.fromkeys((np.linspace, np.logspace, np.geomspace), _linspace),
    np.full: _full,
    np.arange: _arange,
    np.tile: _tile,
    **dict.fromkeys((np.repeat, np.ndarray.repeat), _repeat),
    np.ufunc.outer: lambda _, left, right: _outer(left, right),
    np.indices: _indices,
    np.meshgrid: _grid,
    math.factorial: _factorial,
    math.perm: _choices,
    math.comb: _choices,
}
