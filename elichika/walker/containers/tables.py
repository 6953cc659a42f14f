"""Dicts and sets whose keys are known only when the model runs.

keys      [3, 8, 5]         `d[8]`: one pass over the keys behind which the asked one stands,
values    [1, 4, 2]         so that it is found at its place, or at the end if it is new
"""

from __future__ import annotations

import functools
import operator
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from elichika import idioms
from elichika.errors import StagingError
from elichika.iterators.base import Staged
from elichika.state.joins import (
    Joiner,
    ScalarType,
    Static,
    Type,
    TypeReader,
    carried,
    carriers,
    filled,
)
from elichika.state.joins.plain import ConflictType
from elichika.state.joins.tables import TableType, is_of_any_size, table_of
from elichika.state.joins.texts import TextsType, with_known
from elichika.state.joins.types import split
from elichika.state.store import ITEMS
from elichika.values.kinds import alternatives_of, is_number
from elichika.values.symbolic import (
    COUNTER_BOUND,
    UNDEF,
    UNSET,
    Array,
    Choice,
    Scalar,
    Var,
    may_be_unset,
)
from elichika.values.tables import Added, Table
from elichika.walker.containers.known_keys import (
    NO_KEY,
    PAIRS,
    matching,
    pick_by_key,
    set_by_key,
)
from elichika.walker.containers.table_keys import TableKeys
from elichika.walker.containers.table_sets import COMPARISONS, combined, compared
from elichika.walker.containers.text_keys import common_key, is_text, names
from elichika.walker.core import Removals
from elichika.walker.plan import MAPPINGS
from elichika.walker.walk import Walk
from onnx_graph import ONNXGraph, Value, dtype_of, rank_of
from onnx_graph.failing import surely

__all__ = ["Tables"]

#: What a defaultdict makes values by without any effect.
_PLAIN_FACTORIES = (int, float, bool)


#: What is said of dicts, and of OrderedDicts, that change while they are gone through.
_CHANGED = (
    ("dictionary changed size", "dictionary keys changed"),
    ("OrderedDict mutated", "OrderedDict mutated"),
)


