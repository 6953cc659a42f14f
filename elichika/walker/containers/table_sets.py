"""What the operators of sets give where the keys are known only when the model runs.

{3, 8, 5} & {5, 3, 9}      which of the one equal which of the other, pair by pair:
rows of the first in which there is one
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from elichika import idioms
from elichika.numbers.comparable import comparable
from elichika.state.joins import Joiner, Type, TypeReader, carriers
from elichika.state.joins.keys import compared, is_whole
from elichika.state.joins.tables import TableType
from elichika.state.store import ITEMS
from elichika.values.kinds import is_frozen
from elichika.values.set_orders import Order, Shown, as_shown, order_of
from elichika.values.tables import FrozenSet, Table
from elichika.walker.containers.table_keys import common_key
from elichika.walker.containers.table_reads import TableReads
from elichika.walker.plan import WalkAgain
from elichika.walker.walk import Walk
from onnx_graph import ONNXGraph, Value, rank_of

__all__ = ["TableSets"]

Columns = tuple[Value, ...]
COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)


def related(g: ONNXGraph, op: Any, ours: Table, theirs: Table) -> Value:
    """Return a 0-d bool: how two sets compare."""
    common = g.ReduceSum(_inside(g, ours, theirs), [0], keepdims=0)
    sizes = [g.size(one.columns[0], 0) for one in (ours, theirs)]
    below, above = (g.Equal(common, size) for size in sizes)
    match op:
        case operator.le:
            return below
        case operator.ge:
            return above
        case operator.lt:
            return g.And(below, g.Less(*sizes))
        case operator.gt:
            return g.And(above, g.Greater(*sizes))
    same = g.And(below, above)
    return same if op is operator.eq else g.Not(same)


def combined(g: ONNXGraph, op: Any, ours: Table, theirs: Table) -> Columns:
    """Return the keys of a set that an operator makes of two."""
    return _COMBINED[op](g, ours, theirs)


def _inside(g: ONNXGraph, left: Table, right: Table) -> Value:
    """Return for each key on the left how often it is on the right: once at most, as int64."""
    same = None
    pairs = (compared(g, one.type.key, one.columns) for one in (left, right))
    for a, b in zip(*pairs, strict=True):
        a, b = (comparable(g, one) for one in (a, b))
        here = g.Equal(g.Unsqueeze(a, [1]), g.Unsqueeze(b, [0]))
        if rank_of(a) == 2:  # the numbers of tuples of any length
            unlike = g.ReduceSum(g.Cast(g.Not(here), to=np.int64), [2], keepdims=0)
            here = g.Equal(unlike, 0)
        same = here if same is None else g.And(same, here)
    return g.ReduceSum(g.Cast(same, to=np.int64), [1], keepdims=0)


def _both(g: ONNXGraph, left: Table, right: Table) -> Columns:
    wanted = g.Cast(_inside(g, left, right), to=np.bool_)
    return tuple(g.Compress(column, wanted, axis=0) for column in left.columns)


def _only(g: ONNXGraph, left: Table, right: Table) -> Columns:
    wanted = g.Equal(_inside(g, left, right), 0)
    return tuple(g.Compress(column, wanted, axis=0) for column in left.columns)


def _either(g: ONNXGraph, left: Table, right: Table) -> Columns:
    more = _only(g, right, left)
    return tuple(g.Concat(a, b, axis=0) for a, b in zip(left.columns, more, strict=True))


def _one(g: ONNXGraph, left: Table, right: Table) -> Columns:
    pairs = zip(_only(g, left, right), _only(g, right, left), strict=True)
    return tuple(g.Concat(a, b, axis=0) for a, b in pairs)


_COMBINED: dict[Any, Callable[[ONNXGraph, Table, Table], Columns]] = {
    operator.or_: _either,
    operator.and_: _both,
    operator.sub: _only,
    operator.xor: _one,
}


class TableSets:
    """The part of the walker that knows what sets with keys of the run give and stand in."""

    def __init__(self, w: Walk, reads: TableReads) -> None:
        self.w = w
        self.reads = reads

    def in_order(self, obj: Any) -> Table | None:
        """Return what a set holds in its order; None where all of it is known, or no order is."""
        table = self.reads.opened(obj) if self.is_ordered(obj) else None
        if table is None or table.type.order is not Order.ADDED:
            return table
        return replace(table, columns=(self.shown(table.columns[0]),))

    def shown(self, keys: Value) -> Value:
        """Return ints in the order of a set that they were added to one by one."""
        g = self.w.graph
        held = self.w.new_array(g.Cast(keys, to=np.int64))
        with self.w.sure():
            order = self.w.call(idioms.set_orders.in_order_of_a_set, [held], {})
            return g.Gather(keys, self.w.value_of(order), axis=0)

    def is_added(self, obj: Any) -> bool:
        """Tell whether a set was only added to."""
        return order_of(self.w.items_of(obj)) is Order.ADDED

    def is_ordered(self, obj: Any) -> bool:
        """Tell whether the order of a set is known, or it has one key at most."""
        items = self.w.items_of(obj)
        order = order_of(items)
        if order is not Order.ADDED:
            return order is Order.SHOWN or (type(items) is not Table and len(items) < 2)
        return is_whole(items.type.key) if type(items) is Table else as_shown(items) is not None

    def ask_order(self) -> None:
        """Start the run again, to follow the order of sets out of which keys are taken.

        Raises:
            WalkAgain: It was not followed, and there are such sets.
        """
        tables = self.w.plan.tables
        if tables.lost_order and not tables.keeps_orders:
            tables.keeps_orders = True
            raise WalkAgain(None)

    def forget_order(self, obj: Any) -> None:
        """Let a set be one whose order is not known."""
        items = self.w.items_of(obj)
        if type(items) is Table:
            self.w.set_items(obj, replace(items, type=replace(items.type, order=Order.UNKNOWN)))
        elif order_of(items) is not Order.UNKNOWN:
            self.w.set_items(obj, dict(items))

    def order_constants(self, obj: Any) -> None:
        """Let a set made of constants have their order, if they have one however it came about.

        Python adds them one by one, or those of a frozenset, which a file may have kept.
        """
        keys = as_shown(self.w.items_of(obj))
        frozen = [*frozenset(keys or ())]
        ways = [[*frozenset(frozen)], [*set().union(frozenset(self.w.items_of(obj)))]]
        self.forget_order(obj)
        if keys is not None and frozen == keys and all(way == keys for way in ways):
            self.w.set_items(obj, Shown.fromkeys(keys, True))

    def let_go(self, obj: Any) -> None:
        """Let a set be one out of which keys are taken: they stand in its order from now on."""
        items = self.w.items_of(obj)
        if order_of(items) is not Order.ADDED or not items:
            return
        if type(items) is not Table:
            keys = as_shown(items)
            self.w.set_items(obj, dict(items) if keys is None else Shown.fromkeys(keys, True))
            return
        tables = self.w.plan.tables
        if not is_whole(items.type.key) or not tables.keeps_orders:
            tables.lost_order |= is_whole(items.type.key)
            self.forget_order(obj)
            return
        type_ = replace(items.type, order=Order.SHOWN)
        self.w.set_items(obj, replace(items, type=type_, columns=(self.shown(items.columns[0]),)))

    def algebra(self, op: Any, left: Any, right: Any) -> Any:
        """Return what an operator gives of two sets, one with keys of the run: a set or a bool."""
        w = self.w
        mappings = [getattr(one, "mapping", one) for one in (left, right)]
        held = [self.reads.opened(one) or w.items_of(one) for one in mappings]
        own = common_key(held)
        ours, theirs = self.reads.keys.alongside(*(self._keys(own, items) for items in held))
        self.reads.keys.require_known(ours, theirs)
        if op in COMPARISONS:
            return w.scalar(bool, related(w.graph, op, ours, theirs))
        made: set[Any] = w.store.born(FrozenSet() if is_frozen(left) else set())
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
