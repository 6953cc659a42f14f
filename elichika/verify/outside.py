"""What calls of a chain change outside it: globals, class attributes, containers that these hold.

A chain is copied for each run, its program is not: what a run left there would be where the next
one starts, and stay when all is done.
"""

from __future__ import annotations

import copy
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import chainer
import numpy as np

from elichika.program.native_code import is_library

__all__ = ["Outside", "around"]

#: What has more items than this, or an array more elements, is no state of a program.
LARGEST = 10_000
_ABSENT = object()


class Outside:
    """Locations outside a chain, and what they hold where a stream of calls has come to.

    Attributes:
        reached: What they hold there; None before the first step.
    """

    def __init__(self, locations: Sequence[tuple[Any, str]]) -> None:
        """Take the locations as objects of the program and slots of the walk."""
        self._locations = [_Location(owner, slot) for owner, slot in locations]
        self.reached: list[Any] | None = None
        self._streaming = False

    @property
    def owners(self) -> list[Any]:
        """What holds the locations: a copy of a chain that holds one of these as well shares it."""
        return [location.owner for location in self._locations]

    @contextmanager
    def put_back(self) -> Iterator[None]:
        """Put back what is changed within the block, unless that is a step of a stream."""
        if self._streaming:
            yield
            return
        before = [location.take() for location in self._locations]
        try:
            yield
        finally:
            self._put(before)

    @contextmanager
    def going_on(self) -> Iterator[Callable[[], None]]:
        """Start the block from where the last step of the stream was kept, and put all back then.

        Gives what keeps the present state as that of the stream.
        """
        before = [location.take() for location in self._locations]
        if self.reached is not None:
            self._put(self.reached)
        self._streaming = True

        def keep() -> None:
            self.reached = [location.take() for location in self._locations]

        try:
            yield keep
        finally:
            self._streaming = False
            self._put(before)

    def apart(self, value: Any) -> Any:
        """Return a result that does not change with the locations."""
        return _copied(value) if self._locations else value

    def _put(self, held: Sequence[Any]) -> None:
        for location, value in zip(self._locations, held, strict=True):
            location.put(value)


def around(chain: Any) -> list[tuple[Any, str]]:
    """Return what calls of a chain may change outside it, for one that was not compiled just now.

    These are numbers, and small containers and arrays, of the modules and classes of its links.
    """
    links = chain.links() if isinstance(chain, chainer.Link) else ()
    classes = {cls for link in links for cls in type(link).__mro__}
    spaces: list[tuple[Any, str]] = []
    for module in {sys.modules.get(cls.__module__) for cls in classes}:
        file = getattr(module, "__file__", None)
        if module is None or file is None or is_library(file):
            continue
        spaces += [(vars(module), name) for name in vars(module) if not name.startswith("__")]
        for cls in vars(module).values():
            if isinstance(cls, type) and cls.__module__ == module.__name__:
                spaces += [(cls, name) for name in vars(cls) if not name.startswith("__")]
    return [location for owner, slot in spaces for location in _state(owner, slot)]


def _state(owner: Any, slot: str) -> Iterator[tuple[Any, str]]:
    held = owner[slot] if isinstance(owner, dict) else vars(owner)[slot]
    if isinstance(held, (bool, int, float, complex, str, tuple, np.generic, type(None))):
        yield owner, slot
    elif type(held) in (list, dict, set) and len(held) <= LARGEST:
        yield owner, slot
        yield held, "[items]"
    elif type(held) is np.ndarray and held.size <= LARGEST:
        yield owner, slot
        yield held, "[contents]"


def _copied(value: Any) -> Any:
    """Return a result with arrays of its own."""
    if isinstance(value, chainer.Variable):
        return chainer.Variable(np.array(value.array))
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple):
        return tuple.__new__(type(value), map(_copied, value))
    if type(value) is list:
        return list(map(_copied, value))
    if type(value) is dict:
        return {key: _copied(item) for key, item in value.items()}
    return copy.deepcopy(value)


class _Location:
    """One location of an object."""

    def __init__(self, owner: Any, slot: str) -> None:
        self.owner, self._slot = owner, slot
        attribute = slot == "array" and isinstance(owner, chainer.Variable)
        self._is_content = slot in ("[items]", "[contents]") and not attribute

    def take(self) -> Any:
        """Return what is there now."""
        owner, slot = self.owner, self._slot
        if self._is_content:
            return copy.copy(owner)
        if isinstance(owner, types.CellType):
            try:
                return owner.cell_contents
            except ValueError:
                return _ABSENT
        if type(owner) is dict:
            return owner.get(slot, _ABSENT)
        if isinstance(owner, chainer.Variable) and slot == "array":
            return owner.array
        return vars(owner).get(slot, _ABSENT) if hasattr(owner, "__dict__") else _slot(owner, slot)

    def put(self, value: Any) -> None:
        """Let this be there."""
        owner, slot = self.owner, self._slot
        if self._is_content:
            _fill(owner, value)
        elif isinstance(owner, types.CellType):
            if value is not _ABSENT:
                owner.cell_contents = value
            elif self.take() is not _ABSENT:
                del owner.cell_contents
        elif type(owner) is dict:
            if value is _ABSENT:
                owner.pop(slot, None)
            else:
                owner[slot] = value
        elif value is not _ABSENT:
            _set(owner, slot, value)
        elif self.take() is not _ABSENT:
            _delete(owner, slot)


def _slot(owner: Any, slot: str) -> Any:
    try:
        return object.__getattribute__(owner, slot)
    except AttributeError:
        return _ABSENT


def _set(owner: Any, slot: str, value: Any) -> None:
    if isinstance(owner, (type, chainer.Variable)):
        setattr(owner, slot, value)
    else:
        object.__setattr__(owner, slot, value)


def _delete(owner: Any, slot: str) -> None:
    if isinstance(owner, type):
        delattr(owner, slot)
    else:
        object.__delattr__(owner, slot)


def _fill(owner: Any, value: Any) -> None:
    """Put contents back into a container or array, past what its class does."""
    if isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            owner[...] = value
    elif isinstance(owner, list):
        list.__setitem__(owner, slice(None), value)
    elif isinstance(owner, dict):
        dict.clear(owner)
        for key in dict.keys(value):
            dict.__setitem__(owner, key, dict.__getitem__(value, key))
    elif isinstance(owner, set):
        set.clear(owner)
        set.update(owner, value)
