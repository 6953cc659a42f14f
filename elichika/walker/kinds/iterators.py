"""Iterators and generators, which give each item once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elichika.walker.kinds.kind import Kind

if TYPE_CHECKING:
    from elichika.iterators.base import Staged
    from elichika.walker.kinds.context import KindContext

__all__ = ["Iterators"]


class Iterators(Kind):
    """An iterator of Python's, or a generator of the program."""

    def attribute(self, w: KindContext, obj: Any, name: str, default: Any) -> Any:
        """Return `obj.name`."""
        return w.iterable_attribute(obj, name, default)

    def iterate(self, w: KindContext, value: Any) -> Staged:
        """Return what is left of it, as a list."""
        return w.iterate(w.gathered(value))

    def contains(self, w: KindContext, container: Any, value: Any) -> Any:
        """Return whether it gives a value; it is asked no further then."""
        return w.is_given(container, value)
