"""Loops over dicts and sets whose keys are known only when the model runs."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from elichika.iterators.base import Staged
from elichika.state.joins import Joiner, TypeReader, carriers, filled
from elichika.state.joins.types import split
from elichika.state.store import ITEMS
from elichika.values.set_orders import KNOWN
from elichika.values.symbolic import Choice, may_be_unset
from elichika.values.tables import Table
from elichika.walker.arena_plan import MAPPINGS
from elichika.walker.containers.table_reads import TableReads
from elichika.walker.core import KeyChanges
from elichika.walker.walk import Walk
from onnx_graph import Value

__all__ = ["TableLoops"]

#: What is said of dicts and sets whose size changes while they are gone through.
_SIZE = "dictionary changed size"
_SIZES: dict[Any, str] = {OrderedDict: "OrderedDict mutated", set: "Set changed size"}


class TableLoops:
    """The part of the walker that goes through keys of the run."""

    def __init__(self, w: Walk, reads: TableReads) -> None:
        self.w = w
        self.reads = reads
        #: What is noted of a dict or set that was gone through, by its `id`.
        self._changes: dict[int, KeyChanges] = {}
        #: What is noted for the loops that go through one now, and for each loop by its place.
        self._looping: dict[int, list[KeyChanges]] = {}
        self._of_loops: dict[Any, KeyChanges] = {}

    def iterated(
        self, mapping: Any, table: Table, kind: str, within: Table | None = None
    ) -> Staged:
        """Return what a loop over a dict or set, or a view of it, runs over.

        Args:
            mapping: The dict or set.
            table: What it holds.
            kind: Its "keys", "values" or "items".
            within: What it holds in the order of the loop, if that is another.
        """
        w, opened = self.w, self.reads.opened
        start, length = opened(mapping) if within else table, self.reads.length(table)
        made: KeyChanges = w.store.always(KeyChanges(mapping, 0))
        changes = self._changes.setdefault(id(mapping), made)
        before, alone = self._changed(changes), list[KeyChanges]()

        def current() -> Any:
            self._require_size(mapping, start, length)
            self._require_order(changes, before, alone)
            return length

        def item(index: Any) -> Any:
            self._require_size(mapping, start, length)
            if not alone:
                self._require_order(changes, before, alone)
            for one in alone:
                self._begin(one)
            now, place = within or opened(mapping), w.value_of(index, np.int64)
            if now is None:
                w.refuse("a dict is emptied while an iterator runs over its keys")
            return self._entry(now, kind, place)

        if type(mapping) is OrderedDict:  # which is not asked behind its last key
            return Staged(length, item, fails=True)
        return Staged(
            length, item, current=current, fails=True, alone=lambda: self._followed(mapping, alone)
        )

    # -- what changes meanwhile ---------------------------------------------------------------

    def note(self, obj: Any, slot: str, happens: Any) -> None:
        """Note that a key of a dict or set is "taken" out, or "put" in, if that happens."""
        w, changes, happens = self.w, self._changes.get(id(obj)), self.w.truth(happens)
        if changes is None or happens is False:
            return
        more = w.call(int, [happens], {})
        w.store.set(changes, slot, w.binary(operator.add, w.held(changes, slot), more))
        for one in self._looping.get(id(obj), ()):
            held = w.truth(w.held(one, slot))
            w.store.set(one, slot, w.not_(w.both(w.not_(held), w.not_(happens))))

    def replaced(self, obj: Any, items: Any) -> None:
        """Note that a dict or set gets other keys altogether, if they are others."""
        if id(obj) in self._changes and not _same_keys(items, self.w.items_of(obj)):
            self.note(obj, "taken", True)
            self.note(obj, "put", type(items) is Table or bool(items))

    @contextmanager
    def _followed(self, mapping: Any, alone: list[KeyChanges]) -> Iterator[None]:
        """Follow from item to item what changes, for a loop that alone asks for all of them."""
        w = self.w
        made: KeyChanges = w.store.always(KeyChanges(mapping, False))
        one = self._of_loops.setdefault((id(mapping), *map(id, w.node_stack)), made)
        looping = self._looping.setdefault(id(mapping), [])
        self._begin(one)
        looping.append(one)
        alone.append(one)
        try:
            yield
        finally:
            looping.remove(one)
            alone.remove(one)

    def _begin(self, one: KeyChanges) -> None:
        """Note nothing yet: the loop asks for an item, or for the first one."""
        for slot in ("taken", "put"):
            if self.w.held(one, slot) is not False:
                self.w.store.set(one, slot, False)

    def _changed(self, changes: KeyChanges) -> tuple[Any, Any]:
        return self.w.held(changes, "taken"), self.w.held(changes, "put")

    def _require_size(self, mapping: Any, start: Table | None, length: Any) -> None:
        """Check that a dict or set is as large as it was."""
        w, now = self.w, self.reads.opened(mapping)
        if now is None or start is None or now.columns[0] is not start.columns[0]:
            same = w.truth(w.binary(operator.eq, w.sequences.length(mapping), length))
            w.check(same, RuntimeError, f"{_SIZES.get(type(mapping), _SIZE)} during iteration")

    def _require_order(self, changes: KeyChanges, before: Any, alone: list[KeyChanges]) -> None:
        """Refuse a dict or set of the same size in which an iterator may find another key.

        Where a key stands that was taken out and put in again, and whether an iterator comes to it,
        only CPython knows; but an OrderedDict tells.
        """
        w, now = self.w, self._changed(changes)
        if type(changes.mapping) is OrderedDict:
            if now[0] is not before[0]:
                same = w.truth(w.binary(operator.eq, now[0], before[0]))
                w.check(same, RuntimeError, "OrderedDict mutated during iteration")
            return
        if alone:
            both = all(w.truth(flag) is not False for flag in self._changed(alone[-1]))
        else:
            both = not any(map(_is_same, now, before))
        if both:
            w.refuse(
                "a key is taken out of this dict or set, and one is put in, while an iterator runs "
                "over it: Python leaves open what comes next",
                "go through a list of the keys: `for key in list(d)`",
            )

    # -- what comes ---------------------------------------------------------------------------

    def _entry(self, table: Table, kind: str, place: Value) -> Any:
        """Return the key at a place, the value, or both, as "keys", "values" or "items" say."""
        number = len(carriers(table.type.key))
        key = self.reads.built(table.type.key, table.columns[:number], place)
        if kind == "keys":
            return key
        value = self.reads.value(table, place)
        return value if kind == "values" else (key, value)

    def iterated_one(self, choice: Choice, kind: str) -> Staged | None:
        """Return what a loop over one of several dicts runs over; None of those of known keys."""
        table = self._one_of(choice)
        if table is None:
            return None
        unchanged, length = self.watched(choice.alternatives), self.reads.length(table)

        def current() -> Any:
            unchanged()
            return length

        def item(index: Any) -> Any:
            current()
            return self._entry(table, kind, self.w.value_of(index, np.int64))

        return Staged(length, item, current=current)

    def watched(self, alternatives: Iterable[Any]) -> Callable[[], None]:
        """Return what refuses a dict or set among some things that has other keys than now."""
        before = [(one, self.w.items_of(one)) for one in alternatives]
        keyed = [(one, held) for one, held in before if type(held) in (*KNOWN, Table)]

        def unchanged() -> None:
            for one, held in keyed:
                now = self.w.items_of(one)
                if now is not held and not _same_keys(now, held):
                    self.w.refuse("one of several dicts changes while an iterator runs over it")

        return unchanged

    def _one_of(self, choice: Choice) -> Table | None:
        """Return what one of several dicts holds, if the keys of one are those of the run."""
        w, alternatives = self.w, choice.alternatives
        if not all(type(one) in MAPPINGS for one in alternatives):
            return None
        tables = [table for table in map(self.reads.opened, alternatives) if table is not None]
        if not tables:
            return None
        reader, joiner = TypeReader(w, w.store.mark()), Joiner(w, widen=True)
        held = [w.items_of(one) for one in alternatives]
        type_: Any = tables[0].type
        for one in held:
            type_ = joiner.compatible(type_, reader.version(ITEMS, one))
            if type_ is None or type_.is_conflict:
                return None
        chosen = split(w, type_, Choice(choice.tag, tuple(held)), range(len(held)), {})
        return Table(type_, tuple(filled(w, chosen)))


def _is_same(now: Any, before: Any) -> bool:
    """Tell whether two numbers surely are the same."""
    return now is before or (type(now) is type(before) is int and bool(now == before))


def _same_keys(now: Any, before: Any) -> bool:
    """Tell whether two contents of a dict or set surely have the same keys."""
    if type(now) is type(before) is Table:
        count = len(carriers(now.type.key))
        return bool(
            now.type.key == before.type.key and now.columns[:count] == before.columns[:count]
        )
    if Table in (type(now), type(before)) or [*now] != [*before]:
        return False
    pairs = zip(now.values(), before.values(), strict=True)
    return all(a is b or not (may_be_unset(a) or may_be_unset(b)) for a, b in pairs)
