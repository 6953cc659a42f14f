"""Where Python looks an attribute up: data descriptors, the object, its class, `__getattr__`."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import chainer
import numpy as np
from chainer.configuration import LocalConfig

from elichika.errors import meant
from elichika.program import native_code as natives
from elichika.program.effects import only_looks
from elichika.registry import lowering_of
from elichika.state.homes import home
from elichika.state.store import MISSING
from elichika.values import python_words
from elichika.values.functions import BoundMethod, Closure
from elichika.values.kinds import has_space
from elichika.values.symbolic import UNSET, Choice, Symbolic
from elichika.walker.jumps import Jumps
from elichika.walker.locations import own_attribute
from elichika.walker.native.held import require_followed
from elichika.walker.objects.extensions import Extensions
from elichika.walker.walk import Walk

#: What is known of a class attribute: its value, and whether the program set it.
Use = Callable[[Any, bool], Any]


def _is_own_part(obj: Any, name: str) -> bool:
    """Tell whether an attribute of the configuration is none of its entries."""
    return isinstance(obj, LocalConfig) and (name in vars(obj) or hasattr(LocalConfig, name))


#: Special names of classes that are None without a meaning of their own for who asks here.
MAY_BE_NONE = {"__hash__", "__array_ufunc__", "__doc__", "__slots__"}
#: What a rule does not say of itself its optimizer says, which the program may have changed.
HYPERPARAMETER = chainer.optimizer.Hyperparameter.__getattr__


class Reading(NamedTuple):
    """A reading of an attribute.

    Attributes:
        of: What is asked: an object, a class, a `super`.
        name: The name of the attribute.
        default: What it is where there is none; `MISSING` where that is an error.
        falls_back: Whether `__getattr__` is asked for what is nowhere.
    """

    of: Any
    name: str
    default: Any = MISSING
    falls_back: bool = True


class Lookups:
    """The part of the walker that looks attributes up."""

    def __init__(self, w: Walk, extensions: Extensions, jumps: Jumps) -> None:
        self.w = w
        self.extensions = extensions
        self.jumps = jumps

    def require_no_bar(self, cls: type, name: str) -> None:
        """Refuse a special method that a class sets to None: what asks it fails."""
        if name not in MAY_BE_NONE and name.startswith("__"):
            self.w.refuse(
                f"`{name}` of {cls.__name__} is None, which keeps Python from going on to others",
                "leave the method out",
            )

    def lookup(self, obj: Any, name: str, default: Any) -> Any:
        """Look an attribute up as Python does; `default`, if it is given, where there is none."""
        if name == "__dict__" and self._has_space(obj) and self.asked_of(obj) is None:
            return self.w.space_of(obj)
        if isinstance(obj, super):
            return self._of_super(obj, name, default)
        if isinstance(obj, type):
            return self._of_class(obj, name, default)
        if home(obj) is not obj and not _is_own_part(obj, name):
            return self._of_space(obj, name, default)
        asked = self.asked_of(obj)
        if asked is not None:
            reading = Reading(obj, name, default)
            return self._asked(reading, lambda: self.w.call(asked, [obj, name], {}))
        return self._of_object(Reading(obj, name, default))

    def lookup_plain(self, obj: Any, name: str) -> Any:
        """Look an attribute up as `object` does, past the `__getattribute__` of the class."""
        if name == "__dict__" and self._has_space(obj):
            return self.w.space_of(obj)
        if name == "__class__":
            return self.w.class_of(obj)
        return self._of_object(Reading(obj, name, falls_back=False))

    def _has_space(self, obj: Any) -> bool:
        return not isinstance(obj, Symbolic) and has_space(obj)

    def asked_of(self, obj: Any) -> types.FunctionType | None:
        """Return the `__getattribute__` of the program that answers for an object, if one does.

        Python itself asks it, and so does what looks at objects while compiling.
        """
        asked: Any = getattr(self.w.type_of(obj), "__getattribute__", None)
        if type(asked) is not types.FunctionType or not self.w.has_source(asked):
            return None
        if not only_looks(asked):
            self.w.refuse(
                f"the `__getattribute__` of {self.w.type_of(obj).__name__} may change something: "
                "Python calls it wherever it looks at the object",
                "give the class properties, or a `__getattr__`",
            )
        return asked

    def _from_classes(self, mro: tuple[type, ...], name: str, use: Use) -> Any:
        """Return what `use` makes of the attribute of the first class that has one, or `MISSING`.

        Where it depends on the run whether a class has it, or which method it has, both are done.
        """
        for number, base in enumerate(mro):
            held = self.w.given(base, name) if self.w.store.is_touched(base) else MISSING
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

    # -- by Python's rule ---------------------------------------------------------------------

    def _of_object(self, reading: Reading) -> Any:
        mro = self.w.type_of(reading.of).__mro__
        return self._from_classes(mro, reading.name, partial(self._by_rule, reading))

    def _by_rule(self, reading: Reading, attribute: Any, by_program: bool) -> Any:
        """Return an attribute of an object, given what its class has.

        A data descriptor of the class comes first, then what the object itself holds, then what
        else the class has, then `__getattr__`.
        """
        obj, name = reading.of, reading.name
        after = partial(self._after_own, reading, attribute, by_program)
        if isinstance(obj, Symbolic) or self._comes_first(attribute):
            return after(False)
        held = self._kept(obj, name)
        if held is MISSING:
            if not self.w.store.was_born(obj) and own_attribute(obj, name) is not MISSING:
                return self.native_attribute(reading)
            return after(True)
        what = f"attribute `{name}`"
        if attribute is MISSING and reading.default is MISSING and not self._answers(reading):
            if held is UNSET:
                return self._missing(reading)
            said = python_words.no_attribute(self.w.class_of(obj), name)
            return self.w.undefined(held, what, AttributeError, said)
        return self.w.or_else(held, partial(after, False), what)

    def _kept(self, obj: Any, name: str) -> Any:
        """Return what the program left an object by a name, or `MISSING` if nothing."""
        if self.extensions.is_own_dict(obj):
            return self.w.narrow(self.w.items_of(obj).get(name, MISSING))
        return self.w.given(obj, name)

    def _comes_first(self, attribute: Any) -> bool:
        """Tell whether what a class of the program has cannot be hidden by the object."""
        if isinstance(attribute, property):
            return True
        getter = self.descriptor(attribute, "__get__")
        sets = (self.descriptor(attribute, name) for name in ("__set__", "__delete__"))
        return getter is not None and any(method is not None for method in sets)

    def _after_own(
        self, reading: Reading, attribute: Any, by_program: bool, untouched: bool
    ) -> Any:
        """Return what Python goes on to where the object itself holds nothing.

        Args:
            reading: What is read.
            attribute: What the class has, or `MISSING`.
            by_program: Whether the program gave it to the class.
            untouched: Whether the program left the object itself as it was in this respect.
        """
        obj = reading.of
        real = untouched and not isinstance(obj, Symbolic) and not self.w.store.was_born(obj)
        if attribute is not MISSING:
            real = real and not by_program
            return self._through(reading, attribute, obj, self.w.type_of(obj), real=real)
        lost = hasattr(type(obj), reading.name)  # the program deleted it from the class
        if real and not lost and not self._answers(reading):
            return self.native_attribute(reading)
        return self._missing(reading)

    def _through(
        self, reading: Reading, attribute: Any, obj: Any, cls: type, *, real: bool = False
    ) -> Any:
        """Return what an attribute of a class becomes by being read.

        Args:
            reading: What is read.
            attribute: What the class has.
            obj: What it is read through: an object, or None for the class itself.
            cls: The class of the object.
            real: Whether Python may be asked, since the program changed nothing.
        """
        if isinstance(attribute, (classmethod, staticmethod)):
            bound = isinstance(attribute, classmethod)
            return BoundMethod(attribute.__func__, cls) if bound else attribute.__func__
        getter = self.descriptor(attribute, "__get__")
        if getter is not None:
            args = [attribute, obj, cls]
            return self._asked(reading, lambda: self.w.call(getter, args, {}))
        if not _binds(attribute) or (obj is None and isinstance(attribute, Closure)):
            return attribute
        if obj is None:
            return attribute.__get__(None, cls)
        if isinstance(attribute, property):
            return self._property(reading, obj, attribute.fget)
        if isinstance(attribute, functools.cached_property):
            return self._cached(reading, obj, attribute)
        if isinstance(attribute, types.MemberDescriptorType):  # of `__slots__`
            held = self.w.own(obj, attribute.__name__)
            return self.w.or_else(held, lambda: self._missing(reading), f"`{reading.name}`")
        built_in = isinstance(obj, (Symbolic, list, dict, set, str, tuple)) or not real
        if isinstance(attribute, (types.FunctionType, Closure)) or (
            built_in and callable(attribute)  # not a field of a named tuple, or `value` of an Enum
        ):
            return BoundMethod(attribute, obj)
        if real:
            return self.native_attribute(reading)
        return attribute.__get__(obj, cls)

    def descriptor(self, attribute: Any, name: str) -> Any:
        """Return a method by which a class of the program takes part in attribute access."""
        if attribute is MISSING or isinstance(attribute, (types.FunctionType, Symbolic, Closure)):
            return None
        method = self.w.special(attribute, name)
        return method if method is not None and self.w.has_source(method) else None

    def _cached(self, reading: Reading, obj: Any, attribute: Any) -> Any:
        """Return a cached property, computed once and kept by the name that the class knows."""
        name = attribute.attrname

        def computed() -> Any:
            value = self._asked(reading, lambda: self.w.call(attribute.func, [obj], {}))
            self.w.store.set(obj, name, value)
            return value

        return self.w.or_else(self.w.own(obj, name), computed, name)

    def _property(self, reading: Reading, obj: Any, getter: Any) -> Any:
        if getter is None:
            return self._missing(reading)
        if self.w.has_source(getter):
            return self._asked(reading, lambda: self.w.call(getter, [obj], {}))
        if self.w.is_symbolic(obj):
            if isinstance(obj, tuple):
                return getter(obj)  # a field of a named tuple
            self.w.refuse(f"attribute `{reading.name}` is not supported here")
        return self._asked(reading, lambda: self.w.native(getter, [obj], {}))

    # -- where there is none ------------------------------------------------------------------

    def _answers(self, reading: Reading) -> bool:
        """Tell whether a class of the program says what an attribute is that is not there."""
        method: Any = self.w.special(reading.of, "__getattr__") if reading.falls_back else None
        if method is HYPERPARAMETER:
            return True
        walked = type(method) is types.FunctionType and lowering_of(method) is None
        return self.w.has_source(method) and not (walked and natives.is_foreign(method))

    def _asked(self, reading: Reading, ask: Callable[[], Any]) -> Any:
        """Return what a descriptor answers; Python goes on where that is an AttributeError."""
        if reading.default is MISSING and not self._answers(reading):
            return ask()
        return self._unless_absent(ask, lambda: self._missing(reading))

    def _unless_absent(self, ask: Callable[[], Any], absent: Callable[[], Any]) -> Any:
        """Return what `ask` gives; where it raises AttributeError, what `absent` gives."""
        return self.jumps.catching((AttributeError,), ask, lambda error: absent())

    def _missing(self, reading: Reading) -> Any:
        """Return what Python gives for an attribute that is nowhere."""
        obj, name, default, falls_back = reading
        method = self.w.special(obj, "__getattr__") if falls_back else None
        if method is not None and self.w.has_source(method):

            def answer() -> Any:
                return self.w.call(method, [obj, name], {})

            return answer() if default is MISSING else self._unless_absent(answer, lambda: default)
        if default is not MISSING:
            return default
        kind = self.w.class_of(obj).__name__
        names = {*dir(self.w.class_of(obj)), *getattr(obj, "__dict__", ())}
        near = meant(name, (known for known in names if known[0] != "_"))
        self.w.raise_static(AttributeError(f"'{kind}' object has no attribute '{name}'"), near)

    def native_attribute(self, reading: Reading) -> Any:
        """Return an attribute of a real object that the program did not change."""
        obj, name, default, _ = reading
        if isinstance(obj, chainer.Variable) and name in ("array", "data"):
            return self.w.variable_array(obj)
        require_followed(self.w, obj)
        try:
            asked = object.__getattribute__ if self.asked_of(obj) else getattr
            value = asked(obj, name)
        except AttributeError as error:
            if default is not MISSING:
                return default
            self.w.raise_static(error)
        except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
            self.w.raise_static(error)
        if not isinstance(value, BaseException):
            return value
        if self.w.store.was_born(value):
            self.w.refuse(f"`{name}` of this exception is not compiled")
        return self.jumps.told(value)

    # -- of classes, modules and the configuration ------------------------------------------------

    def _of_space(self, obj: Any, name: str, default: Any) -> Any:
        """Return a name of a module, or an entry of the configuration."""
        space = home(obj)
        held = self.w.given(space, name)
        if held is MISSING and (name in space or isinstance(obj, types.ModuleType)):
            return self.native_attribute(Reading(obj, name, default))

        def absent() -> Any:
            if isinstance(obj, types.ModuleType) and "__getattr__" in space:
                return self.w.call(space["__getattr__"], [name], {})
            if isinstance(obj, LocalConfig):
                return self.w.get_attribute(vars(obj)["_global"], name, default)
            return self._missing(Reading(obj, name, default))

        return absent() if held is MISSING else self.w.or_else(held, absent, f"`{name}`")

    def _of_class(self, cls: type, name: str, default: Any) -> Any:
        """Return an attribute of a class, by the same rule: its bases hold what it has itself."""
        reading = Reading(cls, name, default)
        changed = any(self.w.given(base, name) is not MISSING for base in cls.__mro__)

        def use(meta: Any, attribute: Any, by_program: bool) -> Any:
            if attribute is not MISSING:
                walked = changed or self.descriptor(attribute, "__get__") is not None
                if not walked:
                    return self.native_attribute(reading)
                return self._through(reading, attribute, None, cls)
            if meta is not MISSING:
                return self._through(reading, meta, cls, type(cls), real=True)
            if changed or self._answers(reading):
                return self._missing(reading)
            return self.native_attribute(reading)

        def with_meta(meta: Any, by_program: bool) -> Any:
            if self._comes_first(meta):
                return self._through(reading, meta, cls, type(cls))
            return self._from_classes(cls.__mro__, name, partial(use, meta))

        return self._from_classes(self.w.type_of(cls).__mro__, name, with_meta)

    def _of_super(self, obj: Any, name: str, default: Any) -> Any:
        """Return an attribute through `super`: what the classes after one have."""
        reading, receiver, cls = Reading(obj, name, default), obj.__self__, obj.__self_class__
        mro = cls.__mro__

        def use(found: Any, by_program: bool) -> Any:
            if found is not MISSING:
                return self._through(reading, found, None if receiver is cls else receiver, cls)
            held = own_attribute(obj, name)
            return self._missing(reading) if held is MISSING else held

        return self._from_classes(mro[mro.index(obj.__thisclass__) + 1 :], name, use)


def _binds(attribute: Any) -> bool:
    """Tell whether an attribute of a class becomes another thing where it is read.

    What is not set becomes what comes next.
    """
    if attribute is UNSET or isinstance(attribute, Closure):
        return True
    return not isinstance(attribute, (Symbolic, np.ndarray)) and hasattr(attribute, "__get__")
