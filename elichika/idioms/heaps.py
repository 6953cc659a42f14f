"""`heapq` in Python: walked on lists that are changed, or known when the model runs."""

from __future__ import annotations

from typing import Any

__all__ = ["heapify", "heappop", "heappush", "heappushpop", "heapreplace", "nlargest", "nsmallest"]


def heappush(heap: list[Any], item: Any) -> None:
    """Add an item."""
    heap.append(item)
    _towards_root(heap, 0, len(heap) - 1)


def heappop(heap: list[Any]) -> Any:
    """Take the smallest item."""
    last = heap.pop()
    if len(heap) > 0:
        smallest = heap[0]
        heap[0] = last
        _towards_leaves(heap, 0)
        return smallest
    return last


def heapreplace(heap: list[Any], item: Any) -> Any:
    """Take the smallest item, then add one."""
    smallest = heap[0]
    heap[0] = item
    _towards_leaves(heap, 0)
    return smallest


def heappushpop(heap: list[Any], item: Any) -> Any:
    """Add an item, then take the smallest."""
    if len(heap) > 0 and heap[0] < item:
        smallest = heap[0]
        heap[0] = item
        _towards_leaves(heap, 0)
        return smallest
    return item


def heapify(heap: list[Any]) -> None:
    """Make a heap of a list, in place."""
    for place in reversed(range(len(heap) // 2)):
        _towards_leaves(heap, place)


def nsmallest(n: int, iterable: Any, key: Any = None) -> list[Any]:
    """The smallest items, in order."""
    return sorted(iterable, key=key)[: max(n, 0)]


def nlargest(n: int, iterable: Any, key: Any = None) -> list[Any]:
    """The largest items, in order."""
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def _towards_root(heap: list[Any], start: int, place: int) -> None:
    """Move an item up, past those that are larger."""
    item = heap[place]
    going = place > start
    while going:
        above = (place - 1) // 2
        parent = heap[above]
        going = item < parent
        if going:
            heap[place] = parent
            place = above
            going = place > start
    heap[place] = item


def _towards_leaves(heap: list[Any], place: int) -> None:
    """Move the smaller children up to a leaf, then the item from there to its place."""
    end, start, item = len(heap), place, heap[place]
    child = 2 * place + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    _towards_root(heap, start, place)
