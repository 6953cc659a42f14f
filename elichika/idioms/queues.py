"""`collections.deque` as a class over a list: walked on what is known when the model runs."""

from __future__ import annotations

import operator
from collections import deque
from typing import Any

__all__ = ["Deque", "steady"]

#: What is raised here by `raise` says what Python does.
RAISES_AS_PYTHON = True


def steady(given: list[Any], items: list[Any]) -> Any:
    """Return an iterator over a list, which fails once `items` changes; has a lowering."""
    return iter(given)


class Deque:
    """What `collections.deque` does, and raises."""

    __slots__ = ("_items", "_maxlen")

    def __init__(self, iterable: Any = (), maxlen: int | None = None) -> None:
        if maxlen is not None and type(maxlen) not in (int, bool):
            raise TypeError("an integer is required")
        if maxlen is not None and maxlen < 0:
            raise ValueError("maxlen must be non-negative")
        self._maxlen = maxlen
        self._items: list[Any] = []
        self.extend(iterable)

    @property
    def maxlen(self) -> int | None:
        """How many items there are at most."""
        return self._maxlen

    def append(self, item: Any) -> None:
        """Add an item at the end; the first gives way where there are too many."""
        self._items.append(item)
        if self._maxlen is not None and len(self._items) > self._maxlen:
            self._items.pop(0)

    def appendleft(self, item: Any) -> None:
        """Add an item at the start; the last gives way where there are too many."""
        self._items.insert(0, item)
        if self._maxlen is not None and len(self._items) > self._maxlen:
            self._items.pop()

    def extend(self, iterable: Any) -> None:
        """Add items at the end."""
        for item in list(iterable):
            self.append(item)

    def extendleft(self, iterable: Any) -> None:
        """Add items at the start, one by one."""
        for item in list(iterable):
            self.appendleft(item)

    def pop(self) -> Any:
        """Take the last item."""
        if not self._items:
            raise IndexError("pop from an empty deque")
        return self._items.pop()

    def popleft(self) -> Any:
        """Take the first item."""
        if not self._items:
            raise IndexError("pop from an empty deque")
        return self._items.pop(0)

    def rotate(self, n: int = 1) -> None:
        """Bring the last `n` items to the start."""
        amount, turns = len(self._items), operator.index(n)
        if amount > 0:
            place = -turns % amount
            self._items[:] = self._items[place:] + self._items[:place]

    def clear(self) -> None:
        """Take all items."""
        self._items.clear()

    def reverse(self) -> None:
        """Turn the order around."""
        self._items.reverse()

    def copy(self) -> Any:
        """Return another with these items."""
        return Deque(self._items, self._maxlen)

    def __copy__(self) -> Any:
        return self.copy()

    def count(self, value: Any) -> Any:
        """Count the items that equal a value."""
        return self._items.count(value)

    def index(self, value: Any, *bounds: Any) -> Any:
        """Return the place of the first item that equals a value."""
        return self._items.index(value, *bounds)

    def insert(self, index: Any, item: Any) -> None:
        """Add an item at a place."""
        if self._maxlen is not None and len(self._items) >= self._maxlen:
            raise IndexError("deque already at its maximum size")
        self._items.insert(index, item)

    def remove(self, value: Any) -> None:
        """Take the first item that equals a value."""
        self._items.remove(value)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Any:
        return steady(self._items, self._items)

    def __reversed__(self) -> Any:
        return steady(self._items[::-1], self._items)

    def __contains__(self, value: Any) -> bool:
        return value in self._items

    def __getitem__(self, index: Any) -> Any:
        return self._items[_place(index)]

    def __setitem__(self, index: Any, item: Any) -> None:
        self._items[_place(index)] = item

    def __delitem__(self, index: Any) -> None:
        del self._items[_place(index)]

    def __add__(self, other: Any) -> Any:
        if not _is_deque(other):
            raise TypeError(f'can only concatenate deque (not "{type(other).__name__}") to deque')
        made = self.copy()
        made.extend(other)
        return made

    def __iadd__(self, other: Any) -> Any:
        self.extend(other)
        return self

    def __mul__(self, times: Any) -> Any:
        return Deque(self._items * times, self._maxlen)

    def __rmul__(self, times: Any) -> Any:
        return self * times

    def __imul__(self, times: Any) -> Any:
        self._items[:] = list(self * times)
        return self

    def __eq__(self, other: Any) -> Any:
        if not _is_deque(other):
            return NotImplemented
        return self._items == list(other)

    def __lt__(self, other: Any) -> Any:
        if not _is_deque(other):
            return NotImplemented
        return self._items < list(other)

    def __le__(self, other: Any) -> Any:
        if not _is_deque(other):
            return NotImplemented
        return self._items <= list(other)

    def __gt__(self, other: Any) -> Any:
        if not _is_deque(other):
            return NotImplemented
        return self._items > list(other)

    def __ge__(self, other: Any) -> Any:
        if not _is_deque(other):
            return NotImplemented
        return self._items >= list(other)

    __hash__ = None  # type: ignore[assignment]


def _is_deque(value: Any) -> bool:
    return isinstance(value, deque)


def _place(index: Any) -> Any:
    """Return an index, which is no slice."""
    if isinstance(index, slice):
        raise TypeError("sequence index must be integer, not 'slice'")
    return index
