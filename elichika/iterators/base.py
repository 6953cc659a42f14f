"""What a loop runs over: items that are asked for by number, and iterators that stand somewhere."""

from __future__ import annotations

import operator
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from elichika.iterators.context import IteratorContext

from elichika.values.words import shown_as

Found = Callable[[Any], Any]
Ended = Callable[[], Any]
#: The length of an iterator without an end.
ENDLESS = 2**62
#: Where an iterator stands that has found its end: it stays there, whatever comes behind it.
ENDED = 2**40 - 1


def all_known(*numbers: Any) -> bool:
    """Tell whether numbers of items are all known while compiling."""
    return all(isinstance(number, int) for number in numbers)


def at_start(position: Any) -> bool:
    """Tell whether an iterator that stands there surely gave no item."""
    return all_known(position) and position == 0


def has_ended(position: Any) -> bool:
    """Tell whether an iterator that stands there surely found its end."""
    return all_known(position) and position >= ENDED


@shown_as("iterator")
@dataclass(eq=False)
class Staged:
    """An iterable whose items are asked for by number.

    Attributes:
        length: The number of items, an int or an int `Scalar`.
        item: Gives the item of a turn; takes an int or an int `Scalar`.
        uniform: Whether items can be asked for by a number known only at run time.
        current: For lists, which Python re-reads at each turn: the present length.
        calls: To ask for an item calls a function of the program.
        fails: To ask for the present length raises where Python does: a dict has changed.
        alone: Within this a loop alone asks for all items, one after another.
    """

    length: Any
    item: Callable[[Any], Any]
    uniform: bool = True
    current: Callable[[], Any] | None = None
    calls: bool = False
    fails: bool = False
    alone: Callable[[], AbstractContextManager[None]] = nullcontext

    @property
    def is_endless(self) -> bool:
        """Whether there is surely no end."""
        return all_known(self.length) and self.length >= ENDLESS

    @property
    def grows(self) -> bool:
        """Whether the body may change the length."""
        return self.current is not None

    def current_length(self) -> Any:
        """Return the length as it is now."""
        return self.length if self.current is None else self.current()


@shown_as("iterator")
class Cursor:
    """A Python iterator of the program.

    It asks what it runs over whenever it is asked itself. Where it stands is a location of the
    store, so that branches and loops join it as they join an attribute.

    Attributes:
        children: The iterators that it asks: iterators, generators and objects with `__next__`.
        functions: What it calls.
        source: What it runs over, where it asks no iterator.
        stands: Whether it has a position of its own, apart from where those stand that it asks.
    """

    children: tuple[Any, ...] = ()
    functions: tuple[Any, ...] = ()
    source: Any = None
    stands = True

    def __init_subclass__(cls) -> None:
        shown_as("iterator")(cls)

    def ask(self, w: IteratorContext, found: Found, ended: Ended) -> Any:
        """Ask for the next item.

        Args:
            w: The walker.
            found: Goes on with the item.
            ended: Goes on where there is none; it may be walked more than once.

        Returns:
            What the one that was called returns, joined where the model tells which one.
        """
        raise NotImplementedError

    def onward(self, w: IteratorContext, position: Any, found: Found) -> Found:
        """Return what stands behind an item that is there, and goes on with it."""

        def take(item: Any) -> Any:
            w.stand(self, w.binary(operator.add, position, 1))
            return found(item)

        return take

    def ending(self, w: IteratorContext, ended: Ended) -> Ended:
        """Return what stands at the end, for good, and goes on."""

        def end() -> Any:
            w.stand(self, ENDED)
            return ended()

        return end

    def by_number(self, w: IteratorContext) -> Staged | None:
        """Return what is left, by number; None if the items have to be asked for one by one.

        All of it is for one consumer that asks for each item once and in order, while nobody else
        asks this iterator, or one that it asks itself.
        """
        return None

    def most(self, w: IteratorContext) -> int | None:
        """Return how many items are left at most; None if the model tells whether there is one."""
        return None


@dataclass(frozen=True)
class Left:
    """Where an iterator stands whose items a loop asks for by number: this is not followed.

    Attributes:
        site: What names the loop in any run.
    """

    site: Any


@shown_as("range")
@dataclass(frozen=True, eq=False)
class SymbolicRange:
    """A `range` with a bound or step known only when the model runs."""

    start: Any
    stop: Any
    step: Any
    length: Any


@shown_as("dict view")
@dataclass(frozen=True, eq=False)
class DictView:
    """What `keys`, `values` or `items` of a dict return: it shows the dict as it is now."""

    mapping: Any
    kind: str


@shown_as("dict")
@dataclass(frozen=True, eq=False)
class InstanceDict:
    """The `__dict__` of an object: its attributes under another name."""

    obj: Any
