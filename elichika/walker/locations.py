"""What lists, objects and names hold now, and what they held before the walk."""

from __future__ import annotations

import collections
import types
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NoReturn

import chainer
import numpy as np

from elichika.errors import StagingError
from elichika.program.raised import ConflictRead
from elichika.state.store import CONTENTS, ITEMS, MISSING
from elichika.values.functions import Closure, Frame
from elichika.values.symbolic import UNDEF, UNSET, Conflict, DynamicTuple, Symbolic
from elichika.values.tape import VariableNode
from elichika.values.words import a_value
from elichika.walker.core import PLAIN, KeyChanges, Numbering, Pending
from elichika.walker.kinds import kind_of
from elichika.walker.plan import PresenceAsked
from elichika.walker.walk import Walk


class Locations:
    """The locations of the program: lists, dicts, sets, objects, names."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self._folded: set[tuple[type, str]] = set()
        self._keepers: dict[int, str] = {}

    def version(self, obj: Any, slot: str) -> Any:
        """Return what a location holds now, the real object's own content if never written."""
        version = self.held(obj, slot)
        if slot == ITEMS and isinstance(version, Conflict):
            self.w.tables.stores.meet(obj, version)
            reason = f"this {type(obj).__name__} has no common form here: {version.reason}"
            raise ConflictRead(reason, self.w.here(), version)
        return version

    def items_of(self, obj: Any) -> Any:
        """Return what a list, dict or set holds now.

        Returns:
            Of a list a tuple, or a `Seq` where its length is known only when the model runs; of a
            dict or set a dict.
        """
        return self.version(obj, ITEMS)

    def set_items(self, obj: Any, items: Any) -> None:
        """Let a list, dict or set hold other items."""
        if self.w.plan.tables and type(items) is dict:
            items = self.w.tables.stores.kept(obj, items)
        self.w.tables.loops.replaced(obj, items)
        self.w.sequences.lent.hold(obj, items)
        self.w.store.set(obj, ITEMS, items)

    def held(self, obj: Any, slot: str) -> Any:
        """Return what a location holds, conflicts too."""
        version = self.w.store.get(obj, slot)
        return self.initial(obj, slot) if version is MISSING else version

    def heap_slots(self, obj: Any) -> list[str]:
        """Return the locations of a fresh object, in the order they were first written."""
        if isinstance(obj, defaultdict):
            own = [ITEMS, "default_factory"]
        else:
            own = [ITEMS] if isinstance(obj, (list, dict, set)) else []
        written = (s for s in self.w.store.slots(obj) if not s.startswith("~"))
        return [*dict.fromkeys((*own, *written))]

    def items(self, value: Any) -> tuple[Any, ...]:
        """Return the contents of a tuple or list of known length, past an `__iter__` of its own."""
        if isinstance(value, tuple):
            return tuple.__getitem__(value, slice(None))
        items = self.items_of(value)
        if not isinstance(items, tuple):
            self.w.refuse("a list of known length is needed here")
        return items

    def made_inside(self, value: Any) -> bool:
        """Tell whether a branch or a turn of a loop made an object: outside there is another."""
        regions = self.w.regions()
        return bool(regions) and self.w.store.is_fresh(value, regions[0][0])

    def sealed(self, value: Any, keeper: str | None = None) -> Any:
        """Forbid writes to a list, dict or object of which a list holds a copy; return it.

        Args:
            value: It.
            keeper: The function without Python source that has a copy, if it is no list.
        """
        if keeper is not None:
            self._keepers[id(value)] = keeper
        if not isinstance(value, (tuple, DynamicTuple)):
            self.w.store.seal(value)
        return value

    def refuse_write(self, obj: Any) -> NoReturn:
        """Refuse a write to what a list of dynamic length holds a copy of.

        Raises:
            WalkAgain: Where another run may hold it otherwise.
        """
        if id(obj) in self._keepers:
            self.w.refuse(
                f"this write changes {a_value(obj)} of which `{self._keepers[id(obj)]}` has a copy",
                "write before that call",
            )
        refusal = StagingError(
            f"this write changes {a_value(obj)} that a list of dynamic length holds",
            self.w.here(),
            "put a copy into the list: `l.append(list(a))`",
        )
        self.w.arenas.changed(refusal, obj)
        raise refusal

    def new_list(self, items: Sequence[Any]) -> list[Any]:
        """Return a fresh list."""
        made: list[Any] = self.w.store.born([])
        self.set_items(made, tuple(items))
        return made

    def new_dict(self, items: dict[Any, Any]) -> dict[Any, Any]:
        """Return a fresh dict."""
        made: dict[Any, Any] = self.w.store.born({})
        self.set_items(made, dict(items))
        return made

    def initial(self, obj: Any, slot: str) -> Any:
        """Return what a location held before the walk.

        That of an object which has an attribute by its class alone holds what the class has: it
        joins with less than an attribute that may be unset.  Where the difference shows, the run
        starts again without this (`PresenceAsked`).
        """
        if slot == ITEMS:
            if not isinstance(obj, (dict, set, frozenset, list, tuple, collections.deque)):
                self.w.refuse(f"a list or tuple is needed here, not {a_value(obj)}")
            return _items(obj)
        if slot == CONTENTS:
            return self.w.constant(obj.source)
        if obj is self.w.token:
            return self.w.scalar(int, self.w.graph.constant(np.array(0, np.int64)))
        if type(obj) is Pending:
            return UNDEF
        if type(obj) is KeyChanges:
            return obj.none
        if type(obj) is Numbering:
            return 0
        if isinstance(obj, Frame):
            return UNSET
        if type(obj) is dict:  # the names of a module, the entries of the configuration
            return obj.get(slot, UNSET)
        if isinstance(obj, types.CellType):
            return _cell_contents(obj)
        if type(obj) is VariableNode:
            return None
        if isinstance(obj, chainer.Variable) and slot in ("array", "grad_var"):
            return getattr(obj, slot)
        if not self.w.store.was_born(obj):
            held = own_attribute(obj, slot)
            if held is not MISSING:
                return held
        return self._of_class_alone(obj, slot)

    def _of_class_alone(self, obj: Any, slot: str) -> Any:
        if self.w.plan.keeps_presence:
            return UNSET
        for base in type(obj).__mro__:
            if self.w.store.get(base, slot) is not MISSING:
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
        raise PresenceAsked(f"{what} is known only when the model runs", self.w.here())

    def is_symbolic(self, value: Any) -> bool:
        """Tell whether a value, or anything in the containers it holds, is symbolic."""
        return type(value) not in PLAIN and self._reaches_symbolic(value, set())

    def _reaches_symbolic(self, value: Any, seen: set[int]) -> bool:
        kind = kind_of(value)
        if kind.is_symbolic or isinstance(value, Symbolic) or self.w.arenas.holds(value):
            return True
        if id(value) in seen:
            return False
        seen.add(id(value))
        parts = kind.parts(self.w, value)
        return any(type(v) not in PLAIN and self._reaches_symbolic(v, seen) for v in parts)


def own_space(obj: Any) -> dict[str, Any]:
    """Return the dict of a real object, as it was before the walk."""
    if isinstance(obj, Closure):  # what such an object holds is none of the program's
        return {}
    try:
        space: dict[str, Any] = object.__getattribute__(obj, "__dict__")
    except AttributeError:
        return {}
    return space


def own_attribute(obj: Any, name: str) -> Any:
    """Return what a real object holds itself by a name: in its dict or a slot; or `MISSING`."""
    space = own_space(obj)
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
    base: Any = next(kind for kind in (list, tuple, collections.deque) if isinstance(obj, kind))
    return tuple(base.__iter__(obj))


def _cell_contents(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return UNSET
