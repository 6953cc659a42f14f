"""Floats that Python makes anew: a nan among them is no key of any dict or set before it is put in.

for v in x.tolist():          each nan is another object, and Python finds a key that is the same
    n = seen.get(v, 0)        object or equal: this one is not there
    seen[v] = n + 1           so this is a new key; from here on it may be there
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from elichika.iterators.base import Staged
from elichika.values.symbolic import Array, Scalar
from elichika.walker.walk import Walk

__all__ = ["Made", "NewFloats", "is_float"]


class Made:
    """A float that was made, whose location says whether it was put into a dict or set since."""


class NewFloats:
    """The part of the walker that knows floats which nothing holds but names of the present turn.

    What a turn makes is in no dict that the turns before have filled. If any other float is put
    into one, it may be one of these by another name, so all of them count as old from there on.
    """

    def __init__(self, w: Walk) -> None:
        self.w = w
        self._made: dict[int, tuple[Scalar, Any, Made]] = {}
        self._listed: tuple[Any, Any] = None, None

    def note(self, value: Any) -> Any:
        """Note that Python makes a float here, which is returned."""
        if type(value) is Scalar and is_float(value.type):
            made: Made = self.w.store.born(Made())
            self.w.store.set(made, "placed", False)
            self._made[id(value)] = value, self._turn(), made
        return value

    def list_of(self, made: Any) -> Any:
        """Note that Python makes a list of new numbers here, which is returned."""
        self._listed = made, self.w.node_stack[-1]
        return made

    def is_new(self, value: Any) -> bool:
        """Tell whether this turn has made a float, and put it nowhere."""
        number, turn, made = self._made.get(id(value), (None, None, None))
        if number is not value or turn is not self._turn():
            return False
        return self.w.narrow(self.w.held(made, "placed")) is False

    def placed(self, numbers: Iterable[Any]) -> None:
        """Note that floats are put into a dict or set, as keys or in one."""
        for number in numbers:
            if id(number) in self._made:
                self.w.store.set(self._made[id(number)][2], "placed", True)
            else:
                self._made.clear()

    def iterated(self, node: Any, iterable: Any) -> Staged:
        """Return what a `for` runs over: items of an array, and in `for v in x.tolist()`, are new.

        The list has no other name then: what makes it is the call that the `for` holds.
        """
        items = self.w.iterate(iterable)
        listed, call = self._listed
        new = type(iterable) is Array or (iterable is listed and node.iter is call)
        return replace(items, item=lambda index: self.note(items.item(index))) if new else items

    def _turn(self) -> Any:
        """Return the body of the innermost Loop around the present place."""
        scope: Any = self.w.graph.scope
        while not getattr(scope, "loop", True):
            scope = scope.parent
        return scope


def is_float(kind: type) -> bool:
    """Tell whether numbers of a class may be nan."""
    return issubclass(kind, (float, np.floating))
