"""The objects that a recursive call may come to: those that its arguments hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from elichika.values.functions import Frame
from elichika.values.kinds import alternatives_of
from elichika.values.symbolic import Array, Choice, Scalar, Var
from elichika.walker.core import PLAIN
from elichika.walker.kinds import kind_of
from elichika.walker.locations import own_space
from elichika.walker.walk import Walk

__all__ = ["companions", "plain_attributes", "relatives"]

#: What has no method of the program.
PLAIN_KINDS = (int, float, Scalar, Array, np.ndarray, Var)
#: What holds others besides the objects of the program.
HOLDERS = (list, tuple, dict, Choice)


def companions(w: Walk, values: Iterable[Any], module: str) -> list[Any]:
    """Return the objects of classes of a module that some values are, or lead to."""
    found = list[Any]()
    todo, seen = list(values), set[int]()
    while todo:
        value = w.narrow(todo.pop(0))
        cls = type(value)
        if cls in PLAIN or id(value) in seen:
            continue
        seen.add(id(value))
        if cls.__module__ == module and not w.arenas.holds(value):
            found.append(value)
            todo += own_space(value).values()
            todo += (w.given(value, slot) for slot in w.store.slots(value))
        elif cls in HOLDERS:
            todo += kind_of(value).parts(w, value)
    return found


def relatives(cls: type, frame: Frame) -> list[type]:
    """Return a class and those of the same module that have a base of the program with it."""
    bases = {base for base in cls.__mro__ if base.__module__ == cls.__module__}
    named = [one for one in frame.globals.values() if type(one) is type(cls)]
    return [cls, *(one for one in named if not bases.isdisjoint(one.__mro__))]


def plain_attributes(w: Walk, values: Iterable[Any], module: str) -> set[str]:
    """Return what numbers and arrays are called by that objects of a module hold, as it seems."""
    held: dict[str, bool] = {}
    for value in map(w.narrow, values):
        if type(value).__module__ == module:
            for slot in {*own_space(value), *w.store.slots(value)}:
                parts = alternatives_of(w.narrow(w.held(value, slot)))
                is_plain = all(type(one) in PLAIN_KINDS for one in parts)
                held[slot] = held.get(slot, True) and is_plain
    return {slot for slot, is_plain in held.items() if is_plain}
