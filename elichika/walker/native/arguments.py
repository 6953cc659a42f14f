"""What native code is given of the walked program: copies and read-only arrays.

Native code that changes what it is given would change the user's objects, in every branch at once:
such a change is found out after the call, and the call is refused.
"""

from __future__ import annotations

import abc
import collections
import enum
import functools
import gc
import operator
import sys
import types
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import chainer
import numpy as np

from elichika.iterators.base import DictView, InstanceDict
from elichika.program import native_code as natives
from elichika.state.store import ITEMS, MISSING
from elichika.values.constant_views import owner_of
from elichika.values.functions import Closure
from elichika.values.kinds import has_space
from elichika.values.symbolic import UNSET, Seq, Symbolic, SymbolicUse
from elichika.values.tables import FrozenSet
from elichika.values.tape import VariableNode
from elichika.values.words import a_value
from elichika.walker.arrays import Arrays
from elichika.walker.native.effects import is_called, may_be_seen
from elichika.walker.native.held import require_followed
from elichika.walker.native.snapshots import Snapshots
from elichika.walker.walk import Walk

#: Containers of Python that are given as copies.
_COPIED = (list, dict, set, bytearray, collections.deque)
#: How deep a copy is looked for in what a call gave, and what leads to all that there is.
_DEEP = 4
_NOT_FOLLOWED = {type, abc.ABCMeta, enum.EnumMeta, types.ModuleType, types.FunctionType}


class Handed:
    """The arguments of one native call.

    Args:
        walk: Whose store holds the present contents.
        arrays: What arrays hold.
        writable: Whether arrays are given as copies that may be written to; else read-only.
        guarded: Whether the call may write to arrays that are read-only.
        themselves: Whether arrays are given as they are, to a call that is known not to write.
    """

    def __init__(
        self,
        walk: Walk,
        arrays: Arrays,
        *,
        writable: bool = False,
        guarded: bool = False,
        themselves: bool = False,
    ) -> None:
        self._walk = walk
        self._arrays = arrays
        self._writable = writable
        self._guarded = guarded
        self._themselves = themselves
        #: Whether something is given by which native code may run code of the program.
        self.callable = False
        self._contents: list[tuple[Any, Any]] = []
        self._made: dict[int, Any] = {}
        self._originals: dict[int, Any] = {}
        self._own = Snapshots()
        self._before: list[tuple[Any, Callable[[Any], Any], Any]] = []

    def give(self, value: Any) -> Any:
        """Return a static value as native code may see it: with the store's changes, a copy."""
        if value is None or isinstance(value, (int, float, str, type, Symbolic)):
            return value
        if self._walk.arenas.holds(value):
            raise SymbolicUse(value)
        if id(value) not in self._made:
            made = self._copied(value)
            self._made[id(value)] = made
            if made is not value:
                self._originals[id(made)] = value
        return self._made[id(value)]

    def take(self, result: Any) -> Any:
        """Return what a call gave, the program's own objects in place of their copies."""
        if type(result) in (tuple, list):
            items = [self._originals.get(id(item), item) for item in result]
            if any(a is not b for a, b in zip(items, result, strict=True)):
                return type(result)(items)
        return self._originals.get(id(result), result)

    def kept(self, result: Any) -> list[tuple[Any, Any]]:
        """Return the copies that what a call gave still holds, each with its original."""
        found: list[tuple[Any, Any]] = []
        layer, seen, depth = [result], {id(result)}, 0
        while layer and depth < _DEEP and self._originals:
            depth += 1
            inner = [one for one in _referents(layer) if id(one) not in seen]
            copies = [one for one in inner if id(one) in self._originals]
            found += [(one, self._originals[id(one)]) for one in copies]
            layer = [one for one in inner if type(one) not in _NOT_FOLLOWED]
            seen.update(map(id, inner))
            depth = 0 if copies else depth
        return found

    def hides(self, result: Any) -> bool:
        """Tell whether a view that a call gave may be read-only only since its array was given so.

        Then it is to be made again, of arrays that are given as they are.
        """
        views = [
            owner_of(item)
            for item in (result if type(result) in (tuple, list) else (result,))
            if type(item) is np.ndarray and not item.flags.writeable
        ]
        given = [made for made in self._made.values() if type(made) is np.ndarray]
        return any(owner.flags.writeable and owner is owner_of(a) for owner in views for a in given)

    def changed(self) -> str | None:
        """Return the kind of an object that the call changed, or None."""
        for made, look, before in self._before:
            now = look(made)
            if len(now) != len(before) or any(a is not b for a, b in zip(now, before, strict=True)):
                return type(made).__name__
        return None

    def restored(self) -> str | None:
        """Undo what the call changed of the objects themselves; return their kind, or None."""
        for array, contents in self._contents:
            if array.tobytes() != contents.tobytes():
                array[...] = contents
                return "ndarray"
        return self._own.changed()

    def adopt(self, result: Any) -> Any:
        """Return what a call made, and nobody else holds, as an object of the walked program."""
        kind, walk = type(result), self._walk
        if kind is np.ndarray and result.base is None:
            return walk.store.born(result)
        if kind is list:
            return walk.new_list([self.adopt(i) if _is_only_here(i) else i for i in result])
        if kind is dict:
            return walk.new_dict(
                {k: self.adopt(v) if _is_only_here(v) else v for k, v in result.items()}
            )
        if kind is set:
            made = walk.store.born(set())
            walk.set_items(made, dict.fromkeys(result, True))
            return made
        return result

    def _watched(self, made: Any, look: Callable[[Any], Any]) -> Any:
        self._before.append((made, look, look(made)))
        return made

    def _copied(self, value: Any) -> Any:
        if isinstance(value, tuple):
            held = tuple.__getitem__(value, slice(None))
            items = list(map(self.give, held))
            if all(map(operator.is_, items, held)):
                return value
            return tuple.__new__(type(value), items)
        if isinstance(value, _COPIED):
            return self._container(value)
        if isinstance(value, DictView):
            return getattr(self.give(value.mapping), value.kind)()
        if isinstance(value, InstanceDict):
            return dict(self._walk.attributes_of(value.obj))
        if isinstance(value, np.ndarray):
            contents = self._arrays.static_contents(value)
            if not isinstance(contents, np.ndarray):
                return self._arrays.as_array(value)
            if self._guarded:
                self._contents.append((contents, contents.copy()))
            if self._themselves:
                return contents
            return contents.copy("K") if self._writable else _read_only(contents)
        if isinstance(value, chainer.Variable):
            array = self._walk.variable_array(value)
            if not isinstance(array, np.ndarray):
                return value
            contents = self._arrays.static_contents(array)
            return value if contents is value.array else chainer.Variable(contents)
        if isinstance(value, natives.GENERATORS):
            self._walk.refuse(
                "code without Python source is given a generator of random numbers",
                "draw before the call, and pass the numbers",
            )
        if type(value) is VariableNode:  # of the tape, which native code does not look into
            return value
        if self._walk.store.was_born(value):
            self.callable |= natives.may_call_program(value)
            return self._object(value)
        return self._opaque(value)

    def _container(self, value: Any) -> Any:
        self.callable |= natives.may_call_program(value)
        cls: Any = type(value)
        own = _own_items(cls)
        if own is not None:
            self._walk.refuse(
                f"code without Python source is given {a_value(value)}, whose class has its own "
                f"`{own}`",
                "make a list or dict of it first",
            )
        version = self._walk.store.get(value, ITEMS)
        if type(version) is Seq:
            raise SymbolicUse(value)
        if type(value) is FrozenSet:
            return frozenset(self._walk.sure_items(value, ordered=False))
        if isinstance(value, dict):
            made = value.copy() if type(value) is not dict else {}
            items = dict(value) if version is MISSING else self._walk.sure_items(value)
            made.clear()
            self._made[id(value)] = made
            if isinstance(made, defaultdict) and self._walk.store.was_born(value):
                made.default_factory = self.give(self._walk.held(value, "default_factory"))
            for key, item in items.items():
                dict.__setitem__(made, key, self.give(item))
            return self._watched(made, _pairs)
        made = value.copy()
        if version is not MISSING or isinstance(value, list):
            items = value if version is MISSING else version
            if isinstance(value, set):
                items = self._walk.sure_items(value)
            made.clear()
            self._made[id(value)] = made
            if isinstance(made, set):
                made.update(items)
            else:
                made.extend([self.give(item) for item in items])
        return self._watched(made, tuple)

    def _object(self, value: Any) -> Any:
        self._made[id(value)] = made = _new(type(value))
        for slot in self._walk.store.slots(value):
            held = self._walk.given(value, slot)
            if held is not UNSET:
                object.__setattr__(made, slot, self.give(held))
        if has_space(made):
            return self._watched(made, lambda m: _pairs(m.__dict__))
        return made

    def _opaque(self, value: Any) -> Any:
        require_followed(self._walk, value)
        self.callable |= natives.may_call_program(value)
        if natives.is_opaque(value):
            return value
        cls: Any = type(value)
        name = cls.__name__
        if self._walk.store.slots(value):
            self._walk.refuse(
                f"code without Python source is given a {name} that the model changed"
            )
        if not has_space(value):
            return value
        if _has_code(cls) and any(may_be_seen(owner) for owner, _ in self._walk.store.written()):
            self._walk.refuse(
                f"code without Python source is given a {name}, whose methods it may call, "
                "after the model changed something that they may read",
                "call the method that it would call",
            )
        self._own.take(value)
        return value


