"""Objects that are changed while lists of dynamic length hold them: records, named by handles.

A list of dynamic length holds copies.  Where the program changes such an element, the run starts
again, and objects made at the same places of the program live in an *arena*: a location that holds
a list of records, one for each object.  What a list, a name or another record holds is then the
number of the record, its *handle*; the store reads and writes the object through it, so all names
of the object see a change, whichever list it was read from, and `is` compares handles.

An object moves into its arena when a list of dynamic length takes it, in the scope that made it.
Where a branch or loop within that scope takes it, the run starts once more and the object moves
before the branch or loop; where that is not possible either, it moves as soon as it is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from elichika.errors import ElichikaError, StagingError
from elichika.state.joins import Joiner, ScalarType, TupleType, Type, TypeReader, filled
from elichika.state.joins.leaves import Site
from elichika.state.joins.references import Arena, RefType
from elichika.state.joins.rows import RowType, no_row, sites_within, stacks
from elichika.state.joins.side_by_side import set_of, type_of_known
from elichika.state.store import HANDLE, ITEMS, Note
from elichika.values.symbolic import UNORDERED, UNSET, Choice, Seq
from elichika.values.tables import Table
from elichika.walker.arena_plan import MAPPINGS
from elichika.walker.plan import WalkAgain
from onnx_graph import Value
from onnx_graph.failing import surely

if TYPE_CHECKING:
    from elichika.walker.arena_plan import ArenaPlan
    from elichika.walker.walk import Walk

__all__ = ["Arenas"]

#: Whether an object may not be there, and what was read of it last: of which records.
_MAYBE: Note[bool] = Note("maybe")
_RECORD: Note[tuple[Seq, Any, list[Value]]] = Note("record")


class Arenas:
    """The arenas of one run.

    Args:
        w: The walker.
        plan: What the runs before have shown; this run adds to it.
    """

    def __init__(self, w: Walk, plan: ArenaPlan) -> None:
        self.w = w
        self.plan = plan
        self._arenas: dict[Site, Arena] = {}
        self._moving: set[int] = set()
        self.copying = False

    # -- what lives where ---------------------------------------------------------------------

    def handle(self, obj: Any) -> tuple[Arena, Value] | None:
        """Return where an object lives, None if in no arena."""
        return self.w.store.noted(obj, HANDLE)

    def holds(self, obj: Any) -> bool:
        """Tell whether an object lives in an arena."""
        return bool(self.plan) and self.handle(obj) is not None

    def named(self, arena: Arena, handle: Value) -> Any:
        """Return the object of a handle."""
        made = self.w.store.born(_new(arena.cls))
        self.w.store.note(made, HANDLE, (arena, handle))
        if self.w.choices.guards:
            self.w.store.note(made, _MAYBE, True)
        return made

    def require(self, obj: Any) -> tuple[Arena, Value]:
        """Return where an object lives that has to live in an arena."""
        return self.handle(obj) or self.too_late(obj)

    def of(self, sites: Iterable[Site]) -> Arena:
        """Return the arena of some sites, which are covered."""
        root = self.plan.root(next(iter(self.plan.covered(sites))))
        if root not in self._arenas:
            self._arenas[root] = self.w.store.always(Arena(root[1], root))
        return self._arenas[root]

    def passed(self) -> None:
        """Note that what lives in arenas so far are the dicts of inputs."""
        for arena in self._arenas.values():
            self.w.store.passed.add_arena(arena)

    # -- what is found on the way -------------------------------------------------------------

    def again(self, new: bool) -> NoReturn:
        """Start the run again with what was added to the plan.

        Raises:
            WalkAgain: If something was.
            StagingError: Nothing was.
        """
        if not new:
            self.w.refuse("an object that a list of dynamic length holds is changed too late here")
        raise WalkAgain(None)

    def changed(self, refusal: ElichikaError, *objects: Any) -> None:
        """Start the run again with some objects, of which lists hold copies, in an arena.

        Raises:
            WalkAgain: They can live there.
        """
        self.needed(refusal, *map(self.w.store.sites_of, objects))

    def needed(self, refusal: ElichikaError, *sites: frozenset[Site]) -> None:
        """Start the run again with the objects of some sites in an arena for each.

        Raises:
            WalkAgain: They can live there.
        """
        if self.w.tentative:
            return
        made = self.w.made_classes
        held = [one for one in sites if one and self.plan.may_move([c for _, c in one], made)]
        new = [self.plan.unite(one) for one in held]
        if any(new):
            raise WalkAgain(refusal)

    def typed(self, refusal: ElichikaError, *types: Type) -> None:
        """Start the run again with the objects of some types in an arena for each.

        Raises:
            WalkAgain: They can live there.
        """
        self.needed(refusal, *map(self.sites_of, types))

    def refuse(self, reason: str, *objects: Any) -> NoReturn:
        """Refuse what objects do, or start the run again with them in arenas from their birth.

        Raises:
            WalkAgain: They can live there.
            StagingError: They cannot.
        """
        sites = frozenset[Site]().union(*map(self.w.store.sites_of, objects))
        if not self.w.tentative and self.plan.bear(sites, self.w.made_classes):
            raise WalkAgain(StagingError(reason, self.w.here(), None))
        self.w.refuse(reason)

    def meet(self, a: Type, b: Type) -> Type | None:
        """Join two types, one of objects in an arena; None if they are of two classes."""
        ref, other = (a, b) if isinstance(a, RefType) else (b, a)
        assert isinstance(ref, RefType)
        if isinstance(other, RefType):
            if other.arena is ref.arena or other.arena.cls is not ref.arena.cls:
                return ref if other.arena is ref.arena else None
            self.again(self.plan.unite((ref.arena.root, other.arena.root)))
        sites = self.sites_of(other)
        if not sites or any(cls is not ref.arena.cls for _, cls in sites):
            return None
        new = self.plan.unite((ref.arena.root, *sites))
        self.again(new or self.plan.move(sites, None))

    def sites_of(self, type_: Any) -> frozenset[Site]:
        """Return the places that may have made objects of a type."""
        if hasattr(type_, "value"):
            return self.w.store.sites_of(type_.value)
        found: frozenset[Site] = getattr(type_, "sites", frozenset())
        return found

    def require_plain(self, sites: Iterable[Site]) -> None:
        """Start the run again where a list would copy objects that live in an arena."""
        covered = self.plan.covered(sites)
        if covered:
            self.again(self.plan.move(covered, None))

    def too_late(self, obj: Any) -> NoReturn:
        """Start the run again: an object has to be in its arena before the scope that takes it."""
        w = self.w
        sites = w.store.sites_of(obj)
        new = self.plan.unite(sites)
        before = next((s for m, s in w.regions() if not w.store.is_fresh(obj, m)), w.region_site())
        self.again(self.plan.move(sites, before[0][-1:]) or new)

    # -- moving into an arena -----------------------------------------------------------------

    def escape(self, value: Any) -> None:
        """Move what a list of dynamic length takes, and what that holds, where it is planned."""
        if not self.plan:
            return
        w = self.w
        value = w.narrow(value)
        if isinstance(value, Choice):
            for alternative in value.alternatives:
                self.escape(alternative)
        elif isinstance(value, tuple):
            for item in value:
                self.escape(item)
        elif w.store.was_born(value) and not self.holds(value):
            self._escape_whole(value)

    def _escape_whole(self, obj: Any) -> None:
        """Move an object after what it holds; where it holds itself, what it holds follows it."""
        covered = self.plan.covered(self.w.store.sites_of(obj))
        if id(obj) in self._moving:
            if covered:
                self.move(obj, {})
            return
        slots = self._slots(obj)
        self._moving.add(id(obj))
        try:
            self._escape_parts(slots)
        finally:
            self._moving.discard(id(obj))
        if not covered:
            return
        if not self.holds(obj):
            return self.move(obj, slots)
        self._rewrite(obj, slots)

    def _slots(self, obj: Any) -> dict[str, Any]:
        """Return what an object holds that could hold objects of arenas, by location."""
        if not isinstance(obj, (list, dict)) and not self.w.store.sites_of(obj):
            return {}
        return {slot: self.w.held(obj, slot) for slot in self.w.heap_slots(obj)}

    def _escape_parts(self, slots: dict[str, Any]) -> None:
        for slot, held in slots.items():
            if isinstance(held, dict) and slot == ITEMS:
                held = tuple(held.values())
            if not isinstance(held, Seq):
                self.escape(held)

    def enter(self) -> None:
        """Move what has to move before the branch or loop that begins here."""
        sites = self.plan.early.get(self.w.region_site()[0][-1:])
        if sites:
            self._move_all(sites)

    def _move_all(self, sites: set[Site]) -> None:
        store = self.w.store
        for obj in store.living():
            if not sites.isdisjoint(store.sites_of(obj)) and not self.holds(obj):
                regions = self.w.regions()
                if not regions or store.is_fresh(obj, regions[-1][0]):
                    self.escape(obj)

    def made(self, obj: Any) -> Any:
        """Move an object that was made just now, if it is planned; return it."""
        if not self.plan.at_birth.isdisjoint(self.w.store.sites_of(obj)):
            self.escape(obj)
        return obj

    def move(self, obj: Any, slots: dict[str, Any]) -> None:
        """Move an object into its arena, with what some of its locations hold."""
        w = self.w
        regions = w.regions()
        if regions and not w.store.is_fresh(obj, regions[-1][0]):
            self.too_late(obj)
        arena, mark = self.of(w.store.sites_of(obj)), w.store.mark()
        record = self._record(arena, slots)
        items = w.items_of(arena)
        type_ = self._type_of(record)
        if isinstance(items, Seq):
            handle = w.sequences.length_of(items)
            element = self._joined(items.element, type_)
            old = w.sequences.as_sequences(items, element)
        else:
            handle, element = w.graph.constant(np.array(0, np.int64)), type_
            old = [w.graph.SequenceEmpty(dtype=leaf.dtype) for leaf in element.leaves({})]
        values = filled(w, element.encode(w, (0, record), {}))
        grown = [w.graph.SequenceInsert(s, v) for s, v in zip(old, values, strict=True)]
        w.sequences.freeze(record, mark)
        w.set_items(arena, Seq(element, tuple(grown)))
        if w.store.passed.holds(obj):
            w.store.passed.add_arena(arena)
        w.store.note(obj, HANDLE, (arena, handle))

    def _record(self, arena: Arena, slots: dict[str, Any]) -> Any:
        """Return an object that holds what another holds, to be written into the arena."""
        store = self.w.store
        record = store.born(_new(arena.cls))
        store.made_at(record, frozenset())
        for slot, version in slots.items():
            if isinstance(version, dict) and slot == ITEMS:
                made = set_of(self.w, type_of_known(version), version) if arena.cls is set else None
                version = made or self._in_order(arena, version)
            store.set(record, slot, version)
        return record

    def _in_order(self, arena: Arena, items: dict[Any, Any]) -> dict[Any, Any]:
        """Return a dict's contents with all keys that its arena knows, in one order for all."""
        if UNORDERED in items and arena.root not in self.plan.unordered:
            self.plan.unordered.add(arena.root)
            self.again(True)
        if UNORDERED in items:
            items = {key: value for key, value in items.items() if key is not UNORDERED}
        order = self.plan.keys.setdefault(arena.root, [])
        order.extend(key for key in items if key not in order)
        there = [key for key, value in items.items() if self.w.narrow(value) is not UNSET]
        sure = all(not _may_be_unset(self.w.narrow(items[key])) for key in there[:-1])
        if (there != order[: len(there)] or not sure) and arena.root not in self.plan.unordered:
            self.plan.unordered.add(arena.root)
            self.again(True)
        return items if there == order else {key: items.get(key, UNSET) for key in order}

    def _type_of(self, record: Any) -> Type:
        """Return the type of what the arena holds: a number to count by, and the record."""
        w = self.w
        found = TypeReader(w, w.store.mark()).heap(record)
        return w.sequences.storable(TupleType(tuple, (ScalarType(int), found)))

    def _joined(self, a: Type, b: Type) -> Type:
        w = self.w
        return w.sequences.storable(Joiner(w, widen=True).join(a, b))

    # -- reading and writing ------------------------------------------------------------------

    def record(self, obj: Any) -> tuple[Any, list[Value]]:
        """Return a copy of an object as it is now, and the graph values that it is built from."""
        w = self.w
        arena, handle = self.require(obj)
        items = w.items_of(arena)
        known = w.store.noted(obj, _RECORD)
        if known is None or known[0] is not items:
            if not isinstance(items, Seq):
                w.refuse("an object is read that was never made")
            type_ = items.element.parts[1]
            if len(type_.options) > 1:
                w.sequences.require_common(
                    no_row(arena.cls, sites_within(Joiner(w, widen=True), *type_.options))
                )
            w.sequences.require_common(type_)
            values = [surely(w.graph.SequenceAt(s, handle)) for s in items.sequences]
            known = (items, w.sequences.built(items.element, values)[1], values)
            w.store.note(obj, _RECORD, known)
        return known[1], known[2]

    def read(self, obj: Any, slot: str) -> Any:
        """Return what a location of an object holds, or `MISSING`."""
        return self.w.store.get(self.record(obj)[0], slot)

    def write(self, obj: Any, slot: str, version: Any) -> None:
        """Give a location of an object a new version."""
        arena = self.require(obj)[0]
        if self.w.store.passed.holds(arena):
            self.w.store.passed.tell(arena)
        self._escape_parts({slot: version})
        self._rewrite(obj, {slot: version})

    def _rewrite(self, obj: Any, slots: dict[str, Any]) -> None:
        """Give locations of an object new versions, which hold nothing that has to move."""
        w, g = self.w, self.w.graph
        arena, handle = self.require(obj)
        old, present = self.record(obj)
        before, mark = {s: w.held(old, s) for s in w.heap_slots(old)}, w.store.mark()
        record = self._record(arena, {**before, **slots})
        items = w.items_of(arena)
        element = self._joined(items.element, self._type_of(record))
        alike = items.element.same_form(element)
        sequences = w.sequences.as_sequences(items, element)
        _, *values = filled(w, element.encode(w, (0, record), {}))
        after = g.Add(handle, g.constant(np.array(1, np.int64)))
        for number, value in enumerate(values, 1):
            if not (alike and value is present[number]):
                grown = surely(g.SequenceInsert(sequences[number], value, handle))
                sequences[number] = surely(g.SequenceErase(grown, after))
        w.sequences.freeze(record, mark)
        w.set_items(arena, Seq(element, tuple(sequences)))

    def slots(self, obj: Any) -> list[str]:
        """Return the locations of an object that hold something."""
        return self.w.store.slots(self.record(obj)[0])

    def seen(self, type_: Type) -> Type:
        """Return the type of the objects that a handle stands for, of another type itself."""
        items = self.w.items_of(type_.arena) if isinstance(type_, RefType) else None
        return items.element.parts[1] if isinstance(items, Seq) else type_

    # -- copies -------------------------------------------------------------------------------

    def copied(self, items: Seq) -> Seq:
        """Return the contents of a list with copies of objects in the place of handles."""
        element = self._dereferenced(items.element, ())
        if element is items.element:
            return items
        self.copying = True
        try:
            return Seq(element, tuple(self.w.sequences.as_sequences(items, element)))
        finally:
            self.copying = False

    def _dereferenced(self, type_: Type, within: tuple[Arena, ...]) -> Type:
        if isinstance(type_, RefType):
            if any(arena is type_.arena for arena in within):
                self.w.refuse("a list of objects that hold one another cannot be a result")
            element = self.seen(type_)
            if element is type_:
                return type_
            return self._dereferenced(element, (*within, type_.arena))
        if not _refers(type_):
            return type_
        if len(type_.options) > 1:
            self._refuse_alternative()
        made = type_.with_parts(tuple(self._dereferenced(part, within) for part in type_.parts))
        if type(made) is RowType and not stacks(Joiner(self.w, widen=True), made.parts[0]):
            self.w.refuse(
                "a list of lists of dynamic length in a list cannot be a result",
                "return the lists one after another, and how long each is",
            )
        return made

    def sure(self, value: Any) -> Any:
        """Return one of several results such that what it reads from arenas is there.

        What a list, dict or tuple holds is copied where it is the one.
        """
        if not self._may_be_absent(value):
            return value
        value = self.w.choices.apply(value, self._copied_out)
        if self._may_be_absent(value):
            self._refuse_alternative()
        return value

    def _may_be_absent(self, value: Any) -> bool:
        """Tell whether a result reads an object from an arena that may not be there."""
        value = self.w.narrow(value)
        if not self.plan or self.holds(value):
            return bool(self.plan) and self.w.store.noted(value, _MAYBE) is True
        held: Any = value.alternatives if type(value) is Choice else value
        if type(value) in (list, dict):
            held = self.w.items_of(value)  # a list of dynamic length is empty where it is not there
            held = tuple(held.values()) if isinstance(held, dict) else held
        elif self.w.store.was_born(value):
            held = tuple(self.w.held(value, slot) for slot in self.w.heap_slots(value))
        return isinstance(held, tuple) and any(map(self._may_be_absent, held))

    def _copied_out(self, value: Any) -> Any:
        value, copied = self.w.narrow(value), self._copied_out
        if isinstance(value, Choice):
            return self.w.choices.apply(value, copied)
        if type(value) is tuple:
            return tuple(map(copied, value))
        if type(value) is list and self.w.is_dynamic(value):
            return self.w.call(list, [value], {})
        if type(value) is list:
            return self.w.new_list(list(map(copied, self.w.items_of(value))))
        if type(value) is dict and type(items := self.w.items_of(value)) is dict:
            return self.w.new_dict({key: copied(item) for key, item in items.items()})
        return value

    def _refuse_alternative(self) -> NoReturn:
        self.w.refuse(
            "the result is one of several things, and an object that a list of dynamic length "
            "holds is among them",
            "return a copy of it: `dict(one)`",
        )

    def holder(self, value: Any) -> Arena | None:
        """Return the arena of an object, or of those of a list, whose copies are made one by one.

        Raises:
            StagingError: They hold objects of arenas, or a list holds more than them.
        """
        if not self.plan:
            return None
        handle, type_ = self.handle(value), None
        if handle is not None:
            type_ = RefType(handle[0])
        elif self.w.is_dynamic(value):
            type_ = self.w.items_of(value).element
        if type_ is None or not _refers(type_):
            return None
        if not isinstance(type_, RefType) or _refers(self.seen(type_)):
            self.refuse_deep()
        return type_.arena

    def refuse_deep(self) -> NoReturn:
        """Refuse to copy all that a value holds: what is one object there must stay one."""
        self.w.refuse(
            "a deep copy of objects that change in a list of dynamic length is not compiled",
            "copy them one by one: `[dict(one) for one in rows]`",
        )

    def another(self, obj: Any) -> Any:
        """Return a new object that holds what one of an arena holds now."""
        w = self.w
        arena, _ = self.require(obj)
        values = self.record(obj)[1]
        items = w.items_of(arena)
        grown = [w.graph.SequenceInsert(s, v) for s, v in zip(items.sequences, values, strict=True)]
        handle = w.sequences.length_of(items)
        w.set_items(arena, Seq(items.element, tuple(grown)))
        return self.named(arena, handle)

    def require_order(self, obj: Any) -> None:
        """Refuse to go through the keys or attributes of an object whose order is not known."""
        held = self.handle(obj) if self.plan else None
        keyed = held is not None and held[0].cls in (set, *MAPPINGS)
        if held is None or (keyed and type(self.w.items_of(obj)) is Table):
            return
        if held[0].cls not in MAPPINGS or held[0].root in self.plan.unordered:
            self.w.refuse(
                "a list of dynamic length holds this object: its keys and attributes have no order "
                "that is known while compiling"
            )


def _new(cls: Any) -> Any:
    return cls.__new__(cls)


def _refers(type_: Type) -> bool:
    """Tell whether a type, or a part of it, is that of objects in arenas."""
    return isinstance(type_, RefType) or any(map(_refers, type_.parts))


def _may_be_unset(value: Any) -> bool:
    return isinstance(value, Choice) and any(a is UNSET for a in value.alternatives)
