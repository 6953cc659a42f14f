"""Iterators that keep items for later: `pairwise`, `cycle`, `tee` and `groupby`."""

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
from elichika.iterators.over import Over, left_of

if TYPE_CHECKING:
    from elichika.iterators.context import IteratorContext


class Pairs(Cursor):
    """Gives each item with the next: `itertools.pairwise`. It stands at 0, then at 1."""

    def __init__(self, child: Any) -> None:
        self.children = (child,)

    def ask(self, w: IteratorContext, found: Found, ended: Ended) -> Any:
        position = w.position(self)
        if has_ended(position):
            return ended()

        end = self.ending(w, ended)

        def take(before: Any, item: Any) -> Any:
            w.stand(self, 1)
            w.store.set(self, "before", item)
            return found((before, item))

        def second(before: Any) -> Any:
            return w.ask(self.children[0], lambda item: take(before, item), end)

        def later() -> Any:
            return second(w.undefined(w.held(self, "before"), "this item", RuntimeError))

        if not all_known(position):
            going = w.truth(w.binary(operator.lt, position, ENDED))
            return w.branch(going, lambda: self._next(w, position, second, later, end), ended)
        return self._next(w, position, second, later, end)

    def _next(
        self, w: IteratorContext, position: Any, second: Found, later: Ended, end: Ended
    ) -> Any:
        begun = w.truth(w.binary(operator.gt, position, 0))
        return w.branch(begun, later, lambda: w.ask(self.children[0], second, end))

    def most(self, w: IteratorContext) -> int | None:
        left, position = w.most(self.children[0]), w.position(self)
        if left is None or not all_known(position):
            return None
        if position:
            return left if position < ENDED else 0
        return max(left - 1, 0)

    def by_number(self, w: IteratorContext) -> Staged | None:
        staged, position = w.numbered(self.children[0]), w.position(self)
        if staged is None or staged.calls or not at_start(position):
            return None

        def length() -> Any:
            return w.not_negative(w.binary(operator.sub, staged.current_length(), 1))

        def item(index: Any) -> Any:
            return staged.item(index), staged.item(w.binary(operator.add, index, 1))

        current = length if staged.grows else None
        return Staged(length(), item, staged.uniform, current, fails=staged.fails)


class Cycle(Cursor):
    """Gives the items again and again.

    It stands at 0 as long as it asks, and then one behind the number of the next item that it kept.
    """

    def __init__(self, w: IteratorContext, child: Any) -> None:
        self.children = (child,)
        self.source = w.new_list(())

    def ask(self, w: IteratorContext, found: Found, ended: Ended) -> Any:
        position = w.position(self)

        def again(number: Any) -> Any:
            length = w.sequences.length(self.source)

            def take() -> Any:
                following = w.binary(operator.mod, w.binary(operator.add, number, 1), length)
                w.stand(self, w.binary(operator.add, following, 1))
                return found(w.get_item(self.source, number))

            return w.branch(w.truth(w.binary(operator.gt, length, 0)), take, ended)

        def keep(item: Any) -> Any:
            w.append(self.source, item)
            return found(item)

        return w.branch(
            w.truth(w.binary(operator.eq, position, 0)),
            lambda: w.ask(self.children[0], keep, lambda: again(0)),
            lambda: again(w.binary(operator.sub, position, 1)),
        )

    def most(self, w: IteratorContext) -> int | None:
        position, kept = w.position(self), w.sequences.length(self.source)
        if not all_known(position, kept):
            return None
        left = w.most(self.children[0]) if position == 0 else 0
        if left is None:
            return None
        return ENDLESS if left + kept else 0

    def by_number(self, w: IteratorContext) -> Staged | None:
        position, site, mark = w.position(self), w.consumer, w.store.mark()
        if not at_start(position) or w.sequences.length(self.source) != 0:
            return None
        with w.store.reading() as reading:
            staged = w.numbered(self.children[0])
            if staged is None or not all_known(staged.length):
                return None
            if staged.length >= ENDLESS:
                return staged
            items = tuple(staged.item(number) for number in range(staged.length))
        if w.has_acted(mark):
            w.step_by_step(site)
        read = w.kept(reading, mark)

        def item(index: Any) -> Any:
            if not w.is_unchanged(read):
                w.step_by_step(site)
            return w.get_item(items, w.binary(operator.mod, index, len(items)))

        return Staged(ENDLESS if items else 0, item)


