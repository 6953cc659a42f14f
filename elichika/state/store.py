"""The state of the program under compilation: locations, their versions, and the journal.

A *location* is one mutable thing of the Python program: a name in a frame, an attribute of an
object, the ordered contents of a list or dict, the contents of an array.  Two names for one object
are one location.  The store keys versions by the real object and never writes through, so the
user's objects are read and never changed.

Control flow is four operations: `mark`, `changes_since`, `undo`, and (in `joins`) join.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, Protocol, TypeVar

from elichika.state.passed import Passed
from elichika.values.symbolic import Symbolic


class _Missing:
    """The version of a location that the walk has not touched: look at the real object."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()

#: The location of what a list, dict or set holds, of what an array holds, and of which random
#: numbers come next.
ITEMS, CONTENTS, RANDOM = "[items]", "[contents]", "[random]"

Key = tuple[int, str]
T = TypeVar("T")


class Note(Generic[T]):
    """What the compiler remembers of an object: undone like what programs write, never joined.

    Args:
        name: What is remembered.
    """

    def __init__(self, name: str) -> None:
        self.slot = "~" + name


#: Where an object lives that changes in a list of dynamic length.
HANDLE: Note[Any] = Note("handle")


@dataclass(frozen=True)
class Mark:
    """A point in the journal; `clock` tells objects born before it from those born after."""

    position: int
    clock: int


class Records(Protocol):
    """Where objects live that have a handle: `walker/containers/arenas.py`."""

    def read(self, obj: Any, slot: str) -> Any:
        """Return what a location of such an object holds."""

    def write(self, obj: Any, slot: str, version: Any) -> None:
        """Give a location of such an object a new version."""

    def slots(self, obj: Any) -> list[str]:
        """Return the locations that such an object has."""


class Surroundings(Protocol):
    """What a store asks of the walk that it belongs to."""

    @property
    def arenas(self) -> Records:
        """Where objects live that have a handle."""

    def read(self, array: Any) -> Any:
        """Return the present contents of an array."""

    def place_of_write(self) -> Any:
        """Return what tells where the program is, for messages."""

    def site_of_birth(self) -> Any:
        """Return what names the place that makes an object, the same in every walk."""

    def refuse_write(self, obj: Any) -> NoReturn:
        """Refuse a write to an object that was sealed."""

    def forget_after(self, mark: Mark) -> None:
        """Leave what the walk has begun after a mark and not ended."""


