"""What puts keys of the run into dicts and sets, and takes them out."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np

from elichika.errors import StagingError
from elichika.state.joins import Joiner, Type, TypeReader, carried
from elichika.state.joins.keys import with_known
from elichika.state.joins.tables import NO_VALUES, TableType, is_of_any_size, table_of
from elichika.state.store import ITEMS
from elichika.values.kinds import alternatives_of
from elichika.values.set_orders import Order
from elichika.values.symbolic import (
    UNDEF,
    UNORDERED,
    UNSET,
    Array,
    Conflict,
    Scalar,
    Var,
    may_be_unset,
)
from elichika.values.tables import Box, Table
from elichika.walker.containers.known_keys import PAIRS, is_plain, pick_by_key, set_by_key
from elichika.walker.containers.table_keys import NO_KEY_LIKE_IT, names
from elichika.walker.containers.table_loops import TableLoops
from elichika.walker.containers.table_reads import TableReads
from elichika.walker.kinds.lists import was_picked
from elichika.walker.plan import WalkAgain
from elichika.walker.table_plan import NEW_KEY
from elichika.walker.walk import Walk
from onnx_graph import ONNXGraph, Value, dtype_of, rank_of
from onnx_graph.failing import surely

__all__ = ["TableStores"]


class TableStores:
    """The part of the walker that changes which keys of the run a dict or set holds."""

    def __init__(self, w: Walk, reads: TableReads, loops: TableLoops) -> None:
        self.w = w
        self.reads = reads
        self.loops = loops

    def set(self, obj: Any, key: Any, value: Any) -> None:
        """Run `obj[key] = value`."""
        if self.w.narrow(value) is UNDEF:  # where no run comes, as a loop's types show later
            return
        key = self.reads.keys.narrowed(key)
        if self._stands_there(obj, key, value):
            return
        self.w.sequences.lent.offer(value)
        held, boxed = self._boxed(obj, value)
        table = self._storing(obj, key, held, boxed=boxed)
        if table is None:
            self.rather(obj, boxed=False)
            set_by_key(self.w, obj, key, value)
            return
        self._put(obj, table, key, held, over=True)

    def _stands_there(self, obj: Any, key: Any, value: Any) -> bool:
        """Tell whether an array is what stands by a key already, as in `d[k] += 1`."""
        if type(key) is not Scalar or type(value) is not Array or self.reads.of(obj) is not None:
            return False
        return was_picked(self.w, value, tuple(self.w.items_of(obj).values()), key)

    def fill(self, obj: Any, pairs: list[tuple[Any, Any]]) -> Any:
        """Set items of a new dict, which is returned."""
        keys = [self.reads.keys.narrowed(key) for key, _ in pairs]
        if self.reads.of(obj) is not None or any(
            self.reads.decides(obj, key) or names(key) for key in keys
        ):
            for key, value in pairs:
                self.w.set_item(obj, key, value)
        else:
            items = {self.w.hashable(key): value for key, value in pairs}
            self.w.set_items(obj, {**self.w.items_of(obj), **items})
        return obj

    def add(self, obj: Any, key: Any) -> None:
        """Run `obj.add(key)` of a set."""
        key = self.reads.keys.narrowed(key)
        table = self._storing(obj, key, UNSET)
        assert table is not None
        self._put(obj, table, key, None, over=False)

    def set_default(self, obj: Any, key: Any, value: Any) -> Any:
        """Return `obj.setdefault(key, value)`."""
        key = self.reads.keys.narrowed(key)
        self.w.sequences.lent.offer(value)
        held, boxed = self._boxed(obj, value)
        table = self._storing(obj, key, held, boxed=boxed)
        if table is None:
            self.rather(obj, boxed=False)
            present = self.reads.contains(obj, key)
            self.w.branch(present, lambda: None, lambda: set_by_key(self.w, obj, key, value))
            return pick_by_key(self.w, obj, key)
        place = self._put(obj, table, key, held, over=False)
        now = self.reads.of(obj)
        assert now is not None
        return self.reads.value(now, place)

    def _put(self, obj: Any, table: Table, key: Any, value: Any, *, over: bool) -> Value:
        """Put a key where it is not there, and a value by it or `over` it; return where."""
        w, keys = self.w, self.reads.keys
        known = keys.placed(table, key)
        if known is not None:
            return self._put_at(obj, table, known, value, over=over)
        columns, place, is_new = self._grown(table, key, value, over=over)
        w.sequences.freeze(value)
        stored = (*table.stored, *w.sequences.taken_arrays(value))
        self.loops.note(obj, "put", is_new)
        made = Table(table.type, columns, stored)
        keys.note_placed(made, key, place)
        w.store.set(obj, ITEMS, made)
        return place

    def _grown(
        self, table: Table, key: Any, value: Any, *, over: bool
    ) -> tuple[tuple[Value, ...], Value, Any]:
        """Return the columns with a key and a value by it, where it stands, and if it is new."""
        w, g, keys = self.w, self.w.graph, self.reads.keys
        element, old = table.type.element, self.reads.values(table)
        new = [] if element is None else carried(w, element, value)
        rows = [g.Unsqueeze(one, [0]) for one in new]
        count = self.reads.rows(table)
        missing = keys.missing(table, key)
        if missing is not None:
            pairs = zip(table.columns, [g.Unsqueeze(missing, [0]), *rows], strict=True)
            return tuple(g.Concat(*pair, axis=0) for pair in pairs), count, True
        ends, place = keys.found(table, key)
        at = g.Unsqueeze(place, [0])
        length = g.Unsqueeze(g.Max(count, g.Add(place, 1)), [0])
        ends += [
            (_written if over else _appended)(g, column, at, row)
            for column, row in zip(old, rows, strict=True)
        ]
        columns = tuple(g.Slice(end, [0], length, [0]) for end in ends)
        return columns, place, w.not_(self.reads.is_there(table, place))

    def _put_at(self, obj: Any, table: Table, place: Value, value: Any, *, over: bool) -> Value:
        """Put a value `over` the one by a key that is there; return where that stands."""
        w, element = self.w, table.type.element
        if not over or element is None:
            return place
        old = self.reads.values(table)
        at = w.graph.Unsqueeze(place, [0])
        new = [
            _over(w.graph, column, at, w.graph.Unsqueeze(one, [0]))
            for column, one in zip(old, carried(w, element, value), strict=True)
        ]
        w.sequences.freeze(value)
        columns = (*table.columns[: len(table.columns) - len(old)], *new)
        stored = (*table.stored, *w.sequences.taken_arrays(value))
        w.store.set(obj, ITEMS, Table(table.type, columns, stored))
        return place

    def _boxed(self, obj: Any, value: Any) -> tuple[Any, bool]:
        """Return what is held by a key, in a box if it holds arrays of any size; and whether."""
        table = self.reads.of(obj)
        if table is not None:
            boxed = table.type.boxed
        else:
            boxed = self.w.items_of(obj) == {} and self._is_boxed(obj, value)
        return (self._box(value) if boxed else value), boxed

    def _box(self, value: Any) -> Box:
        """Return a new box with a value."""
        made: Box = self.w.store.born(Box())
        self.w.store.set(made, "held", value)
        return made

    def _is_boxed(self, obj: Any, value: Any) -> bool:
        """Tell whether a dict, empty so far, is to hold a value in a box."""
        if self.w.plan.tables.form(self.w.store.sites_of(obj)):
            return True
        return _holds_arrays(value) and is_of_any_size(
            Joiner(self.w, widen=True), self._read(value)
        )

    def _storing(self, obj: Any, key: Any, value: Any, *, boxed: bool = False) -> Table | None:
        """Return what a dict or set holds in a form that can hold a key, and a value, too."""
        w = self.w
        items = w.items_of(obj)
        own = self.reads.keys.type_of(key, items if type(items) is Table else None)
        if own is None:
            w.hashable(key)
            w.refuse(
                "this key is not a number, and other keys are known only when the model runs",
                PAIRS,
            )
        joiner, reader = Joiner(w, widen=True), TypeReader(w, w.store.mark())
        type_: Any = TableType(own, None, Order.ADDED)
        if value is not UNSET:
            w.arenas.escape(value)
            type_ = table_of(joiner, own, [reader.of(value)])
            type_ = type_ if type_.is_conflict else replace(type_, boxed=boxed)
        if not type_.is_conflict:
            type_ = joiner.compatible(type_, reader.version(ITEMS, items))
        table = self.reads.of(obj)
        if type_.is_conflict:
            if value is not UNSET and type_.reason == NO_VALUES:
                self.rather(obj, boxed=True)
            if table is None and items and value is not UNSET:
                return None
            hint = None if value is UNSET else PAIRS
            w.arenas.needed(StagingError(type_.reason, w.here(), hint), type_.sites)
            w.refuse(type_.reason, hint)
        if table is None and value is not UNSET and not all(map(is_plain, items.values())):
            return None
        if type_.order is Order.SHOWN:  # where a new key comes to is not followed
            type_ = replace(type_, order=Order.UNKNOWN)
        if table is None or not type_.same_form(table.type):
            return Table(type_, tuple(type_.encode(w, items, {})))
        return Table(type_, table.columns, table.stored)

    # -- keys side by side from the first one on ----------------------------------------------

    def rather(self, obj: Any, *, boxed: bool) -> None:
        """Start the run again with the keys of a dict side by side from the first one on.

        Raises:
            WalkAgain: They can be.
            StagingError: They can be, and this is something that is only tried.
        """
        sites = self.w.store.sites_of(obj)
        if not self.w.plan.tables.is_new(sites, boxed=boxed):
            return
        if self.w.tentative:
            self.w.refuse(NEW_KEY, PAIRS)
        self.w.plan.tables.ask(sites, boxed=boxed)
        raise WalkAgain(None)

    def meet(self, obj: Any, conflict: Conflict) -> None:
        """Start the run again where what a dict holds has no common type but in boxes.

        Raises:
            WalkAgain: That may be.
        """
        if conflict.reason == NO_VALUES:
            self.rather(obj, boxed=True)

    def kept(self, obj: Any, items: dict[Any, Any]) -> Any:
        """Return what a dict is to hold, its keys side by side where a walk before needed that."""
        boxed = self.w.plan.tables.form(self.w.store.sites_of(obj))
        held = {key: self.w.narrow(one) for key, one in items.items()}
        if (
            boxed is None
            or not items
            or UNORDERED in items
            or any(map(may_be_unset, held.values()))
        ):
            return items
        if boxed:
            held = {key: self._box(one) for key, one in held.items()}
        return self._side_by_side(obj, held, boxed=boxed) or items

    def _side_by_side(self, obj: Any, held: dict[Any, Any], *, boxed: bool) -> Table | None:
        """Return known keys of one type, and what they hold, side by side."""
        w = self.w
        keys, values = list(held), list(held.values())
        own: Any = functools.reduce(with_known, keys, self.reads.keys.type_of(keys[0]))
        if own is None or not all(map(TableType(own, None).takes_key, keys)):
            return None
        w.arenas.escape(tuple(values))
        type_: Any = table_of(Joiner(w, widen=True), own, map(self._read, values))
        if type_.is_conflict:
            if type_.reason == NO_VALUES:
                self.rather(obj, boxed=True)
            w.arenas.needed(StagingError(type_.reason, w.here(), PAIRS), type_.sites)
            if w.tentative:
                w.refuse(NEW_KEY, PAIRS)
            return None
        type_ = replace(type_, boxed=boxed)
        stored = tuple(one for value in values for one in w.sequences.taken_arrays(value))
        return Table(type_, tuple(type_.encode(w, held, {})), stored)

    def _read(self, value: Any) -> Type:
        return TypeReader(self.w, self.w.store.mark()).of(value)

    def make_room(self, obj: Any, key: Any, value: Any) -> bool:
        """Let a dict or set of known texts hold what a key of the run may put in, if it can."""
        items = self.w.items_of(obj)
        own: Any = functools.reduce(with_known, items, self.reads.keys.type_of(key))
        fits = own is not None and all(map(TableType(own, None).takes_key, items))
        held = [one for held in (value, *items.values()) for one in alternatives_of(held)]
        if not fits or not all(type(one) is str or is_plain(one) for one in held):
            return False
        table = self._storing(obj, key, value)
        if table is not None:
            self.w.set_items(obj, table)
        return table is not None

    def discard(self, obj: Any, key: Any, *, must: bool = False) -> None:
        """Take a key out, if it is there."""
        w, g, key = self.w, self.w.graph, self.reads.keys.narrowed(key)
        w.tables.sets.let_go(obj)
        table = self._promoted(obj, key)
        sought = NO_KEY_LIKE_IT if table is None else self.reads.keys.sought(table, key)
        if table is None or sought is NO_KEY_LIKE_IT:
            if must:
                self.reads.require(False, key)
            return
        _, place = self.reads.keys.found(table, sought)
        if must:
            self.reads.require(self.reads.is_there(table, place), key)
        at, after = g.Unsqueeze(place, [0]), g.Unsqueeze(g.Add(place, 1), [0])
        end = np.array([np.iinfo(np.int64).max])
        parts = [(g.Slice(c, [0], at, [0]), g.Slice(c, after, end, [0])) for c in table.columns]
        left = tuple(g.Concat(*pair, axis=0) for pair in parts)
        self.loops.note(obj, "taken", self.reads.is_there(table, place))
        w.store.set(obj, ITEMS, replace(table, columns=left))

    def _promoted(self, obj: Any, key: Any) -> Table | None:
        """Return what a dict or set holds, out of which a key is taken; None of an empty one."""
        items = self.w.items_of(obj)
        if type(items) is Table or not items:
            return items or None
        table = self.reads.made_for(obj, key)
        if table is None:
            self.rather(obj, boxed=False)
            self.w.refuse("whether this key is there is known only when the model runs")
        return table

    def last_to_front(self, obj: Any) -> None:
        """Put the last of the keys, which is there, before the others."""
        table, g = self.reads.of(obj), self.w.graph
        assert table is not None
        ends = [
            (g.Slice(c, [-1], [2**63 - 1], [0]), g.Slice(c, [0], [-1], [0])) for c in table.columns
        ]
        turned = tuple(g.Concat(*pair, axis=0) for pair in ends)
        self.w.set_items(obj, replace(table, columns=turned))


def _appended(g: ONNXGraph, column: Value, at: Value, row: Value) -> Value:
    """Return a column with a row behind it."""
    del at
    return g.Concat(column, row, axis=0)


def _written(g: ONNXGraph, column: Value, at: Value, row: Value) -> Value:
    """Return a column with a row at a place, which may be the one behind it: it has one more."""
    if rank_of(column) != 1:
        return _over(g, g.Concat(column, row, axis=0), at, row)
    none = g.constant(np.zeros(1, dtype_of(column)))
    return _over(g, g.Concat(column, none, axis=0), at, row)


def _over(g: ONNXGraph, column: Value, at: Value, row: Value) -> Value:
    """Return a column with another row at a place."""
    if rank_of(column) != 1:
        return surely(g.ScatterND(column, g.Unsqueeze(at, [1]), row))
    return surely(g.ScatterElements(column, at, row, axis=0))


def _holds_arrays(value: Any) -> bool:
    """Tell whether a value is an array or a Variable, or a tuple of such and numbers."""
    kinds = {*map(type, value if type(value) is tuple else (value,))}
    arrays = {Array, Var}
    return bool(kinds & arrays) and kinds <= {*arrays, Scalar, int, float, bool}
