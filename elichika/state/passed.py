"""What inputs are or hold that programs can change: whether a program can tell if two are one.

A call may pass one dict twice, `[d, d]`; the walk knows two.  Where the program writes to one of
them, asks whether they are one, or copies both deeply, it sees the difference.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Passed"]


class Passed:
    """The lists, dicts and arrays of inputs, and where those live that lists hold."""

    def __init__(self) -> None:
        """Start before the inputs are known."""
        self._known: dict[int, Any] = {}
        self._arenas: dict[int, Any] = {}
        self._told: dict[int, Any] = {}
        self._kinds: set[str] = set()

    def add(self, value: Any) -> None:
        """Take a list, dict or array."""
        self._known[id(value)] = value

    def add_arena(self, arena: Any) -> None:
        """Take the arena that some live in."""
        self._arenas[id(arena)] = arena

    def add_all(self, value: Any) -> None:
        """Take the lists and dicts that an argument is or holds."""
        match value:
            case dict():
                self.add(value)
                self.add_all(tuple(value.values()))
            case list():
                self.add(value)
                self.add_all(tuple(value))
            case tuple():
                for part in value:
                    self.add_all(part)

    def holds(self, value: Any) -> bool:
        """Tell whether it is one of them, or the arena of some."""
        return id(value) in self._known or id(value) in self._arenas

    def wrote(self, value: Any) -> None:
        """Note that the program writes to something."""
        if id(value) in self._known:
            self.tell(value)

    def tell(self, value: Any) -> None:
        """Note that the program can tell whether another one, of its class, is this."""
        self._told[id(value)] = value
        self._kinds.add(getattr(value, "cls", type(value)).__name__)

    def is_told(self, value: Any) -> bool:
        """Tell whether that was noted of it."""
        return id(value) in self._told

    @property
    def once(self) -> tuple[str, ...]:
        """The classes of lists and dicts of which no object may stand twice in a call."""
        return tuple(sorted(self._kinds & {"list", "dict", "OrderedDict"}))
