"""Dicts and sets whose keys are known only when the model runs.

keys      [3, 8, 5]         `d[8]`: one pass over the keys behind which the asked one stands,
values    [1, 4, 2]         so that it is found at its place, or at the end if it is new
"""

from __future__ import annotations

import types
from collections import Counter, defaultdict
from typing import Any

from elichika.values.words import a_value
from elichika.walker.containers.float_objects import FloatObjects
from elichika.walker.containers.known_keys import pick_by_key
from elichika.walker.containers.table_loops import TableLoops
from elichika.walker.containers.table_reads import TableReads
from elichika.walker.containers.table_sets import TableSets
from elichika.walker.containers.table_stores import TableStores
from elichika.walker.walk import Walk

__all__ = ["Tables"]

#: What a defaultdict makes values by without any effect.
_PLAIN_FACTORIES = (int, float, bool)


class Tables(TableReads):
    """The part of the walker that finds keys which are known only when the model runs.

    Attributes:
        keys: What they may be.
        floats: Which of them are the same object.
        loops: What goes through keys.
        stores: What puts keys in and takes them out.
        sets: What is of sets alone.
    """

    def __init__(self, w: Walk) -> None:
        super().__init__(w)
        self.floats = FloatObjects(w)
        self.loops = TableLoops(w, self)
        self.stores = TableStores(w, self, self.loops)
        self.sets = TableSets(w, self)

    def pick(self, obj: Any, key: Any) -> Any:
        """Return `obj[key]`; a defaultdict makes what is not there."""
        missing = self.w.special(obj, "__missing__")
        if missing is defaultdict.__missing__:
            self._make_missing(obj, key)
        if missing is Counter.__missing__:
            known = self.table_for(obj, self.keys.narrowed(key)) is None
            return pick_by_key(self.w, obj, key) if known else self.get(obj, key, 0)
        return self.pick_there(obj, key)

    def _make_missing(self, obj: Any, key: Any) -> None:
        factory = self.w.get_attribute(obj, "default_factory", None)
        self.w.choices.apply(factory, lambda one: self._make_by(obj, key, one))

    def _make_by(self, obj: Any, key: Any, factory: Any) -> None:
        if factory is None:
            return
        if type(self.w.special(obj, "__setitem__")) is types.FunctionType:
            self.w.refuse(
                f"{a_value(obj)} makes an item, whose class has its own `__setitem__`",
                "set what is not there: `if key not in d: d[key] = ...`",
            )
        if factory in _PLAIN_FACTORIES:
            self.stores.set_default(obj, key, factory())
            return
        self.w.branch(
            self.contains(obj, key),
            lambda: None,
            lambda: self.stores.set(obj, key, self.w.call(factory, [], {})),
        )
