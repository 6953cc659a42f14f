"""Iterators of Python and of packages, which give each item once.

Those that were there before the walk it may not ask, as that takes their items. Of those that the
program makes, all items are taken when it asks for the first one; a `Cursor` stands for them from
then on, and what else such an object says is of its end.
"""

from __future__ import annotations

from typing import Any

from elichika.iterators.base import Cursor
from elichika.program.native_code import package_of
from elichika.walker.walk import Walk

__all__ = ["ITERATORS", "gives_once", "is_held", "require_followed", "require_unheld", "rest_of"]

#: Modules of Python's own types of iterators. Those of the walk are iterators of ours.
ITERATORS = ("builtins", "itertools")
#: By the ids of classes, which may have a `__hash__` of their own.
_ASKED: dict[int, tuple[type, bool]] = {}


def _of_class(cls: type) -> bool:
    """Tell whether a class that is not ours has a `__next__`."""
    found = _ASKED.get(id(cls))
    if found is None:
        own = cls.__module__.partition(".")[0] == "elichika"
        gives = not own and any("__next__" in vars(base) for base in cls.__mro__)
        found = _ASKED[id(cls)] = cls, gives
    return found[1]


def gives_once(w: Walk, value: Any) -> bool:
    """Tell whether a value is an iterator whose `__next__` is not of the program."""
    return _of_class(type(value)) and not w.has_source(w.special(value, "__next__"))


def rest_of(w: Walk, value: Any) -> Cursor | None:
    """Return what stands for the items of such an iterator, if the program has asked for one."""
    return w.store.lasting.get(id(value), (None, None))[1]


def is_held(value: Any) -> bool:
    """Tell whether a value is an iterator of Python's that was made before the walk."""
    return _of_class(type(value)) and package_of(type(value)) in ITERATORS


def require_unheld(w: Walk, value: Any) -> None:
    """Refuse to ask an iterator of Python's that was made before the walk."""
    if is_held(value):
        w.refuse(
            f"this {type(value).__name__} was made before the call: "
            "each call takes other items from it",
            "hold a list of the items, and make the iterator in the call: `iter(self.items)`",
        )


def require_followed(w: Walk, value: Any) -> None:
    """Refuse to ask such an iterator for anything but items, where it stands between them.

    It says what it would behind its last one.
    """
    require_unheld(w, value)
    rest = rest_of(w, value)
    if rest is not None and rest.most(w) != 0:
        w.refuse(
            f"what this {type(value).__name__} says between its items is not followed",
            "ask for the items alone: `np.ndenumerate` gives the place of each as well",
        )
