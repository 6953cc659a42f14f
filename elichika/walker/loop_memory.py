"""What a loop carried when it was last walked: a loop around it walks it again and again.

Types only grow from one walk of a loop around to the next, so the next walk may begin with what the
last one found, and its first trial is often the only one.  Without it each of `k` nested loops
would double the walks of those within.

Another walk has other frames, lists and arrays.  So a location is remembered by the depth of the
frame and the name that holds its owner, and types without what was taken back.  A helper may also
be called twice from one place, with unlike things: what its names hold tells these walks apart, and
what the first call changed besides is none of the second's, but where objects have moved to.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from elichika.iterators.base import SymbolicRange
from elichika.state.joins import (
    Joiner,
    Type,
    TypeReader,
    renamed_sizes,
    same_static,
    with_sizes,
    without_undone,
)
from elichika.state.joins.references import Arena
from elichika.state.store import CONTENTS, ITEMS, MISSING, Key
from elichika.values.symbolic import Array, Choice, Scalar, Symbolic, Var
from elichika.walker.tape.control import Cut
from elichika.walker.walk import Walk
from onnx_graph import Dim, Value, dims_of, dtype_of
from onnx_graph.dims import substitute

#: The depth of a frame; or of one and the name there that holds an object; or the object's id.
Place = tuple[int] | tuple[int, str] | int
Location = tuple[Place, str]
#: What holds other values, each of which is of a kind.
STRUCTURES = (tuple, SymbolicRange)


@dataclass(frozen=True)
class _Walked:
    """A walk of a loop.

    Attributes:
        types: What it carried.
        cut: What of that had no past on the tape.
        stays: The locations whose tags were the same in all turns.
        names: What the other names of the frames held before it, by depth and name.
        first: How many tags of choices a turn left that took nothing over, if one was walked.
    """

    types: dict[Location, Type]
    cut: dict[Location, Cut]
    stays: frozenset[Location]
    names: dict[tuple[int, str], _Kind]
    first: int | None


@dataclass(frozen=True)
class Recalled:
    """What a walk of a loop may begin with.

    Attributes:
        types: What it carried, joined with what is now.
        cut: What of that had no past on the tape.
        stays: The locations whose tags may be the same in all turns.
        first: How many tags of choices a turn left that took nothing over, if that is known.
    """

    types: dict[Key, Type]
    cut: dict[Key, Cut]
    stays: Set[Key]
    first: int | None


class LoopMemory:
    """What loops carried, by their sites."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self._walks: dict[Any, _Walked] = {}

    def keep(
        self, carried: dict[Key, Type], cut: dict[Key, Cut], stays: Set[Key], first: int | None
    ) -> None:
        """Remember a walk of the loop here (see `Recalled`)."""
        places = self._places()
        names = {
            place: self._kind(held)
            for place, held in self._held().items()
            if (id(self.w.frames[place[0]]), place[1]) not in carried
        }

        def place(key: Key) -> Location:
            return places.get(key[0], key[0]), key[1]

        self._walks[self.w.region_site()] = self.w.store.born(
            _Walked(
                {place(key): type_ for key, type_ in carried.items()},
                {place(key): held for key, held in cut.items()},
                frozenset(map(place, stays)),
                names,
                first,
            )
        )

    def recalled(self) -> Recalled:
        """Return what is left of the last walk of the loop here."""
        walked = self._walks.get(self.w.region_site())
        if walked is None or not self._has_grown(walked):
            return Recalled({}, {}, frozenset(), None)
        owners = {place: owner for owner, place in self._places().items()}
        store, named = self.w.store, set(owners.values())
        again = store.was_undone(walked)
        reader, joiner = TypeReader(self.w, self.w.store.mark()), Joiner(self.w, widen=True)
        kept = {
            key: (type_, reader.version(key[1], self.w.held(self.w.store.owner(key), key[1])))
            for key, type_ in self._here(walked.types, owners).items()
            if self._is_there(key) and (again or key[0] in named or type(store.owner(key)) is Arena)
        }
        sizes: dict[str, int | Dim] = {}
        for pair in kept.values():
            sizes |= renamed_sizes(self.w, *pair)
        known = {}
        for key, (type_, held) in kept.items():
            now = with_sizes(type_, partial(substitute, values=sizes)) if sizes else type_
            left = without_undone(self.w, now)
            if left is not None:
                known[key] = left, held
        types = dict(zip(known, joiner.join_all(known.values()), strict=True))
        stays = self._here(dict.fromkeys(walked.stays), owners).keys()
        return Recalled(types, self._here(walked.cut, owners), stays, walked.first)

    def _is_there(self, key: Key) -> bool:
        """Tell whether a location holds something; an arena is empty before anything moves in."""
        there = self.w.store.get_key(key) is not MISSING
        return there or type(self.w.store.owner(key)) is Arena

    def _here(self, kept: dict[Location, Any], owners: dict[Place, int]) -> dict[Key, Any]:
        return {
            (owners.get(place, cast(int, place)), slot): held
            for (place, slot), held in kept.items()
            if place in owners or type(place) is int
        }

    def _held(self) -> dict[tuple[int, str], Any]:
        """Return what the names of the frames hold, by depth and name."""
        return {
            (depth, name): self._now(frame, name)
            for depth, frame in enumerate(self.w.frames)
            for name in sorted(frame.program.locals)
        }

    def _now(self, owner: Any, slot: str) -> Any:
        """Return what is at a location, which does not count as a read of the program's."""
        return self.w.store.get_key((id(owner), slot))

    def _places(self) -> dict[int, Place]:
        """Return where the frames are, and objects that their names hold, by the objects' ids."""
        places: dict[int, Place] = {id(one): (depth,) for depth, one in enumerate(self.w.frames)}
        for place, held in self._held().items():
            owner = held.array if isinstance(held, Var) else held
            if self.w.store.was_born(owner):
                places.setdefault(id(owner), place)
        return places

    def _has_grown(self, walked: _Walked) -> bool:
        """Tell whether names hold what they held before a walk of the loop, or more than that."""
        now = self._held()
        return all(place in now for place in walked.names) and all(
            self._has_room(self._kind(now[place]), kind) for place, kind in walked.names.items()
        )

    def _has_room(self, now: _Kind, before: _Kind) -> bool:
        """Tell whether what a name held is among what it may hold now."""
        if before.is_known:
            return not now.is_known or same_static(before.known, now.known)
        if now.is_known:
            return False
        if now.parts[0] is Choice:
            held = before.parts[1:] if before.parts[0] is Choice else [before]
            return all(any(self._has_room(one, kind) for one in now.parts[1:]) for kind in held)
        if now.parts[0] is not before.parts[0]:
            return False
        if now.parts[0] in STRUCTURES and len(now.parts) == len(before.parts):
            return all(map(self._has_room, now.parts[1:], before.parts[1:]))
        if now.element is None or before.element is None:
            return now == before or now.element is not None
        joined = Joiner(self.w, widen=True).join(now.element, before.element)
        return now.parts == before.parts and joined == now.element

    def _kind(self, held: Any) -> _Kind:
        """Return in short what a name holds: a known value, or what tells others apart."""
        match held:
            case Scalar():
                return _Kind((held.type,))
            case Array():
                return _Kind((Array, *self._form(held)))
            case Var():
                return _Kind((Var, *self._form(held.array)))
            case Choice():
                return _Kind((Choice, *map(self._kind, held.alternatives)))
            case tuple() if type(held) is tuple:
                return _Kind((tuple, *map(self._kind, held)))
            case SymbolicRange(start=start, stop=stop, step=step):
                return _Kind((SymbolicRange, *map(self._kind, (start, stop, step))))
            case Symbolic():
                return _Kind((type(held),))
        if not self.w.store.was_born(held):
            return _Kind((), known=held)
        match self._now(held, ITEMS):
            case tuple() | dict() as items:
                return _Kind((type(held), len(items)))
            case items:
                return _Kind((type(held),), getattr(items, "element", None))

    def _form(self, array: Array) -> tuple[Any, ...]:
        """Return the dtype and rank of the array that owns the memory, and which view this is."""
        windows = []
        while array.view is not None:
            windows.append(array.view.window and array.view.window.key)
            array = array.view.base
        match self._now(array, CONTENTS):
            case Value() as version:
                return dtype_of(version), len(dims_of(version)), *windows
            case version:
                source = array.source if version is MISSING else version
                return source.dtype, source.ndim, *windows


@dataclass(frozen=True)
class _Kind:
    """What a name holds.

    Attributes:
        parts: What tells it from others; nothing, of what is known while compiling.
        element: The type of the items, of a list whose length is not known.
        known: What is known while compiling.
    """

    parts: tuple[Any, ...]
    element: Type | None = None
    known: Any = None

    @property
    def is_known(self) -> bool:
        """Tell whether the name holds what is known while compiling."""
        return not self.parts
