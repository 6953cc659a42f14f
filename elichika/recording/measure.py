"""What is told apart of the arguments of calls: their form, and the numbers of it.

f32(2, 3), 5        form: (float32 of rank 2, int)      numbers: 2, 3, 5
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import chainer
import numpy as np

from elichika.signature.forms import joined

__all__ = ["Form", "copied", "in_words", "mark", "measure"]

PLAIN = (type(None), bool, int, float, str)
DICTS = (dict, OrderedDict)

#: What calls of one kind have in common, and their sizes and numbers, in one order.
Form = tuple[Any, ...]
Measured = tuple[Form, tuple[Any, ...]]


def mark(value: Any) -> Any:
    """Return what is equal for two values that nothing tells apart here; it costs little."""
    cls = type(value)
    if cls is np.ndarray:
        return cls, value.dtype, value.shape
    if cls in PLAIN:
        return cls, value
    if cls in (list, tuple):
        return cls, tuple(map(mark, value))
    if cls in DICTS:
        return cls, tuple((key, mark(item)) for key, item in value.items())
    shape = getattr(value, "shape", None)
    if type(shape) is tuple:
        return cls, value.dtype, shape, value.item() if shape == () else None
    return cls, id(value)


def measure(value: Any, identities: bool = True) -> Measured:
    """Return the form of a value and its numbers.

    Args:
        value: Anything.
        identities: Whether two objects of a class are told apart.
    """
    cls = type(value)
    if cls in (bool, int, float):
        return (cls,), (value,)
    if cls in PLAIN:
        return (cls, value), ()
    if cls is list:
        return _list(value, identities)
    if cls in DICTS:
        forms, numbers = _parts(value.values(), identities)
        return (cls, tuple(value), forms), numbers
    if issubclass(cls, tuple):
        forms, numbers = _parts(value, identities)
        return (cls, forms), numbers
    shape = getattr(value, "shape", None)
    if type(shape) is tuple:
        return (cls, value.dtype, len(shape)), shape
    return (cls, id(value)) if identities else (cls,), ()


def _list(value: Sequence[Any], identities: bool) -> Measured:
    """Measure a list: its length, and the least and the largest of its elements of each form."""
    found: dict[Form, list[tuple[Any, ...]]] = {}
    for item in value:
        form, numbers = measure(item, identities)
        found.setdefault(form, []).append(numbers)
    columns = [list(zip(*alike, strict=True)) for alike in found.values()]
    extremes = (most(column) for one in columns for most in (min, max) for column in one)
    return (list, *found), (len(value), *extremes)


def _parts(values: Iterable[Any], identities: bool) -> Measured:
    found = [measure(item, identities) for item in values]
    return tuple(form for form, _ in found), tuple(n for _, numbers in found for n in numbers)


def in_words(form: Form, low: Iterable[Any], high: Iterable[Any]) -> str:
    """Say what values of a form were: `list of 2 to 5 float32[3, 1..7]`.

    Args:
        form: What they have in common.
        low: The least of each of their numbers.
        high: The largest.
    """
    return _words(form, iter(low), iter(high))


def _words(form: Form, low: Iterator[Any], high: Iterator[Any]) -> str:
    cls, *rest = form
    if cls is list:
        count = _range(low, high)
        items = [_item_words(item, low, high) for item in rest]
        return f"list of {count} {joined(items)}" if items else "[]"
    if cls in DICTS:
        keys, forms = rest
        pairs = zip(keys, forms, strict=True)
        return f"{{{', '.join(f'{key!r}: {_words(item, low, high)}' for key, item in pairs)}}}"
    if issubclass(cls, tuple):
        return f"({', '.join(_words(item, low, high) for item in rest[0])})"
    if cls in (int, float):
        return f"{cls.__name__} {_range(low, high)}"
    if len(rest) == 2:  # an array: its dtype and rank
        sizes = ", ".join(_range(low, high) for _ in range(rest[1]))
        return f"{'Variable of ' if cls is chainer.Variable else ''}{rest[0]}[{sizes}]"
    if cls is bool:
        return f"bool {_range(low, high)}"
    return repr(rest[0]) if cls in PLAIN else str(cls.__name__)


def _item_words(form: Form, low: Iterator[Any], high: Iterator[Any]) -> str:
    """Say what the items of lists were, whose least and largest both have a least and a largest."""
    count = _count(form)
    least, _ = list(islice(low, count)), list(islice(low, count))
    _, most = list(islice(high, count)), list(islice(high, count))
    return _words(form, iter(least), iter(most))


def _count(form: Form) -> int:
    """Return how many numbers a value of a form has."""
    cls, *rest = form
    if cls is list:
        return 1 + 2 * sum(map(_count, rest))
    if cls in DICTS or issubclass(cls, tuple):
        return sum(map(_count, rest[-1]))
    if len(rest) == 2:
        return int(rest[1])
    return int(cls in (bool, int, float))


def _range(low: Iterator[Any], high: Iterator[Any]) -> str:
    least, most = next(low), next(high)
    return str(least) if least == most else f"{least}..{most}"


def copied(value: Any) -> Any:
    """Return a value with its own arrays and containers; other objects are the same ones."""
    cls = type(value)
    if cls in (list, *DICTS):
        return cls(
            map(copied, value) if cls is list else ((k, copied(v)) for k, v in value.items())
        )
    if issubclass(cls, tuple):
        return tuple.__new__(cls, map(copied, value))
    if cls is chainer.Variable:
        return value if value.array is None else chainer.Variable(value.array.copy())
    return value.copy() if cls in chainer.get_array_types() else value
