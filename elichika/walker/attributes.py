"""Attribute access in Python's lookup order; the user's objects are read and never written."""

from __future__ import annotations

import collections
import functools
import types
from collections.abc import Callable
from typing import Any

import chainer
import numpy as np

from elichika.idioms.queues import Deque
from elichika.iteration import DictView, InstanceDict, SymbolicRange
from elichika.registry import lowering_of
from elichika.store import MISSING
from elichika.values import (
    UNSET,
    Array,
    Choice,
    Conflict,
    DynamicTuple,
    Scalar,
    Symbolic,
    Text,
    Var,
)
from elichika.walker import natives
from elichika.walker.core import Core
from elichika.walker.scopes import BoundMethod, Closure
from elichika.walker.standins import ITERABLES, attribute_of, type_of_iterable

#: What a symbolic Variable answers without looking at its class.
VARIABLE_FACTS: dict[str, Any] = {
    "grad": None,
    "grad_var": None,
    "name": None,
    "creator": None,
    "creator_node": None,
    "layout": None,
    "_layout": None,
    "rank": 0,
    "loss_scale": None,
    "_has_chainerx_array": False,
}
#: What is not followed: parts of backpropagation.
UNFOLLOWED = {"requires_grad", *vars(chainer.Variable(np.zeros(())))} - {"_data", "_layout"}

#: What a Parameter has only once it is initialized, and what initializes it.
CONTENTS = {"array", "data", "_data", "initialize", "shape", "dtype", "ndim", "size", "T"}

#: What has another type in the program than in the compiler.
STANDINS = (
    Scalar,
    Array,
    Var,
    Closure,
    BoundMethod,
    SymbolicRange,
    DictView,
    InstanceDict,
    DynamicTuple,
)


def _holds(obj: Any, name: str) -> bool:
    """Tell whether an object has room for an attribute: all but those with `__slots__` have."""
    spaces = [vars(base) for base in type(obj).__mro__]
    return any("__dict__" in space or name in space for space in spaces)


