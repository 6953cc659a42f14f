"""Classes of the program that extend built-in types: their methods come before the type's own."""

from __future__ import annotations

import types
from collections import OrderedDict
from typing import Any

import numpy as np

from elichika.program import native_code as natives
from elichika.values.functions import Closure
from elichika.values.symbolic import UNSET, Array, DynamicTuple, Scalar, Symbolic
from elichika.walker.binary_methods import Try, asks_right_first, in_order
from elichika.walker.core import PLAIN
from elichika.walker.walk import Walk

#: What a class of the program may extend.
EXTENSIBLE = (list, tuple, dict, set, frozenset, str, bytes, int, float, np.ndarray)
#: Bases of which the program makes objects with contents of their own.
CONTAINERS = (list, dict, set)
#: The location that tells of a dict that it is its own `__dict__`.
OWN = "[own]"
NUMBERS = (Scalar, Array, np.ndarray, np.generic, int, float)


class Extensions:
    """The part of the walker that knows extended built-in types."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self.own_dicts: set[type] = set()

    def overriding(self, value: Any, name: str) -> Any:
        """Return the special method that a class of the program has in place of a built-in's.

        None where the built-in's own applies.
        """
        if type(value) in PLAIN or isinstance(value, (Symbolic, DynamicTuple)):
            return None
        if not isinstance(value, EXTENSIBLE):
            return None
        method = self.w.special(value, name)
        if isinstance(method, Closure):
            return method
        walked = isinstance(method, types.FunctionType) and not natives.is_native(method)
        return method if walked else None

    def plain_number(self, value: Any) -> Any:
        """Return a number of a class that extends int or float as Python's own."""
        if isinstance(value, int) and type(value) not in (int, bool):
            return int.__pos__(value)
        if (
            isinstance(value, float)
            and not isinstance(value, np.generic)
            and type(value) is not float
        ):
            return float.__pos__(value)
        return value

    def overrides(self, op: Any, names: tuple[str, str], left: Any, right: Any) -> list[Try]:
        """Return which methods of extended types `left op right` asks, in order."""
        kinds = self.w.type_of(left), self.w.type_of(right)
        ours = self._asking(names[0], left, right)
        theirs = self._asking(names[1], right, left)
        is_first = asks_right_first(op, names[1], *kinds)
        if not ours and not is_first and _is_known(left, right):
            return []
        return in_order(op, names[1], kinds, ours, theirs)

    def _asking(self, name: str, owner: Any, other: Any) -> list[Try]:
        method = self.overriding(owner, name)
        return [] if method is None else [lambda: self.w.call(method, [owner, other], {})]

    def is_own_dict(self, obj: Any) -> bool:
        """Tell whether a dict is its own `__dict__`: its items are its attributes."""
        if type(obj) is dict or not isinstance(obj, dict):
            return False
        if not self.w.store.was_born(obj):
            return getattr(obj, "__dict__", None) is obj
        known = self.w.given(obj, OWN)
        if type(obj) in self.own_dicts and not isinstance(known, bool):
            self.w.refuse(
                f"a {type(obj).__name__}, which is its own `__dict__`, comes out of a list of "
                "dynamic length, or of one branch only",
                "read `d['name']` in place of `d.name`",
            )
        return known is True

    def given_item(self, obj: Any, key: Any) -> Any:
        """Return what a dict or set holds by a key, for `or_else` and `is_set`; maybe `UNSET`."""
        return self.w.narrow(self.w.items_of(obj).get(key, UNSET))

    def set_instance_dict(self, obj: Any, value: Any) -> None:
        """Run `obj.__dict__ = value`, for the one value that is followed."""
        fresh = isinstance(obj, dict) and self.w.store.was_born(obj)
        if value is not obj or not fresh or self.w.attributes_of(obj):
            self.w.refuse("assignment to `__dict__` is not followed", "set attributes by `setattr`")
        self.own_dicts.add(type(obj))
        self.w.store.set(obj, OWN, True)

    def record(self, make: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Make a named tuple by the `__new__` that `namedtuple` wrote."""
        try:
            return make(*args, **kwargs)
        except TypeError as error:
            self.w.raise_static(error)

    def extended(self, cls: type, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Make an object of a class that extends list, dict, set or tuple, or NotImplemented."""
        new: Any = cls.__new__
        if new is tuple.__new__:
            return self.w.call(new, [cls, *args], kwargs)
        base = next((base for base in CONTAINERS if issubclass(cls, base)), None)
        if base is None or new not in (base.__new__, OrderedDict.__new__):
            return NotImplemented
        made = self.w.store.born(new(cls))
        self.w.set_items(made, () if base is list else {})
        if cls in self.own_dicts:
            self.w.store.set(made, OWN, False)
        self.w.call(self.w.special(made, "__init__"), [made, *args], kwargs)
        return made


def makes_record(function: Any) -> bool:
    """Tell whether a function is the `__new__` that `namedtuple` wrote."""
    space = getattr(function, "__globals__", {})
    return str(space.get("__name__", "")).startswith("namedtuple_")


def _is_known(left: Any, right: Any) -> bool:
    """Tell whether the built-in type of `left` has an answer for `right`."""
    if isinstance(left, (Array, np.ndarray, np.generic)):
        return True
    if not (isinstance(left, NUMBERS) and isinstance(right, NUMBERS)):
        return False
    whole = left.type is not float if isinstance(left, Scalar) else not isinstance(left, float)
    return not (whole and isinstance(right, float))
