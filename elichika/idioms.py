"""What Python does with lists, as Python: walked where the length is known at run time only.

These functions are programs that the walker interprets like any other.
"""

from __future__ import annotations

import contextlib
import math
from typing import Any, NoReturn

import numpy as np


def extend(items: list[Any], others: Any) -> None:
    """Append each of `others`."""
    for item in others:
        items.append(item)


def by_turns(turn: Any, arguments: Any, going: Any, result: Any) -> Any:
    """Run a function that calls itself last, by its turns; see `canonicalizer/turns.py`."""
    while going:
        going, result, arguments = turn(*arguments)
    return result


def with_slice(items: list[Any], start: Any, stop: Any, others: Any) -> list[Any]:
    """Make the list that `items[start:stop] = others` leaves."""
    length = len(items)
    first = 0 if start is None else start
    last = length if stop is None else stop
    first = max(first + length, 0) if first < 0 else min(first, length)
    last = max(last + length, 0) if last < 0 else min(last, length)
    last = max(first, last)
    changed: list[Any] = items[:first] + others + items[last:]
    return changed


def listed(items: Any) -> list[Any]:
    """Make a list."""
    made = []
    for item in items:
        made.append(item)
    return made


def column(rows: Any, place: int) -> tuple[Any, ...]:
    """Make a tuple of the items at one place of each row."""
    return tuple([row[place] for row in rows])


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


def same_lists(ours: Any, others: Any) -> bool:
    """Tell whether two lists hold equal items."""
    same = len(ours) == len(others)
    if same:
        for number in range(len(ours)):
            one, other = ours[number], others[number]
            if one != other:
                if one != one and other != other:
                    raise ValueError("whether a nan is among items asks for its identity")
                same = False
                break
    return same


def keys_of(items: Any, key: Any) -> list[Any]:
    """Make a list of what a function gives for each item."""
    return [key(item) for item in items]


def refined(order: Any, keys: Any, reverse: bool) -> Any:
    """Sort places by numbers; places whose numbers are equal keep their order."""
    numbers = np.array(keys)
    if len(numbers) == 0:
        return order
    if numbers.dtype.kind == "f" and np.isnan(numbers).any():
        raise ValueError("the order of nan is not defined")
    numbers = numbers[order]
    if reverse:
        within = len(numbers) - 1 - np.argsort(numbers[::-1], kind="stable")[::-1]
    else:
        within = np.argsort(numbers, kind="stable")
    return order[within]


def require_apart(order: Any, columns: Any) -> None:
    """Raise where neighbours of an order are equal in all columns."""
    same = np.ones(max(len(order) - 1, 0), np.bool_)
    for column in columns:
        if len(order) > 0:
            numbers = np.array(column)[order]
            same = same & (numbers[1:] == numbers[:-1])
    if same.any():
        raise ValueError("equal numbers, and what is no number decides on the order")


def picked(items: Any, places: Any) -> list[Any]:
    """Make a list of the items at some places."""
    return [items[place] for place in places]


def best_of(items: Any, key: Any, better: Any) -> Any:
    """Return the first of the items whose key is the best."""
    best = items[0]
    best_key = key(best)
    for number in range(1, len(items)):
        item_key = key(items[number])
        if better(item_key, best_key):
            best = items[number]
            best_key = item_key
    return best


# math


def quotient(above: Any, below: Any) -> Any:
    """Divide."""
    return above / below


def close(a: Any, b: Any, relative: Any, absolute: Any) -> bool:
    """Tell whether two numbers are close, as `math.isclose` does."""
    if relative < 0 or absolute < 0:
        raise ValueError("tolerances must be non-negative")
    if a == b:
        return True
    if math.isinf(a) or math.isinf(b):
        return False
    apart = abs(b - a)
    return bool(apart <= abs(relative * b) or apart <= abs(relative * a) or apart <= absolute)


def product_of(items: Any, start: Any) -> Any:
    """Multiply from the left."""
    result = start
    for item in items:
        result = result * item
    return result


def divisor(a: int, b: int) -> int:
    """Return the greatest common divisor of two ints."""
    while b != 0:
        a, b = b, a % b
    return abs(a)


def factorial(n: int) -> int:
    """Return `n!`."""
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    result = 1
    for number in range(2, n + 1):
        result *= number
    return result


