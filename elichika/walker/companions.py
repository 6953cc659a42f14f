"""The classes of the objects that a recursive call may come to: those that its arguments hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from elichika.values.functions import Frame
from elichika.values.symbolic import Choice
from elichika.walker.core import PLAIN
from elichika.walker.kinds import kind_of
from elichika.walker.locations import own_space
from elichika.walker.walk import Walk

__all__ = ["companions", "relatives"]

#: What holds others besides the objects of the program.
HOLDERS = (list, tuple, dict, Choice)


def companions(w: Walk, values: Iterable[Any], module: str) -> list[type]:
    """Return the classes of a module whose objects some values are, or lead to."""
    found: dict[type, None] = {}
    todo, seen = list(values), set[int]()
    while todo:
        value = w.narrow(todo.pop(0))
        cls = type(value)
        if cls in PLAIN or id(value) in seen:
            continue
        seen.add(id(value))
        if cls.__module__ == module and not w.arenas.holds(value):
            found[cls] = None
            todo += own_space(value).values()
            todo += (w.given(value, slot) for slot in w.store.slots(value))
        elif cls in HOLDERS:
            todo += kind_of(value).parts(w, value)
    return list(found)


def relatives(cls: type, frame: Frame) -> list[type]:
    """Return a class and those of the same module that have a base of the program with it."""
    bases = {base for base in cls.__mro__ if base.__module__ == cls.__module__}
    named = [one for one in frame.globals.values() if type(one) is type(cls)]
    return [cls, *(one for one in named if not bases.isdisjoint(one.__mro__))]
