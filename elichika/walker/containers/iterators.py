"""Iterators: what `iter` gives, what is asked for the next item, and where each of them stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NoReturn

from elichika.iterators import Over
from elichika.iterators.base import ENDLESS, Cursor, Left, Staged
from elichika.state.store import MISSING, Mark
from elichika.values.functions import GeneratorCall
from elichika.values.symbolic import COUNTER_BOUND, UNSET, Choice, Conflict, Scalar
from elichika.walker.core import PLAIN, Core
from elichika.walker.native.costs import too_many
from elichika.walker.plan import WalkAgain

#: The most items that an object with `__next__` may give while compiling.
MAX_ITEMS = 10_000

#: What a generator read: objects, locations and what these held then.
Reading = list[tuple[Any, str, Any]]


class Asking(Core):
    """The part of the walker that asks iterators."""

    def iterator(self, value: Any) -> Any:
        """Return what `iter` gives: a `Cursor`, a generator or an object with `__next__`."""
        value = self.narrow(value)
        made = self.opened(value)
        if isinstance(made, (Cursor, GeneratorCall)) or self.is_iterator(made):
            return made
        if isinstance(made, Choice) and all(map(self.is_asked, made.alternatives)):
            return made
        return self.over(made)

    def is_asked(self, value: Any) -> bool:
        """Tell whether a value is an iterator, of which there is nothing left after a loop."""
        if isinstance(value, Choice):
            return all(map(self.is_asked, value.alternatives))
        return isinstance(value, (Cursor, GeneratorCall)) or self.is_iterator(value)

    def over(self, value: Any) -> Over:
        """Return an iterator over a container."""
        choice = isinstance(value, Choice)
        staged = self.iterate(value) if choice else self.container_iterate(value)
        made: Over = self.started(Over(staged, value))
        return made

    def started(self, iterator: Any) -> Any:
        """Register an iterator, which stands before its first item."""
        made = self.store.born(iterator)
        self.stand(made, 0)
        return made

    # -- where it stands ----------------------------------------------------------------------

    def position(self, iterator: Cursor) -> Any:
        """Return how many items an iterator gave, or `ENDED`: an int or an int `Scalar`.

        Raises:
            WalkAgain: A loop took its items by number; in another run it asks for each.
        """
        held = self.narrow(self.store.get(iterator, "position"))
        if held is MISSING:
            return 0
        for one in held.alternatives if isinstance(held, Choice) else (held,):
            if isinstance(one, Left):
                self.step_by_step(one.site)
        if isinstance(held, Choice):
            held = self.choices.numbers(held)
        if isinstance(held, Conflict) or held is UNSET:
            self._refuse_position()
        if isinstance(held, Scalar):
            return self.scalar(int, held.onnx_value, COUNTER_BOUND)
        return held

    def stand(self, iterator: Cursor, position: Any) -> None:
        """Say where an iterator stands."""
        self.store.set(iterator, "position", position)

    def step_by_step(self, site: Any) -> NoReturn:
        """Start the run again, where a loop asks for each item when it needs it.

        Raises:
            WalkAgain: It did not do so yet.
        """
        if site is None or self.is_stepwise(site):
            self._refuse_position()
        self.plan.stepwise.add(site)
        raise WalkAgain(None)

    def _refuse_position(self) -> NoReturn:
        self.refuse("how much of this iterator was used is not followed")

    def site(self) -> Any:
        """Return what names the place that takes items, in any run."""
        return tuple(map(id, self._node))

    # -- asking -------------------------------------------------------------------------------

    def ask(self, iterator: Any, found: Callable[[Any], Any], ended: Callable[[], Any]) -> Any:
        """Ask for the next item; see `Cursor.ask`."""
        iterator = self.narrow(iterator)
        if isinstance(iterator, Choice):
            return self.choices.apply(iterator, lambda one: self.ask(one, found, ended))
        iterator = self.ready(iterator)
        if isinstance(iterator, Cursor):
            return iterator.ask(self, found, ended)
        over, item = self.advanced(iterator)
        return ended() if over else found(item)

    def ready(self, iterator: Any) -> Any:
        """Return the iterator over what a generator yields, which is walked to its end now."""
        if not isinstance(iterator, GeneratorCall):
            return iterator
        if self.as_generator(iterator) is not None:
            return self.ahead(iterator)
        rest = self.narrow(self.store.get(iterator, "rest"))
        if not isinstance(rest, Cursor):
            self.refuse(
                "how much of this generator was used is known only when the model runs",
                "make a list of its items first",
            )
        return rest

    def most(self, iterator: Any) -> int | None:
        """Return how many items are left at most; None if the model tells whether there is one."""
        iterator = self.narrow(iterator)
        if isinstance(iterator, Choice):
            return None
        iterator = self.ready(iterator)
        return iterator.most(self) if isinstance(iterator, Cursor) else MAX_ITEMS

    def is_known(self, iterable: Any) -> bool:
        """Tell whether the number of the items is known now."""
        iterable = self.narrow(iterable)
        if self.is_asked(iterable):
            return self.most(iterable) is not None
        return isinstance(self.iterate(iterable).length, int)

    def remaining(self, iterator: Any) -> Iterator[Any]:
        """Yield the items that are left, whose number is known now; each is asked for then."""
        most = self.most(iterator)
        if most is None:
            self.refuse("the number of items must be known before the model runs here")
        if most >= ENDLESS:
            self.refuse("this iterator has no end", "cut it: `itertools.islice(it, count)`")
        self.require_room(too_many(most))
        while True:
            some, item = self.next_known(iterator)
            if not some:
                return
            yield item

    def next_known(self, iterator: Any) -> tuple[bool, Any]:
        """Return whether there is one more item, which is known now, and the item."""
        if self.most(iterator) is None:
            self.refuse("the number of items must be known before the model runs here")
        some, item = self.ask(iterator, lambda item: (True, item), lambda: (False, None))
        if isinstance(some, Scalar):
            self.refuse("the number of items must be known before the model runs here")
        return some, item

    # -- by number ----------------------------------------------------------------------------

    def all_by_number(self, iterator: Any, site: Any) -> Staged | None:
        """Return what is left for a loop, by number; None if it has to ask for each item.

        Nobody else may ask the iterator from now on: who does starts the run again.
        """
        if self.is_stepwise(site):
            return None
        asked = list(self.all_asked(iterator))
        objects = [one for one in asked if not isinstance(one, Cursor)]
        if any(isinstance(one, Choice) for one in objects):
            return None
        if len({*map(id, asked)}) < len(asked) or (objects and self.most(iterator) is not None):
            return None
        before, self.consumer = self.consumer, site
        try:
            staged = self.numbered(iterator)
        finally:
            self.consumer = before
        if staged is not None:
            self.leave(iterator, site)
        return staged

    def is_stepwise(self, site: Any) -> bool:
        """Tell whether a place that takes items asks for each when it needs it, and no sooner."""
        return site in self.plan.stepwise

    def leave(self, iterator: Any, site: Any) -> None:
        """Say that it is not followed where an iterator stands, and those that it asks."""
        for one in self.all_asked(iterator):
            if isinstance(one, Cursor) and one.stands:
                self.store.set(one, "position", Left(site))

    def all_asked(self, iterator: Any) -> Iterator[Any]:
        """Yield an iterator, and those that it asks."""
        iterator = self.ready(self.narrow(iterator))
        yield iterator
        for child in iterator.children if isinstance(iterator, Cursor) else ():
            yield from self.all_asked(child)

    def numbered(self, iterator: Any) -> Staged | None:
        """Return what is left of an iterator by number; see `Cursor.by_number`."""
        iterator = self.ready(self.narrow(iterator))
        if isinstance(iterator, Cursor):
            return iterator.by_number(self)
        mark = self.store.mark()
        with self.store.reading() as reading:
            items = self.new_list(self.exhausted(iterator))
        alone = id(iterator) not in self.reachable()
        self.require_unseen(iterator if alone else None, mark)
        return Over(self.iterate(items), None, self.kept(reading, mark)).by_number(self)

    def not_negative(self, count: Any) -> Any:
        """Return a number of items, 0 for a number below."""
        if isinstance(count, int):
            return max(count, 0)
        return self.call(len, [self.call(range, [count], {})], {})

    # -- generators ---------------------------------------------------------------------------

    def ahead(self, generator: GeneratorCall) -> Cursor:
        """Return an iterator over what a generator yields, which is walked to its end now.

        Items after the one asked for are computed too: a check among them fails too early.

        Raises:
            StagingError: It changes what others can see: Python would do that later, or never.
        """
        mark = self.store.mark()
        with self.store.reading() as reading:
            items = self.gathered(generator)
        self.require_unseen(generator, mark)
        staged = replace(self.iterate(items), current=None)
        made: Cursor = self.started(Over(staged, None, self.kept(reading, mark)))
        self.store.set(generator, "rest", made)
        return made

    def kept(self, reading: Reading, mark: Mark) -> Reading:
        """Return what was read of what is there still, apart from what was changed meanwhile."""
        changed = self.store.changes_since(mark)
        return [
            (obj, slot, version)
            for obj, slot, version in reading
            if not self.store.is_fresh(obj, mark)
            and (id(obj), slot) not in changed
            and obj is not self.token
            and slot not in ("started", "rest")
        ]

    def require_unchanged(self, reading: Reading | None) -> None:
        """Refuse items that were found ahead of time from what is something else now."""
        if reading is not None and not self.is_unchanged(reading):
            self.refuse(
                "what this iterator reads was changed after its first item was asked for",
                "make a list of its items first",
            )

    def is_unchanged(self, reading: Reading) -> bool:
        """Tell whether locations surely hold what was read in them."""
        return all(_is_same(self.store.get(obj, slot), held) for obj, slot, held in reading)

    def has_acted(self, mark: Mark) -> bool:
        """Tell whether anything that was there at `mark` was changed or checked since."""
        return any(
            not key[1].startswith("~") and not self.store.is_fresh(self.store.owner(key), mark)
            for key in self.store.changes_since(mark)
        )


def _is_same(a: Any, b: Any) -> bool:
    return a is b or (type(a) in PLAIN and type(a) is type(b) and bool(a == b))
