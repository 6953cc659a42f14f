"""The orders that numpy leaves open, held at one: equal elements in the order that they had.

Which of two equal elements `argsort` puts first, and in which order a partition leaves its parts,
is that of the processor: numpy sorts with vectors as wide as it has. The model has a stable sort in
the place of each. Where chain and model differ, the chain runs again with numpy's functions put to
the same; the methods of arrays cannot be, so that what they were asked to order is looked at.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from elichika.verify.patching import in_place

__all__ = ["held_orders"]

STABLE = ("stable", "mergesort")
PARTITIONS = ("partition", "argpartition")
METHODS = ("argsort", *PARTITIONS)

_sort, _argsort = np.sort, np.argsort
_partition, _argpartition = np.partition, np.argpartition


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **options: Any) -> Any:
    """`np.sort` with a stable kind."""
    return _sort(a, axis, "stable", order)


def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, **options: Any) -> Any:
    """`np.argsort` with a stable kind."""
    return _argsort(a, axis, "stable", order)


def partition(a: Any, kth: Any, axis: Any = -1, *args: Any, **options: Any) -> Any:
    """`np.partition` whose parts are in order; what it raises is raised."""
    _partition(a, kth, axis, *args, **options)
    return _sort(a, axis, "stable")


def argpartition(a: Any, kth: Any, axis: Any = -1, *args: Any, **options: Any) -> Any:
    """`np.argpartition` whose parts are in order; what it raises is raised."""
    _argpartition(a, kth, axis, *args, **options)
    return _argsort(a, axis, "stable")


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sort": sort,
    "argsort": argsort,
    "partition": partition,
    "argpartition": argpartition,
}


@contextmanager
def held_orders() -> Iterator[list[str]]:
    """Make numpy's functions stable in this thread.

    Yields:
        The methods that were asked for an order that numpy leaves open; nothing is seen of them
        where somebody else profiles this thread.
    """
    seen: list[str] = []
    with in_place([(np, *item) for item in FUNCTIONS.items()]), _watched(seen):
        yield seen


@contextmanager
def _watched(seen: list[str]) -> Iterator[None]:
    """Note calls of methods of arrays, of which the interpreter tells profilers."""

    def watch(frame: Any, event: str, called: Any) -> None:
        if event == "c_call" and _is_open(frame, called):
            seen.append(called.__name__)

    if sys.getprofile() is not None:
        yield
        return
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(None)


def _is_open(frame: Any, called: Any) -> bool:
    if getattr(called, "__name__", None) not in METHODS:
        return False
    array = getattr(called, "__self__", None)
    if not isinstance(array, np.ndarray) or _is_ours(frame):
        return False
    if called.__name__ in PARTITIONS:
        return True
    return not _asked_for_stable(frame) and _has_equals(array)


def _is_ours(frame: Any) -> bool:
    """Tell whether a function of this module is behind a call."""
    while frame is not None and frame.f_globals is not globals():
        frame = frame.f_back
    return frame is not None


def _asked_for_stable(frame: Any) -> bool:
    """Tell by the line of the call, or the options that a function of numpy passes on."""
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    options = frame.f_locals.get("kwds")
    kind = options.get("kind") if isinstance(options, dict) else None
    return kind in STABLE or any(name in line for name in STABLE)


def _has_equals(array: Any) -> bool:
    ordered = _sort(array, None)
    same = ordered[1:] == ordered[:-1]
    return bool(np.any(same)) or bool(np.sum(ordered != ordered) > 1)
