"""`collections.deque` as a class over a list: walked on what is known when the model runs."""

from __future__ import annotations

from collections import deque
from typing import Any

__all__ = ["Deque", "steady"]


def steady(given: list[Any], items: list[Any]) -> Any:
    """Return an iterator over a list, which fails once `items` changes; has a lowering."""
    return iter(given)


class Deque:
    """What `collections.deque` does, and raises."""

    def __init__(self, iterable: Any = (), maxlen: int | None = None) -> None:
        if maxlen is not None and maxlen < 0:
            raise ValueError("maxlen must be non-negative")
        self.maxlen = maxlen
        self.items: list[Any] = []
        self.extend(iterable)

    def append(self, item: Any) -> None:
        """Add an item at the end; the first gives way where there are too many."""
        self.items.append(item)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop(0)

    def appendleft(self, item: Any) -> None:
        """Add an item at the start; the last gives way where there are too many."""
        self.items.insert(0, item)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop()

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
        if len(self.items) == 0:
            raise IndexError("pop from an empty deque")
        return self.items.pop()

    def popleft(self) -> Any:
        """Take the first item."""
        if len(self.items) == 0:
            raise IndexError("pop from an empty deque")
        return self.items.pop(0)

    def rotate(self, n: int = 1) -> None:
        """Bring the last `n` items to the start."""
        amount = len(self.items)
        if amount > 0:
            place = -n % amount
            self.items[:] = self.items[place:] + self.items[:place]

    def clear(self) -> None:
        """Take all items."""
        self.items.clear()

    def reverse(self) -> None:
        """Turn the order around."""
        self.items.reverse()

    def copy(self) -> Any:
        """Return another with these items."""
        return Deque(self.items, self.maxlen)

    def count(self, value: Any) -> Any:
        """Count the items that equal a value."""
        return self.items.count(value)

    def index(self, value: Any, *bounds: Any) -> Any:
        """Return the place of the first item that equals a value."""
        return self.items.index(value, *bounds)

    def insert(self, index: Any, item: Any) -> None:
        """Add an item at a place."""
        if self.maxlen is not None and len(self.items) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self.items.insert(index, item)

    def remove(self, value: Any) -> None:
        """Take the first item that equals a value."""
        self.items.remove(value)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Any:
        return steady(self.items, self.items)

    def __reversed__(self) -> Any:
        return steady(self.items[::-1], self.items)

    def __contains__(self, value: Any) -> bool:
        return value in self.items

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        return self.items[index]

    def __setitem__(self, index: Any, item: Any) -> None:
        self.items[index] = item

    def __delitem__(self, index: Any) -> None:
        del self.items[index]

    def __add__(self, other: Any) -> Any:
        made = self.copy()
        made.extend(other)
        return made

    def __iadd__(self, other: Any) -> Any:
        self.extend(other)
        return self

    def __mul__(self, times: Any) -> Any:
        return Deque(self.items * times, self.maxlen)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, deque):
            return NotImplemented
        return self.items == list(other)

    __hash__ = None  # type: ignore[assignment]
