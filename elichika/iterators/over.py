"""Iterators over containers: `iter` and `reversed`."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from elichika.iterators.base import (
    ENDED,
    ENDLESS,
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


class Over(Cursor):
    """Runs over a list, an array, a dict and the like: `iter(items)`.

    Args:
        staged: Its items by number, and their number as it is now.
        source: What it runs over.
        reading: What was read to find the items ahead of time, if they were: it must not change.
    """

    def __init__(self, staged: Staged, source: Any = None, reading: Any = None) -> None:
        self.staged = staged
        self.source = source
        self.reading = reading

    def ask(self, w: IteratorContext, found: Found, ended: Ended) -> Any:
        w.require_unchanged(self.reading)
        position = w.position(self)

        def take() -> Any:
            w.stand(self, w.binary(operator.add, position, 1))
            return found(self._item(w, position))

        end = self.ending(w, ended) if self.staged.grows else ended
        return w.branch(self._there(w, position), take, end)

    def most(self, w: IteratorContext) -> int | None:
        position = w.position(self)
        if has_ended(position):
            return 0
        length = self.staged.length if self.staged.fails else self.staged.current_length()
        if not all_known(position, length):
            return None
        return ENDLESS if length >= ENDLESS else max(length - position, 0)

    def by_number(self, w: IteratorContext) -> Staged | None:
        w.require_unchanged(self.reading)
        return self._guarded(w, left_of(w, self.staged, w.position(self)))

    def _guarded(self, w: IteratorContext, staged: Staged) -> Staged:
        """Return items that were found ahead of time, for as long as nothing of it changes."""
        if self.reading is None:
            return staged

        def item(index: Any) -> Any:
            w.require_unchanged(self.reading)
            return staged.item(index)

        def current() -> Any:
            w.require_unchanged(self.reading)
            return staged.current_length()

        fixed = not all_known(staged.length)  # a loop of the model asks for items anew
        return replace(staged, item=item, current=None if fixed else current)

    def _item(self, w: IteratorContext, position: Any) -> Any:
        return self.staged.item(position)

    def _there(self, w: IteratorContext, position: Any) -> Any:
        staged = self.staged
        if staged.is_endless:
            return True
        if has_ended(position):
            return False

        def below() -> Any:
            return w.truth(w.binary(operator.lt, position, staged.current_length()))

        if all_known(position) or not staged.fails:
            return below()
        going = w.truth(w.binary(operator.lt, position, ENDED))
        return w.branch(going, below, lambda: False)


class Backwards(Over):
    """Runs over a list, a range and the like from its end: `reversed(items)`.

    It begins at what is the last item when it is made.

    Args:
        staged: The items from the front.
        last: The number of the last item.
        source: What it runs over.
    """

    def __init__(self, staged: Staged, last: Any, source: Any = None) -> None:
        super().__init__(staged, source)
        self.last = last

    def most(self, w: IteratorContext) -> int | None:
        position, length = w.position(self), self.staged.current_length()
        if not all_known(position, length, self.last):
            return None
        left: int = max(self.last + 1 - position, 0)
        return left

    def by_number(self, w: IteratorContext) -> Staged | None:
        position, staged, site = w.position(self), self.staged, w.consumer
        if has_ended(position):
            return Staged(0, staged.item)
        length = staged.current_length()
        if not same_length(length, staged.length):
            return None
        left, count = self.last, length
        if not at_start(position):
            left = w.binary(operator.sub, left, position)
            count = w.not_negative(w.binary(operator.sub, count, position))

        def item(index: Any) -> Any:
            if not same_length(length, staged.current_length()):
                w.step_by_step(site)
            return staged.item(w.binary(operator.sub, left, index))

        return replace(staged, length=count, item=item, current=None)

    def _item(self, w: IteratorContext, position: Any) -> Any:
        return self.staged.item(w.binary(operator.sub, self.last, position))

    def _there(self, w: IteratorContext, position: Any) -> Any:
        if has_ended(position):
            return False
        number = w.binary(operator.sub, self.last, position)
        inside = w.truth(w.binary(operator.ge, number, 0))
        if not self.staged.grows:
            return inside
        return w.both(inside, w.truth(w.binary(operator.lt, number, self.staged.current_length())))


class Steady(Over):
    """Runs over a list as long as that stays what it is: the items of a deque.

    Args:
        w: The walker.
        staged: The items.
        source: The list.
    """

    def __init__(self, w: IteratorContext, staged: Staged, source: Any) -> None:
        super().__init__(staged, source)
        self._before = w.items_of(source)

    def ask(self, w: IteratorContext, found: Found, ended: Ended) -> Any:
        self._require_same(w)
        return super().ask(w, found, ended)

    def most(self, w: IteratorContext) -> int | None:
        self._require_same(w)
        return super().most(w)

    def by_number(self, w: IteratorContext) -> Staged | None:
        staged = super().by_number(w)
        if staged is None:
            return None

        def item(index: Any) -> Any:
            self._require_same(w)
            return staged.item(index)

        def current() -> Any:
            self._require_same(w)
            return staged.current_length()

        return replace(staged, item=item, current=current)

    def _require_same(self, w: IteratorContext) -> None:
        before, now = self._before, w.items_of(self.source)
        if now is before:
            return
        if isinstance(now, tuple) and isinstance(before, tuple) and len(now) != len(before):
            w.raise_static(RuntimeError("deque mutated during iteration"))
        w.refuse("whether a deque changes while an iterator runs over it is not followed")


def left_of(w: IteratorContext, staged: Staged, position: Any) -> Staged:
    """Return the items behind those that an iterator gave."""
    if at_start(position):
        return replace(staged, length=staged.current_length())
    if has_ended(position):
        return Staged(0, staged.item)

    def left() -> Any:
        return w.not_negative(w.binary(operator.sub, staged.current_length(), position))

    def unless_ended() -> Any:
        if not staged.fails or all_known(position):
            return left()
        return w.branch(w.truth(w.binary(operator.lt, position, ENDED)), left, lambda: 0)

    return replace(
        staged,
        length=unless_ended(),
        item=lambda i: staged.item(w.binary(operator.add, i, position)),
        current=unless_ended if staged.grows else None,
    )


def same_length(a: Any, b: Any) -> bool:
    """Tell whether two lengths are surely equal."""
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return a is b or a.onnx_value is b.onnx_value
    return all_known(a, b) and a == b
