"""Attribute access in Python's lookup order; the user's objects are read and never written."""

from __future__ import annotations

import collections
import functools
import types
from typing import Any, NoReturn

import chainer
import numpy as np

from elichika.errors import led_by
from elichika.idioms.buffers import Buffer
from elichika.idioms.queues import Deque
from elichika.idioms.resuming import Resumable
from elichika.iterators.base import InstanceDict
from elichika.lowerings.numpy import ndarray
from elichika.state.homes import home
from elichika.state.store import MISSING
from elichika.values.functions import GeneratorCall, is_private
from elichika.values.kinds import OneOfSeveral
from elichika.values.symbolic import UNSET, Choice, Symbolic, Text, Var, may_be_unset
from elichika.values.tape import Listed
from elichika.walker.arrays import Arrays
from elichika.walker.containers.iterator_types import attribute_of, type_of_iterable
from elichika.walker.kinds import builtin_kind, is_disguised, kind_of
from elichika.walker.locations import Locations, own_space
from elichika.walker.objects.extensions import Extensions
from elichika.walker.objects.lookups import Lookups, Reading
from elichika.walker.resuming import Resuming
from elichika.walker.walk import Walk

#: What a symbolic Variable answers without looking at its class.
VARIABLE_FACTS: dict[str, Any] = {
    "grad": None,
    "grad_var": None,
    "name": None,
    "layout": None,
    "_layout": None,
    "loss_scale": None,
    "_has_chainerx_array": False,
}
#: What a Variable answers that no function made.
LEAF_FACTS: dict[str, Any] = {"creator": None, "creator_node": None, "rank": 0}
#: Types of Python whose own attributes are followed.
_KEPT_BY_THE_WALK = (types.FunctionType, BaseException, object)
#: What is asked of the tape.
OF_TAPE = {
    *("requires_grad", "_requires_grad", "node", "_node", "creator", "creator_node", "rank"),
    *("grad", "grad_var", "_grad", "_grad_var", "_loss_scale"),
}
#: What a Parameter has only once it is initialized, and what initializes it.
CONTENTS = {"array", "data", "_data", "initialize", "shape", "dtype", "ndim", "size", "T"}
#: What is not followed: Chainer's own bookkeeping.
UNFOLLOWED = {
    *("requires_grad", *LEAF_FACTS),
    *vars(chainer.Variable(np.zeros(()))),
} - {"_data", "_layout"}

#: Special names of a class that Python does not look at.
PLAIN_NAMES = {"__doc__", "__module__", "__annotations__"}
#: The flag of a class that takes no attributes: Py_TPFLAGS_IMMUTABLETYPE.
IMMUTABLE = 1 << 8

#: What Python itself looks at: assigning it makes an object or a function another one.
PARTS = {
    *("__class__", "__code__", "__defaults__", "__kwdefaults__", "__closure__", "__globals__"),
    *("__name__", "__qualname__"),
}

#: What is walked as an idiom, and the class that the program is told.
STANDS_FOR: dict[type, type] = {
    Deque: collections.deque,
    Buffer: memoryview,
    Resumable: types.GeneratorType,
}
#: What goes on with a generator at the `yield` where it stands.
RESUMING = ("send", "throw", "close")


def _holds(cls: type, name: str) -> bool:
    """Tell whether objects of a class have room for an attribute."""
    spaces = [vars(base) for base in cls.__mro__]
    held = next((space[name] for space in spaces if name in space), None)
    is_slot = type(held) in (types.MemberDescriptorType, types.GetSetDescriptorType)
    return is_slot or any("__dict__" in space for space in spaces)


def _takes_part(attribute: Any) -> bool:
    """Tell whether a class attribute has a say in reads and writes of an object's."""
    return isinstance(attribute, functools.cached_property) or (
        not isinstance(attribute, Symbolic) and hasattr(type(attribute), "__set__")
    )