class Tables:
    """The part of the walker that finds keys which are known only when the model runs."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self.keys = TableKeys(w)
        #: What was taken out of dicts that have been gone through, by `id`.
        self.removals: dict[int, tuple[Any, Removals]] = {}

    def of(self, obj: Any) -> Table | None:
        """Return what a dict or set holds, if its keys are known only when the model runs."""
        items = self.w.items_of(obj) if isinstance(obj, (dict, set)) else None
        return items if type(items) is Table else None

    def decides(self, obj: Any, key: Any) -> bool:
        """Tell whether a key is looked for when the model runs."""
        key = self.keys.narrowed(key)
        symbolic = self.keys.type_of(key) is not None and self.w.is_symbolic(key)
        return symbolic or self.of(obj) is not None

    def _length(self, table: Table) -> Value:
        return self.w.graph.size(table.columns[0], 0)

    def length(self, table: Table) -> Scalar:
        """Return the number of keys."""
        return Scalar(int, self._length(table), bound=COUNTER_BOUND)

    def _table(self, obj: Any, key: Any) -> Table | None:
        """Return what a dict or set holds with keys of the run, or known ones perhaps not there."""
        if not isinstance(obj, (dict, set)) or self.of(obj) is not None:
            return self.of(obj)
        items = self.w.items_of(obj)
        open_ = any(may_be_unset(self.w.narrow(held)) for held in items.values())
        return self._made_of(obj, items, key) if open_ else None

    def opened(self, obj: Any) -> Table | None:
        """Return what a dict or set holds whose keys are not all known, None of another."""
        known = self.of(obj) is None and isinstance(obj, (dict, set))
        return self._table(obj, next(iter(self.w.items_of(obj)), None)) if known else self.of(obj)

    def _promoted(self, obj: Any, key: Any) -> Table | None:
        """Return what a dict or set holds, out of which a key is taken; None of an empty one."""
        items = self.w.items_of(obj)
        if type(items) is Table or not items:
            return items or None
        table = self._made_of(obj, items, key)
        if table is None:
            self.w.refuse("whether this key is there is known only when the model runs")
        return table

    def _made_of(self, obj: Any, items: dict[Any, Any], key: Any) -> Table | None:
        """Return known keys of the type of a key, and what they hold, side by side."""
        own = self.keys.type_of(key)
        held = [self.w.narrow(one) for one in items.values()]
        if own is None or is_text(own) or not all(map(_is_plain, held)):
            return None
        reader = TypeReader(self.w, self.w.store.mark())
        options = [part for one in map(reader.of, held) for part in one.options]
        there = [part for part in options if part != Static(UNSET)]
        joiner = Joiner(self.w, widen=True)
        start: Any = TableType(own, None)
        if not isinstance(obj, set):
            start = table_of(joiner, own, there) if there else ConflictType("no key")
        type_: Any = start
        if not start.is_conflict:
            type_ = joiner.compatible(start, reader.version(ITEMS, items))
        return None if type_.is_conflict else Table(type_, tuple(type_.encode(self.w, items, {})))

    # -- reading ------------------------------------------------------------------------------

    def contains(self, obj: Any, key: Any) -> Any:
        """Return whether a key is there."""
        key = self.keys.narrowed(key)
        table = self._table(obj, key)
        if table is None:
            tests = matching(self.w, self.w.sure_items(obj, ordered=False), key)
            return self.w.any_of(tests, operator.itemgetter(1))
        sought = self.keys.sought(table, key)
        if sought is None:
            return False
        _, place = self.keys.found(table, sought)
        return self._is_there(table, place)

    def _require(self, there: Any, key: Any) -> None:
        """Check that a key is there."""
        self.w.check(there, KeyError, NO_KEY, (key,))

    def _is_there(self, table: Table, place: Value) -> Any:
        return self.w.scalar(bool, self.w.graph.Less(place, self._length(table)))

    def get(self, obj: Any, key: Any, default: Any) -> Any:
        """Return what a dict holds by a key, or a default; a number without a branch."""
        key = self.keys.narrowed(key)
        table = self._table(obj, key)
        if table is None:
            present = self.contains(obj, key)
            return self.w.branch(present, lambda: pick_by_key(self.w, obj, key), lambda: default)
        sought = self.keys.sought(table, key)
        if sought is None:
            return default
        _, place = self.keys.found(table, sought)
        number = self._number(table, default)
        if number is None:
            there = self._is_there(table, place)
            return self.w.branch(there, lambda: self._value(table, place), lambda: default)
        (column,) = self._values(table)
        last = self.w.graph.Unsqueeze(self.w.value_of(default, dtype_of(column)), [0])
        return self._built(number, (self.w.graph.Concat(column, last, axis=0),), place)

    def _number(self, table: Table, default: Any) -> Type | None:
        """Return the type of a number that a dict of numbers holds or that stands in for it."""
        own = table.type.element
        given = ScalarType.of(default) if is_number(default) else None
        if given is None or type(own) is not ScalarType or own.type is not given.type:
            return None
        return own if own.wide else given

    def pick(self, obj: Any, key: Any) -> Any:
        """Return `obj[key]`; a defaultdict makes what is not there."""
        missing = self.w.special(obj, "__missing__")
        if missing is defaultdict.__missing__:
            self._make_missing(obj, key)
        if missing is Counter.__missing__:
            known = self._table(obj, self.keys.narrowed(key)) is None
            return pick_by_key(self.w, obj, key) if known else self.get(obj, key, 0)
        return self.pick_there(obj, key)

    def pick_there(self, obj: Any, key: Any) -> Any:
        """Return what a dict holds by a key that must be there."""
        table = self._table(obj, self.keys.narrowed(key))
        if table is None:
            return pick_by_key(self.w, obj, key, there=True)
        sought = self.keys.sought(table, self.keys.narrowed(key))
        if sought is None:
            self._require(False, key)
            raise AssertionError("the check raises")
        _, place = self.keys.found(table, sought)
        self._require(self._is_there(table, place), key)
        return self._value(table, place)

    def _make_missing(self, obj: Any, key: Any) -> None:
        factory = self.w.get_attribute(obj, "default_factory", None)
        if factory is None:
            return
        if factory in _PLAIN_FACTORIES:
            self.set_default(obj, key, factory())
            return
        self.w.branch(
            self.contains(obj, key),
            lambda: None,
            lambda: self.set(obj, key, self.w.call(factory, [], {})),
        )

    def _value(self, table: Table, place: Value) -> Any:
        """Return the value at a place."""
        assert table.type.element is not None
        held = self._built(table.type.element, self._values(table), place)
        return self.w.get_item(held, 0) if table.type.boxed else held

    def _values(self, table: Table) -> tuple[Value, ...]:
        return table.columns[len(carriers(table.type.key)) :]

    def _built(self, type_: Type, columns: tuple[Value, ...], place: Value) -> Any:
        return self.w.sequences.built(
            type_, [surely(self.w.graph.Gather(column, place, axis=0)) for column in columns]
        )

    def in_order(self, obj: Any) -> Table | None:
        """Return the ints that a set was given one by one in its order; None of other sets."""
        table = self.of(obj)
        if table is None or not self.is_ordered(obj):
            return None
        g = self.w.graph
        keys = self.w.new_array(g.Cast(table.columns[0], to=np.int64))
        order = self.w.call(idioms.set_orders.in_order_of_a_set, [keys], {})
        return replace(table, columns=(g.Gather(table.columns[0], self.w.value_of(order), axis=0),))

    def is_added(self, obj: Any) -> bool:
        """Tell whether a set was only added to."""
        items = self.w.items_of(obj)
        return items.type.added if type(items) is Table else type(items) is Added

    def is_ordered(self, obj: Any) -> bool:
        """Tell whether the order of a set is known, or it has one key at most."""
        items = self.w.items_of(obj)
        if type(items) is Table:
            return items.type.added and self.keys.kind_of(items.type.key) is int
        return type(items) is Added or len(items) < 2

    def forget_order(self, obj: Any) -> None:
        """Let a set be one that was not only added to."""
        items = self.w.items_of(obj)
        if type(items) is Table:
            self.w.set_items(obj, replace(items, type=replace(items.type, added=False)))
        elif type(items) is Added:
            self.w.set_items(obj, dict(items))

    def iterated(
        self, mapping: Any, table: Table, kind: str, within: Table | None = None
    ) -> Staged:
        """Return what a loop over a dict or a view of it runs over.

        Args:
            mapping: The dict, or a set.
            table: What it holds.
            kind: Its "keys", "values" or "items".
            within: What it holds in the order of the loop, if that is another.
        """
        w = self.w
        made: Removals = w.store.always(Removals())
        _, removals = self.removals.setdefault(id(mapping), (mapping, made))
        before = w.held(removals, "count")

        start = self.opened(mapping) if within else table
        ordered = type(mapping) is OrderedDict
        name, moved = _CHANGED[ordered]

        def current() -> Any:
            now = self.opened(mapping)
            if now is None or start is None or now.columns[0] is not start.columns[0]:
                same = w.truth(w.binary(operator.eq, w.sequences.length(mapping), length))
                w.check(same, RuntimeError, f"{name} during iteration")
            after = w.held(removals, "count")
            if after is not before:  # and as many were put in
                same = w.truth(w.binary(operator.eq, after, before))
                w.check(same, RuntimeError, f"{moved} during iteration")
            return length

        def item(index: Any) -> Any:
            current()
            now, place = within or self.opened(mapping), w.value_of(index, np.int64)
            if now is None:
                w.refuse("a dict is emptied while an iterator runs over its keys")
            return self._entry(now, kind, place)

        length = self.length(table)
        # an OrderedDict is not asked behind its last key
        return Staged(length, item, current=None if ordered else current, fails=True)

    def _entry(self, table: Table, kind: str, place: Value) -> Any:
        """Return the key at a place, the value, or both, as "keys", "values" or "items" say."""
        number = len(carriers(table.type.key))
        key = self._built(table.type.key, table.columns[:number], place)
        if kind == "keys":
            return key
        value = self._value(table, place)
        return value if kind == "values" else (key, value)

    def iterated_one(self, choice: Choice, kind: str) -> Staged | None:
        """Return what a loop over one of several dicts runs over; None of those of known keys."""
        table = self._one_of(choice)
        if table is None:
            return None
        unchanged, length = self.watched(choice.alternatives), self.length(table)

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
        keyed = [(one, held) for one, held in before if type(held) in (dict, Added, Table)]

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
        tables = [table for table in map(self.opened, alternatives) if table is not None]
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

    # -- changing -----------------------------------------------------------------------------

    def set(self, obj: Any, key: Any, value: Any) -> None:
        """Run `obj[key] = value`."""
        if self.w.narrow(value) is UNDEF:  # where no run comes, as a loop's types show later
            return
        key = self.keys.narrowed(key)
        value, boxed = self._boxed(obj, value)
        table = self._storing(obj, key, value, boxed=boxed)
        if table is None:
            set_by_key(self.w, obj, key, value)
            return
        self._put(obj, table, key, value, over=True)

    def fill(self, obj: Any, pairs: list[tuple[Any, Any]]) -> Any:
        """Set items of a new dict, which is returned."""
        keys = [self.keys.narrowed(key) for key, _ in pairs]
        if self.of(obj) is not None or any(self.decides(obj, key) or names(key) for key in keys):
            for key, value in pairs:
                self.w.set_item(obj, key, value)
        else:
            items = {self.w.hashable(key): value for key, value in pairs}
            self.w.set_items(obj, {**self.w.items_of(obj), **items})
        return obj

    def add(self, obj: Any, key: Any) -> None:
        """Run `obj.add(key)` of a set."""
        key = self.keys.narrowed(key)
        table = self._storing(obj, key, UNSET)
        assert table is not None
        self._put(obj, table, key, None, over=False)

    def set_default(self, obj: Any, key: Any, value: Any) -> Any:
        """Return `obj.setdefault(key, value)`."""
        key = self.keys.narrowed(key)
        value, boxed = self._boxed(obj, value)
        table = self._storing(obj, key, value, boxed=boxed)
        if table is None:
            present = self.contains(obj, key)
            self.w.branch(present, lambda: None, lambda: set_by_key(self.w, obj, key, value))
            return pick_by_key(self.w, obj, key)
        place = self._put(obj, table, key, value, over=False)
        now = self.of(obj)
        assert now is not None
        return self._value(now, place)

    def _put(self, obj: Any, table: Table, key: Any, value: Any, *, over: bool) -> Value:
        """Put a key where it is not there, and a value by it or `over` it; return where."""
        w, g = self.w, self.w.graph
        ends, place = self.keys.found(table, key)
        element, at = table.type.element, g.Unsqueeze(place, [0])
        new = [] if element is None else carried(w, element, value)
        length = g.Max(g.Unsqueeze(self._length(table), [0]), g.Add(at, 1))
        for column, one in zip(self._values(table), new, strict=True):
            ends.append((_written if over else _appended)(g, column, at, g.Unsqueeze(one, [0])))
        columns = tuple(g.Slice(end, [0], length, [0]) for end in ends)
        w.sequences.freeze(value)
        stored = (*table.stored, *w.sequences.taken_arrays(value))
        w.set_items(obj, Table(table.type, columns, stored))
        return place

    def _boxed(self, obj: Any, value: Any) -> tuple[Any, bool]:
        """Return what is held by a key, in a list if it holds arrays of any size; and whether."""
        table = self.of(obj)
        if table is not None:
            boxed = table.type.boxed
        else:
            boxed = _holds_arrays(value) and self.w.items_of(obj) == {}
            read = TypeReader(self.w, self.w.store.mark()).of(value) if boxed else None
            boxed = read is not None and is_of_any_size(Joiner(self.w, widen=True), read)
        return (self.w.new_list([value]) if boxed else value), boxed

    def _storing(self, obj: Any, key: Any, value: Any, *, boxed: bool = False) -> Table | None:
        """Return what a dict or set holds in a form that can hold a key, and a value, too."""
        w = self.w
        items = w.items_of(obj)
        own = self.keys.type_of(key, items if type(items) is Table else None)
        if own is None or (
            type(own) is TextsType and type(items) is Table and not is_text(items.type.key)
        ):
            w.hashable(key)
            w.refuse(
                "this key is not a number, and other keys are known only when the model runs",
                PAIRS,
            )
        joiner, reader = Joiner(w, widen=True), TypeReader(w, w.store.mark())
        type_: Any = TableType(own, None, added=True)
        if value is not UNSET:
            w.arenas.escape(value)
            type_ = table_of(joiner, own, [reader.of(value)])
            type_ = type_ if type_.is_conflict else replace(type_, boxed=boxed)
        if not type_.is_conflict:
            type_ = joiner.compatible(type_, reader.version(ITEMS, items))
        table = self.of(obj)
        if type_.is_conflict:
            if table is None and items and value is not UNSET:
                return None
            hint = None if value is UNSET else PAIRS
            w.arenas.needed(StagingError(type_.reason, w.here(), hint), type_.sites)
            w.refuse(type_.reason, hint)
        if table is None and value is not UNSET and not all(map(_is_plain, items.values())):
            return None
        if table is None or not type_.same_form(table.type):
            return Table(type_, tuple(type_.encode(w, items, {})))
        return Table(type_, table.columns, table.stored)

    def make_room(self, obj: Any, key: Any, value: Any) -> bool:
        """Let a dict or set of known texts hold what a key of the run may put in, if it can."""
        items = self.w.items_of(obj)
        own: Any = functools.reduce(with_known, items, self.keys.type_of(key))
        fits = own is not None and all(map(TableType(own, None).takes_key, items))
        held = [one for held in (value, *items.values()) for one in alternatives_of(held)]
        if not fits or not all(type(one) is str or _is_plain(one) for one in held):
            return False
        table = self._storing(obj, key, value)
        if table is not None:
            self.w.set_items(obj, table)
        return table is not None

    def discard(self, obj: Any, key: Any, *, must: bool = False) -> None:
        """Take a key out, if it is there."""
        w, g, key = self.w, self.w.graph, self.keys.narrowed(key)
        table = self._promoted(obj, key)
        sought = None if table is None else self.keys.sought(table, key)
        if table is None or sought is None:
            if must:
                self._require(False, key)
            return
        _, place = self.keys.found(table, sought)
        if must:
            self._require(self._is_there(table, place), key)
        self._count_removal(obj, self._is_there(table, place))
        at, after = g.Unsqueeze(place, [0]), g.Unsqueeze(g.Add(place, 1), [0])
        end = np.array([np.iinfo(np.int64).max])
        parts = [(g.Slice(c, [0], at, [0]), g.Slice(c, after, end, [0])) for c in table.columns]
        left = tuple(g.Concat(*pair, axis=0) for pair in parts)
        w.set_items(obj, replace(table, type=replace(table.type, added=False), columns=left))

    def last_to_front(self, obj: Any) -> None:
        """Put the last of the keys, which is there, before the others."""
        table, g = self.of(obj), self.w.graph
        assert table is not None
        ends = [
            (g.Slice(c, [-1], [2**63 - 1], [0]), g.Slice(c, [0], [-1], [0])) for c in table.columns
        ]
        turned = tuple(g.Concat(*pair, axis=0) for pair in ends)
        self.w.set_items(obj, replace(table, columns=turned))

    def _count_removal(self, obj: Any, there: Any) -> None:
        """Count that a key is taken out of a dict, if a loop may be going through it."""
        _, removals = self.removals.get(id(obj), (obj, None))
        if removals is not None:
            count = self.w.held(removals, "count")
            more = self.w.call(int, [there], {})
            self.w.store.set(removals, "count", self.w.binary(operator.add, count, more))

    def algebra(self, op: Any, left: Any, right: Any) -> Any:
        """Return what an operator gives of two sets, one with keys of the run: a set or a bool."""
        w = self.w
        mappings = [getattr(one, "mapping", one) for one in (left, right)]
        held = [self.opened(one) or w.items_of(one) for one in mappings]
        own = common_key(held)
        ours, theirs = self.keys.alongside(*(self._keys(own, items) for items in held))
        if op in COMPARISONS:
            return w.scalar(bool, compared(w.graph, op, ours, theirs))
        made: set[Any] = w.store.born(set())
        w.set_items(made, Table(ours.type, combined(w.graph, op, ours, theirs)))
        return made

    def _keys(self, own: Type, items: Any) -> Table:
        """Return the keys alone of what a dict or set holds."""
        type_: Any = TableType(own, None)
        if type(items) is Table and items.type.key == own:
            return Table(type_, items.columns[: len(carriers(own))])
        reader = TypeReader(self.w, self.w.store.mark())
        joined: Any = Joiner(self.w, widen=True).compatible(type_, reader.version(ITEMS, items))
        if joined.is_conflict:
            self.w.refuse(joined.reason)
        return Table(type_, tuple(type_.encode(self.w, items, {})))


def _appended(g: ONNXGraph, column: Value, at: Value, row: Value) -> Value:
    """Return a column with a row behind it."""
    del at
    return g.Concat(column, row, axis=0)


def _written(g: ONNXGraph, column: Value, at: Value, row: Value) -> Value:
    """Return a column with a row at a place, which may be the one behind it: it has one more."""
    if rank_of(column) != 1:
        return surely(g.ScatterND(g.Concat(column, row, axis=0), g.Unsqueeze(at, [1]), row))
    none = g.constant(np.zeros(1, dtype_of(column)))
    return surely(g.ScatterElements(g.Concat(column, none, axis=0), at, row, axis=0))


def _same_keys(now: Any, before: Any) -> bool:
    """Tell whether two contents of a dict or set surely have the same keys."""
    known = Table not in (type(now), type(before)) and [*now] == [*before]
    return known and not any(map(may_be_unset, (*now.values(), *before.values())))


def _holds_arrays(value: Any) -> bool:
    """Tell whether a value is an array or a Variable, or a tuple of such and numbers."""
    kinds = {*map(type, value if type(value) is tuple else (value,))}
    arrays = {Array, Var}
    return bool(kinds & arrays) and kinds <= {*arrays, Scalar, int, float, bool}


def _is_plain(held: Any) -> bool:
    """Tell whether what a known key holds, if it is there, is no object that may change."""
    if type(held) in (tuple, Choice):
        return all(map(_is_plain, getattr(held, "alternatives", held)))
    return held is UNSET or held is None or is_number(held)