class Store:
    """Versions of locations with an undo journal.

    Args:
        walk: What it belongs to.
    """

    def __init__(self, walk: Surroundings) -> None:
        self._walk = walk
        self.passed = Passed()
        #: By the ids of objects: these, and what stands for them, which no undo takes back.
        self.lasting: dict[int, tuple[Any, Any]] = {}
        self._versions: dict[int, dict[str, Any]] = {}
        self._journal: list[tuple[Key, Any, Any]] = []
        self._places: dict[Key, Any] = {}
        self._objects: dict[int, Any] = {}
        self._births: dict[int, int] = {}
        self._foreign: dict[int, None] = {}
        self._clock = 0
        self._undone: list[tuple[int, int]] = []
        self._sealed: dict[int, Any] = {}
        self._handled: dict[int, Any] = {}
        self._rewritten: dict[int, Any] = {}
        self._sites: dict[int, frozenset[Any]] = {}
        self._reading: dict[Key, tuple[Any, str, Any]] | None = None
        self._reads_classes = False

    def read(self, array: Any) -> Any:
        """Return the present contents of an array."""
        return self._walk.read(array)

    def born(self, obj: Any) -> Any:
        """Register `obj` as created by the walk just now, and return it."""
        self._clock += 1
        self._objects[id(obj)] = obj
        self._births[id(obj)] = self._clock
        if not isinstance(obj, Symbolic):
            self._sites[id(obj)] = frozenset(((self._walk.site_of_birth(), type(obj)),))
        return obj

    def always(self, obj: Any) -> Any:
        """Register `obj` as one that was there before the walk, but is no object of the user's."""
        self._objects[id(obj)] = obj
        self._births[id(obj)] = 0
        return obj

    def made_at(self, obj: Any, sites: frozenset[Any]) -> None:
        """Say at which places of the program an object may have been made."""
        self._sites[id(obj)] = sites

    def sites_of(self, obj: Any) -> frozenset[Any]:
        """Return the places of the program where an object may have been made."""
        return self._sites.get(id(obj), frozenset())

    def living(self) -> list[Any]:
        """Return the objects that the walk created, but for those of parts taken back."""
        found = [self._objects[key] for key in self._births]
        return [obj for obj in found if not self.was_undone(obj)]

    def born_with(self, obj: Any, other: Any) -> None:
        """Register `obj` as created when the walk created `other`, if it did."""
        if id(other) in self._births:
            self._objects[id(obj)] = obj
            self._births[id(obj)] = self._births[id(other)]

    def is_fresh(self, obj: Any, mark: Mark) -> bool:
        """Tell whether the walk created `obj` after `mark`."""
        return self._births.get(id(obj), 0) > mark.clock

    def was_born(self, obj: Any) -> bool:
        """Tell whether the walk created `obj` at all (user objects are never born)."""
        return id(obj) in self._births

    def is_internal(self, obj: Any) -> bool:
        """Tell whether an object is the walk's own, from the start of it."""
        return self._births.get(id(obj)) == 0

    def was_undone(self, obj: Any) -> bool:
        """Tell whether the walk created `obj` in a part of it that was taken back."""
        birth = self._births.get(id(obj), 0)
        index = bisect_left(self._undone, (birth,)) - 1
        return index >= 0 and birth <= self._undone[index][1]

    def taken_back(self, mark: Mark) -> tuple[int, int]:
        """Return when what the walk made after `mark` was born, if it was taken back just then."""
        index = bisect_left(self._undone, (mark.clock,))
        return self._undone[index] if index < len(self._undone) else (mark.clock, mark.clock)

    def was_born_in(self, obj: Any, spans: Iterable[tuple[int, int]]) -> bool:
        """Tell whether the walk created `obj` in one of some spans of its clock."""
        birth = self._births.get(id(obj), 0)
        return any(start < birth <= end for start, end in spans)

    def get(self, obj: Any, slot: str) -> Any:
        """Return the current version of a location, or `MISSING`."""
        held = self._versions.get(id(obj))
        if held is not None and HANDLE.slot in held and not slot.startswith("~"):
            return self._walk.arenas.read(obj, slot)
        version = MISSING if held is None else held.get(slot, MISSING)
        if self._reading is not None and not slot.startswith("~"):
            self._reading.setdefault((id(obj), slot), (obj, slot, version))
        return version

    def noted(self, obj: Any, note: Note[T]) -> T | None:
        """Return what is remembered of an object, or None."""
        held = self._versions.get(id(obj))
        return None if held is None else held.get(note.slot)

    def note(self, obj: Any, note: Note[T], value: T | None) -> None:
        """Remember something of an object; nothing any more where it is None."""
        self.set(obj, note.slot, value)

    @contextmanager
    def reading(self, classes: bool = True) -> Iterator[list[tuple[Any, str, Any]]]:
        """Write down what is read within the block: each location, and what it held at first.

        Without `classes` the attributes of those are left out that the walk has not written.
        """
        before, self._reading = self._reading, {}
        asked, self._reads_classes = self._reads_classes, self._reads_classes or classes
        found: list[tuple[Any, str, Any]] = []
        try:
            yield found
        finally:
            read, self._reading = self._reading, before
            self._reads_classes = asked
            found += read.values()
            if before is not None:
                for key, entry in read.items():
                    before.setdefault(key, entry)

    def seal(self, obj: Any) -> None:
        """Forbid further writes to an object, for good: copies of it are about."""
        self._sealed[id(obj)] = obj

    def handled(self, obj: Any, slot: str, ends: Iterable[Callable[[], Any]]) -> bool:
        """Note that a handle keeps what a slot of an object holds now: it may be set no more.

        Returns:
            Whether it holds the same in each of the states that `ends` give.
        """
        self._handled[id(obj)], now = obj, self.get(obj, slot)
        for end in ends:
            with end():
                if self.get(obj, slot) is not now:
                    return False
        return True

    def is_handled(self, obj: Any) -> bool:
        """Tell whether a handle keeps what an object holds."""
        return id(obj) in self._handled

    def rewrite(self, obj: Any) -> None:
        """Note that the program changes an object which is a value elsewhere: an exception."""
        self._rewritten[id(obj)] = obj

    def complete(self, obj: Any) -> None:
        """Note that what its own `__init__` set is part of an object, and no change of it."""
        self._rewritten.pop(id(obj), None)

    def was_rewritten(self, obj: Any) -> bool:
        """Tell whether it did so, anywhere in the walk."""
        return id(obj) in self._rewritten

    def is_sealed(self, obj: Any) -> bool:
        """Tell whether writes to an object are forbidden."""
        return id(obj) in self._sealed

    def set(self, obj: Any, slot: str, version: Any) -> None:
        """Give a location a new version; the old one goes to the journal."""
        if id(obj) in self._sealed and not slot.startswith("~"):
            self._walk.refuse_write(obj)
        self.passed.wrote(obj)
        if HANDLE.slot in self._versions.get(id(obj), ()) and not slot.startswith("~"):
            self._walk.arenas.write(obj, slot, version)
            return
        self._objects[id(obj)] = obj
        self.set_key((id(obj), slot), version)

    def set_key(self, key: Key, version: Any) -> None:
        """Like `set`, for a key whose object the store already holds."""
        places = self._places
        self._journal.append((key, self.get_key(key), places.get(key)))
        places[key] = self._walk.place_of_write()
        self._put(key, version)

    def get_key(self, key: Key) -> Any:
        """Return the current version under `key`, or `MISSING`."""
        held = self._versions.get(key[0])
        return MISSING if held is None else held.get(key[1], MISSING)

    def _put(self, key: Key, version: Any) -> None:
        if key[0] not in self._births:
            self._foreign[key[0]] = None
        held = self._versions.setdefault(key[0], {})
        if version is MISSING:
            held.pop(key[1], None)
        else:
            held[key[1]] = version

    def is_touched(self, obj: Any) -> bool:
        """Tell whether the walk has written any location of an object, or read it by `reading`."""
        return id(obj) in self._versions or self._reads_classes

    def owner(self, key: Key) -> Any:
        """Return the object whose location `key` is."""
        return self._objects[key[0]]

    def written(self) -> Iterator[tuple[Any, str]]:
        """Yield the locations of objects that the walk did not create and has written."""
        for owner in list(self._foreign):
            if owner not in self._births:
                for slot in list(self._versions[owner]):
                    if not slot.startswith("~"):
                        yield self._objects[owner], slot

    def slots(self, obj: Any) -> list[str]:
        """Return the slots of `obj` that have a version, in the order of their first write."""
        held = self._versions.get(id(obj), {})
        return self._walk.arenas.slots(obj) if HANDLE.slot in held else list(held)

    def mark(self) -> Mark:
        """Return the present point of the journal."""
        return Mark(len(self._journal), self._clock)

    def changes_since(self, mark: Mark) -> dict[Key, Any]:
        """Return the current versions of all locations written since `mark`, oldest write first."""
        keys = dict.fromkeys(key for key, _, _ in self._journal[mark.position :])
        return {key: self.get_key(key) for key in keys}

    def versions_at(self, mark: Mark) -> dict[Key, Any]:
        """Return what the locations written since `mark` held at `mark`."""
        first: dict[Key, Any] = {}
        for key, old, _ in self._journal[mark.position :]:
            first.setdefault(key, old)
        return first

    def place_of(self, key: Key) -> Any:
        """Return where a location was written last, as `place` gave it then, or None."""
        return self._places.get(key)

    def places_at(self, mark: Mark) -> dict[Key, Any]:
        """Return where the locations written since `mark` were written last before it."""
        first: dict[Key, Any] = {}
        for key, _, place in self._journal[mark.position :]:
            first.setdefault(key, place)
        return first

    def undo(self, mark: Mark) -> None:
        """Take back every write since `mark`; objects born since exist on, without versions."""
        self._walk.forget_after(mark)
        while len(self._journal) > mark.position:
            key, old, place = self._journal.pop()
            self._put(key, old)
            self._places[key] = place
        while self._undone and self._undone[-1][0] >= mark.clock:
            self._undone.pop()
        self._undone.append((mark.clock, self._clock))

    @contextmanager
    def replayed(self, changes: Mapping[Key, Any]) -> Iterator[None]:
        """Put `changes` back for a moment, to read the state a branch ended in."""
        mark = self.mark()
        for key, version in changes.items():
            self.set_key(key, version)
        try:
            yield
        finally:
            self.undo(mark)
