"""What objects of classes that the walk does not enter hold, before and after a call.

`event.set()` changes an object that only Python itself knows: were that left there, both arms of a
branch would have done it.
"""

from __future__ import annotations

import collections
import types
from collections.abc import Iterable
from enum import Enum
from typing import Any

import chainer
import numpy as np

from elichika.program import native_code as natives
from elichika.values.kinds import has_space

__all__ = ["Snapshots", "may_change_its_object"]

#: How deep what an object holds is looked for.
_DEEP = 4
#: Packages whose objects stay as they are, whatever is called.
_STEADY = ("numpy", "builtins", "types", "functools", "operator", "_operator", "chainer")
#: Packages of C whose objects nothing changes, or which the walk follows.
_FIXED = (
    *_STEADY,
    *("re", "decimal", "fractions", "datetime", "enum", "pathlib", "typing", "collections"),
    *("itertools", "_collections", "weakref", "_weakref", "inspect", "string", "struct", "_struct"),
    *("scipy", "zoneinfo", "ipaddress", "uuid"),
)


#: Methods of Python's own classes of C that only tell: of digests, arrays and locks.
_TELLING = {"digest", "hexdigest", "tolist", "tobytes", "locked"}


class Growth(Enum):
    """Which entries a dict may get: those of a cache are no change."""

    NONE = None
    PRIVATE = "_"
    ANY = ""

    def allows(self, key: Any) -> bool:
        """Tell whether an entry may come."""
        return self.value is not None and str(key).startswith(self.value)


class Snapshots:
    """What the objects hold that a call is given as they are."""

    def __init__(self) -> None:
        self._before: dict[int, tuple[Any, Any, Growth, str]] = {}

    def take(self, value: Any) -> None:
        """Note what an object holds."""
        layer: list[tuple[Any, bool]] = [(value, False)]
        kind = type(value).__name__
        for _ in range(_DEEP):
            layer = [inner for one in layer for inner in self._noted(*one, kind)]

    def _noted(self, one: Any, private: bool, kind: str) -> Iterable[tuple[Any, bool]]:
        """Note what one object holds; return that, and whether it is under a private name."""
        if id(one) in self._before:
            return ()
        match one:
            case (
                type()
                | types.ModuleType()
                | types.FunctionType()
                | chainer.Link()
                | chainer.Variable()
                | np.ndarray()
            ):
                return ()
            case dict():
                growth = Growth.ANY if private else Growth.NONE
                self._before[id(one)] = one, dict(one), growth, kind
                return ((held, private) for held in one.values())
            case list() | set() | collections.deque():
                self._before[id(one)] = one, one.copy(), Growth.NONE, kind
                return ((held, private) for held in one)
            case tuple():
                return ((held, private) for held in one)
        if natives.package_of(type(one)) in _STEADY or not has_space(one):
            return ()
        space = one.__dict__
        growth = Growth.PRIVATE if natives.is_foreign(type(one)) else Growth.NONE
        self._before[id(space)] = space, dict(space), growth, kind
        return ((held, name.startswith("_")) for name, held in space.items())

    def changed(self) -> str | None:
        """Put back what a call changed; return the class of the first object, or None."""
        found = [kind for *noted, kind in self._before.values() if not _same_again(*noted)]
        return next(iter(found), None)


def _same_again(held: Any, before: Any, growth: Growth) -> bool:
    """Tell whether a container holds what it held; if not, let it."""
    now, then = _contents(held), _contents(before)
    if all(entry in now for entry in then) and all(
        entry in then or growth.allows(key) for entry, key in now.items()
    ):
        return True
    held.clear()
    match held:
        case dict() | set():
            held.update(before)
        case _:
            held.extend(before)
    return False


def _contents(held: Any) -> dict[tuple[int, ...], Any]:
    """Return what a container holds, by identity, with the keys of a dict."""
    match held:
        case dict():
            return {(id(key), id(one)): key for key, one in held.items()}
        case set():
            return {(id(one),): None for one in held}
    return {(place, id(one)): None for place, one in enumerate(held)}


def may_change_its_object(function: Any, receiver: Any) -> bool:
    """Tell whether a function of C may be a method that changes an object nobody can look into."""
    owner = getattr(function, "__objclass__", object)
    name = getattr(function, "__name__", "")
    if owner not in type(receiver).__mro__ or name.startswith("__"):
        return False
    tells = name in _TELLING and natives.is_foreign(owner)
    return not tells and natives.package_of(owner) not in _FIXED
