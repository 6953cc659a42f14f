"""A part of what an iterator gives: `itertools.islice`."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from elichika.iterators.base import (
    ENDED,
    Cursor,
    Ended,
    Found,
    Staged,
    all_known,
    at_start,
    has_ended,
)
from elichika.values.symbolic import Scalar

if TYPE_CHECKING:
    from elichika.iterators.context import IteratorContext


class Slice(Cursor):
    """Gives a part of the items: `itertools.islice`.

    Where it stands is how many items it gave.

    Args:
        child: What is asked.
        start: How many items it leaves out first.
        stop: How many items it asks for at most; None for all.
        step: It gives each `step`-th one.
    """

    def __init__(self, child: Any, start: int, stop: Any, step: int) -> None:
        self.children = (child,)
        self.start, self.stop, self.step = start, stop, step

    def ask(self, w: IteratorContext, found: Found, ended: Ended) -> Any:
        position = w.position(self)
        if has_ended(position):
            return ended()

        take, end = self.onward(w, position, found), self.ending(w, ended)
        number = w.binary(operator.add, w.binary(operator.mul, position, self.step), self.start)
        inside = True if self.stop is None else w.truth(w.binary(operator.lt, number, self.stop))
        if self.stop is None and not all_known(position):
            inside = w.truth(w.binary(operator.lt, position, ENDED))
        return w.branch(
            inside,
            lambda: self._past(w, self._left_out(w, position), take, end),
            lambda: self._past(w, self._rest(w, position), None, end),
        )

    def _past(self, w: IteratorContext, number: int, take: Found | None, end: Ended) -> Any:
        """Leave out so many items; then take one, or end."""
        if number:
            return w.ask(self.children[0], lambda item: self._past(w, number - 1, take, end), end)
        return end() if take is None else w.ask(self.children[0], take, end)

    def _left_out(self, w: IteratorContext, position: Any) -> int:
        """Return how many items are left out before one that is given."""
        if self.start == self.step - 1:
            return self.start
        if not all_known(position):
            self._refuse_count(w)
        return self.step - 1 if position else self.start

    def _rest(self, w: IteratorContext, position: Any) -> int:
        """Return how many items are left out at the end, up to where it stops."""
        if self.step == 1 and (self.start == 0 or (all_known(position) and position > 0)):
            return 0
        if not all_known(position, self.stop):
            self._refuse_count(w)
        asked: int = self.start + (position - 1) * self.step + 1 if position else 0
        left: int = max(self.stop - asked, 0)
        return left

    def _refuse_count(self, w: IteratorContext) -> NoReturn:
        w.refuse(
            "how many items `islice` leaves out here is known only when the model runs",
            "make a list of its items first",
        )

    def most(self, w: IteratorContext) -> int | None:
        left, position = w.most(self.children[0]), w.position(self)
        if left is None or not all_known(position) or isinstance(self.stop, Scalar):
            return None
        if position >= ENDED:
            return 0
        if self.stop is not None:
            left = min(left, max(self.stop - (self.start + position * self.step), 0))
        return left

    def by_number(self, w: IteratorContext) -> Staged | None:
        staged, position = w.numbered(self.children[0]), w.position(self)
        untouched = at_start(position)
        if staged is None or not untouched:
            return None

        def length() -> Any:
            stop = staged.current_length()
            if self.stop is not None:
                stop = w.call(min, [self.stop, stop], {})
            return w.call(len, [w.call(range, [self.start, stop, self.step], {})], {})

        def item(index: Any) -> Any:
            position = w.binary(operator.mul, index, self.step)
            return staged.item(w.binary(operator.add, position, self.start))

        return replace(staged, length=length(), item=item, current=length if staged.grows else None)
