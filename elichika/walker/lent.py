"""`d[k] += a` of an array that a dict or list of the run holds: another takes its place.

Such a dict holds copies, so that a write to one of its arrays is refused: another name of the same
array would not see it.  Where the array is surely in that one place, `d[k] = d[k] + a` is the same,
in the dtype of `d[k]`: a walk that was given up for such a write follows where arrays go.

sums = {}
for row, k in zip(rows, keys):
    if k not in sums:
        sums[k] = np.zeros(3)        held by no name: it is in one place
    sums[k] += row                   no name holds what a dict lends: another array takes its place
rows = list(sums.values())           from here on arrays are in two places
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from elichika.state.store import ITEMS, MISSING
from elichika.values.functions import Frame
from elichika.values.symbolic import Array, Seq
from elichika.values.tables import Table
from elichika.walker.core import Numbering
from elichika.walker.walk import Walk

__all__ = ["Lent"]


class Memory(Protocol):
    """What knows which arrays share memory."""

    def in_list(self, array: Array) -> bool:
        """Tell whether a list or dict of the run holds a copy of an array."""

    def may_share(self, root: Array) -> bool:
        """Tell whether another array may share memory with the owner of some."""

    def reachable(self) -> set[int]:
        """Return the ids of all objects that the program reaches by names."""

    def in_use(self) -> Iterator[Any]:
        """Yield all objects that the program can still reach, or is about to use."""


class Lent:
    """The part of the walker that knows whether arrays in lists and dicts are in one place each.

    Attributes:
        memory: What it asks, once that is there.
    """

    def __init__(self, w: Walk) -> None:
        self.w = w
        self.memory: Memory
        #: How often an array may have come to a second place: a location, for loops go on.
        self._seconds: Numbering = w.store.always(Numbering())
        self._taken: dict[int, tuple[Array, Frame]] = {}
        self._back: dict[int, tuple[Array, Frame, str]] = {}
        self._made: dict[int, tuple[Any, Any]] = {}
        self._offered: dict[int, Array] = {}

    # -- where arrays go ----------------------------------------------------------------------

    def offer(self, value: Any) -> None:
        """Note that a list or dict is about to get a copy of a value: if of an array, of which?"""
        self._offered = {}
        if self.w.plan.writes_items and type(value) in (Array, np.ndarray):
            array = self.w.as_array(value)
            self._offered = {id(array): array} if self._is_alone(array) else {}

    def put(self, array: Array) -> None:
        """Note that a list or dict gets a copy of an array."""
        if not self.w.plan.writes_items:
            return
        held, frame, name = self._back.pop(id(array), (None, None, ""))
        if held is array and frame is not None:
            self.w.store.set(frame, name, None)  # its last use: it has no name any more
        elif self._offered.pop(id(array), None) is not array:
            self._count()

    def follow(self, made: Any, before: Any) -> Any:
        """Note that contents were made of others by one put in or taken out; return them."""
        if self.w.plan.writes_items:
            self._made[id(made)] = made, before
        return made

    def hold(self, obj: Any, items: Any) -> None:
        """Note that something gets contents: of others it may share arrays."""
        if not self.w.plan.writes_items or not _holds_arrays(items):
            return
        before, now = self.w.store.get(obj, ITEMS), items
        while now is not before and id(now) in self._made:
            now = self._made[id(now)][1]
        if now is not before and before is not MISSING:
            self._count()

    def _count(self) -> None:
        self.w.store.set(self._seconds, "count", 1)

    def _is_alone(self, array: Array) -> bool:
        """Tell whether nothing holds an array but the expression that it is in."""
        root = array.root
        if root is not array or array.view is not None or self.memory.in_list(array):
            return False
        if array.source is not None and not self.w.store.was_born(array.source):
            return False
        held = self.memory.reachable()
        named = id(root) in held or id(array.source) in held
        return not named and not self.memory.may_share(root)

    # -- the write ----------------------------------------------------------------------------

    def take(self, value: Any) -> Any:
        """Note that a list or dict lends an array here; return it."""
        if self.w.plan.writes_items and type(value) is Array:
            self._taken[id(value)] = value, self.w.frames[-1]
        return value

    def instead(self, name: str, current: Any, operand: Any) -> Any:
        """Return what is changed by `name op= operand`: an array put back in the place of one lent.

        Args:
            name: A name of the canonicalizer, for what stands by a key.
            current: What it holds.
            operand: The other side.
        """
        array, frame = self._taken.get(id(current), (None, None))
        here = self.w.frames[-1]
        if array is not current or frame is not here or name not in here.program.generated:
            return current
        if self.w.tape.is_kept:  # which may hold the array, too
            return current
        if self.w.held(self._seconds, "count") != 0 or any(
            self.memory.in_list(other) for other in self._others(current, operand)
        ):
            return current
        copy = self.w.new_array(self.w.value_of(current))
        self._back[id(copy)] = copy, here, name
        return copy

    def _others(self, *without: Any) -> Iterator[Array]:
        """Yield the arrays that the program can still reach, or is about to use."""
        return (
            one
            for one in self.memory.in_use()
            if type(one) is Array and not any(one is other for other in without)
        )


def _holds_arrays(items: Any) -> bool:
    """Tell whether contents hold arrays, or handles of what may."""
    match items:
        case Seq():
            return not items.element.is_plain
        case Table():
            return items.type.element is not None and not items.type.element.is_plain
    return False
