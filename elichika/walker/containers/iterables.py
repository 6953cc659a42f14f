"""What can be iterated: lists, rows of arrays, ranges, iterators and generators."""

from __future__ import annotations

from typing import Any

import chainer
import numpy as np

from elichika import idioms
from elichika.iterators.base import Cursor, InstanceDict, Staged
from elichika.state.store import Mark
from elichika.values.functions import GeneratorCall
from elichika.values.symbolic import (
    Array,
    Symbolic,
)
from elichika.walker.containers.iterators import MAX_ITEMS
from elichika.walker.core import Core, Raised
from elichika.walker.kinds import builtin_kind, kind_of
from elichika.walker.native.costs import too_many
from elichika.walker.native.held import is_held


class Iterators(Core):
    """The part of the walker that knows what a loop runs over, and what `next` takes."""

    def iterate(self, value: Any) -> Staged:
        """Return what a loop runs over."""
        value = self.narrow(value)
        return kind_of(value).iterate(self.walker, value)

    def container_iterate(self, value: Any) -> Staged:
        """Return what a loop runs over, past the `__iter__` of a class that extends a type."""
        return builtin_kind(value).iterate(self.walker, value)

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
        if isinstance(value, chainer.Variable):
            return None
        method = self.special(value, "__iter__")
        if method is None and self.has_source(self.special(value, "__getitem__")):
            return idioms.iterators.by_index  # `__len__` is not asked
        return method if method is not None and self.has_source(method) else None

    def opened(self, value: Any) -> Any:
        """Return what `iter` gives for an object of the program, anything else as it is."""
        value = self.narrow(value)
        method = self.own_iter(value)
        if method is None:
            self.require_unheld(value)
            return value
        made = self.narrow(self.call(method, [value], {}))
        if isinstance(made, (list, tuple, dict, set, str, Array, np.ndarray)):
            kind = self.type_of(made).__name__
            self.raise_static(TypeError(f"iter() returned non-iterator of type '{kind}'"))
        return made

    def require_unheld(self, value: Any) -> None:
        """Refuse to ask an iterator of Python's that was made before the walk."""
        if is_held(value):
            self.refuse(
                f"this {type(value).__name__} was made before the call: "
                "each call takes other items from it",
                "hold a list of the items, and make the iterator in the call: `iter(self.items)`",
            )

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