class Shared:
    """What the iterators of one `tee` have in common.

    Attributes:
        child: The iterator that they ask.
        items: A list of the items that it gave.
    """

    def __init__(self, w: IteratorContext, child: Any) -> None:
        self.child = child
        self.items = w.new_list(())

    def filled(self, w: IteratorContext) -> bool:
        """Tell whether all items are in the list; ask for all now where the model tells how many.

        Raises:
            StagingError: To ask for them changes what others see.
        """
        if w.store.get(self, "filled") is True:
            w.require_unchanged(w.store.get(self, "reading"))
            return True
        if w.most(self.child) is not None or type(self.child) is Over:
            return False  # what goes over a list asks it for its length each time
        mark = w.store.mark()
        with w.store.reading() as reading:
            more = w.gathered(self.child)
        w.require_unseen(self.child, mark)
        w.extend(self.items, more)
        w.store.set(self, "reading", w.kept(reading, mark))
        w.store.set(self, "filled", True)
        return True


class Tee(Cursor):
    """One of the iterators that `itertools.tee` gives."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.source = shared.items
        self.children = (shared.child,)

    def ask(self, w: IteratorContext, found: Found, ended: Ended) -> Any:
        whole = self.shared.filled(w)
        position, kept = w.position(self), w.sequences.length(self.source)

        take = self.onward(w, position, found)

        def keep(item: Any) -> Any:
            w.append(self.source, item)
            return take(item)

        return w.branch(
            w.truth(w.binary(operator.lt, position, kept)),
            lambda: take(w.get_item(self.source, position)),
            lambda: ended() if whole else w.ask(self.shared.child, keep, ended),
        )

    def most(self, w: IteratorContext) -> int | None:
        left = 0 if self.shared.filled(w) else w.most(self.shared.child)
        kept, position = w.sequences.length(self.source), w.position(self)
        if left is None or not all_known(kept, position):
            return None
        there: int = left + kept - position
        return there

    def by_number(self, w: IteratorContext) -> Staged | None:
        if not self.shared.filled(w):
            return None
        return left_of(w, w.iterate(self.source), w.position(self))


def tees(w: IteratorContext, child: Any, count: int) -> tuple[Any, ...]:
    """Return so many iterators over the items of one.

    If it has to be asked for all of them at once, then now: a loop would leave open whether it was.
    """
    shared = w.store.born(Shared(w, child))
    shared.filled(w)
    return tuple(w.started(Tee(shared)) for _ in range(count))


class Groups(Over):
    """Gives each key with an iterator over its items: `itertools.groupby`.

    Args:
        runs: Each key with its items.
        reading: What was read to find them.
    """

    def __init__(
        self, w: IteratorContext, runs: list[tuple[Any, tuple[Any, ...]]], reading: Any
    ) -> None:
        made = tuple(
            (key, w.started(Group(w.iterate(items), self, number)))
            for number, (key, items) in enumerate(runs, 1)
        )
        staged = replace(w.iterate(made), current=lambda: len(made))  # so that it marks its end
        super().__init__(staged, made, reading)

    def by_number(self, w: IteratorContext) -> Staged | None:
        return None


class Group(Over):
    """The items of one group, of which there are none once the next group was asked for.

    Args:
        staged: The items.
        groups: What gave it.
        number: Where that stands as long as the group is its last.
    """

    def __init__(self, staged: Staged, groups: Groups, number: int) -> None:
        super().__init__(staged)
        self.groups = groups
        self.number = number

    def ask(self, w: IteratorContext, found: Found, ended: Ended) -> Any:
        last = w.truth(w.binary(operator.eq, w.position(self.groups), self.number))
        return w.branch(last, lambda: super(Group, self).ask(w, found, ended), ended)

    def most(self, w: IteratorContext) -> int | None:
        stands = w.position(self.groups)
        if not all_known(stands):
            return None
        return super().most(w) if stands == self.number else 0

    def by_number(self, w: IteratorContext) -> Staged | None:
        return None
