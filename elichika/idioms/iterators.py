"""`functools`, `itertools` and generators, as Python."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any


def by_turns(turn: Any, arguments: Any, going: Any, result: Any, most: int, name: str) -> Any:
    """Run a function that calls itself last, by its turns; see `canonicalizer/tail_calls.py`."""
    for _ in range(most):
        going, result, arguments = turn(*arguments)
        if not going:
            break
    if going:
        raise RecursionError("maximum recursion depth exceeded in " + name)
    return result


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


def listed_now(items: Any) -> list[Any]:
    """Return a list of items that Python asks for later; has a lowering."""
    return list(items)


def require_same(items: list[Any]) -> None:
    """Refuse a list of `listed_now` of what has changed since; has a lowering."""


def accumulated(items: Any, function: Any) -> Any:
    """Yield what the items up to each give together."""
    items = listed_now(items)
    if len(items) > 0:
        result = items[0]
        yield result
        require_same(items)
        for number in range(1, len(items)):
            result = function(result, items[number])
            yield result
            require_same(items)


def grouped(items: Any, keys: Any) -> Any:
    """Yield the key of each run of items whose keys are equal, and the run."""
    latest, end = [0], 0
    while end < len(items):
        start = end
        end += 1
        while end < len(items) and keys[end] == keys[start]:
            end += 1
        latest[0] = end
        yield keys[start], one_group(items, start, end, latest)
        require_same(items)
    latest[0] = -1


def one_group(items: Any, start: int, end: int, latest: list[int]) -> Any:
    """Yield the items of a group, of which there are none once the next group was asked for."""
    for item in items[start:end]:
        require_same(items)
        if latest[0] != end:
            break
        yield item
    require_same(items)


def accumulated_from(items: Any, function: Any, start: Any) -> Any:
    """Yield the start, and what it and the items up to each give together."""
    result = start
    yield result
    for item in items:
        result = function(result, item)
        yield result


def managed(function: Any) -> Any:
    """Return a function that returns the context that a generator is."""

    @functools.wraps(function)
    def made(*args: Any, **kwargs: Any) -> Any:
        return contextlib._GeneratorContextManager(function, args, kwargs)

    return made


def within(manager: Any, function: Any) -> Any:
    """Return a function whose calls are in a `with`."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        with manager._recreate_cm():
            return function(*args, **kwargs)

    return called


def until(function: Any, last: Any) -> Any:
    """Yield what a function gives, up to a last value."""
    while True:
        value = function()
        if value == last:
            break
        yield value


def from_zero(stop: Any) -> Any:
    """Return where a part of an iterator ends."""
    if stop < 0:
        raise ValueError("Stop argument for islice() must be None or an integer from 0 on")
    return stop


def enumerated(items: Any, number: Any) -> Any:
    """Yield the items of a generator, each with its number."""
    for item in items:
        yield number, item
        number += 1


def mapped(function: Any, items: Any) -> Any:
    """Yield what a function gives for each item of a generator."""
    for item in items:
        yield function(item)


def kept(test: Any, items: Any) -> Any:
    """Yield the items that pass a test."""
    for item in items:
        if item if test is None else test(item):
            yield item


def each(items: Any) -> Any:
    """Yield the items."""
    for item in items:  # noqa: UP028  this is what `yield from` is walked as
        yield item


def asked(iterator: Any) -> Any:
    """Yield what an iterator gives, without `iter` of it."""
    while True:
        try:
            item = next(iterator)
        except StopIteration:
            return
        yield item


def ended(iterator: Any) -> Any:
    """Yield what an iterator gives, and return the value that it ends with."""
    while True:
        try:
            item = next(iterator)
        except StopIteration as end:
            return end.value
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


def combined(pool: list[Any], count: Any, start: Any, again: Any) -> Iterator[Any]:
    """Give each choice of some items of a list, in its order, from a place on.

    Args:
        pool: The items.
        count: How many are chosen.
        start: The place of the first that may be chosen.
        again: 0 where an item may be chosen again, else 1.
    """
    if count == 0:
        yield ()
    else:
        for place in range(start, len(pool)):
            for others in combined(pool, count - 1, place + again, again):
                yield (pool[place], *others)


def permuted(pool: list[Any], count: Any, places: Any) -> Iterator[Any]:
    """Give each order of some items of a list but for those at some places."""
    if count == 0:
        yield ()
    else:
        for place in range(len(pool)):
            if place not in places:
                for others in permuted(pool, count - 1, (*places, place)):
                    yield (pool[place], *others)


def wrapping(wrapped: Any, assigned: Any, wrapper: Any) -> Any:
    """Return a function by the name of the one that it wraps; only its lowering runs."""
    raise NotImplementedError


def backwards(obj: Any, length: int) -> Iterator[Any]:
    """Yield the items of an object from the end, by its `__getitem__`."""
    for place in range(length - 1, -1, -1):
        try:
            item = obj[place]
        except (IndexError, StopIteration):
            return
        yield item


def by_index(obj: Any) -> Iterator[Any]:
    """Yield the items of an object that has `__getitem__` and no `__iter__`."""
    index = 0
    while True:
        try:
            item = obj[index]
        except IndexError:
            return
        yield item
        index += 1
