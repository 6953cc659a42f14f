"""What can be iterated: lists, rows of arrays, ranges, iterators and generators."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from elichika import idioms
from elichika.iterators.base import Cursor, DictView, InstanceDict, Staged, SymbolicRange
from elichika.state.store import Mark
from elichika.values.functions import GeneratorCall
from elichika.values.symbolic import (
    COUNTER_BOUND,
    Array,
    Choice,
    Conflict,
    Scalar,
    Seq,
    Symbolic,
    Text,
    Var,
)
from elichika.walker.containers.iterators import MAX_ITEMS
from elichika.walker.core import Core, Raised
from elichika.walker.native.costs import too_many


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
        if isinstance(value, (Cursor, GeneratorCall)):
            return self.iterate(self.gathered(value))
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

                def length() -> Any:
                    return self.call(items, [value], {})

                return Staged(length(), lambda i: self.get_item(value, i), False, length)
        items = self.items(self.native(list, [value], {}))
        return Staged(len(items), lambda i: self._nth(items, i), uniform=False)

    def _one_of(self, value: Choice) -> Staged:
        """Return what a loop over one of several things runs over: each turn chooses again."""
        if any(map(self.is_asked, value.alternatives)):
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

        What can be looked at again and again stays as it is, and iterators whose number of items
        the model tells.
        """
        made = self.opened(value)
        if self.as_generator(made) is not None:
            return self.gathered(made)
        if self.is_asked(made):
            made = self.ready(made)
            return self.new_list(self.static_items(made)) if self.is_known(made) else made
        return made

    def own_iter(self, value: Any) -> Any:
        """Return the `__iter__` that an object of the program has, or None."""
        if isinstance(value, (Symbolic, Cursor, GeneratorCall)):
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
        method = None if isinstance(value, Cursor) else self.special(value, "__next__")
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

    def require_unseen(self, iterator: Any, mark: Mark, since: Mark | None = None) -> None:
        """Refuse what an iterator did if others can see it: Python may not do it.

        Args:
            iterator: What is asked for items.
            mark: When it was asked for the first one.
            since: What it did before is done in any case.
        """
        asked = [iterator, self.token]
        asked += self.all_asked(iterator) if isinstance(iterator, Cursor) else ()
        for key in self.store.changes_since(mark if since is None else since):
            owner = self.store.owner(key)
            ours = key[1].startswith("~") or any(owner is one for one in asked)
            ours = ours or self._is_inner(owner, iterator)
            if not ours and not self.store.is_fresh(owner, mark):
                self.refuse(
                    "this iterator changes something after the item asked for",
                    "make a list of its items first",
                )

    def _is_inner(self, iterator: Any, without: Any) -> bool:
        """Tell whether an object is an iterator that only another one can ask for items."""
        return isinstance(iterator, (GeneratorCall, Cursor)) and id(iterator) not in self.reachable(
            without
        )

    def exhausted(self, iterator: Any) -> list[Any]:
        """Return the items that are left of an iterator; how many is known now."""
        items = []
        for item in self.remaining(iterator):
            items.append(item)
            if len(items) >= MAX_ITEMS and not isinstance(iterator, Cursor):
                self.refuse(
                    f"this iterator gives more than {MAX_ITEMS} items", "loop over a `range`"
                )
        return items

    def gathered(self, iterator: Any) -> list[Any]:
        """Return a list, of known length or not, of what a generator or an iterator gives."""
        if self.as_generator(iterator) is None:
            made: list[Any] = self.call(idioms.lists.listed, [iterator], {})
            return made
        made = self.new_list(())
        self.consume(iterator, lambda item: self.append(made, item))
        return made

    def static_items(self, value: Any) -> list[Any]:
        """Return the items of an iterable of known length."""
        value = self.opened(value)
        if self.as_generator(value) is not None:
            value = self.gathered(value)
        if self.is_asked(value):
            return self.exhausted(self.ready(value))
        staged = self.iterate(value)
        if not isinstance(staged.length, int):
            self.refuse("the number of items must be known before the model runs here")
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
