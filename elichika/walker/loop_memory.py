"""What a loop carried when it was last walked: a loop around it walks it again and again.

Types only grow from one walk of a loop around to the next, so the next walk may begin with what the
last one found, and its first trial is often the only one.  Without it each of `k` nested loops
would double the walks of those within.

Another walk has other frames, lists and arrays.  So a location is remembered by the depth of the
frame and the name that holds its owner, and types without what was taken back.  A helper may also
be called twice from one place, with unlike things: what its names hold tells these walks apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from elichika.state.joins import Joiner, Type, TypeReader, same_static, without_undone
from elichika.state.store import CONTENTS, ITEMS, MISSING, Key
from elichika.values.symbolic import Array, Choice, Scalar, Symbolic, Var
from elichika.walker.tape.control import Cut
from elichika.walker.walk import Walk
from onnx_graph import Value, dims_of, dtype_of

#: The depth of a frame; or of one and the name there that holds an object; or the object's id.
Place = tuple[int] | tuple[int, str] | int
Location = tuple[Place, str]
#: Stands for any number of items.
ANY = "any"


@dataclass(frozen=True)
class _Walked:
    """A walk of a loop.

    Attributes:
        types: What it carried.
        cut: What of that had no past on the tape.
        names: What the other names of the frames held before it, by depth and name.
    """

    types: dict[Location, Type]
    cut: dict[Location, Cut]
    names: dict[tuple[int, str], Any]


class LoopMemory:
    """What loops carried, by their sites."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self._walks: dict[Any, _Walked] = {}

    def keep(self, carried: dict[Key, Type], cut: dict[Key, Cut]) -> None:
        """Remember what the loop here carries, and what of it has no past on the tape."""
        places = self._places()
        names = {
            place: self._kind(held)
            for place, held in self._held().items()
            if (id(self.w.frames[place[0]]), place[1]) not in carried
        }

        def place(key: Key) -> Location:
            return places.get(key[0], key[0]), key[1]

        self._walks[self.w.region_site()] = _Walked(
            {place(key): type_ for key, type_ in carried.items()},
            {place(key): held for key, held in cut.items()},
            names,
        )

    def recalled(self) -> tuple[dict[Key, Type], dict[Key, Cut]]:
        """Return what the loop here carried, as far as it is there, joined with what is now.

        And what of it had no past on the tape.
        """
        walked = self._walks.get(self.w.region_site())
        if walked is None or not self._has_grown(walked):
            return {}, {}
        owners = {place: owner for owner, place in self._places().items()}
        known = {}
        for key, type_ in self._here(walked.types, owners).items():
            left = without_undone(self.w, type_)
            if left is not None and self.w.store.get_key(key) is not MISSING:
                known[key] = left
        reader, joiner = TypeReader(self.w, self.w.store.mark()), Joiner(self.w, widen=True)
        held = [
            reader.version(key[1], self.w.held(self.w.store.owner(key), key[1])) for key in known
        ]
        joined = joiner.join_all(zip(known.values(), held, strict=True))
        return dict(zip(known, joined, strict=True)), self._here(walked.cut, owners)

    def _here(self, kept: dict[Location, Any], owners: dict[Place, int]) -> dict[Key, Any]:
        return {
            (place if isinstance(place, int) else owners[place], slot): held
            for (place, slot), held in kept.items()
            if isinstance(place, int) or place in owners
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
            _has_room(self._kind(now[place]), kind) for place, kind in walked.names.items()
        )

    def _kind(self, held: Any) -> Any:
        """Return in short what a name holds: a known value, or what tells others apart."""
        match held:
            case Scalar():
                return _Kind((held.type,))
            case Array():
                return _Kind((Array, *self._form(held)))
            case Var():
                return _Kind((Var, *self._form(held.array)))
            case Choice():
                return _Kind((Choice, *map(type, held.alternatives)))
            case Symbolic():
                return _Kind((type(held),))
        if not self.w.store.was_born(held):
            return held
        if not isinstance(held, (list, tuple, dict)):
            return _Kind((type(held),))
        items = self._now(held, ITEMS)
        return _Kind((type(held), len(items) if isinstance(items, (tuple, dict)) else ANY))

    def _form(self, array: Array) -> tuple[Any, ...]:
        """Return the dtype and rank of the array that owns the memory, and which view this is."""
        windows = []
        while array.view is not None:
            windows.append(array.view.window and array.view.window.key)
            array = array.view.base
        version = self._now(array, CONTENTS)
        if isinstance(version, Value):
            return dtype_of(version), len(dims_of(version)), *windows
        source = array.source if version is MISSING else version
        return source.dtype, source.ndim, *windows


@dataclass(frozen=True)
class _Kind:
    """What a name holds whose value is known when the model runs."""

    parts: tuple[Any, ...]


def _has_room(now: Any, before: Any) -> bool:
    """Tell whether what a name held is among what it may hold now."""
    if not isinstance(now, _Kind):
        return not isinstance(before, _Kind) and same_static(before, now)
    return not isinstance(before, _Kind) or now == before or ANY in now.parts
