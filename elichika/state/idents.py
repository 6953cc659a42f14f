"""The numbers of objects in the types of one walk (*idents*), and what is noted of them."""

from __future__ import annotations

from typing import Any

from elichika.values.symbolic import Array

__all__ = ["Idents"]


class Idents:
    """Which objects have which numbers.

    Attributes:
        latest: The number that each object was read with last, by its `id`.
        frozen: Of these objects lists of dynamic length hold copies: they are written no more.
        unwritable: Arrays that cannot be written to.
    """

    def __init__(self) -> None:
        self.latest: dict[int, int] = {}
        self.frozen: set[int] = set()
        self.unwritable: set[int] = set()
        self._last = 0
        self._existing: dict[int, int] = {}
        self._parents: dict[int, tuple[int, int]] = {}

    def new(self) -> int:
        """Return the number of an object that had none."""
        self._last += 1
        return self._last

    def joined(self, pair: tuple[int, int]) -> int:
        """Return a number for what two objects become."""
        ident = self.new()
        self._parents[ident] = pair
        return ident

    def of(self, array: Array) -> int:
        """Return the number of an array that exists already, always the same."""
        if id(array) not in self._existing:
            self._existing[id(array)] = self.new()
        return self._existing[id(array)]

    def is_part_of(self, obj: Any, ident: int) -> bool:
        """Tell whether an object, as it was read last, is one of those that were joined."""
        wanted, todo, seen = self.latest.get(id(obj)), [ident], set()
        while todo:
            ident = todo.pop()
            if ident == wanted:
                return True
            if ident not in seen:
                seen.add(ident)
                todo += self._parents.get(ident, ())
        return False

    def is_frozen(self, ident: int) -> bool:
        """Tell whether a list of dynamic length holds a copy of an object, or of a part of it."""
        return self._is_one_of(self.frozen, ident)

    def is_unwritable(self, ident: int) -> bool:
        """Tell whether an array, or one that it may be, cannot be written to."""
        return self._is_one_of(self.unwritable, ident)

    def _is_one_of(self, idents: set[int], ident: int) -> bool:
        parents = self._parents.get(ident, ())
        return ident in idents or any(self._is_one_of(idents, parent) for parent in parents)
