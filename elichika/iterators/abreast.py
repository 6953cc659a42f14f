"""Iterators that ask others, one item of each: `zip`, `map`, `enumerate` and `zip_longest`."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.iterators.base import Cursor, Ended, Found, Staged, all_known, at_start
from elichika.values.symbolic import COUNTER_BOUND, Scalar

if TYPE_CHECKING:
    from elichika.iterators.context import IteratorContext

from elichika.iterators.over import same_length


class Zip(Cursor):
    """Runs over several iterators side by side; asks each in turn, up to one that has ended."""

    stands = False

    def __init__(self, children: tuple[Any, ...], strict: bool = False) -> None:
        self.children = children
        self.strict = strict

    def ask(self, w: IteratorContext, found: Found, ended: Ended) -> Any:
        def step(items: tuple[Any, ...]) -> Any:
            if len(items) == len(self.children):
                return found(items)
            return w.ask(
                self.children[len(items)],
                lambda item: step((*items, item)),
                lambda: self._ended(w, len(items), ended),
            )

        return step(()) if self.children else ended()

    def _ended(self, w: IteratorContext, index: int, ended: Ended) -> Any:
        """Go on where a child has ended; with `strict`, the others have to end too."""
        if not self.strict:
            return ended()
        if index > 0:
            self._differ(w)

        def step(number: int) -> Any:
            if number == len(self.children):
                return ended()
            return w.ask(
                self.children[number], lambda item: self._differ(w), lambda: step(number + 1)
            )

        return step(1)

    def _differ(self, w: IteratorContext) -> Any:
        w.raise_static(ValueError("the arguments of zip() are not of one length"))

    def most(self, w: IteratorContext) -> int | None:
        return least(w, self.children)

    def by_number(self, w: IteratorContext) -> Staged | None:
        staged = _all_numbered(w, self.children)
        if staged is None:
            return None
        if not staged:
            return Staged(0, lambda index: ())
        site, apart = w.consumer, _shortest(w, staged)[1] is not False

        def asked(one: Staged, index: Any) -> Any:
            """Python asks for one item more than it uses, of those before the shortest."""
            mark = w.store.mark()
            item = one.item(index)
            if apart and one.calls and one is not staged[-1] and w.has_acted(mark):
                w.step_by_step(site)
            return item

        def length() -> Any:
            """One item more, whose turn raises, where `strict` finds that lengths differ."""
            shortest, differ = _shortest(w, staged)
            if not self.strict or differ is False:
                return shortest
            return w.binary(operator.add, shortest, w.call(int, [differ], {}))

        def item(index: Any) -> Any:
            if self.strict:
                shortest, differ = _shortest(w, staged)
                if differ is not False:
                    there = w.truth(w.binary(operator.lt, index, shortest))
                    w.check(there, ValueError, "the arguments of zip() are not of one length")
            return tuple(asked(one, index) for one in staged)

        return Staged(
            length(),
            item,
            all(one.uniform for one in staged),
            length if any(one.grows for one in staged) else None,
            calls=any(one.calls for one in staged),
            fails=any(one.fails for one in staged),
        )


class Map(Cursor):
    """Gives what a function gives for each item, of which it is called when it is asked."""

    stands = False

    def __init__(self, function: Any, children: tuple[Any, ...]) -> None:
        self.function = function
        self.functions = (function,)
        self.children = (Zip(children),)

    def ask(self, w: IteratorContext, found: Found, ended: Ended) -> Any:
        return w.ask(
            self.children[0], lambda items: found(w.call(self.function, list(items), {})), ended
        )

    def most(self, w: IteratorContext) -> int | None:
        return least(w, self.children)

    def by_number(self, w: IteratorContext) -> Staged | None:
        staged = w.numbered(self.children[0])
        if staged is None:
            return None

        def item(index: Any) -> Any:
            return w.call(self.function, list(staged.item(index)), {})

        return replace(staged, item=item, calls=True)


class Enumerate(Cursor):
    """Gives each item with its number."""

    def __init__(self, child: Any, start: Any) -> None:
        self.children = (child,)
        self.start = start

    def ask(self, w: IteratorContext, found: Found, ended: Ended) -> Any:
        def take(item: Any) -> Any:
            position = w.position(self)
            w.stand(self, w.binary(operator.add, position, 1))
            return found((w.binary(operator.add, position, self.start), item))

        return w.ask(self.children[0], take, ended)

    def most(self, w: IteratorContext) -> int | None:
        return least(w, self.children)

    def by_number(self, w: IteratorContext) -> Staged | None:
        staged, position = w.numbered(self.children[0]), w.position(self)
        if staged is None:
            return None
        first = self.start
        if not at_start(position):
            first = w.binary(operator.add, position, first)
        return replace(staged, item=lambda i: (w.binary(operator.add, i, first), staged.item(i)))


class Longest(Cursor):
    """Runs over several iterators side by side, as far as the longest."""

    stands = False

    def __init__(self, children: tuple[Any, ...], fill: Any) -> None:
        self.children = children
        self.fill = fill

    def ask(self, w: IteratorContext, found: Found, ended: Ended) -> Any:
        some: Any = False
        items = []
        for child in self.children:
            item, there = w.ask(child, lambda item: (item, True), lambda: (self.fill, False))
            some = w.not_(w.both(w.not_(some), w.not_(there)))
            items.append(item)
        return w.branch(w.truth(some), lambda: found(tuple(items)), ended)

    def most(self, w: IteratorContext) -> int | None:
        counts = [w.most(child) for child in self.children]
        known = [count for count in counts if count is not None]
        return max(known, default=0) if len(known) == len(counts) else None

    def by_number(self, w: IteratorContext) -> Staged | None:
        staged = _all_numbered(w, self.children)
        if staged is None:
            return None
        site, lengths = w.consumer, [one.current_length() for one in staged]

        def length() -> Any:
            result: Any = 0
            for one in staged:
                more = one.current_length()
                result = w.call(max, [result, more], {}) if one is not staged[0] else more
            return result

        def part(one: Staged, count: Any, index: Any) -> Any:
            if not same_length(count, one.current_length()):  # one that has ended stays so
                w.step_by_step(site)
            there = w.truth(w.binary(operator.lt, index, count))
            return w.branch(there, lambda: one.item(index), lambda: self.fill)

        def item(index: Any) -> Any:
            return tuple(part(*known, index) for known in zip(staged, lengths, strict=True))

        grows = any(one.grows for one in staged)
        uniform = all(one.uniform for one in staged)
        fails = any(one.fails for one in staged)
        return Staged(length(), item, uniform, length if grows else None, fails=fails)


def _all_numbered(w: IteratorContext, children: tuple[Any, ...]) -> list[Staged] | None:
    """Return what is left of some iterators, by number; None if one has to be asked."""
    parts = [w.numbered(child) for child in children]
    staged = [part for part in parts if part is not None]
    return staged if len(staged) == len(parts) else None


def least(w: IteratorContext, children: tuple[Any, ...]) -> int | None:
    """Return at most how many items all of some iterators have, if known while compiling."""
    counts = [w.most(child) for child in children]
    known = [count for count in counts if count is not None]
    return min(known, default=0) if len(known) == len(counts) else None


def _shortest(w: IteratorContext, staged: list[Staged]) -> tuple[Any, Any]:
    """Return the least of the present lengths, and whether they differ."""
    shortest, *others = (one.current_length() for one in staged)
    first, differ = shortest, False
    for other in others:
        if all_known(other, first):
            differ = True if other != first else differ
        elif _minimum(w, first, other) is not first:
            apart = w.truth(w.binary(operator.ne, first, other))
            differ = apart if differ is False else w.not_(w.both(w.not_(differ), w.not_(apart)))
        shortest = _shorter(w, shortest, other)
    return shortest, differ


def _shorter(w: IteratorContext, a: Any, b: Any) -> Any:
    if all_known(a, b):
        return min(a, b)
    return _minimum(w, a, b)


def _minimum(w: IteratorContext, a: Any, b: Any) -> Any:
    if a is b:
        return a
    if isinstance(a, Scalar) and isinstance(b, Scalar) and a.dim is not None and a.dim == b.dim:
        return a
    g = w.graph
    return w.scalar(int, g.Min(w.value_of(a, np.int64), w.value_of(b, np.int64)), COUNTER_BOUND)
