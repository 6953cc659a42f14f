"""What the slots of a structure are filled with, and what is found in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

__all__ = ["ABSENT", "Absent", "Found", "Leaves"]


class Absent(Enum):
    """The leaf of an input that a call does not have: its argument is of another kind."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


@dataclass(slots=True)
class Leaves:
    """The tensors that a structure is filled with.

    Attributes:
        values: One for each slot.
        restore: `restore(index, value)` makes the leaf of a slot's value.
        restore_rows: `restore_rows(index, rows)` makes those of many at once.
        assemble: `assemble(rows, leaves)` makes a list of rows, where the run knows how many; None
            where each slot has a value for each row.
    """

    values: Sequence[Any]
    restore: Callable[[int, Any], Any] = lambda _, value: value
    restore_rows: Callable[[int, Any], Sequence[Any]] = lambda _, rows: rows
    assemble: Callable[[Any, Leaves], Any] | None = None

    def rows(self, index: int) -> Sequence[Any]:
        """Return the leaves of a slot that has one for each row."""
        return self.restore_rows(index, self.values[index])

    def row(self, used: Sequence[int], number: int) -> Leaves:
        """Return the leaves of one row of what some slots hold."""
        values = list(self.values)
        for index in used:
            values[index] = self.values[index][number]
        return replace(self, values=values)


class Found(dict[int, Any]):
    """The leaves of a value, by their slots.

    Attributes:
        takes: `takes(slot, leaf, exact)` tells whether an input takes a leaf; unless exactly, an
            array where Variables were shown, too.
        shown: `shown(structure)` says what a structure is.
    """

    def __init__(
        self, takes: Callable[[int, Any, bool], bool], shown: Callable[[Any], str]
    ) -> None:
        """Start without leaves."""
        super().__init__()
        self.takes, self.shown = takes, shown
