"""The type of what a dict or set holds whose keys are known only when the model runs."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from elichika.state.joins.arrays import ArrayType
from elichika.state.joins.containers import KeysType, TupleType
from elichika.state.joins.key_forms import FormsType, joined_forms
from elichika.state.joins.keys import forgotten, is_whole, joined_keys, recast, with_known
from elichika.state.joins.leaves import Hole, Leaf, Memo, Site, filled
from elichika.state.joins.plain import ConflictType, ScalarType, Static
from elichika.state.joins.rows import RowType
from elichika.state.joins.types import SHOWN_DEPTH, Type, carried, carriers, shown_parts, split
from elichika.state.joins.variables import VarType
from elichika.state.joins.words import WordType, joined_words, word_of
from elichika.values.set_orders import Order, as_shown, order_of
from elichika.values.symbolic import UNORDERED, UNSET, Seq, may_be_unset
from elichika.values.tables import Table
from onnx_graph import Value

if TYPE_CHECKING:
    from elichika.state.context import StateContext
    from elichika.state.joins.joining import Joiner

#: Why a dict with such keys cannot hold something.
NO_VALUES = (
    "a dict whose keys are known only when the model runs holds numbers, or arrays of one shape "
    "that is known while compiling"
)


@dataclass(frozen=True)
class TableType(Type):
    """Keys of one type, and for each a value of one type: columns of any length, side by side.

    Attributes:
        key: A number, a text, a tuple of these, or one of numbers of any length.
        element: None in a set.
        order: What is known of the order, if it is a set.
        boxed: What it holds is of any size, each in a list of its own: the element is such a list.
    """

    depth = 0

    key: Type
    element: Type | None
    order: Order = Order.UNKNOWN
    boxed: bool = False

    @property
    def form(self) -> Any:
        return self if self.order is Order.SHOWN else replace(self, order=Order.UNKNOWN)

    @property
    def parts(self) -> tuple[Type, ...]:
        return (self.key,) if self.element is None else (self.key, self.element)

    def with_parts(self, parts: tuple[Any, ...]) -> Type:
        return replace(self, key=parts[0], element=parts[1] if len(parts) > 1 else None)

    @property
    def own_parts(self) -> tuple[Type, ...]:
        return ()

    @property
    def copied(self) -> Type:
        return self

    def leaves(self, memo: Memo) -> list[Leaf]:
        held = [leaf for part in self.parts for leaf in carriers(part)]
        return [Leaf(leaf.dtype, (None, *(leaf.dims or ()))) for leaf in held]

    def embed(self, w: StateContext, value: Any, memo: Memo) -> list[Value | Hole]:
        reordered = self.order is Order.SHOWN and order_of(value) is Order.ADDED
        if type(value) is not Table:
            keys = as_shown(value) if reordered else None
            return [*self._gathered(w, dict.fromkeys(keys, True) if keys else value)]
        columns = value.columns if value.type.same_form(self) else self._recast(w, value)
        return [w.tables.sets.shown(columns[0])] if reordered else [*columns]

    def _recast(self, w: StateContext, value: Table) -> list[Value]:
        """Return the columns of a table of another form as those of one of this."""
        number = len(carriers(value.type.key))
        keys, held = list(value.columns[:number]), value.columns[number:]
        if type(self.key) is WordType:
            keys = self.key.columns_of(w.graph, value)
        else:
            keys = recast(w.graph, value.type.key, keys, self.key)
        element, split = value.type.element, w.graph.SplitToSequence
        if self.element is None or element is None:
            return [*keys]
        if element.same_form(self.element):
            return [*keys, *held]
        rows = tuple(split(one, None, axis=0, keepdims=0) for one in held)
        return [*keys, *RowType(list, self.element, stacks_all=True).stacked(w, Seq(element, rows))]

    def _gathered(self, w: StateContext, items: dict[Any, Any]) -> list[Value]:
        """Return the columns of known keys, of which some may not be there."""
        there = {key: w.narrow(held) for key, held in items.items() if key is not UNORDERED}
        there = {key: held for key, held in there.items() if held is not UNSET}
        columns = (
            self.key.columns(w, there)
            if type(self.key) is WordType
            else RowType(list, self.key, stacks_all=True).stacked(w, tuple(there))
        )
        if self.element is not None:
            w.sequences.freeze(tuple(there.values()))
            rows = [self._row(w, held) for held in there.values()]
            columns += RowType(list, self.element, stacks_all=True).concatenated(w, rows)
        if not any(map(may_be_unset, there.values())):
            return columns
        g = w.graph
        some = g.Concat(*(g.Unsqueeze(_present(w, one), [0]) for one in there.values()), axis=0)
        return [g.Compress(column, some, axis=0) for column in columns]

    def _row(self, w: StateContext, held: Any) -> list[Value]:
        """Return the graph values of what is held by a key, of which nobody asks if it is unset."""
        assert self.element is not None
        if not may_be_unset(held):
            return carried(w, self.element, held)
        there = [i for i, one in enumerate(held.alternatives) if one is not UNSET]
        values = filled(w, split(w, self.element, held, there, {}))
        return values or carried(w, self.element, held.alternatives[there[0]])

    def build(self, w: StateContext, leaves: Iterator[Value], memo: Memo) -> Any:
        columns = [next(leaves) for _ in self.leaves({})]
        number = len(carriers(self.key))
        key, keys = forgotten(w.graph, self.key, columns[:number])
        return Table(replace(self, key=key), (*keys, *columns[number:]))

    def join(self, j: Joiner, other: TableType) -> Type | None:
        key = joined_keys(self.key, other.key) or joined_words(self.key, other.key)
        key = key or joined_forms(self.key, other.key)
        if key is None:
            return ConflictType("a dict with keys of two types, known only when the model runs")
        if self.element is None or other.element is None:
            return replace(self, key=key, order=_order(key, self, other))
        if self.boxed is not other.boxed:
            return ConflictType(NO_VALUES)
        return self._with_boxes(table_of(j, key, (self.element, other.element)))

    def _with_boxes(self, joined: Type) -> Type:
        return replace(joined, boxed=self.boxed) if type(joined) is TableType else joined

    def absorb(self, j: Joiner, other: Type) -> Type | None:
        if not isinstance(other, KeysType):
            return None
        keys = [key for key in other.keys if key is not UNORDERED]
        lost = len(keys) < len(other.keys) and self.element is not None
        word = word_of(self.key)
        own = replace(self, key=functools.reduce(with_known, keys, self.key))
        if word is not None and type(own.key) is not FormsType:
            own = own if all(map(self.takes_key, keys)) else replace(self, key=word)
        if lost or not all(map(own.takes_key, keys)):
            return ConflictType("a dict with keys of two types, known only when the model runs")
        if own.element is None:
            known = other if self.order is other.order else other.shown_in_order
            return replace(own, order=_order(own.key, self, known))
        options = [option for item in other.items for option in item.options]
        there = [option for option in options if option != Static(UNSET)]
        if there and self.boxed:
            return ConflictType(NO_VALUES)
        return self._with_boxes(table_of(j, own.key, (own.element, *there)))

    def takes_key(self, key: Any) -> bool:
        """Tell whether a key that is known while compiling is of the type of the keys."""
        items = self.key.parts
        if not items:
            return self.key.takes(key)
        alike = type(key) is tuple and len(key) == len(items)
        return alike and all(item.takes(part) for item, part in zip(items, key, strict=True))

    def shown(self, depth: int = SHOWN_DEPTH) -> str:
        return f"a dict of {shown_parts(self.parts, depth)}"


def _order(key: Type, left: TableType, right: TableType | KeysType) -> Order:
    """Return what is known of the order of a set that is one of two."""
    order = max(left.order, right.order)
    if order is Order.SHOWN and Order.ADDED in (left.order, right.order):
        return order if is_whole(key) else Order.UNKNOWN
    return order


def _present(w: StateContext, held: Any) -> Value:
    """Return a 0-d bool: whether something is held."""
    if not may_be_unset(held):
        return w.graph.constant(np.array(True))
    unset = next(i for i, one in enumerate(held.alternatives) if one is UNSET)
    return w.graph.Not(w.choices.tag_is(held, unset))


def table_of(j: Joiner, key: Type, elements: Iterable[Type]) -> Type:
    """Return the type of what holds keys of a type and values of some types."""
    joiner = j.apart()
    first, *others = elements = [one.stored(j) for one in elements]
    sites = frozenset[Site]().union(*map(j.w.arenas.sites_of, elements))
    for other in others:
        first = joiner.join(first, other).stored(j)
    if type(first) is ConflictType:
        return replace(first, sites=first.sites | sites)
    dims = [dim for leaf in carriers(first) for dim in leaf.dims or ()]
    whole = not any(leaf.sequence for leaf in carriers(first))
    if not carriers(first) or not whole or not all(isinstance(dim, int) for dim in dims):
        return ConflictType(NO_VALUES, sites)
    for array in first.arrays_held:  # which change no more
        j.w.freeze(array)
    return TableType(key, first.copied)


def is_of_any_size(j: Joiner, value: Type) -> bool:
    """Tell whether a value is an array, or a tuple with one, whose size only the run knows."""
    stored = value.stored(j)
    parts = stored.parts if type(stored) is TupleType else (stored,)
    dims = [dim for part in parts for leaf in carriers(part) for dim in leaf.dims or ()]
    arrays = all(type(part) in (ArrayType, VarType, ScalarType) for part in parts)
    return arrays and not all(isinstance(dim, int) for dim in dims)
