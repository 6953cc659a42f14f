"""What a loop runs over, as a length and a way to get the item of each turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: The length of an iterator without an end.
ENDLESS = 2**62


@dataclass(eq=False)
class Staged:
    """An iterable whose items are asked for by number.

    Attributes:
        length: The number of items, an int or an int `Scalar`.
        item: Gives the item of a turn; takes an int or an int `Scalar`.
        uniform: Whether items can be asked for by a number known only at run time.
        current: For lists, which Python re-reads at each turn: the present length.
        once: It is a Python iterator: there is nothing left of it after one loop.
        calls: To ask for an item calls a function of the program.
    """

    length: Any
    item: Callable[[Any], Any]
    uniform: bool = True
    current: Callable[[], Any] | None = None
    once: bool = False
    calls: bool = False

    @property
    def grows(self) -> bool:
        """Whether the body may change the length."""
        return self.current is not None

    def current_length(self) -> Any:
        """Return the length as it is now."""
        return self.length if self.current is None else self.current()


@dataclass(frozen=True, eq=False)
class SymbolicRange:
    """A `range` with a bound or step known only when the model runs."""

    start: Any
    stop: Any
    step: Any
    length: Any


@dataclass(frozen=True, eq=False)
class DictView:
    """What `keys`, `values` or `items` of a dict return: it shows the dict as it is now."""

    mapping: Any
    kind: str


@dataclass(frozen=True, eq=False)
class InstanceDict:
    """The `__dict__` of an object: its attributes under another name."""

    obj: Any
