"""What calls of a chain change outside it: globals, class attributes, containers that these hold.

A chain is copied for each run, its program is not: what a run left there would be where the next
one starts, and stay when all is done.
"""

from __future__ import annotations

import collections
import copy
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import singledispatch
from typing import Any

import chainer
import numpy as np

from elichika.program.native_code import is_library
from elichika.verify.kinds import copied

__all__ = ["Outside", "around"]

#: What has more items than this, or an array more elements, is no state of a program.
LARGEST = 10_000
_ABSENT = object()
#: What a Variable of Chainer keeps its gradient in.
_OF_GRADIENTS = ("_grad", "_grad_var", "_grad_valid", "_loss_scale")


class Outside:
    """Locations outside a chain, and what they hold where a stream of calls has come to.

    Attributes:
        reached: What they hold there; None before the first step.
    """

    def __init__(self, locations: Sequence[tuple[Any, str]]) -> None:
        """Take the locations as objects of the program and slots of the walk."""
        self._locations = [_location(owner, slot) for owner, slot in locations]
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
        return copied(value) if self._locations else value

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
    elif type(held) in (list, dict, set, collections.deque) and len(held) <= LARGEST:
        yield owner, slot
        yield held, "[items]"
    elif type(held) is np.ndarray and held.size <= LARGEST:
        yield owner, slot
        yield held, "[contents]"


class _Location:
    """One location of an object: here an attribute."""

    def __init__(self, owner: Any, slot: Any) -> None:
        self.owner, self.slot = owner, slot

    def take(self) -> Any:
        """Return what is there now, or `_ABSENT`."""
        if hasattr(self.owner, "__dict__"):
            return vars(self.owner).get(self.slot, _ABSENT)
        try:
            return object.__getattribute__(self.owner, self.slot)
        except AttributeError:
            return _ABSENT

    def put(self, value: Any) -> None:
        """Let this be there."""
        if value is not _ABSENT:
            self.set(value)
        elif self.take() is not _ABSENT:
            self.delete()

    def set(self, value: Any) -> None:
        """Set it, past what the class does."""
        object.__setattr__(self.owner, self.slot, value)

    def delete(self) -> None:
        """Delete it, past what the class does."""
        object.__delattr__(self.owner, self.slot)


class _ClassAttribute(_Location):
    def set(self, value: Any) -> None:
        setattr(self.owner, self.slot, value)

    def delete(self) -> None:
        delattr(self.owner, self.slot)


class _VariableAttribute(_Location):
    def take(self) -> Any:
        return self.owner.array if self.slot == "array" else super().take()

    def set(self, value: Any) -> None:
        setattr(self.owner, self.slot, value)


class _Gradient(_Location):
    """The gradient of a Variable."""

    def take(self) -> Any:
        return {name: held for name, held in vars(self.owner).items() if name in _OF_GRADIENTS}

    def set(self, value: Any) -> None:
        vars(self.owner).update(value)


class _Cell(_Location):
    """What a variable of nested functions holds."""

    def take(self) -> Any:
        try:
            return self.owner.cell_contents
        except ValueError:
            return _ABSENT

    def set(self, value: Any) -> None:
        self.owner.cell_contents = value

    def delete(self) -> None:
        del self.owner.cell_contents


class _Entry(_Location):
    """An entry of a dict, such as a global."""

    def take(self) -> Any:
        return self.owner.get(self.slot, _ABSENT)

    def set(self, value: Any) -> None:
        self.owner[self.slot] = value

    def delete(self) -> None:
        del self.owner[self.slot]


class _Contents(_Location):
    """All that a container or array holds."""

    def take(self) -> Any:
        return copy.copy(self.owner)

    def put(self, value: Any) -> None:
        fill(self.owner, value)


def _location(owner: Any, slot: Any) -> _Location:
    if slot in ("[items]", "[contents]"):
        return _Contents(owner, slot)
    if isinstance(owner, types.CellType):
        return _Cell(owner, slot)
    if type(owner) is dict:
        return _Entry(owner, slot)
    if isinstance(owner, chainer.Variable) and slot in ("grad_var", "_loss_scale"):
        return _Gradient(owner, slot)
    if isinstance(owner, chainer.Variable):
        return _VariableAttribute(owner, slot)
    return (_ClassAttribute if isinstance(owner, type) else _Location)(owner, slot)


@singledispatch
def fill(owner: Any, value: Any) -> None:
    """Put contents back into a container or array, past what its class does."""


@fill.register(np.ndarray)
def _(owner: Any, value: Any) -> None:
    if owner.flags.writeable:
        owner[...] = value


@fill.register(list)
def _(owner: list[Any], value: list[Any]) -> None:
    list.__setitem__(owner, slice(None), value)


@fill.register(collections.deque)
def _(owner: collections.deque[Any], value: collections.deque[Any]) -> None:
    collections.deque.clear(owner)
    collections.deque.extend(owner, value)


@fill.register(dict)
def _(owner: dict[Any, Any], value: dict[Any, Any]) -> None:
    dict.clear(owner)
    for key in dict.keys(value):
        dict.__setitem__(owner, key, dict.__getitem__(value, key))


@fill.register(set)
def _(owner: set[Any], value: set[Any]) -> None:
    set.clear(owner)
    set.update(owner, value)
