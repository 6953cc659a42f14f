"""What a loop carried when it was last walked: a loop around it walks it again and again.

Types only grow from one walk of a loop around to the next, so the next walk may begin with what the
last one found, and its first trial is often the only one.  Without it each of `k` nested loops
would double the walks of those within.

Another walk has other frames, lists and arrays.  So a location is remembered by the depth of the
frame and the name that holds its owner, and types without what was taken back.
"""

from __future__ import annotations

from typing import Any

from elichika.state.joins import Joiner, Type, TypeReader, without_undone
from elichika.state.store import MISSING, Key
from elichika.values.symbolic import Var
from elichika.walker.tape.control import Cut
from elichika.walker.walk import Walk

#: The depth of a frame; or of one and the name there that holds an object; or the object's id.
Place = tuple[int] | tuple[int, str] | int


class LoopMemory:
    """Types of what loops carried, by the site of the loop."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self._types: dict[Any, dict[tuple[Place, str], Type]] = {}
        self._cuts: dict[Any, dict[tuple[Place, str], Cut]] = {}

    def keep(self, carried: dict[Key, Type], cut: dict[Key, Cut]) -> None:
        """Remember what the loop here carries, and what of it has no past on the tape."""
        site, places = self.w.region_site(), self._places()

        def place(key: Key) -> tuple[Place, str]:
            return places.get(key[0], key[0]), key[1]

        self._types[site] = {place(key): type_ for key, type_ in carried.items()}
        self._cuts[site] = {place(key): held for key, held in cut.items()}

    def carried(self) -> dict[Key, Type]:
        """Return what the loop here carried, as far as it is there, joined with what is now."""
        known = {}
        for key, type_ in self._here(self._types).items():
            left = without_undone(self.w, type_)
            if left is not None and self.w.store.get_key(key) is not MISSING:
                known[key] = left
        reader, joiner = TypeReader(self.w, self.w.store.mark()), Joiner(self.w, widen=True)
        held = [
            reader.version(key[1], self.w.held(self.w.store.owner(key), key[1])) for key in known
        ]
        joined = joiner.join_all(zip(known.values(), held, strict=True))
        return dict(zip(known, joined, strict=True))

    def cut(self) -> dict[Key, Cut]:
        """Return what had no past on the tape when the loop here was last walked."""
        return self._here(self._cuts)

    def _here(self, kept: dict[Any, dict[tuple[Place, str], Any]]) -> dict[Key, Any]:
        owners = {place: owner for owner, place in self._places().items()}
        found = kept.get(self.w.region_site(), {})
        return {
            (place if isinstance(place, int) else owners[place], slot): held
            for (place, slot), held in found.items()
            if isinstance(place, int) or place in owners
        }

    def _places(self) -> dict[int, Place]:
        """Return where the frames are, and objects that their names hold, by the objects' ids."""
        places: dict[int, Place] = {}
        for depth, frame in enumerate(self.w.frames):
            places[id(frame)] = (depth,)
            for name in sorted(frame.program.locals):
                held = self.w.store.get(frame, name)
                owner = held.array if isinstance(held, Var) else held
                if self.w.store.was_born(owner):
                    places.setdefault(id(owner), (depth, name))
        return places