def _referents(values: list[Any]) -> list[Any]:
    """Return what some objects hold; an array of objects does not tell by itself."""
    arrays = [one.tolist() for one in values if type(one) is np.ndarray and one.dtype.hasobject]
    return gc.get_referents(*values, *arrays)


def _new(cls: Any) -> Any:
    return cls.__new__(cls) if issubclass(cls, BaseException) else object.__new__(cls)


@functools.cache
def _own_items(cls: Any) -> str | None:
    """Return a method by which a container of the program says itself what it holds."""
    names = ("__iter__", "__len__", "__getitem__", "keys")
    kinds = (types.FunctionType, Closure)
    return next((n for n in names if type(getattr(cls, n, None)) in kinds), None)


@functools.cache
def _has_code(cls: Any) -> bool:
    """Tell whether a class of the program has methods in Python that native code may call."""
    if issubclass(cls, (chainer.Link, chainer.Variable, type, BaseException)):
        return False
    return any(
        isinstance(found, types.FunctionType) and is_called(name) and not natives.is_foreign(found)
        for base in cls.__mro__
        for name, found in vars(base).items()
    )


def _is_only_here(item: Any) -> bool:
    return sys.getrefcount(item) <= 4  # the container, the loop, this call and `getrefcount`


def _pairs(items: dict[Any, Any]) -> tuple[Any, ...]:
    return (*items, *items.values())


def _read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    view = array.view()
    view.flags.writeable = False
    return view
