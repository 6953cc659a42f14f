"""The items of what can be iterated, all at once."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from elichika import idioms
from elichika.iterators.base import InstanceDict
from elichika.values.symbolic import Choice
from elichika.walker.containers.iterables import Iterables
from elichika.walker.containers.iterators import Iterators
from elichika.walker.containers.lists import Lists
from elichika.walker.native.costs import too_many
from elichika.walker.walk import Walk

if TYPE_CHECKING:
    from canonicalizer.targets import Unpacks


class Gathering:
    """Lists and dicts of what is iterated."""

    def __init__(self, w: Walk, iterables: Iterables, iterators: Iterators, lists: Lists) -> None:
        self.w = w
        self.iterables = iterables
        self.iterators = iterators
        self.lists = lists

    def settled(self, value: Any) -> Any:
        """Return a list of what an object of the program gives, which may give it only once.

        What can be looked at again and again stays as it is, and iterators whose number of items
        the model tells.
        """
        made = self.iterables.opened(value)
        if self.w.as_generator(made) is not None:
            return self.gathered(made)
        if self.w.is_asked(made):
            made = self.iterators.ready(made)
            if self.iterators.asks_objects(made):
                return self.gathered(made)
            return (
                self.w.new_list(self.static_items(made)) if self.iterators.is_known(made) else made
            )
        return made

    def gathered(self, iterator: Any) -> list[Any]:
        """Return a list, of known length or not, of what a generator or an iterator gives.

        `iter` has been called.
        """
        if self.w.as_generator(iterator) is None:
            with self.iterables.entering(iterator):
                made: list[Any] = self.w.call(idioms.lists.listed, [iterator], {})
            return made
        made = self.w.new_list(())
        self.w.consume(iterator, lambda item: self.lists.append(made, item))
        return made

    def unpacked(self, value: Any, how: Unpacks) -> Any:
        """Return what an assignment to several targets goes through, asked as Python asks it.

        `a, b = it` asks for a third item and no further, which shows where a handler catches that
        there is one; `*rest, a = it` calls `iter` of the iterator once more.
        """
        w = self.w
        value = w.narrow(value)
        if not w.is_asked(value) and w.own_iter(value) is None:
            return value
        if how.before is None:
            caught = self.iterables.jumps.handlers
            return w.call(itertools.islice, [value, how.wanted + 1], {}) if caught else value
        made = self.iterators.iterator(value)
        if how.before and self._may_act_again(made):
            w.refuse(
                "`iter` of this iterator may change something, and `*` calls it once more "
                "after the first items",
                "make a list of it first",
            )
        return made

    def _may_act_again(self, iterator: Any) -> bool:
        """Tell whether `iter` of what `iter` gave may change something; call it if it is one."""
        w = self.w
        if type(iterator) is Choice:
            return any(map(w.is_iterator, iterator.alternatives))
        mark = w.store.mark()
        if w.is_iterator(iterator):
            self.iterables.opened(iterator)
        return w.has_acted(mark)

    def static_items(self, value: Any) -> list[Any]:
        """Return the items of an iterable of known length."""
        value = self.iterables.opened(value)
        if self.w.as_generator(value) is not None or self.w.is_iterator(value):
            value = self.gathered(value)
        if self.w.is_asked(value):
            return self.iterators.exhausted(self.iterators.ready(value))
        staged = self.w.iterate(value)
        if not isinstance(staged.length, int):
            self.w.refuse("the number of items must be known before the model runs here")
        self.w.require_room(too_many(staged.length))
        return [staged.item(i) for i in range(staged.length)]

    def _asks_keys(self, value: dict[Any, Any]) -> bool:
        """Tell whether Python asks a dict for `keys` and for the item of each: `PyDict_Merge`."""
        if self.w.overriding(value, "__iter__") is not None:
            return True
        own = (self.w.overriding(value, name) for name in ("keys", "__getitem__"))
        return isinstance(value, OrderedDict) and any(one is not None for one in own)

    def mapping_items(self, value: Any) -> dict[str, Any]:
        """Return the items of a mapping that is spread by `**`."""
        value = self.w.narrow(value)
        if isinstance(value, InstanceDict):
            self.w.arenas.require_order(value.obj)
            return self.w.attributes_of(value.obj)
        if not isinstance(value, dict):
            self.w.refuse("`**` of something that is not a dict known while compiling")
        if self._asks_keys(value):
            keys = self.static_items(self.w.call(self.w.get_attribute(value, "keys"), [], {}))
            return {self.w.hashable(key): self.w.get_item(value, key) for key in keys}
        return self.w.sure_items(value)
