"""What dicts and sets hold whose keys are known only when the model runs."""

from __future__ import annotations

import operator
from typing import Any

from elichika.state.joins import Joiner, ScalarType, Static, Type, TypeReader, carriers
from elichika.state.joins.plain import ConflictType
from elichika.state.joins.side_by_side import set_of, type_of_known
from elichika.state.joins.tables import table_of
from elichika.state.store import ITEMS
from elichika.values.kinds import is_number, is_set
from elichika.values.symbolic import COUNTER_BOUND, UNSET, Scalar, may_be_unset
from elichika.values.tables import Table
from elichika.walker.containers.known_keys import NO_KEY, is_plain, matching, pick_by_key
from elichika.walker.containers.table_keys import NO_KEY_LIKE_IT, TableKeys, is_text
from elichika.walker.walk import Walk
from onnx_graph import Value, dtype_of
from onnx_graph.failing import surely

__all__ = ["TableReads"]


class TableReads:
    """What a dict or set holds by keys of the run, as parts that change it ask, too."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self.keys = TableKeys(w)

    def of(self, obj: Any) -> Table | None:
        """Return what a dict or set holds, if its keys are known only when the model runs."""
        items = self.w.items_of(obj) if isinstance(obj, (dict, set)) else None
        return items if type(items) is Table else None

    def decides(self, obj: Any, key: Any) -> bool:
        """Tell whether a key is looked for when the model runs."""
        key = self.keys.narrowed(key)
        of_run = self.w.is_symbolic(key) or (type(obj) is set and self.w.arenas.holds(obj))
        return self.of(obj) is not None or (of_run and self.keys.type_of(key) is not None)

    def rows(self, table: Table) -> Value:
        """Return the number of keys as an int64 of the graph."""
        return self.w.graph.size(table.columns[0], 0)

    def length(self, table: Table) -> Scalar:
        """Return the number of keys."""
        return Scalar(int, self.rows(table), bound=COUNTER_BOUND)

    def table_for(self, obj: Any, key: Any) -> Table | None:
        """Return what a dict or set holds with keys of the run, or known ones perhaps not there."""
        if not isinstance(obj, (dict, set)) or self.of(obj) is not None:
            return self.of(obj)
        items = self.w.items_of(obj)
        open_ = any(may_be_unset(self.w.narrow(held)) for held in items.values())
        return self._made_of(obj, items, self._number_like(key)) if open_ else None

    def _number_like(self, key: Any) -> Any:
        """Return the type of a key, None of one with texts."""
        own = self.keys.type_of(key)
        return None if own is None or is_text(own) else own

    def opened(self, obj: Any) -> Table | None:
        """Return what a dict or set holds whose keys are not all known, None of another."""
        if self.of(obj) is not None or not isinstance(obj, (dict, set)):
            return self.of(obj)
        table = self.table_for(obj, next(iter(self.w.items_of(obj)), None))
        return self.named(obj) if table is None and is_set(obj) else table

    def made_for(self, obj: Any, key: Any) -> Table | None:
        """Return known keys that are of the type of another one, and what they hold."""
        return self._made_of(obj, self.w.items_of(obj), self._number_like(key))

    def named(self, obj: Any) -> Table | None:
        """Return what a dict holds by known texts, of which some may not be there."""
        items = self.w.items_of(obj)
        texts = {*map(type, items)} == {str}
        if not texts or not any(may_be_unset(self.w.narrow(held)) for held in items.values()):
            return None
        return self.beside(obj)

    def beside(self, obj: Any) -> Table | None:
        """Return what a dict or set holds by known keys, of one type, side by side."""
        items = self.w.items_of(obj)
        return self._made_of(obj, items, type_of_known(items))

    def _made_of(self, obj: Any, items: dict[Any, Any], own: Any) -> Table | None:
        """Return known keys of a type, and what they hold, side by side."""
        held = [self.w.narrow(one) for one in items.values()]
        if own is None or not all(map(is_plain, held)):
            return None
        if is_set(obj):
            return set_of(self.w, own, items)
        reader, joiner = TypeReader(self.w, self.w.store.mark()), Joiner(self.w, widen=True)
        options = [part for one in map(reader.of, held) for part in one.options]
        there = [part for part in options if part != Static(UNSET)]
        type_: Any = table_of(joiner, own, there) if there else ConflictType("no key")
        if not type_.is_conflict:
            type_ = joiner.compatible(type_, reader.version(ITEMS, items))
        return None if type_.is_conflict else Table(type_, tuple(type_.encode(self.w, items, {})))

    # -- reading ------------------------------------------------------------------------------

    def contains(self, obj: Any, key: Any) -> Any:
        """Return whether a key is there."""
        key = self.keys.narrowed(key)
        table = self.table_for(obj, key)
        if table is None:
            tests = matching(self.w, self.w.sure_items(obj, ordered=False), key)
            return self.w.any_of(tests, operator.itemgetter(1))
        sought = self.keys.sought(table, key)
        if sought is NO_KEY_LIKE_IT:
            return False
        if self.keys.placed(table, sought) is not None:
            return True
        if self.keys.missing(table, sought) is not None:
            return False
        _, place = self.keys.found(table, sought)
        there = self.is_there(table, place)
        self.keys.note_asked(table, sought, place, there.onnx_value)
        return there

    def require(self, there: Any, key: Any) -> None:
        """Check that a key is there."""
        self.w.check(there, KeyError, NO_KEY, (key,))

    def is_there(self, table: Table, place: Value) -> Any:
        """Return whether a place where a key was looked for is one of a key."""
        return self.w.scalar(bool, self.w.graph.Less(place, self.rows(table)))

    def get(self, obj: Any, key: Any, default: Any) -> Any:
        """Return what a dict holds by a key, or a default; a number without a branch."""
        key = self.keys.narrowed(key)
        table = self.table_for(obj, key)
        if table is None:
            present = self.contains(obj, key)
            return self.w.branch(present, lambda: pick_by_key(self.w, obj, key), lambda: default)
        sought = self.keys.sought(table, key)
        if sought is NO_KEY_LIKE_IT:
            return default
        known = self.keys.placed(table, sought)
        if known is not None:
            return self.value(table, known)
        _, place = self.keys.found(table, sought)
        number = self._number(table, default)
        if number is None:
            there = self.is_there(table, place)
            return self.w.branch(there, lambda: self.value(table, place), lambda: default)
        (column,) = self.values(table)
        last = self.w.graph.Unsqueeze(self.w.value_of(default, dtype_of(column)), [0])
        return self.built(number, (self.w.graph.Concat(column, last, axis=0),), place)

    def _number(self, table: Table, default: Any) -> Type | None:
        """Return the type of a number that a dict of numbers holds or that stands in for it."""
        own = table.type.element
        given = ScalarType.of(default) if is_number(default) else None
        if given is None or type(own) is not ScalarType or own.type is not given.type:
            return None
        return own if own.wide else given

    def pick_there(self, obj: Any, key: Any) -> Any:
        """Return what a dict holds by a key that must be there."""
        table = self.table_for(obj, self.keys.narrowed(key))
        if table is None:
            return pick_by_key(self.w, obj, key, there=True)
        sought = self.keys.sought(table, self.keys.narrowed(key))
        if sought is NO_KEY_LIKE_IT:
            self.require(False, key)
            raise AssertionError("the check raises")
        known = self.keys.placed(table, sought)
        if known is not None:
            return self.value(table, known)
        _, place = self.keys.found(table, sought)
        self.require(self.is_there(table, place), key)
        return self.value(table, place)

    def value(self, table: Table, place: Value) -> Any:
        """Return the value at a place."""
        assert table.type.element is not None
        held = self.built(table.type.element, self.values(table), place)
        return (
            self.w.get_attribute(held, "held")
            if table.type.boxed
            else self.w.sequences.lent.take(held)
        )

    def values(self, table: Table) -> tuple[Value, ...]:
        """Return the columns of the values."""
        return table.columns[len(carriers(table.type.key)) :]

    def built(self, type_: Type, columns: tuple[Value, ...], place: Value) -> Any:
        """Return what columns of a type hold at a place."""
        return self.w.sequences.built(
            type_, [surely(self.w.graph.Gather(column, place, axis=0)) for column in columns]
        )
