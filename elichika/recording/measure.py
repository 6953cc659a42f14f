"""What is told apart of the arguments of calls: their form, and the numbers of it.

f32(2, 3), 5        form: (float32 of rank 2, int)      numbers: 2, 3, 5
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

import chainer
import numpy as np

__all__ = ["Form", "copied", "mark", "measure"]

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


def measure(value: Any) -> Measured:
    """Return the form of a value and its numbers."""
    cls = type(value)
    if cls in (bool, int, float):
        return (cls,), (value,)
    if cls in PLAIN:
        return (cls, value), ()
    if cls is list:
        return _list(value)
    if cls in DICTS:
        forms, numbers = _parts(value.values())
        return (cls, tuple(value), forms), numbers
    if issubclass(cls, tuple):
        forms, numbers = _parts(value)
        return (cls, forms), numbers
    shape = getattr(value, "shape", None)
    if type(shape) is tuple:
        return (cls, value.dtype, len(shape)), shape
    return (cls, id(value)), ()


def _list(value: Sequence[Any]) -> Measured:
    """Measure a list: its length, and the least and the largest of its elements."""
    found = [measure(item) for item in value]
    forms = tuple(dict.fromkeys(form for form, _ in found))
    if len(forms) != 1:
        return (list, *forms), (len(value), *(n for _, numbers in found for n in numbers))
    columns = list(zip(*(numbers for _, numbers in found), strict=True))
    return (list, *forms), (len(value), *map(min, columns), *map(max, columns))


def _parts(values: Iterable[Any]) -> Measured:
    found = [measure(item) for item in values]
    return tuple(form for form, _ in found), tuple(n for _, numbers in found for n in numbers)


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
