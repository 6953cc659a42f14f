"""Where Python looks an attribute up: data descriptors, the object, its class, `__getattr__`."""

from __future__ import annotations

import functools
import threading
import types
from collections.abc import Callable
from functools import partial
from typing import Any

import chainer
import numpy as np
from chainer.configuration import LocalConfig

from elichika.program import native_code as natives
from elichika.program.raised import Raised
from elichika.registry import lowering_of
from elichika.state.store import MISSING
from elichika.values.functions import BoundMethod, Closure
from elichika.values.symbolic import UNSET, Choice, Conflict, Symbolic
from elichika.walker.arrays import Arrays
from elichika.walker.checks import Checks
from elichika.walker.locations import own_attribute
from elichika.walker.objects.extensions import Extensions
from elichika.walker.walk import Walk

#: What a Parameter has only once it is initialized, and what initializes it.
CONTENTS = {"array", "data", "_data", "initialize", "shape", "dtype", "ndim", "size", "T"}

#: What is known of a class attribute: its value, and whether the program set it.
Use = Callable[[Any, bool], Any]


def home(obj: Any) -> Any:
    """Return what owns the attributes of an object in the store.

    A module's are the names that its functions see as globals; those of the configuration are
    entries of the present thread.
    """
    if isinstance(obj, types.ModuleType):
        return vars(obj)
    if isinstance(obj, LocalConfig):
        return vars(obj)["_local"].__dict__
    return obj.__dict__ if type(obj) is threading.local else obj


def _is_own_part(obj: Any, name: str) -> bool:
    """Tell whether an attribute of the configuration is none of its entries."""
    return isinstance(obj, LocalConfig) and (name in vars(obj) or hasattr(LocalConfig, name))


