"""Names, attributes and items that may be unset: what Python goes on to where they are.

A location holds a value, or nothing (`UNSET`), or something on some ways only (a choice with
`UNSET` in it).  A read of what may be unset goes on, where it is, to what Python asks next: the
class, `__getattr__`, a default, the builtins, or an error.  All such reads are made here.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import chainer
import numpy as np

from elichika.state.store import CONTENTS, ITEMS, MISSING
from elichika.values.functions import Frame
from elichika.values.symbolic import UNDEF, UNSET, Choice, Conflict, may_be_unset
from elichika.walker.core import ConflictRead, Core
from elichika.walker.plan import PresenceAsked


class Presence(Core):
    """The part of the walker that reads what may be unset."""

    def undefined(self, value: Any, what: str, exception: type[BaseException]) -> Any:
        """Return what a location holds; fail where it holds nothing, and refuse conflicts."""
        value = self.narrow(value)
        if isinstance(value, Conflict):
            raise ConflictRead(
                f"{what} has no common type here: {value.reason}", self.here(), value.reason
            )
        if value is UNSET or value is UNDEF:
            self.raise_static(exception(f"{what} is not set"))
        if may_be_unset(value):
            index = next(i for i, a in enumerate(value.alternatives) if a is UNSET)
            absent = self.choices.tag_is(value, index)
            self.check(self.graph.Not(absent), exception, f"{what} is not set")
            self.facts.learn(absent, False)
            return self.narrow(self.choices.without(value, index))
        return value

    def or_else(self, held: Any, absent: Callable[[], Any], what: str) -> Any:
        """Return what a location holds; where it holds nothing, what `absent` gives there."""
        held = self.narrow(held)
        if held is UNSET or held is UNDEF:
            return absent()
        if may_be_unset(held):
            return self.choices.apply(held, lambda one: absent() if one is UNSET else one)
        return self.undefined(held, what, AttributeError)

    def is_set(self, held: Any) -> Any:
        """Return the truth of whether a location holds something."""
        held = self.narrow(held)
        if isinstance(held, Conflict):
            self.undefined(held, "this", AttributeError)
        if may_be_unset(held):
            return self.not_(self.tag_test(held, lambda one: one is UNSET))
        return held is not UNSET

    def given(self, owner: Any, slot: str) -> Any:
        """Return what the program left at a location, as it is, or `MISSING` if it left nothing.

        What is left may be `UNSET`, or a choice with it: for `or_else` and `is_set`.
        """
        return self.narrow(self.store.get(owner, slot))

    def own(self, obj: Any, name: str) -> Any:
        """Return what an object holds itself by a name, for `or_else` and `is_set`."""
        self.ask_presence(obj, name)
        held = self.store.get(obj, name)
        if held is MISSING:
            held = MISSING if self.store.was_born(obj) else own_attribute(obj, name)
        return UNSET if held is MISSING else self.narrow(held)

    # -- names --------------------------------------------------------------------------------

    def local_name(self, frame: Frame, name: str) -> Any:
        """Return what a local name holds; a name of the canonicalizer may hold nothing."""
        held = self.store.get(frame, name)
        if held is MISSING:
            held = UNSET
        if held is UNSET and name in frame.program.generated:
            return held
        if held is UNSET or isinstance(held, (Choice, Conflict)):
            return self.undefined(held, f"`{name}`", UnboundLocalError)
        return held

    def outer_name(self, owner: Any, slot: str, name: str) -> Any:
        """Return what a name of an enclosing function holds."""
        return self.undefined(self.held(owner, slot), f"`{name}`", NameError)

    def global_name(self, space: dict[str, Any], name: str) -> Any:
        """Return what a global name holds, or the builtin of that name."""

        def builtin() -> Any:
            builtins = space.get("__builtins__", __builtins__)
            table = builtins if isinstance(builtins, dict) else vars(builtins)
            if name in table:
                return table[name]
            self.raise_static(NameError(f"name '{name}' is not defined"))

        held = self.store.get(space, name)
        if held is MISSING:
            return space[name] if name in space else builtin()
        return self.or_else(held, builtin, f"`{name}`")

    # -- attributes ---------------------------------------------------------------------------

    def initial(self, obj: Any, slot: str) -> Any:
        """Return what a location held before the walk.

        That of an object which has an attribute by its class alone holds what the class has: it
        joins with less than an attribute that may be unset.  Where the difference shows, the run
        starts again without this (`PresenceAsked`).
        """
        if slot == ITEMS:
            if not isinstance(obj, (dict, set, frozenset, list, tuple)):
                self.refuse(f"a list or tuple is needed here, not a {type(obj).__name__}")
            return _items(obj)
        if slot == CONTENTS:
            return self.constant(obj.source)
        if obj is self.token:
            return self.scalar(int, self.graph.constant(np.array(0, np.int64)))
        if isinstance(obj, Frame):
            return UNSET
        if type(obj) is dict:  # the names of a module, the entries of the configuration
            return obj.get(slot, UNSET)
        if isinstance(obj, types.CellType):
            return _cell_contents(obj)
        if isinstance(obj, chainer.Variable) and slot == "array":
            return obj.array
        if not self.store.was_born(obj):
            held = own_attribute(obj, slot)
            if held is not MISSING:
                return held
        return self._of_class_alone(obj, slot)

    def _of_class_alone(self, obj: Any, slot: str) -> Any:
        if self.plan.keeps_presence:
            return UNSET
        for base in type(obj).__mro__:
            if self.store.get(base, slot) is not MISSING:
                return UNSET
            if slot in vars(base):
                found = vars(base)[slot]
                if hasattr(found, "__get__"):
                    return UNSET
                self._folded.add((type(obj), slot))
                return found
        return UNSET

    def ask_presence(self, obj: Any, name: str) -> None:
        """Note that it matters which of an object and its class has an attribute.

        Raises:
            PresenceAsked: It was not told apart so far; another run will.
        """
        if (type(obj), name) in self._folded:
            self._start_over(f"whether `{name}` is an attribute of this {type(obj).__name__}")

    def ask_presences(self, obj: Any) -> None:
        """Like `ask_presence`, for all attributes."""
        for cls, name in self._folded:
            if type(obj) is cls:
                self.ask_presence(obj, name)

    def ask_class(self, cls: type, name: str) -> None:
        """Like `ask_presence`, for an attribute of a class that changes."""
        if any(name == slot and issubclass(owner, cls) for owner, slot in self._folded):
            self._start_over(f"which objects have `{name}` of `{cls.__name__}`")

    def _start_over(self, what: str) -> None:
        raise PresenceAsked(f"{what} is known only when the model runs", self.here())


def own_attribute(obj: Any, name: str) -> Any:
    """Return what a real object holds itself by a name: in its dict or a slot; or `MISSING`."""
    try:
        space = object.__getattribute__(obj, "__dict__")
    except AttributeError:
        space = {}
    if name in space:
        return space[name]
    for base in type(obj).__mro__:
        found = vars(base).get(name)
        if isinstance(found, types.MemberDescriptorType):
            return getattr(obj, name, MISSING)
    return MISSING


def _items(obj: Any) -> Any:
    """Return the contents of a real container, past what its class does."""
    if isinstance(obj, dict):
        return {k: dict.__getitem__(obj, k) for k in dict.keys(obj)}
    if isinstance(obj, (set, frozenset)):
        kind: Any = set if isinstance(obj, set) else frozenset
        return dict.fromkeys(kind.__iter__(obj), True)
    base: Any = list if isinstance(obj, list) else tuple
    return tuple(base.__iter__(obj))


def _cell_contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return UNSET
