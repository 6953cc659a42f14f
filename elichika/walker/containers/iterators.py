"""Iterators: what `iter` gives, what is asked for the next item, and where each of them stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NoReturn

from elichika.errors import StagingError
from elichika.iterators import Over
from elichika.iterators.base import ENDLESS, Cursor, Left, Staged
from elichika.program.raised import Raised
from elichika.state.store import ITEMS, MISSING, Mark
from elichika.values.functions import GeneratorCall
from elichika.values.symbolic import COUNTER_BOUND, UNSET, Choice, Conflict, Scalar
from elichika.walker.containers.growth import only_grew
from elichika.walker.containers.iterables import Iterables
from elichika.walker.core import PLAIN
from elichika.walker.kinds import builtin_kind
from elichika.walker.native.costs import too_many
from elichika.walker.plan import Recursed, WalkAgain
from elichika.walker.resuming import Resuming
from elichika.walker.sharing import Sharing
from elichika.walker.walk import Walk

#: The most items that an object with `__next__` may give while compiling.
MAX_ITEMS = 10_000

#: What a generator read: objects, locations and what these held then.
Reading = list[tuple[Any, str, Any]]


class Iterators:
    """The part of the walker that asks iterators."""

    def __init__(self, w: Walk, iterables: Iterables, sharing: Sharing, resuming: Resuming) -> None:
        self.w = w
        self.resuming = resuming
        self.iterables = iterables
        self.sharing = sharing
        #: Returns all items of a generator, in a list of the program.
        self.collect: Callable[[GeneratorCall], list[Any]]

    def iterator(self, value: Any) -> Any:
        """Return what `iter` gives: a `Cursor`, a generator or an object with `__next__`."""
        value = self.w.narrow(value)
        made = self.iterables.opened(value)
        if isinstance(made, (Cursor, GeneratorCall)) or self.iterables.is_iterator(made):
            return made
        if isinstance(made, Choice) and all(map(self.is_asked, made.alternatives)):
            return made
        return self.over(made)

    def is_asked(self, value: Any) -> bool:
        """Tell whether a value is an iterator, of which there is nothing left after a loop."""
        if isinstance(value, Choice):
            return all(map(self.is_asked, value.alternatives))
        return isinstance(value, (Cursor, GeneratorCall)) or self.iterables.is_iterator(value)

    def over(self, value: Any) -> Over:
        """Return an iterator over a container."""
        choice = isinstance(value, Choice)
        staged = self.w.iterate(value) if choice else builtin_kind(value).iterate(self.w, value)
        made: Over = self.started(Over(staged, value))
        return made

    def started(self, iterator: Any) -> Any:
        """Register an iterator, which stands before its first item."""
        made = self.w.store.born(iterator)
        self.stand(made, 0)
        return made

    # -- where it stands ----------------------------------------------------------------------

    def position(self, iterator: Cursor) -> Any:
        """Return how many items an iterator gave, or `ENDED`: an int or an int `Scalar`.

        Raises:
            WalkAgain: A loop took its items by number; in another run it asks for each.
        """
        held = self.w.narrow(self.w.store.get(iterator, "position"))
        if held is MISSING:
            return 0
        for one in held.alternatives if isinstance(held, Choice) else (held,):
            if isinstance(one, Left):
                self.step_by_step(one.site)
        if isinstance(held, Choice):
            held = self.w.choices.numbers(held)
        if isinstance(held, Conflict) or held is UNSET:
            self._refuse_position()
        if isinstance(held, Scalar):
            return self.w.scalar(int, held.onnx_value, COUNTER_BOUND)
        return held

    def stand(self, iterator: Cursor, position: Any) -> None:
        """Say where an iterator stands."""
        self.w.store.set(iterator, "position", position)

    def step_by_step(self, site: Any) -> NoReturn:
        """Start the run again, where a loop asks for each item when it needs it.

        Raises:
            WalkAgain: It did not do so yet.
        """
        if site is None or self.is_stepwise(site):
            self._refuse_position()
        self.w.plan.stepwise.add(site)
        raise WalkAgain(None)

    def _refuse_position(self) -> NoReturn:
        self.w.refuse("how much of this iterator was used is not followed")

    def site(self) -> Any:
        """Return what names the place that takes items, in any run."""
        return tuple(map(id, self.w.node_stack))

    # -- asking -------------------------------------------------------------------------------

    def ask(self, iterator: Any, found: Callable[[Any], Any], ended: Callable[[], Any]) -> Any:
        """Ask for the next item; see `Cursor.ask`."""
        iterator = self.w.narrow(iterator)
        if isinstance(iterator, Choice):
            return self.w.choices.apply(iterator, lambda one: self.ask(one, found, ended))
        iterator = self.ready(iterator)
        if isinstance(iterator, Cursor):
            return iterator.ask(self.w, found, ended)
        over, item = self.iterables.advanced(iterator)
        return self.w.branch(self.w.truth(over), ended, lambda: found(item))

    def ready(self, iterator: Any) -> Any:
        """Return the iterator over what a generator yields, which is walked to its end now."""
        if type(iterator) is not GeneratorCall:
            return self.iterables.once(iterator)
        if self.w.as_generator(iterator) is not None:
            return self.ahead(iterator)
        rest = self.w.narrow(self.w.store.get(iterator, "rest"))
        if not isinstance(rest, Cursor):
            why = "how much of this generator was used is known only when the model runs"
            refusal = StagingError(why, self.w.here(), "make a list of its items first")
            self.resuming.resume(iterator, refusal)
        return rest

    def most(self, iterator: Any) -> int | None:
        """Return how many items are left at most; None if the model tells whether there is one."""
        iterator = self.w.narrow(iterator)
        if isinstance(iterator, Choice):
            return None
        iterator = self.ready(iterator)
        return iterator.most(self.w) if isinstance(iterator, Cursor) else MAX_ITEMS

    def is_known(self, iterable: Any) -> bool:
        """Tell whether the number of the items is known while compiling."""
        iterable = self.iterables.once(self.w.narrow(iterable))
        if self.is_asked(iterable):
            return self.most(iterable) is not None
        return isinstance(self.w.iterate(iterable).length, int)

    def remaining(self, iterator: Any) -> Iterator[Any]:
        """Yield the items that are left, of a known number; each is asked for then."""
        most = self.most(iterator)
        if most is None:
            self.w.refuse("the number of items must be known before the model runs here")
        if most >= ENDLESS:
            self.w.refuse("this iterator has no end", "cut it: `itertools.islice(it, count)`")
        self.w.require_room(too_many(most))
        while True:
            some, item = self.next_known(iterator)
            if not some:
                return
            yield item

    def next_known(self, iterator: Any) -> tuple[bool, Any]:
        """Return whether there is one more item, which is known while compiling, and the item."""
        if self.most(iterator) is None:
            self.w.refuse("the number of items must be known before the model runs here")
        some, item = self.ask(iterator, lambda item: (True, item), lambda: (False, None))
        if isinstance(some, Scalar):
            self.w.refuse("the number of items must be known before the model runs here")
        return some, item

    # -- by number ----------------------------------------------------------------------------

    def all_by_number(self, iterator: Any, site: Any) -> Staged | None:
        """Return what is left for a loop, by number; None if it has to ask for each item.

        Nobody else may ask the iterator from now on: who does starts the run again.
        """
        if self.is_stepwise(site):
            return None
        asked = list(self.all_asked(iterator))
        if len({*map(id, asked)}) < len(asked) or self.asks_objects(iterator):
            return None
        before, self.w.consumer = self.w.consumer, site
        try:
            staged = self.numbered(iterator)
        finally:
            self.w.consumer = before
        if staged is not None:
            self.leave(iterator, site)
        return staged

    def asks_objects(self, iterator: Any) -> bool:
        """Tell whether an iterator asks objects of the program, whose end the data may decide."""
        return not all(isinstance(one, Cursor) for one in self.all_asked(iterator))

    def is_stepwise(self, site: Any) -> bool:
        """Tell whether a place that takes items asks for each when it needs it, and no sooner."""
        return site in self.w.plan.stepwise

    def leave(self, iterator: Any, site: Any) -> None:
        """Say that it is not followed where an iterator stands, and those that it asks."""
        for one in self.all_asked(iterator):
            if isinstance(one, Cursor) and one.stands:
                self.w.store.set(one, "position", Left(site))

    def all_asked(self, iterator: Any) -> Iterator[Any]:
        """Yield an iterator, and those that it asks."""
        iterator = self.ready(self.w.narrow(iterator))
        yield iterator
        for child in iterator.children if isinstance(iterator, Cursor) else ():
            yield from self.all_asked(child)

    def numbered(self, iterator: Any) -> Staged | None:
        """Return what is left of an iterator by number; see `Cursor.by_number`."""
        iterator = self.ready(self.w.narrow(iterator))
        if isinstance(iterator, Cursor):
            return iterator.by_number(self.w)
        mark = self.w.store.mark()
        with self.w.store.reading() as reading:
            items = self.w.new_list(self.exhausted(iterator))
        alone = id(iterator) not in self.sharing.reachable()
        self.require_unseen(iterator if alone else None, mark)
        return Over(self.w.iterate(items), None, self.kept(reading, mark)).by_number(self.w)

    def not_negative(self, count: Any) -> Any:
        """Return a number of items, 0 for a number below."""
        if isinstance(count, int):
            return max(count, 0)
        return self.w.call(len, [self.w.call(range, [count], {})], {})

    # -- generators ---------------------------------------------------------------------------

    def ahead(self, generator: GeneratorCall) -> Cursor:
        """Return an iterator over what a generator yields, which is walked to its end now.

        Items after the one asked for are computed too: a check among them fails too early.

        Raises:
            StagingError: It changes what others can see: Python would do that later, or never.
        """
        if self.resuming.is_endless(generator):
            self.resuming.resume(generator)
        mark = self.w.store.mark()
        try:
            with self.w.store.reading() as reading:
                items = self.collect(generator)
            self.require_unseen(generator, mark)
        except Recursed:
            raise  # another walk may go on by frames
        except Raised as error:
            self.resuming.resume(generator, error.refusal())
        except StagingError as error:
            self.resuming.resume(generator, error)
        staged = replace(self.w.iterate(items), current=None)
        made: Cursor = self.started(Over(staged, None, self.kept(reading, mark)))
        self.w.store.set(generator, "rest", made)
        return made

    def kept(self, reading: Reading, mark: Mark) -> Reading:
        """Return what was read of what is there still, apart from what was changed meanwhile."""
        changed = self.w.store.changes_since(mark)
        for key in changed.keys() & self._grown(mark):
            del changed[key]
        return [
            self._read(obj, slot)
            for obj, slot, _ in reading
            if not self.w.store.is_fresh(obj, mark)
            and (id(obj), slot) not in changed
            and obj is not self.w.token
            and slot not in ("started", "rest")
        ]

    def _read(self, obj: Any, slot: str) -> tuple[Any, str, Any]:
        """Return a location with what it holds; that of an object in an arena is the arena's."""
        handle = self.w.arenas.handle(obj)
        if handle is not None:
            obj, slot = handle[0], ITEMS
        return obj, slot, self.w.store.get_key((id(obj), slot))

    def _grown(self, mark: Mark) -> set[Any]:
        """Return the arenas to which nothing has happened since but that objects moved there."""
        store = self.w.store
        return {
            key
            for key, before in store.versions_at(mark).items()
            if only_grew(store.owner(key), before, store.get_key(key))
        }

    def require_unchanged(self, reading: Reading | None) -> None:
        """Refuse items that were found ahead of time from what is something else now."""
        if reading is not None and not self.is_unchanged(reading):
            self.w.refuse(
                "what this iterator reads was changed after its first item was asked for",
                "make a list of its items first",
            )

    def is_unchanged(self, reading: Reading) -> bool:
        """Tell whether locations surely hold what was read in them."""
        return all(_is_same(self.w.store.get(obj, slot), held) for obj, slot, held in reading)

    def has_acted(self, mark: Mark) -> bool:
        """Tell whether anything that was there at `mark` was changed or checked since."""
        return any(
            not key[1].startswith("~") and not self.w.store.is_fresh(self.w.store.owner(key), mark)
            for key in self.w.store.changes_since(mark)
        )

    def exhausted(self, iterator: Any) -> list[Any]:
        """Return the items that are left of an iterator; how many is known while compiling."""
        return list(self.remaining(iterator))

    def require_unseen(self, iterator: Any, mark: Mark, since: Mark | None = None) -> None:
        """Refuse what an iterator did if others can see it: Python may not do it.

        Args:
            iterator: What is asked for items.
            mark: When it was asked for the first one.
            since: What it did before is done in any case.
        """
        asked = [iterator, self.w.token]
        asked += self.all_asked(iterator) if isinstance(iterator, Cursor) else ()
        since = mark if since is None else since
        grown = self._grown(since)
        for key in self.w.store.changes_since(since):
            owner = self.w.store.owner(key)
            ours = key[1].startswith("~") or key in grown or any(owner is one for one in asked)
            ours = ours or self._is_inner(owner, iterator)
            if not ours and not self.w.store.is_fresh(owner, mark):
                self.w.refuse(
                    "this iterator changes something after the item asked for",
                    "make a list of its items first",
                )

    def _is_inner(self, iterator: Any, without: Any) -> bool:
        """Tell whether an object is an iterator that only another one can ask for items."""
        return isinstance(iterator, (GeneratorCall, Cursor)) and id(
            iterator
        ) not in self.sharing.reachable(without)


def _is_same(a: Any, b: Any) -> bool:
    return a is b or (type(a) in PLAIN and type(a) is type(b) and bool(a == b))
