"""What is told apart of the arguments of calls: their form, and the numbers of it.

f32(2, 3), 5        form: (float32 of rank 2, int)      numbers: 2, 3, 5
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import chainer
import numpy as np

from elichika.signature.forms import joined

__all__ = ["Form", "Repeated", "Room", "copied", "in_words", "mark", "measure", "whole"]

PLAIN = (type(None), bool, int, float, str)
DICTS = (dict, OrderedDict)

SMALL = 2**14
"""Bytes of arrays that are kept in any case."""

#: What calls of one kind have in common, and their sizes and numbers, in one order.
Form = tuple[Any, ...]
Measured = tuple[Form, tuple[Any, ...]]


def mark(value: Any) -> Any:
    """Return what is equal for two values that nothing tells apart here; it costs little."""
    cls = type(value)
    if cls is chainer.Variable:
        value = value.array
    if type(value) is np.ndarray:
        return cls, value.dtype, value.shape
    return cls, _OF_CLASS.get(cls, _of_other)(value)


def _of_other(value: Any) -> Any:
    """Mark an array of another library, or a subclass; what has no shape is known by itself."""
    if _has_shape(value):
        return value.dtype, value.shape
    return id(value)


def _of_items(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple([mark(item) for item in values])


_OF_CLASS: Mapping[type, Callable[[Any], Any]] = {
    **dict.fromkeys(PLAIN, lambda value: value),
    **dict.fromkeys((list, tuple), _of_items),
    **dict.fromkeys(DICTS, lambda value: tuple([(key, mark(item)) for key, item in value.items()])),
}


def _has_shape(value: Any) -> bool:
    """Tell by its class: to ask the program's own objects for a shape may run a program."""
    if issubclass(type(value), chainer.Variable):
        return value.array is not None
    return issubclass(type(value), (np.generic, *chainer.get_array_types()))


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
    if _has_shape(value):
        return (cls, value.dtype, len(value.shape)), value.shape
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


@dataclass
class Room:
    """How many bytes of large arrays may still be kept."""

    left: int = 8 * 2**20


@dataclass(frozen=True)
class Repeated:
    """An array of which only the first numbers are kept; they stand for the others, too.

    Attributes:
        numbers: The first of them.
        shape: That of the array.
        variable: Whether it was a Variable.
    """

    numbers: np.ndarray[Any, Any]
    shape: tuple[int, ...]
    variable: bool

    def whole(self) -> Any:
        """Return an array of that shape."""
        array = np.resize(self.numbers, self.shape)
        return chainer.Variable(array) if self.variable else array


def copied(value: Any, room: Room | None = None) -> Any:
    """Return a value with its own arrays and containers; other objects are the same ones.

    Args:
        value: Anything.
        room: Where large arrays of floats have to fit; `Repeated` stands for those that do not.
    """

    def leaf(held: Any) -> Any:
        variable = type(held) is chainer.Variable
        array = held.array if variable else held
        if type(array) is np.ndarray and room is not None and array.nbytes > SMALL:
            if array.dtype.kind == "f" and array.nbytes > room.left:
                return Repeated(array.flat[: SMALL // array.itemsize], array.shape, variable)
            room.left -= array.nbytes
        if variable:
            return held if array is None else chainer.Variable(array.copy())
        return array.copy() if type(array) in chainer.get_array_types() else array

    return _rebuilt(value, leaf)


def whole(value: Any) -> Any:
    """Return a value with arrays in the place of what stands for them."""
    return _rebuilt(value, lambda held: held.whole() if type(held) is Repeated else held)


def _rebuilt(value: Any, leaf: Callable[[Any], Any]) -> Any:
    """Return containers made anew, with what is in them changed."""
    cls = type(value)
    if cls is list:
        return [_rebuilt(item, leaf) for item in value]
    if cls in DICTS:
        return cls((key, _rebuilt(item, leaf)) for key, item in value.items())
    if issubclass(cls, tuple):
        return tuple.__new__(cls, (_rebuilt(item, leaf) for item in value))
    return leaf(value)
