"""What Python does with lists, as Python: walked where the length is known at run time only.

These functions are programs that the walker interprets like any other.
"""

from __future__ import annotations

from typing import Any


def extend(items: list[Any], others: Any) -> None:
    """Append each of `others`."""
    for item in others:
        items.append(item)


def listed(items: Any) -> list[Any]:
    """Make a list."""
    made = []
    for item in items:
        made.append(item)
    return made


def kept(test: Any, items: Any) -> list[Any]:
    """Make a list of the items that pass a test."""
    made = []
    for item in items:
        if item if test is None else test(item):
            made.append(item)
    return made


def contains(items: Any, value: Any) -> bool:
    """Tell whether an item equals `value`."""
    found = False
    for item in items:
        if item == value:
            found = True
            break
    return found


def position(items: Any, value: Any) -> int:
    """Find the first item that equals `value`."""
    found = -1
    for number, item in enumerate(items):
        if item == value:
            found = number
            break
    if found < 0:
        raise ValueError("the value is not in list")
    return found


def count(items: Any, value: Any) -> int:
    """Count the items that equal `value`."""
    found = 0
    for item in items:
        if item == value:
            found += 1
    return found


def total(items: Any, start: Any) -> Any:
    """Add up from the left."""
    result = start
    for item in items:
        result = result + item
    return result


def largest(items: Any, length: int) -> Any:
    """Return the first of the largest items."""
    best = items[0]
    for number in range(1, length):
        item = items[number]
        if item > best:
            best = item
    return best


def smallest(items: Any, length: int) -> Any:
    """Return the first of the smallest items."""
    best = items[0]
    for number in range(1, length):
        item = items[number]
        if item < best:
            best = item
    return best


def any_of(items: Any) -> bool:
    """Tell whether an item is true."""
    found = False
    for item in items:
        if item:
            found = True
            break
    return found


def all_of(items: Any) -> bool:
    """Tell whether all items are true."""
    found = True
    for item in items:
        if not item:
            found = False
            break
    return found