class Lookups:
    """The part of the walker that looks attributes up."""

    def __init__(self, w: Walk, arrays: Arrays, extensions: Extensions, checks: Checks) -> None:
        self.w = w
        self.arrays = arrays
        self.extensions = extensions
        self.checks = checks

    def lookup(self, obj: Any, name: str, default: Any) -> Any:
        """Look an attribute up as Python does; `default`, if it is given, where there is none."""
        if isinstance(obj, chainer.Parameter) and name in CONTENTS:
            self.arrays.require_initialized(obj)
        if isinstance(obj, chainer.Variable) and name in ("array", "data", "_data"):
            held = self.w.given(obj, "array")
            if held is not MISSING:  # the program gave it another array
                return held if name != "_data" else self.w.new_list([held])
        if isinstance(obj, super):
            return self._super_attribute(obj, name, default)
        if isinstance(obj, type):
            return self._of_class(obj, name, default)
        if home(obj) is not obj and not _is_own_part(obj, name):
            return self._of_space(obj, name, default)
        asked: Any = getattr(self.w.type_of(obj), "__getattribute__", None)
        if isinstance(asked, types.FunctionType) and self.w.has_source(asked):
            return self._asked(obj, name, default, lambda: self.w.call(asked, [obj, name], {}))
        return self.lookup_plain(obj, name, default)

    def lookup_plain(self, obj: Any, name: str, default: Any) -> Any:
        """Look an attribute of an object up, past the `__getattribute__` of its class."""
        mro = self.w.type_of(obj).__mro__
        return self._from_classes(mro, name, partial(self._of_object, obj, name, default))

    def _from_classes(self, mro: tuple[type, ...], name: str, use: Use) -> Any:
        """Return what `use` makes of the attribute of the first class that has one, or `MISSING`.

        Where it depends on the run whether a class has it, or which method it has, both are done.
        """
        for number, base in enumerate(mro):
            held = self.w.given(base, name)
            if held is MISSING and name in vars(base):
                return use(vars(base)[name], False)
            if held is MISSING or held is UNSET:
                continue
            if isinstance(held, Choice) and any(map(_binds, held.alternatives)):
                one_of = partial(self._from_one, mro[number + 1 :], name, use)
                return self.w.choices.apply(held, one_of)
            return use(self.w.undefined(held, f"attribute `{name}`", AttributeError), True)
        return use(MISSING, False)

    def _from_one(self, rest: tuple[type, ...], name: str, use: Use, held: Any) -> Any:
        """Return what comes of an attribute of a class, or of the classes after where it is not."""
        return self._from_classes(rest, name, use) if held is UNSET else use(held, True)

    # -- of an object -------------------------------------------------------------------------

    def _of_object(
        self, obj: Any, name: str, default: Any, attribute: Any, by_program: bool
    ) -> Any:
        """Return an attribute of an object, given what its class has."""
        found = self._of_data_descriptor(obj, name, default, attribute)
        if found is not MISSING:
            return found
        after = partial(self._after_own, obj, name, default, attribute, by_program)
        if isinstance(obj, Symbolic):
            return after(True)
        if isinstance(attribute, functools.cached_property):
            return self.w.or_else(
                self.w.own(obj, name), partial(self._cached, obj, attribute), name
            )
        held = self._kept(obj, name)
        if held is MISSING:
            return after(True)
        what = f"attribute `{name}`"
        if attribute is MISSING and default is MISSING and not self._answers(obj):
            if held is UNSET:
                return self._missing(obj, name, default)
            return self.w.undefined(held, what, AttributeError)
        return self.w.or_else(held, partial(after, False), what)

    def _kept(self, obj: Any, name: str) -> Any:
        """Return what the program left an object by a name, or `MISSING` if nothing."""
        if self.extensions.is_own_dict(obj):
            return self.w.narrow(self.w.items_of(obj).get(name, MISSING))
        return self.w.given(obj, name)

    def _of_data_descriptor(self, obj: Any, name: str, default: Any, attribute: Any) -> Any:
        """Return what a property or data descriptor answers before the object is asked."""
        if isinstance(attribute, property):
            if attribute.fget is None:
                return self._missing(obj, name, default)
            getter = attribute.fget
            return self._asked(obj, name, default, lambda: self._property(obj, getter, name))
        if self.descriptor(attribute, "__set__") is None:
            return MISSING
        getter = self.descriptor(attribute, "__get__")
        if getter is None:
            return MISSING
        return self._described(obj, name, default, attribute, getter)

    def _described(self, obj: Any, name: str, default: Any, attribute: Any, getter: Any) -> Any:
        args = [attribute, obj, self.w.type_of(obj)]
        return self._asked(obj, name, default, lambda: self.w.call(getter, args, {}))

    def _after_own(
        self, obj: Any, name: str, default: Any, attribute: Any, by_program: bool, untouched: bool
    ) -> Any:
        """Return what Python goes on to where the program gave the object itself no attribute.

        Args:
            obj: The object.
            name: The name of the attribute.
            default: What it is where there is none.
            attribute: What the class has, or `MISSING`.
            by_program: Whether the program gave it to the class.
            untouched: Whether a real object still has what it had before the walk.
        """
        real = untouched and not isinstance(obj, Symbolic) and not self.w.store.was_born(obj)
        if real and own_attribute(obj, name) is not MISSING:
            return self.native_attribute(obj, name, default)
        found = self._bound(obj, name, default, attribute)
        if found is not MISSING:
            return found
        if attribute is MISSING:
            lost = hasattr(type(obj), name)  # the program deleted it from the class
            if real and not lost and not self._answers(obj):
                return self.native_attribute(obj, name, default)
            return self._missing(obj, name, default)
        if by_program or isinstance(obj, Symbolic) or isinstance(attribute, Symbolic):
            return attribute
        if isinstance(attribute, types.MemberDescriptorType) and not real:
            return self._missing(obj, name, default)
        if untouched:
            return self.native_attribute(obj, name, default)
        getter = getattr(type(attribute), "__get__", None)
        return attribute if getter is None else getter(attribute, obj, type(obj))

    def _bound(self, obj: Any, name: str, default: Any, attribute: Any) -> Any:
        """Return what an attribute of the class becomes by being read through an object."""
        if isinstance(attribute, (types.FunctionType, Closure)):
            return BoundMethod(attribute, obj)
        if isinstance(attribute, classmethod):
            return BoundMethod(attribute.__func__, self.w.type_of(obj))
        if isinstance(attribute, staticmethod):
            return attribute.__func__
        if attribute is MISSING:
            return MISSING
        getter = self.descriptor(attribute, "__get__")
        if getter is not None:
            return self._described(obj, name, default, attribute, getter)
        if isinstance(obj, Symbolic):
            return BoundMethod(attribute, obj) if _binds(attribute) else MISSING
        if (
            isinstance(obj, (list, dict, set, str, tuple))
            and _binds(attribute)
            and callable(attribute)  # not a field of a named tuple, or `value` of an Enum
        ):
            return BoundMethod(attribute, obj)
        return MISSING

    def descriptor(self, attribute: Any, name: str) -> Any:
        """Return a method by which a class of the program takes part in attribute access."""
        if attribute is MISSING or isinstance(attribute, (types.FunctionType, Symbolic, Closure)):
            return None
        method = self.w.special(attribute, name)
        return method if method is not None and self.w.has_source(method) else None

    def _cached(self, obj: Any, attribute: functools.cached_property[Any]) -> Any:
        """Compute a cached property, and keep it under the name that the class knows it by."""
        value = self.w.call(attribute.func, [obj], {})
        assert attribute.attrname is not None
        self.w.store.set(obj, attribute.attrname, value)
        return value

    def _property(self, obj: Any, getter: Callable[[Any], Any], name: str) -> Any:
        if self.w.has_source(getter):
            return self.w.call(getter, [obj], {})
        if isinstance(obj, Symbolic) or self.w.is_symbolic(obj):
            if isinstance(obj, tuple):
                return getter(obj)  # a field of a named tuple
            self.w.refuse(f"attribute `{name}` is not supported here")
        return self.w.native(getter, [obj], {})

    # -- where there is none ------------------------------------------------------------------

    def _answers(self, obj: Any) -> bool:
        """Tell whether a class of the program says what an attribute is that is not there."""
        method = self.w.special(obj, "__getattr__")
        if lowering_of(method) is not None or isinstance(method, Closure):
            return True
        if not isinstance(method, types.FunctionType) or natives.is_foreign(method):
            return False
        return self.w.has_source(method)

    def _asked(self, obj: Any, name: str, default: Any, ask: Callable[[], Any]) -> Any:
        """Return what a descriptor answers; Python goes on where that is an AttributeError."""
        if default is MISSING and not self._answers(obj):
            return ask()
        return self.unless_absent(ask, lambda: self._missing(obj, name, default))

    def unless_absent(self, ask: Callable[[], Any], absent: Callable[[], Any]) -> Any:
        """Return what `ask` gives; where it raises AttributeError, what `absent` gives."""
        try:
            with self.checks.catching((AttributeError,)):
                return ask()
        except Raised as raised:
            if not isinstance(raised.error, AttributeError):
                raise
        return absent()

    def _missing(self, obj: Any, name: str, default: Any) -> Any:
        """Return what Python gives for an attribute that is nowhere."""
        method = self.w.special(obj, "__getattr__")
        if method is not None and self.w.has_source(method):

            def answer() -> Any:
                return self.w.call(method, [obj, name], {})

            return answer() if default is MISSING else self.unless_absent(answer, lambda: default)
        if default is not MISSING:
            return default
        kind = self.w.class_of(obj).__name__
        self.w.raise_static(AttributeError(f"'{kind}' object has no attribute '{name}'"))

    def native_attribute(self, obj: Any, name: str, default: Any) -> Any:
        """Return an attribute of a real object that the program did not change."""
        if obj is UNSET or isinstance(obj, Conflict):
            self.w.undefined(obj, "what this is an attribute of", UnboundLocalError)
        if isinstance(obj, chainer.Variable) and name in ("array", "data"):
            return self.w.variable_array(obj)
        try:
            return getattr(obj, name)
        except AttributeError as error:
            if default is not MISSING:
                return default
            self.w.raise_static(error)

    # -- of classes, modules and the configuration ------------------------------------------------

    def _of_space(self, obj: Any, name: str, default: Any) -> Any:
        """Return a name of a module, or an entry of the configuration."""
        space = home(obj)
        held = self.w.given(space, name)
        if held is MISSING and (name in space or isinstance(obj, types.ModuleType)):
            return self.native_attribute(obj, name, default)

        def absent() -> Any:
            if isinstance(obj, types.ModuleType) and "__getattr__" in space:
                return self.w.call(space["__getattr__"], [name], {})
            if isinstance(obj, LocalConfig):
                return self.w.get_attribute(vars(obj)["_global"], name, default)
            return self._missing(obj, name, default)

        return absent() if held is MISSING else self.w.or_else(held, absent, f"`{name}`")

    def _of_class(self, cls: type, name: str, default: Any) -> Any:
        """Return an attribute of a class: of the class or its bases, then of its metaclass."""
        changed = any(self.w.given(base, name) is not MISSING for base in cls.__mro__)
        metaclass = self.w.special(cls, name)
        if not changed and not (metaclass is None and self._answers_for(cls, name)):
            return self.native_attribute(cls, name, default)

        def use(attribute: Any, by_program: bool) -> Any:
            if attribute is not MISSING:
                return self._read_through(cls, attribute)
            if metaclass is not None:
                return self.native_attribute(cls, name, default)
            return self._missing(cls, name, default)

        return self._from_classes(cls.__mro__, name, use)

    def _answers_for(self, cls: type, name: str) -> bool:
        """Tell whether a metaclass of the program says what an attribute is that is not there."""
        return not any(name in vars(base) for base in cls.__mro__) and self._answers(cls)

    def _read_through(self, cls: type, attribute: Any) -> Any:
        """Return what an attribute becomes by being read through its class."""
        if isinstance(attribute, classmethod):
            return BoundMethod(attribute.__func__, cls)
        if isinstance(attribute, staticmethod):
            return attribute.__func__
        getter = self.descriptor(attribute, "__get__")
        if getter is not None:
            return self.w.call(getter, [attribute, None, cls], {})
        if isinstance(attribute, (Closure, Symbolic)) or not _binds(attribute):
            return attribute
        return attribute.__get__(None, cls)

    def _super_attribute(self, obj: Any, name: str, default: Any) -> Any:
        receiver, start = obj.__self__, obj.__thisclass__
        cls = receiver if isinstance(receiver, type) else type(receiver)
        if start not in cls.__mro__:  # in a method of a metaclass
            cls = type(receiver)
        mro = cls.__mro__

        def use(found: Any, by_program: bool) -> Any:
            if found is MISSING:
                if default is not MISSING:
                    return default
                text = f"'super' object has no attribute '{name}'"
                self.w.raise_static(AttributeError(text))
            return self._through_super(receiver, cls, name, found)

        return self._from_classes(mro[mro.index(start) + 1 :], name, use)

    def _through_super(self, receiver: Any, cls: type, name: str, found: Any) -> Any:
        if isinstance(found, property) and found.fget is not None:
            return self._property(receiver, found.fget, name)
        if isinstance(found, classmethod):
            return BoundMethod(found.__func__, cls)
        if isinstance(found, staticmethod):
            return found.__func__
        getter = self.descriptor(found, "__get__")
        if getter is not None:
            return self.w.call(getter, [found, receiver, cls], {})
        if isinstance(found, Closure) or (callable(found) and _binds(found)):
            return BoundMethod(found, receiver)
        return found


def _binds(attribute: Any) -> bool:
    """Tell whether an attribute of a class becomes another thing where it is read.

    What is not set becomes what comes next.
    """
    if attribute is UNSET or isinstance(attribute, Closure):
        return True
    return not isinstance(attribute, (Symbolic, np.ndarray)) and hasattr(attribute, "__get__")