# itertools and functools


def reduced(function: Any, items: Any, start: Any) -> Any:
    """Combine items from the left."""
    result = start
    for item in items:
        result = function(result, item)
    return result


def reduced_without_start(function: Any, items: Any) -> Any:
    """Combine items from the left, the first being the start."""
    items = list(items)
    if len(items) == 0:
        raise TypeError("reduce() of empty iterable with no initial value")
    result = items[0]
    for number in range(1, len(items)):
        result = function(result, items[number])
    return result


def accumulated(items: Any, function: Any) -> Any:
    """Yield what the items up to each give together."""
    items = list(items)
    if len(items) > 0:
        result = items[0]
        yield result
        for number in range(1, len(items)):
            result = function(result, items[number])
            yield result


def accumulated_from(items: Any, function: Any, start: Any) -> Any:
    """Yield the start, and what it and the items up to each give together."""
    result = start
    yield result
    for item in items:
        result = function(result, item)
        yield result


def managed(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the context that a generator is; has a lowering."""
    return contextlib.contextmanager(function)(*args, **kwargs)


def each(items: Any) -> Any:
    """Yield the items."""
    for item in items:  # noqa: UP028  this is what `yield from` is walked as
        yield item


def chained(*iterables: Any) -> Any:
    """Yield the items of one after the other."""
    for items in iterables:
        yield from items


def chained_all(iterables: Any) -> Any:
    """Yield the items of each."""
    for items in iterables:
        yield from items


def starred(function: Any, items: Any) -> Any:
    """Yield a call for each tuple of arguments."""
    for item in items:
        yield function(*item)


def taken_while(test: Any, items: Any) -> Any:
    """Yield items up to the first that fails a test."""
    for item in items:
        if not test(item):
            break
        yield item


def dropped_while(test: Any, items: Any) -> Any:
    """Yield items from the first that fails a test."""
    dropping = True
    for item in items:
        if dropping and test(item):
            continue
        dropping = False
        yield item


def failing(test: Any, items: Any) -> Any:
    """Yield the items that fail a test."""
    for item in items:
        if not (item if test is None else test(item)):
            yield item


def compressed(items: Any, selectors: Any) -> Any:
    """Yield the items whose selector is true."""
    for item, selector in zip(items, selectors, strict=False):
        if selector:
            yield item


def unchanged(value: Any) -> Any:
    """Return the argument."""
    return value


def suppressed(bbox: Any, thresh: Any, score: Any, limit: Any) -> Any:
    """Choose boxes, best first, that overlap no better one chosen before, as chainercv does."""
    order = np.arange(len(bbox)) if score is None else score.argsort()[::-1]
    bbox = bbox[order]
    if (bbox[:, :2] <= bbox[:, 2:]).all():
        chosen = kept_in_order(bbox, thresh, limit)
    else:
        chosen = kept_boxes(bbox, thresh, limit)
    return order[chosen].astype(np.int32)


def kept_in_order(bbox: Any, thresh: Any, limit: Any) -> Any:
    """Do as `kept_boxes` does where no box is turned inside out; has a lowering."""
    return kept_boxes(bbox, thresh, limit)


def kept_boxes(bbox: Any, thresh: Any, limit: Any) -> Any:
    """Choose each box, in order, that overlaps no one chosen before by `thresh` or more."""
    area = np.prod(bbox[:, 2:] - bbox[:, :2], axis=1)
    free = np.ones(len(bbox), dtype=bool)
    kept: list[int] = []
    while free.any() and (limit is None or len(kept) < max(limit, 1)):
        i = int(free.argmax())
        kept.append(i)
        free[i] = False
        near = np.maximum(bbox[i, :2], bbox[:, :2])
        far = np.minimum(bbox[i, 2:], bbox[:, 2:])
        shared = np.prod(far - near, axis=1) * (near < far).all(axis=1)
        free &= ~(shared / (area[i] + area - shared) >= thresh)
    return np.array(kept, dtype=np.int64)


def refuse(message: str) -> NoReturn:
    """Refuse to compile what an idiom does not stand for; no handler of the program catches it."""
    raise NotImplementedError(message)


def note(message: str) -> None:
    """Tell the user something in the report."""
