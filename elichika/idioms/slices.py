"""What Python does with slices of lists and ranges, and with bounds in lists, at run time."""

from __future__ import annotations

from typing import Any


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


def with_steps(items: list[Any], start: Any, stop: Any, step: int, others: Any) -> None:
    """Do what `items[start:stop:step] = others` does, where the step is not 1."""
    places = range(len(items))[start:stop:step]
    if len(others) != len(places):
        raise ValueError("attempt to assign a sequence of another size to an extended slice")
    for number in range(len(others)):
        items[places[number]] = others[number]


def without_steps(items: list[Any], start: Any, stop: Any, step: int) -> list[Any]:
    """Make the list that `del items[start:stop:step]` leaves."""
    places = range(len(items))[start:stop:step]
    return [item for number, item in enumerate(items) if number not in places]


def part_of_range(numbers: Any, start: Any, stop: Any, step: Any) -> range:
    """Make the range that `numbers[start:stop:step]` is."""
    length = len(numbers)
    by = 1 if step is None else step
    if by == 0:
        raise ValueError("slice step cannot be zero")
    low = 0 if by > 0 else -1
    high = length if by > 0 else length - 1
    first, last = (low, high) if by > 0 else (high, low)
    if start is not None:
        first = max(start + length, low) if start < 0 else min(start, high)
    if stop is not None:
        last = max(stop + length, low) if stop < 0 else min(stop, high)
    begin, stride = numbers.start, numbers.step
    return range(begin + first * stride, begin + last * stride, stride * by)


def place_within(place: int, length: int) -> int:
    """Return a bound, which may count from the end, as one within a list."""
    return max(place + length, 0) if place < 0 else min(place, length)


def position_between(items: Any, value: Any, same: Any, start: int, stop: int) -> int:
    """Find the first item within bounds that is the same as `value`."""
    found = -1
    for number in range(start, stop):
        if same(items[number], value):
            found = number
            break
    if found < 0:
        raise ValueError("the value is not in list")
    return found
