"""Iterators that were there before the walk: it may not ask them, as that takes their items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from elichika.program.native_code import package_of
from elichika.walker.walk import Walk

__all__ = ["ITERATORS", "is_held", "require_unheld"]

#: Modules of Python's own types of iterators. Those of the walk are iterators of ours.
ITERATORS = ("builtins", "itertools")


def is_held(value: Any) -> bool:
    """Tell whether a value is an iterator of Python's that was made before the walk."""
    return isinstance(value, Iterator) and package_of(type(value)) in ITERATORS


def require_unheld(w: Walk, value: Any) -> None:
    """Refuse to ask an iterator of Python's that was made before the walk."""
    if is_held(value):
        w.refuse(
            f"this {type(value).__name__} was made before the call: "
            "each call takes other items from it",
            "hold a list of the items, and make the iterator in the call: `iter(self.items)`",
        )
