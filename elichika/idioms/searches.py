"""`bisect` in Python: walked where the list or the number is known when the model runs."""

from __future__ import annotations

from typing import Any

__all__ = ["bisect_left", "bisect_right", "insort_left", "insort_right"]


def bisect_right(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None) -> int:
    """Return the place behind the items that are not larger."""
    low, high = _ends(a, lo, hi)
    while low < high:
        middle = (low + high) // 2
        item = a[middle] if key is None else key(a[middle])
        if x < item:
            high = middle
        else:
            low = middle + 1
    return low


def bisect_left(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None) -> int:
    """Return the place before the items that are not smaller."""
    low, high = _ends(a, lo, hi)
    while low < high:
        middle = (low + high) // 2
        item = a[middle] if key is None else key(a[middle])
        if item < x:
            low = middle + 1
        else:
            high = middle
    return low


def insort_right(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None) -> None:
    """Put an item behind those that are not larger."""
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_left(a: Any, x: Any, lo: int = 0, hi: int | None = None, *, key: Any = None) -> None:
    """Put an item before those that are not smaller."""
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def _ends(a: Any, lo: int, hi: int | None) -> tuple[int, int]:
    if lo < 0:
        raise ValueError("lo must be non-negative")
    return lo, len(a) if hi is None else hi
