"""What the program is told that iterators are."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

__all__ = ["AnyIterator", "is_kind"]


class AnyIterator(Iterator[Any]):
    """The type of what `zip`, `map`, `enumerate`, `iter` and the like return: one of these."""

    __slots__ = ()

    def __next__(self) -> Any:
        raise NotImplementedError


def is_kind(kind: Any) -> bool | None:
    """Tell whether an iterator is of a type; None where it is not known which one it is."""
    if isinstance(kind, type) and issubclass(kind, Iterator) and kind not in (Iterator, Generator):
        return None
    return issubclass(AnyIterator, kind)
