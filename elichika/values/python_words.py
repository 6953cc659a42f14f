"""What Python itself says where it raises: its versions differ, so each is asked for its words.

Each constant is what `args` of such an exception are, as `check` takes them.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

__all__ = [
    "INFINITY_TO_INT",
    "LIST_ASSIGNMENT",
    "LIST_INDEX",
    "LIST_POP",
    "LIST_POP_EMPTY",
    "MATH_DOMAIN",
    "MATH_RANGE",
    "NAN_TO_INT",
    "NEGATIVE_POWER",
    "NEGATIVE_SHIFT",
    "RANGE_INDEX",
    "RANGE_STEP",
    "SET_POP",
    "STRING_INDEX",
    "TUPLE_INDEX",
    "no_attribute",
    "no_items",
    "no_local",
    "of_division",
    "popped_of",
]

Words = tuple[Any, ...]
#: The flag of classes that a `class` statement makes (Include/object.h).
_HEAP_TYPE = 1 << 9


def _said(raising: Callable[[], Any]) -> Words:
    """Return the arguments of the exception that a call raises."""
    try:
        raising()
    except Exception as error:
        return error.args
    raise AssertionError("this raises")


LIST_INDEX = _said(lambda: [][0])
TUPLE_INDEX = _said(lambda: operator.getitem((), 0))
STRING_INDEX = _said(lambda: ""[0])
RANGE_INDEX = _said(lambda: range(0)[0])
LIST_ASSIGNMENT = _said(lambda: operator.setitem([], 0, 0))
LIST_POP = _said(lambda: [0].pop(1))
LIST_POP_EMPTY = _said(lambda: [].pop())
SET_POP = _said(lambda: set[int]().pop())
RANGE_STEP = _said(lambda: range(0, 0, 0))
NEGATIVE_SHIFT = _said(lambda: operator.lshift(1, -1))
NEGATIVE_POWER = _said(lambda: 0.0**-1.0)
NAN_TO_INT = _said(lambda: int(math.nan))
INFINITY_TO_INT = _said(lambda: int(math.inf))
MATH_DOMAIN = _said(lambda: math.sqrt(-1.0))
MATH_RANGE = _said(lambda: math.exp(1e9))


@functools.cache
def of_division(op: Any, left: type, right: type) -> Words:
    """Return what is said of a division by 0 of numbers of two classes."""
    return _said(lambda: op(left(1), right(0)))


@functools.cache
def no_items(function: Any) -> Words:
    """Return what `max` or `min` says of no items."""
    return _said(lambda: function([]))


@functools.cache
def popped_of(cls: type) -> Words:
    """Return what `popitem` of an empty dict says."""
    return _said(lambda: cls().popitem())


def no_attribute(cls: type, name: str) -> Words | None:
    """Return what is said of an attribute that an object of a class does not have.

    None of a class that is not written in Python: it may call itself by another name.
    """
    text = f"'{cls.__name__}' object has no attribute '{name}'"
    return (text,) if cls.__flags__ & _HEAP_TYPE else None


@functools.cache
def no_local(name: str) -> Words:
    """Return what is said of a local name that holds nothing."""
    space: dict[str, Any] = {}
    exec(f"def function():\n    return {name}\n    {name} = None", space)
    return _said(space["function"])
