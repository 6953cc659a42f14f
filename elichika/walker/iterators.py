"""What can be iterated: lists, rows of arrays, ranges, iterators and generators."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from elichika.iteration import ENDLESS, DictView, InstanceDict, Staged, SymbolicRange
from elichika.store import MISSING, Mark
from elichika.values import (
    COUNTER_BOUND,
    UNSET,
    Array,
    Choice,
    Conflict,
    Scalar,
    Seq,
    Symbolic,
    Text,
    Var,
)
from elichika.walker.amounts import too_many
from elichika.walker.core import Core, Raised
from elichika.walker.scopes import GeneratorCall

#: The most items that an iterator may give while compiling.
MAX_ITEMS = 10_000


class Iterators(Core):
    """The part of the walker that knows what a loop runs over, and what `next` takes."""

    def iterate(self, value: Any) -> Staged:
        """Return what a loop runs over."""
        value = self.narrow(value)
        if isinstance(value, Conflict):
            self.undefined(value, "what this loop runs over", UnboundLocalError)
        if isinstance(value, Choice):
            return self._one_of(value)
        if isinstance(value, Text):
            self.refuse(Text.MESSAGE)
        if self.overriding(value, "__iter__") is not None:
            return self.iterate(self.settled(value))
        return self.container_iterate(value)

    def container_iterate(self, value: Any) -> Staged:
        """Return what a loop runs over, past the `__iter__` of a class that extends a type."""
        if isinstance(value, Staged):
            return self._rest(value)
        if isinstance(value, GeneratorCall):
            return self.iterate(self.store.get(value, "rest"))
        if isinstance(value, SymbolicRange):
            return Staged(value.length, lambda i: self._range_item(value, i))
        if isinstance(value, (Array, Var, np.ndarray)):
            return self._rows(value)
        if isinstance(value, list):
            return self._list(value)
        if isinstance(value, tuple):
            items = tuple(tuple.__iter__(value))
            return Staged(len(items), lambda i: self.container_get(items, i), uniform=False)
        if isinstance(value, (set, frozenset)) and len(self.version(value, "[items]")) > 1:
            self.refuse("the order of a set is not fixed", "iterate over `sorted(...)` of it")
        if isinstance(value, (dict, set)):
            return self.iterated(value, lambda: list(self.sure_items(value)))
        if isinstance(value, DictView):
            return self.iterated(value.mapping, lambda: self.view_items(value))
        if isinstance(value, InstanceDict):
            self.require_attribute_order(value.obj)
            return self.iterate(tuple(self.attributes_of(value.obj)))
        if isinstance(value, range):
            known = SymbolicRange(value.start, value.stop, value.step, len(value))
            return Staged(len(value), lambda i: self._range_item(known, i))
        if isinstance(value, Scalar):
            self.raise_static(TypeError(f"'{value.type.__name__}' object is not iterable"))
        items = self.settled(value)
        if items is not value:
            return self.iterate(items)
        method = self.special(value, "__iter__")
        if method is None and self.special(value, "__getitem__") is not None:
            items = self.special(value, "__len__")
            if items is not None and self.has_source(items):
                length = self.call(items, [value], {})
                return Staged(length, lambda i: self.get_item(value, i), uniform=False)
        items = self.items(self.native(list, [value], {}))
        return Staged(len(items), lambda i: self._nth(items, i), uniform=False)

    def _one_of(self, value: Choice) -> Staged:
        """Return what a loop over one of several things runs over: each turn chooses again."""
        if any(isinstance(a, (GeneratorCall, Staged)) for a in value.alternatives):
            self.refuse(
                "this loop runs over one of several iterators",
                "loop inside the branch that decides",
            )

        def length() -> Any:
            return self.choices.apply(value, lambda v: self.iterate(v).current_length())

        def item(index: Any) -> Any:
            return self.choices.apply(value, lambda v: self.iterate(v).item(index))

        grows = any(isinstance(a, list) for a in value.alternatives)
        return Staged(length(), item, False, length if grows else None)

    def _nth(self, items: tuple[Any, ...], index: Any) -> Any:
        return items[index] if isinstance(index, int) else self.get_item(items, index)

    def _rows(self, value: Any) -> Staged:
        dims = self.dims(value)
        if not dims:
            self.raise_static(TypeError("iteration over a 0-d array"))
        return Staged(self.dim_scalar(dims[0]), lambda i: self.get_item(value, i))

    def _list(self, value: list[Any]) -> Staged:
        def item(index: Any) -> Any:
            items = self.version(value, "[items]")
            if isinstance(items, Seq) and isinstance(index, Scalar):  # no loop asks beyond the end
                return self.sequences.build(items, self.value_of(index, np.int64))
            return self.container_get(value, index)

        length = self.sequences.length(value)
        return Staged(length, item, False, lambda: self.sequences.length(value))

    def _range_item(self, value: SymbolicRange, index: Any) -> Any:
        plain = isinstance(value.step, int) and value.step == 1
        step = index if plain else self.binary(operator.mul, index, value.step)
        result = self.binary(operator.add, value.start, step)
        if isinstance(result, Scalar):
            result.bound = min(result.bound, COUNTER_BOUND)
        return result

    def settled(self, value: Any) -> Any:
        """Return a list of what an object of the program gives, which may give it only once.

        What can be looked at again and again stays as it is.
        """
        made = self.opened(value)
        generator = self.as_generator(made)
        if generator is not None:
            return self.gathered(generator)
        return self.new_list(self._exhausted(made)) if self.is_iterator(made) else made

    def own_iter(self, value: Any) -> Any:
        """Return the `__iter__` that an object of the program has, or None."""
        if isinstance(value, (Symbolic, Staged, GeneratorCall)):
            return None
        if isinstance(value, (list, tuple, dict, set, str)):
            return self.overriding(value, "__iter__")
        method = self.special(value, "__iter__")
        return method if method is not None and self.has_source(method) else None

    def opened(self, value: Any) -> Any:
        """Return what `iter` gives for an object of the program, anything else as it is."""
        value = self.narrow(value)
        method = self.own_iter(value)
        if method is None:
            return value
        made = self.narrow(self.call(method, [value], {}))
        if isinstance(made, (list, tuple, dict, set, str, Array, np.ndarray)):
            kind = self.type_of(made).__name__
            self.raise_static(TypeError(f"iter() returned non-iterator of type '{kind}'"))
        return made

    def is_iterator(self, value: Any) -> bool:
        """Tell whether a value is an object whose class defines `__next__` in Python."""
        method = None if isinstance(value, Staged) else self.special(value, "__next__")
        return method is not None and self.has_source(method)

    def advanced(self, iterator: Any) -> tuple[bool, Any]:
        """Call `__next__`; return whether the iterator has ended, and the item."""
        self.handlers.append((StopIteration,))
        try:
            return False, self.call(self.special(iterator, "__next__"), [iterator], {})
        except Raised as raised:
            if not isinstance(raised.error, StopIteration):
                raise
            return True, None
        finally:
            self.handlers.pop()

    def _exhausted(self, iterator: Any) -> tuple[Any, ...]:
        items: list[Any] = []
        while True:
            ended, item = self.advanced(iterator)
            if ended:
                return tuple(items)
            items.append(item)
            if len(items) >= MAX_ITEMS:
                self.refuse(
                    f"this iterator gives more than {MAX_ITEMS} items", "loop over a `range`"
                )

    def range_get(self, value: SymbolicRange, index: Any) -> Any:
        """Return `range(...)[index]`."""
        if isinstance(index, Scalar) and not index.is_python:
            index = self.call(int, [index], {})
        below = self.truth(self.binary(operator.lt, index, 0))
        place = self.branch(
            below, lambda: self.binary(operator.add, index, value.length), lambda: index
        )
        inside = self.both(
            self.truth(self.binary(operator.ge, place, 0)),
            self.truth(self.binary(operator.lt, place, value.length)),
        )
        self.check(inside, IndexError, "range object index out of range")
        return self._range_item(value, place)

    def one_shot(self, staged: Staged) -> Staged:
        """Return a Python iterator: it can be used up once."""
        made: Staged = self.store.born(replace(staged, once=True))
        self.store.set(made, "position", 0)
        return made

    def _rest(self, staged: Staged) -> Staged:
        """Return what is left of an iterator of which `next` took items."""
        taken = self.store.get(staged, "position")
        if taken is MISSING or (isinstance(taken, int) and taken == 0):
            return staged
        left = self.binary(operator.sub, staged.length, taken)
        return Staged(
            self.call(len, [self.call(range, [left], {})], {}),
            lambda i: staged.item(self.binary(operator.add, i, taken)),
            staged.uniform,
        )

    def take(self, staged: Staged, *default: Any) -> Any:
        """Return the next item of an iterator, or the default."""
        if self.store.get(staged, "spent") not in (MISSING, UNSET):
            self.refuse("this iterator was used before", "make a list of it first")
        position = self.store.get(staged, "position")
        some = self.truth(self.binary(operator.lt, position, staged.current_length()))
        self.store.set(staged, "position", self.binary(operator.add, position, 1))
        if default:
            return self.branch(some, lambda: staged.item(position), lambda: default[0])
        self.check(some, StopIteration, "the iterator has no more items")
        return staged.item(position)

    def ahead(self, generator: GeneratorCall) -> Staged:
        """Return an iterator over what a generator yields, which is walked to its end now.

        Items after the one asked for are computed too: a check among them fails too early.

        Raises:
            StagingError: It changes what others can see: Python would do that later, or never.
        """
        mark = self.store.mark()
        items = self.gathered(generator)
        self.require_unseen(generator, mark)
        staged = self.one_shot(self.iterate(items))
        self.store.set(generator, "rest", staged)
        return staged

    def require_unseen(self, iterator: Any, mark: Mark, since: Mark | None = None) -> None:
        """Refuse what an iterator did if others can see it: Python may not do it.

        Args:
            iterator: What is asked for items.
            mark: When it was asked for the first one.
            since: What it did before is done in any case.
        """
        for key in self.store.changes_since(mark if since is None else since):
            owner = self.store.owner(key)
            ours = key[1].startswith("~") or key[1] == "spent"
            ours = ours or owner is iterator or owner is self.token
            ours = ours or (isinstance(owner, GeneratorCall) and self._is_inner(owner))
            if not ours and not self.store.is_fresh(owner, mark):
                self.refuse(
                    "this iterator changes something after the item asked for",
                    "make a list of its items first",
                )

    def _is_inner(self, generator: GeneratorCall) -> bool:
        """Tell whether only another generator can ask this one for items."""
        return id(generator) not in self.reachable()

    def drawn(self, value: Any) -> Any:
        """Return what `settled` does, for what is asked for items one by one later.

        Raises:
            StagingError: To give the items changes what the program can see meanwhile.
        """
        value = self.narrow(value)
        mark = self.store.mark()
        found = self.settled(value)
        if found is not value:
            self.require_unseen(value if self.is_alone(value) else None, mark)
        return found

    def is_alone(self, value: Any) -> bool:
        """Tell whether the program sees an iterator by its items only."""
        return isinstance(value, GeneratorCall) or id(value) not in self.reachable()

    def spend(self, value: Any) -> None:
        """Use an iterator up, if `value` is one.

        Raises:
            StagingError: It was used before; where, is not followed.
        """
        value = self.narrow(value)
        if isinstance(value, GeneratorCall):
            value = self.store.get(value, "rest")
        if isinstance(value, Staged) and value.once:
            if self.store.get(value, "spent") not in (MISSING, UNSET):
                self.refuse("this iterator was used before", "make a list of it first")
            self.store.set(value, "spent", True)

    def gathered(self, generator: Any) -> list[Any]:
        """Return a list, of known length or not, of what a generator yields."""
        made = self.new_list(())
        self.consume(generator, lambda item: self.append(made, item))
        return made

    def static_items(self, value: Any) -> list[Any]:
        """Return the items of an iterable of known length."""
        value = self.settled(value)
        self.spend(value)
        staged = self.iterate(value)
        if not isinstance(staged.length, int):
            self.refuse("the number of items must be known before the model runs here")
        if staged.length >= ENDLESS:
            self.refuse("this iterator has no end", "cut it: `itertools.islice(it, count)`")
        self.require_room(too_many(staged.length))
        return [staged.item(i) for i in range(staged.length)]

    def mapping_items(self, value: Any) -> dict[str, Any]:
        """Return the items of a mapping that is spread by `**`."""
        value = self.narrow(value)
        if isinstance(value, InstanceDict):
            self.arenas.require_order(value.obj)
            return self.attributes_of(value.obj)
        if not isinstance(value, dict):
            self.refuse("`**` of something that is not a dict known now")
        if self.overriding(value, "__iter__") is not None:  # Python asks `keys` only then
            keys = self.static_items(self.call(self.get_attribute(value, "keys"), [], {}))
            return {self.hashable(key): self.get_item(value, key) for key in keys}
        return self.sure_items(value)