class Attributes:
    """The part of the walker that reads and writes attributes."""

    def __init__(
        self,
        w: Walk,
        arrays: Arrays,
        lookups: Lookups,
        extensions: Extensions,
        locations: Locations,
        resuming: Resuming,
    ) -> None:
        self.w = w
        self.resuming = resuming
        self.arrays = arrays
        self.lookups = lookups
        self.extensions = extensions
        self.locations = locations
        self._spaces_read: set[int] = set()
        self.facts_read: set[str] = set()
        self.facts_written: set[str] = set()

    def type_of(self, value: Any) -> type:
        """Return the Python type a value has in the program."""
        return kind_of(value).type_of(value)

    def class_of(self, value: Any) -> type:
        """Return the type that the program is told: of what is walked as an idiom, its own."""
        found = type_of_iterable(value) or self.type_of(value)
        if found is OneOfSeveral:
            self.w.refuse(*OneOfSeveral.REFUSAL)
        return STANDS_FOR.get(found, found)

    def special(self, value: Any, name: str) -> Any:
        """Look a special method up on the type, or return None."""
        if isinstance(value, Text):
            self.w.refuse(Text.MESSAGE)
        for cls in self.type_of(value).__mro__:
            if name in vars(cls):
                found = vars(cls)[name]
                if found is None:
                    self.lookups.require_no_bar(cls, name)
                return found.__func__ if isinstance(found, (staticmethod, classmethod)) else found
        return None

    def mangled(self, name: str) -> str:
        """Return a name with two leading underscores as its class sees it."""
        if not is_private(name):
            return name
        owner = self.w.frames[-1].class_name if self.w.frames else None
        return name if owner is None else f"_{owner.lstrip('_')}{name}"

    def get_attribute(self, obj: Any, name: str, default: Any = MISSING) -> Any:
        """Return `obj.name`; `default` if it is given and there is no such attribute."""
        obj = self.w.narrow(obj)
        if name == "__class__" and type(obj) is not Choice and not is_disguised(type(obj)):
            self.lookups.asked_of(obj)  # which is refused where a look changes something
            return self.class_of(obj)
        return kind_of(obj).attribute(self.w, obj, name, default)

    def array_attribute(self, obj: Any, name: str, default: Any) -> Any:
        """Return an attribute of an array or a number, as numpy has it."""
        if default is not MISSING and not hasattr(self.type_of(obj), name):
            return default
        with self.w.located():
            return ndarray.attribute(self.w, obj, name)

    def iterable_attribute(self, obj: Any, name: str, default: Any) -> Any:
        """Return an attribute of a range, an iterator or a view of a dict."""
        if type(obj) is GeneratorCall and name in RESUMING:
            self.resuming.resume(obj)
        return attribute_of(self.w, obj, self.class_of(obj), name, default)

    def known_variable_fact(self, obj: chainer.Variable, name: str) -> Any:
        """Return what a Variable known while compiling answers before its class, or `MISSING`."""
        if self.w.tape.is_kept and name in OF_TAPE:
            return self._of_tape(obj, name)
        if not isinstance(obj, chainer.Parameter):
            if name in ("requires_grad", *LEAF_FACTS):
                self.w.tape.ask()
        elif name in CONTENTS:
            self.arrays.require_initialized(obj)
        if name not in ("array", "data", "_data"):
            return MISSING
        held = self.w.given(obj, "array")  # the program gave it another array
        return self.w.new_list([held]) if name == "_data" and held is not MISSING else held

    def variable_fact(self, obj: Var, name: str) -> Any:
        """Return what a Variable answers without looking at its class, or `MISSING`."""
        if name in ("array", "data", "_data"):
            return obj.array if name != "_data" else self.w.new_list([obj.array])
        if name == "xp":
            return np
        if name == "device":
            return chainer.get_device("@numpy")
        if self.w.tape.is_kept and name in OF_TAPE:
            return self._of_tape(obj, name)
        if name in VARIABLE_FACTS:
            self.touch_fact(name)
            return VARIABLE_FACTS[name]
        if name in LEAF_FACTS and obj.leaf:
            return LEAF_FACTS[name]
        if name in UNFOLLOWED:
            self.w.tape.ask()
            self._refuse_part(name)
        return MISSING

    def _of_tape(self, obj: Any, name: str) -> Any:
        """Return what the tape has of a Variable."""
        tape = self.w.tape
        node = tape.node(obj)
        if name in ("node", "_node"):
            return node
        match name:
            case "grad_var" | "_grad_var":
                return tape.gradient_of_one(node, name)
            case "grad" | "_grad":
                gradient = self.w.narrow(tape.gradient_of_one(node, name))
                return self.w.choices.apply(gradient, self._array_of)
        tape.require_one(node, name)
        match name:
            case "requires_grad" | "_requires_grad":
                return node.requires_grad
            case "_loss_scale":
                return tape.loss_scale(node)
            case "rank":
                return node.rank
        made = tape.creator(node)
        if type(made) is Listed:
            self.w.refuse(
                f"`{name}` of a Variable that was made of a list of dynamic length is not compiled"
            )
        return None if made is None else made.function

    def _array_of(self, gradient: Any) -> Any:
        """Return the array of a gradient, None where there is none."""
        return None if gradient is None else self.get_attribute(gradient, "array")

    def _refuse_part(self, name: str) -> NoReturn:
        written = led_by(self.w.here())
        what = f"`{written}` uses `{name}` of a Variable, which" if written else ""
        self.w.refuse(
            f"{what or f'`{name}` of a Variable'} is Chainer's own: it is not compiled",
            "ask for the attribute without an underscore",
        )

    def space_of(self, obj: Any) -> Any:
        """Return the `__dict__` of an object; that of what the program changes is not followed."""
        if self.extensions.is_own_dict(obj):
            return obj
        owner = home(obj)
        if owner is obj and not isinstance(obj, type):
            if any(vars(base).get("__slots__") for base in type(obj).__mro__):
                self.w.refuse(
                    "the `__dict__` of an object that has `__slots__` too is not compiled"
                )
            return InstanceDict(obj)
        self._spaces_read.add(id(owner))
        if self.w.store.slots(owner):
            self._refuse_space()
        return self.lookups.native_attribute(Reading(obj, "__dict__"))

    def _refuse_space(self) -> NoReturn:
        self.w.refuse(
            "the `__dict__` of a class, a module or the configuration that the program changes "
            "is not compiled",
            "read the attribute itself",
        )

    def touch_fact(self, name: str, *, written: bool = False) -> None:
        """Note that a fact of some Variable is read or assigned; what is assigned is not followed.

        Raises:
            StagingError: The model does both.
        """
        (self.facts_written if written else self.facts_read).add(name)
        if name in self.facts_written & self.facts_read:
            if name in OF_TAPE:
                self.w.tape.ask()
            self.w.refuse(
                f"`{name}` of Variables is read and assigned; what is assigned is not kept",
                "keep it in a variable of your own",
            )

    def set_attribute(self, obj: Any, name: str, value: Any, *, plain: bool = False) -> None:
        """Run `obj.name = value` in the store, or `del obj.name` where the value is `UNSET`.

        With `plain`, a `__setattr__` or `__delattr__` of the class is not asked.
        """
        obj = self.w.narrow(obj)
        kind_of(obj).set_attribute(self.w, obj, name, value, plain=plain)

    def change_attribute(self, obj: Any, name: str, value: Any, *, plain: bool) -> None:
        """Set or delete an attribute: the class is asked, by its methods and data descriptors."""
        self._require_mutable(obj, name)
        given = [] if value is UNSET else [value]
        method = self.special(obj, "__setattr__" if given else "__delattr__")
        if (
            not plain
            and vars(object).get(method.__name__) is not method
            and self.w.has_source(method)
        ):
            self.w.call(method, [obj, name, *given], {})
        elif name == "__dict__":
            self.extensions.set_instance_dict(obj, value)
        elif not self._change_by_descriptor(obj, name, given):
            if given:
                self._set_in_object(obj, name, value)
            else:
                self._delete_in_object(obj, name)

    def _require_mutable(self, obj: Any, name: str) -> None:
        if type(obj) is type and obj.__flags__ & IMMUTABLE:
            home = "" if obj.__module__ == "builtins" else f"{obj.__module__}."
            text = f"cannot set '{name}' attribute of immutable type '{home}{obj.__name__}'"
            self.w.raise_static(TypeError(text))

    def _change_by_descriptor(self, obj: Any, name: str, given: list[Any]) -> bool:
        """Let a data descriptor of the class take a value or a deletion; tell whether one did."""
        mro = self.type_of(obj).__mro__
        found = next((vars(base)[name] for base in mro if name in vars(base)), MISSING)
        if isinstance(found, property):
            owners, changes = [obj], [found.fset, found.fdel]
        else:
            owners = [found, obj]
            changes = [self.lookups.descriptor(found, n) for n in ("__set__", "__delete__")]
            if changes == [None, None]:
                return False
        method = changes[0 if given else 1]
        if method is None:
            verb = "set" if given else "delete"
            self.w.raise_static(AttributeError(f"can't {verb} attribute '{name}'"))
        self.w.call(method, [*owners, *given], {})
        return True

    def _set_in_object(self, obj: Any, name: str, value: Any) -> None:
        if self.extensions.is_own_dict(obj):
            builtin_kind(obj).set_item(self.w, obj, name, value)
            return
        cls = type_of_iterable(obj) or self.type_of(obj)
        if home(obj) is obj and not _holds(cls, name):
            shown = f"'{self.class_of(obj).__name__}' object"
            is_there = any(name in vars(base) for base in cls.__mro__)
            said = f"attribute '{name}' is read-only" if is_there else f"has no attribute '{name}'"
            self.w.raise_static(AttributeError(f"{shown} {said}"))
        self.set_own(obj, name, value)

    def _delete_in_object(self, obj: Any, name: str) -> None:
        if self.extensions.is_own_dict(obj) and self.w.given_item(obj, name) is not UNSET:
            builtin_kind(obj).delete_item(self.w, obj, name)
            return
        owner = home(obj)
        held = self.w.own(owner, name) if owner is obj else self.w.held(owner, name)
        self.w.undefined(held, f"attribute `{name}`", AttributeError)
        self.set_own(obj, name, UNSET)

    def set_own(self, obj: Any, name: str, value: Any) -> None:
        """Give a location of an object, class, module or the configuration a value."""
        owner = home(obj)
        if name in PARTS and any(name in vars(base) for base in self.type_of(obj).__mro__):
            self.w.refuse(
                f"assignment of `{name}` is not compiled",
                "make another object, or another function",
            )
        if owner is obj and not isinstance(obj, type):
            self._require_plain(obj, name)
            self._note_order(obj, name)
        if isinstance(obj, type):
            self._require_followed(obj, name, value)
        if id(owner) in self._spaces_read:
            self._refuse_space()
        self.w.store.set(owner, name, value)

    def _require_plain(self, obj: Any, name: str) -> None:
        """Refuse an attribute by which code without Python source does something else as well."""
        held = (vars(base).get(name) for base in self.type_of(obj).__mro__)
        found = next((one for one in held if type(one) is types.GetSetDescriptorType), None)
        if found is not None and found.__objclass__ not in _KEPT_BY_THE_WALK:
            self.w.refuse(f"assignment to `{name}` of {type(obj).__name__} is not supported")

    def _require_followed(self, cls: type, name: str, value: Any) -> None:
        """Refuse class attributes that Python itself looks at, and not only the program."""
        special = name.startswith("__") and name.endswith("__") and name not in PLAIN_NAMES
        held = [vars(base).get(name) for base in cls.__mro__]
        if special or any(map(_takes_part, (value, *held))):
            self.w.refuse(
                f"assignment of `{name}` to a class while the program runs is not compiled",
                "define it in the class",
            )
        self.locations.ask_class(cls, name)

    def _note_order(self, obj: Any, name: str) -> None:
        """Note where an attribute may come at another place among others than in the store."""
        slots = self.w.store.slots(obj)
        made = name in own_space(obj) and not self.w.store.was_born(obj)
        if name in slots:
            held = self.w.given(obj, name)
            again = held is UNSET or may_be_unset(held)
            mixed = again and (made or slots[-1] != name)
        else:
            regions = self.w.regions()
            mixed = not made and bool(regions) and not self.w.store.is_fresh(obj, regions[-1][0])
        if mixed:
            self.w.mixed.add(type(obj))