class Attributes(Core):
    """The part of the walker that reads and writes attributes."""

    def type_of(self, value: Any) -> type:
        """Return the Python type a value has in the program."""
        if not isinstance(value, STANDINS):
            return type(value)
        if isinstance(value, Scalar):
            return value.type
        if isinstance(value, Array):
            return np.ndarray
        if isinstance(value, Var):
            return value.kind
        if isinstance(value, (Closure,)):
            return types.FunctionType
        if isinstance(value, BoundMethod):
            return types.MethodType
        if isinstance(value, SymbolicRange):
            return range
        if isinstance(value, DictView):
            return type(getattr({}, value.kind)())
        return dict if isinstance(value, InstanceDict) else tuple

    def class_of(self, value: Any) -> type:
        """Return the type that the program is told: of what is walked as an idiom, its own."""
        found = type_of_iterable(value) or self.type_of(value)
        return collections.deque if found is Deque else found

    def _text_method(self, name: str, default: Any) -> Any:
        method = getattr(str, name, MISSING)
        if method is not MISSING and lowering_of(method) is not None:
            return BoundMethod(method, Text())
        if method is MISSING and default is not MISSING:
            return default
        self.refuse(Text.MESSAGE)

    def special(self, value: Any, name: str) -> Any:
        """Look a special method up on the type, or return None."""
        if isinstance(value, Text):
            self.refuse(Text.MESSAGE)
        for cls in self.type_of(value).__mro__:
            if name in vars(cls):
                found = vars(cls)[name]
                return found.__func__ if isinstance(found, (staticmethod, classmethod)) else found
        return None

    def mangled(self, name: str) -> str:
        """Return a name with two leading underscores as its class sees it."""
        if not name.startswith("__") or name.endswith("__"):
            return name
        for frame in reversed(self.frames):
            owner = frame.class_name
            if owner is not None:
                return f"_{owner.lstrip('_')}{name}"
        return name

    def get_attribute(self, obj: Any, name: str, default: Any = MISSING) -> Any:
        """Return `obj.name`; `default` if it is given and there is no such attribute."""
        obj = self.narrow(obj)
        if isinstance(obj, Choice):
            return self.choices.apply(obj, lambda v: self.get_attribute(v, name, default))
        if name == "__class__":
            return self.class_of(obj)
        if isinstance(obj, Text):
            return self._text_method(name, default)
        known = isinstance(obj, np.ndarray) and name == "flat"  # its elements may be written
        if known or isinstance(obj, (Array, Scalar)) or self.is_overlaid(obj):
            from elichika.lowerings import ndarray

            if default is not MISSING and not hasattr(self.type_of(obj), name):
                return default
            with self.located():
                found = ndarray.attribute(self, obj, name)
            return found
        if isinstance(obj, Var):
            if name in ("array", "data", "_data"):
                return obj.array if name != "_data" else self.new_list([obj.array])
            if name == "xp":
                return np
            if name == "device":
                return chainer.get_device("@numpy")
            if name in VARIABLE_FACTS:
                self.touch_fact(name)
                return VARIABLE_FACTS[name]
            if name in UNFOLLOWED:
                self.refuse(
                    f"`{name}` of a Variable is part of backpropagation: it is not compiled",
                    "a model computes forwards only",
                )
        if isinstance(obj, ITERABLES):
            return attribute_of(self, obj, self.class_of(obj), name, default)
        if isinstance(obj, InstanceDict):
            return self.instance_method(obj, name)
        if self.is_own_dict(obj):
            found = self.own_item(obj, name)
            if found is not MISSING:
                return found
        if name == "__dict__" and not isinstance(obj, (type, types.ModuleType, Symbolic)):
            return InstanceDict(obj)
        if isinstance(obj, (Closure, BoundMethod)):
            if name == "__name__":
                return (obj.function if isinstance(obj, BoundMethod) else obj).__name__
            if name == "__func__" and isinstance(obj, BoundMethod):
                return obj.function
            if name == "__self__" and isinstance(obj, BoundMethod):
                return obj.receiver
            self.refuse(f"`{name}` of a function is not supported")
        return self._lookup(obj, name, default)

    def touch_fact(self, name: str, *, written: bool = False) -> None:
        """Note that a fact of some Variable is read or assigned; what is assigned is not followed.

        Raises:
            StagingError: The model does both.
        """
        (self.facts_written if written else self.facts_read).add(name)
        if name in self.facts_written & self.facts_read:
            self.refuse(
                f"`{name}` of Variables is read and assigned; what is assigned is not kept",
                "keep it in a variable of your own",
            )

    def _lookup(self, obj: Any, name: str, default: Any) -> Any:
        """Look an attribute up as Python does: data descriptors, the instance, then its class."""
        if isinstance(obj, chainer.Parameter) and name in CONTENTS:
            self.require_initialized(obj)
        if isinstance(obj, super):
            return self._super_attribute(obj, name, default)
        if isinstance(obj, (type, types.ModuleType)):
            version = self.store.get(obj, name)
            return self._native_attribute(obj, name, default) if version is MISSING else version
        attribute, set_by_program = self._class_attribute(obj, name)
        found = self._by_descriptor(obj, name, attribute)
        if found is MISSING and not isinstance(obj, Symbolic):
            found = self._instance_attribute(obj, name, attribute, default)
        if found is MISSING:
            found = self._bound(obj, name, attribute)
        if found is not MISSING:
            return found
        if isinstance(attribute, Symbolic) or set_by_program:
            return attribute
        if attribute is MISSING and (
            isinstance(obj, Symbolic) or self.store.was_born(obj) or self._answers(obj, name)
        ):
            return self._missing(obj, name, default)
        return (
            attribute if isinstance(obj, Symbolic) else self._native_attribute(obj, name, default)
        )

    def _answers(self, obj: Any, name: str) -> bool:
        """Tell whether a class of the program says what an attribute is that is not there."""
        method = self.special(obj, "__getattr__")
        if not isinstance(method, types.FunctionType) or natives.is_foreign(method):
            return False
        return self.has_source(method) and name not in self._own_attributes(obj)

    def _class_attribute(self, obj: Any, name: str) -> tuple[Any, bool]:
        """Return what the class of an object has by a name, and whether the program set it."""
        for base in self.type_of(obj).__mro__:
            held = self.store.get(base, name)
            if held is UNSET:
                continue
            if held is not MISSING:
                return held, True
            if name in vars(base):
                return vars(base)[name], False
        return MISSING, False

    def _by_descriptor(self, obj: Any, name: str, attribute: Any) -> Any:
        """Return what a descriptor of the class answers before the instance is asked."""
        if isinstance(attribute, property):
            if attribute.fget is None:
                self.raise_static(AttributeError(name))
            return self._property(obj, attribute.fget, name)
        if isinstance(attribute, functools.cached_property):
            return self._cached(obj, name, attribute)
        getter = self._descriptor(attribute, "__get__")
        if getter is None:
            return MISSING
        of_data = self._descriptor(attribute, "__set__") is not None
        if of_data or name not in self._own_attributes(obj):
            return self.call(getter, [attribute, obj, self.type_of(obj)], {})
        return MISSING

    def _instance_attribute(self, obj: Any, name: str, attribute: Any, default: Any) -> Any:
        """Return what the program set on an object."""
        version = self.store.get(obj, name)
        if version is MISSING:
            return MISSING
        if version is UNSET and attribute is MISSING:
            return self._missing(obj, name, default)
        version = self.narrow(version)
        if default is not MISSING and isinstance(version, Choice):
            others = tuple(default if a is UNSET else a for a in version.alternatives)
            return Choice(version.tag, others)
        return self.undefined(version, f"attribute `{name}`", AttributeError)

    def _bound(self, obj: Any, name: str, attribute: Any) -> Any:
        """Return a method of the class, bound to the object."""
        if isinstance(attribute, types.FunctionType):
            if name in getattr(obj, "__dict__", {}):
                return obj.__dict__[name]
            return BoundMethod(attribute, obj)
        if isinstance(attribute, classmethod):
            return BoundMethod(attribute.__func__, self.type_of(obj))
        if isinstance(attribute, staticmethod):
            return attribute.__func__
        if isinstance(attribute, Closure):
            return BoundMethod(attribute, obj)
        if attribute is MISSING:
            return MISSING
        if isinstance(obj, Symbolic):
            return BoundMethod(attribute, obj) if hasattr(attribute, "__get__") else MISSING
        if (
            isinstance(obj, (list, dict, set, str, tuple))
            and hasattr(type(attribute), "__get__")
            and callable(attribute)  # not a field of a named tuple, or `value` of an Enum
        ):
            return BoundMethod(attribute, obj)
        return MISSING

    def _descriptor(self, attribute: Any, name: str) -> Any:
        """Return a method by which a class of the program takes part in attribute access."""
        if attribute is MISSING or isinstance(attribute, (types.FunctionType, Symbolic, Closure)):
            return None
        method = self.special(attribute, name)
        return method if method is not None and self.has_source(method) else None

    def _cached(self, obj: Any, name: str, attribute: functools.cached_property[Any]) -> Any:
        """Return what a cached property holds, computed where it was not asked for before."""
        known = self.store.get(obj, name)
        if known is MISSING:
            known = getattr(obj, "__dict__", {}).get(name, UNSET)
        known = self.narrow(known)

        def computed() -> Any:
            value = self.call(attribute.func, [obj], {})
            self.store.set(obj, name, value)
            return value

        if isinstance(known, Choice) and any(a is UNSET for a in known.alternatives):
            return self.choices.apply(known, lambda v: computed() if v is UNSET else v)
        return computed() if known is UNSET else known

    def _own_attributes(self, obj: Any) -> dict[str, Any]:
        return {} if isinstance(obj, (Symbolic, tuple)) else self.attributes_of(obj)

    def _property(self, obj: Any, getter: Callable[[Any], Any], name: str) -> Any:
        if self.has_source(getter):
            return self.call(getter, [obj], {})
        if isinstance(obj, Symbolic) or self.is_symbolic(obj):
            if isinstance(obj, tuple):
                return getter(obj)  # a field of a named tuple
            self.refuse(f"attribute `{name}` is not supported here")
        return self.native(getter, [obj], {})

    def _missing(self, obj: Any, name: str, default: Any) -> Any:
        method = self.special(obj, "__getattr__")
        if method is not None and self.has_source(method):
            return self.call(method, [obj, name], {})
        if default is not MISSING:
            return default
        kind = self.type_of(obj).__name__
        self.raise_static(AttributeError(f"'{kind}' object has no attribute '{name}'"))

    def _native_attribute(self, obj: Any, name: str, default: Any) -> Any:
        if obj is UNSET or isinstance(obj, Conflict):
            self.undefined(obj, "what this is an attribute of", UnboundLocalError)
        if isinstance(obj, chainer.Variable) and name in ("array", "data"):
            return self.variable_array(obj)
        if type(obj).__name__ in ("LocalConfig", "GlobalConfig"):
            version = self.store.get(obj, name)
            if version is not MISSING:
                return version
        try:
            return getattr(obj, name)
        except AttributeError as error:
            if default is not MISSING:
                return default
            self.raise_static(error)

    def _super_attribute(self, obj: Any, name: str, default: Any) -> Any:
        receiver = obj.__self__
        start = obj.__thisclass__
        cls = receiver if isinstance(receiver, type) else type(receiver)
        if start not in cls.__mro__:  # in a method of a metaclass
            cls = type(receiver)
        mro = cls.__mro__
        for base in mro[mro.index(start) + 1 :]:
            if name in vars(base):
                found = vars(base)[name]
                if isinstance(found, property) and found.fget is not None:
                    return self._property(receiver, found.fget, name)
                if isinstance(found, classmethod):
                    return BoundMethod(found.__func__, cls)
                if isinstance(found, staticmethod):
                    return found.__func__
                if callable(found):
                    return BoundMethod(found, receiver)
                return found
        if default is not MISSING:
            return default
        self.raise_static(AttributeError(f"'super' object has no attribute '{name}'"))

    def set_attribute(self, obj: Any, name: str, value: Any, *, plain: bool = False) -> None:
        """Run `obj.name = value`, in the store."""
        obj = self.narrow(obj)
        if isinstance(obj, Choice):
            self.choices.apply(obj, lambda v: self.set_attribute(v, name, value))
            return
        if isinstance(obj, chainer.Variable) and name in ("array", "data"):
            self.store.set(obj, "array", value)
            return
        if isinstance(obj, Symbolic):
            if isinstance(obj, Var) and name in ("name", "grad", "layout"):
                if value is not None:
                    self.touch_fact(name, written=True)
                return
            self.refuse(f"assignment to `{name}` of {self.type_of(obj).__name__} is not supported")
        if isinstance(obj, np.ndarray) and type(obj) is np.ndarray:
            self.refuse(f"assignment to `{name}` of ndarray is not supported")
        if name == "__dict__":
            self.set_instance_dict(obj, value)
            return
        for base in type(obj).__mro__:
            found = vars(base).get(name)
            if isinstance(found, property):
                if found.fset is None:
                    self.raise_static(AttributeError(f"can't set attribute '{name}'"))
                self.call(found.fset, [obj, value], {})
                return
            setter = self._descriptor(found, "__set__")
            if setter is not None:
                self.call(setter, [found, obj, value], {})
                return
        if not plain:
            method = self.special(obj, "__setattr__")
            if method is not None and self.has_source(method):
                self.call(method, [obj, name, value], {})
                return
        if self.is_own_dict(obj):
            self.container_set(obj, name, value)
            return
        if not isinstance(obj, (type, types.ModuleType, *STANDINS)) and not _holds(obj, name):
            kind = self.class_of(obj).__name__
            self.raise_static(AttributeError(f"'{kind}' object has no attribute '{name}'"))
        if not isinstance(obj, (type, types.ModuleType)):
            self._note_order(obj, name)
        self.store.set(obj, name, value)

    def _note_order(self, obj: Any, name: str) -> None:
        """Note where an attribute may come at another place among others than in the store."""
        slots = self.store.slots(obj)
        if name in slots:
            held = self.narrow(self.store.get(obj, name))
            absent = isinstance(held, Choice) and any(a is UNSET for a in held.alternatives)
            mixed = (absent or held is UNSET) and slots[-1] != name
        else:
            made = name in getattr(obj, "__dict__", {}) and not self.store.was_born(obj)
            scopes = self.scopes()
            mixed = not made and bool(scopes) and not self.store.is_fresh(obj, scopes[-1][0])
        if mixed:
            self.mixed.add(type(obj))

    def delete_attribute(self, obj: Any, name: str, *, plain: bool = False) -> None:
        """Run `del obj.name`; with `plain`, past a `__delattr__` of the class."""
        obj = self.narrow(obj)
        if isinstance(obj, Choice):
            self.choices.apply(obj, lambda v: self.delete_attribute(v, name))
            return
        method = self.special(obj, "__delattr__")
        if not plain and method is not None and self.has_source(method):
            self.call(method, [obj, name], {})
            return
        found = MISSING if isinstance(obj, (Symbolic, type)) else self.special(obj, name)
        if isinstance(found, property):
            if found.fdel is None:
                self.raise_static(AttributeError(f"can't delete attribute '{name}'"))
            self.call(found.fdel, [obj], {})
            return
        deleter = None if found is None else self._descriptor(found, "__delete__")
        if deleter is not None:
            self.call(deleter, [found, obj], {})
            return
        if self.is_own_dict(obj) and self.own_item(obj, name) is not MISSING:
            self.container_delete(obj, name)
            return
        held = self.store.get(obj, name)
        if held is MISSING:
            slot = isinstance(found, types.MemberDescriptorType) and hasattr(obj, name)
            if not slot and name not in getattr(obj, "__dict__", {}):
                self.raise_static(AttributeError(name))
        else:
            self.undefined(held, f"attribute `{name}`", AttributeError)
        self.store.set(obj, name, UNSET)
