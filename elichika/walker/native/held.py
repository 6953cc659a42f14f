"""Iterators that were there before the walk: it may not ask them, as that takes their items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["ITERATORS", "is_held"]

#: Modules of Python's own types of iterators. Those of the walk are iterators of ours.
ITERATORS = ("builtins", "itertools")


def is_held(value: Any) -> bool:
    """Tell whether a value is an iterator of Python's that was made before the walk."""
    return isinstance(value, Iterator) and type(value).__module__ in ITERATORS
