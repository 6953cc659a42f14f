"""The keys of dicts and sets that only the run knows: what they may be, and where one stands."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np

from elichika.numbers.comparable import comparable
from elichika.state.joins import ScalarType, TupleType, Type, carried, carriers
from elichika.state.joins.key_forms import FormsType, forms_of
from elichika.state.joins.keys import (
    compared,
    is_whole,
    joined_keys,
    key_type_of,
    nans_of,
    recast,
    with_known,
)
from elichika.state.joins.mixed_keys import MixedType, is_float
from elichika.state.joins.rows import RowType
from elichika.state.joins.texts import TextsType
from elichika.state.joins.words import WordType, aligned, word_of
from elichika.values.kinds import is_number, type_of_number
from elichika.values.symbolic import Choice, DynamicTuple, Scalar, Seq
from elichika.values.tables import Table
from elichika.walker.containers.float_objects import NAN_AMONG_KEYS
from elichika.walker.walk import Walk
from onnx_graph import ONNXGraph, Value
from onnx_graph.failing import surely

__all__ = ["NO_KEY_LIKE_IT", "TableKeys", "as_tuple", "common_key", "is_text", "names"]

#: The types of what is a key, or a part of one.
KEY_PARTS = (ScalarType, TextsType, MixedType)
#: The classes of parts of keys that `names` tells.
_PARTS = {Choice, Scalar, str, int, float, bool}

#: Stands for a key that no key of a dict can equal.
NO_KEY_LIKE_IT = object()


class TableKeys:
    """The part of the walker that compares keys of the run."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self._places: dict[tuple[Value, Value], Value] = {}
        self._asked: dict[tuple[Value, Value], tuple[Value, Value]] = {}

    def narrowed(self, key: Any) -> Any:
        """Return a key with one number of the run in the place of one of several numbers."""
        key = self.w.narrow(key)
        if type(key) is tuple:
            return tuple(map(self.narrowed, key))
        if type(key) is not Choice:
            return key
        if not all(map(is_number, key.alternatives)):
            return Choice(key.tag, tuple(map(self.narrowed, key.alternatives)))
        kinds = {type_of_number(one) for one in key.alternatives}
        return Scalar(kinds.pop(), self.w.choices.as_tensor(key)) if len(kinds) == 1 else key

    def type_of(self, key: Any, like: Table | None = None) -> Any:
        """Return the type of a number, a text, None or one of several, or of a tuple of such.

        Args:
            key: The key; of others there is None.
            like: A dict or set whose keys are of this type as well, if they may be.
        """
        if type(key) is DynamicTuple:
            items = self.w.items_of(key)
            return word_of(RowType(tuple, items.element)) if type(items) is Seq else None
        if type(key) is Choice:
            return self._type_of_one(key)
        if type(key) is not tuple:
            return key_type_of(key)
        if not key:
            return None if like is None else word_of(like.type.key)
        found = tuple(self.type_of(part) for part in map(self.w.narrow, key))
        return TupleType(tuple, found) if all(type(one) in KEY_PARTS for one in found) else None

    def _type_of_one(self, key: Choice) -> Any:
        """Return the type of one of several keys."""
        kinds = [self.type_of(one) for one in map(self.w.narrow, key.alternatives)]
        if None in kinds or not any(type(kind) in KEY_PARTS for kind in kinds):
            return self._word_of_choice(key)
        return functools.reduce(lambda one, other: one and joined_keys(one, other), kinds)

    def _word_of_choice(self, key: Choice) -> WordType | None:
        """Return the type of one of several tuples of numbers of one type."""
        kinds = [
            self.type_of(one) for one in map(self.w.narrow, key.alternatives) if not _is_empty(one)
        ]
        words = [None if kind is None else word_of(kind) for kind in kinds]
        return words[0] if words and all(word == words[0] for word in words) else None

    def sought(self, table: Table, key: Any) -> Any:
        """Return a key as one of the type of the keys that it may equal, or `NO_KEY_LIKE_IT`."""
        type_, own = self.type_of(key, table), table.type.key
        if WordType in (type(type_), type(own)):
            return self._sought_word(table, key, type_)
        if type_ is None:
            self.w.hashable(key)
        if type_ is None or not _may_equal(type_, own) or not _fits(key):
            return NO_KEY_LIKE_IT
        if type(key) is float and self.kind_of(own) is int:
            return int(key) if key.is_integer() and abs(key) < 2**63 else NO_KEY_LIKE_IT
        if joined_keys(type_, own) is None:
            self._refuse_mixed(own, type_)
        return key

    def _sought_word(self, table: Table, key: Any, type_: Any) -> Any:
        """Return a tuple as one of any length that keys may equal, or `NO_KEY_LIKE_IT`."""
        own = table.type.key
        if type_ is None:
            self.w.hashable(key)
        if type_ is None or ScalarType in (type(type_), type(own)):
            return NO_KEY_LIKE_IT
        if word_of(type_) != word_of(own):
            self._refuse_mixed(own, type_)
        return key if _fits(key) else NO_KEY_LIKE_IT

    def kind_of(self, type_: Any) -> Any:
        """Return int for a type of numbers that int64 holds, else the type itself."""
        return int if is_whole(type_) else getattr(type_, "type", None)

    def _refuse_mixed(self, own: Type, other: Type) -> None:
        self.w.refuse(
            f"the keys of this dict are of another type than this one: {own.shown()}, and "
            f"{other.shown()}",
            "use keys of one type: `int(key)`",
        )

    def found(self, table: Table, key: Any) -> tuple[list[Value], Value]:
        """Return the keys with one more at the end, and where it stands first."""
        w, g = self.w, self.w.graph
        own = table.type.key
        word = word_of(own)
        if word is not None and WordType in (type(own), type(self.type_of(key, table))):
            return self._found_word(table, word, key)
        type_ = self._common(own, self.type_of(key, table))
        columns = recast(g, own, table.columns[: len(carriers(own))], type_)
        parts = map(w.narrow, key) if type_.parts else [key]
        made = [
            value
            for part, kind in zip(parts, type_.parts or (type_,), strict=True)
            for value in self._values(kind, part)
        ]
        self._require_known(nans_of(g, type_, columns), nans_of(g, type_, made))
        grown = [
            g.Concat(column, g.Unsqueeze(value, [0]), axis=0)
            for column, value in zip(columns, made, strict=True)
        ]
        same: Any = None
        pairs = (compared(g, type_, held) for held in (grown, made))
        for held, value in zip(*pairs, strict=True):
            here = g.Equal(*(comparable(g, one) for one in (held, value)))
            same = here if same is None else g.And(same, here)
        return grown, _first(g, same)

    def placed(self, table: Table, key: Any) -> Value | None:
        """Return where a key surely stands: it was put there, or asked for in what decided this."""
        number = self._whole(table, key)
        place = None if number is None else self._places.get((table.columns[0], number))
        if place is not None or number is None:
            return place
        there, place = self._asked.get((table.columns[0], number), (None, None))
        if there is None or place is None or self.w.facts.of(there) is not True:
            return None
        g = self.w.graph  # `c and k in d` asks in a branch of its own
        return place if g.is_visible(place, g.scope) else self.found(table, key)[1]

    def missing(self, table: Table, key: Any) -> Value | None:
        """Return a key that was asked for in what decided this, and that was not there."""
        number = self._whole(table, key)
        asked = None if number is None else self._asked.get((table.columns[0], number))
        return number if asked is not None and self.w.facts.of(asked[0]) is False else None

    def note_asked(self, table: Table, key: Any, place: Value, there: Value) -> None:
        """Note by which truth a key is there, and where it stands then."""
        number = self._whole(table, key)
        if number is not None:
            self._asked[table.columns[0], number] = there, place

    def note_placed(self, keys: Table, key: Any, place: Value) -> None:
        """Note where a key stands that was put among some."""
        number = self._whole(keys, key)
        if number is not None:
            self._places[keys.columns[0], number] = place

    def _whole(self, table: Table, key: Any) -> Value | None:
        """Return a whole number as the keys hold it, if they are such numbers."""
        own = table.type.key
        if type(own) is not ScalarType or not is_whole(own) or type(key) is Choice:
            return None
        other = self.type_of(key)
        same = type(other) is ScalarType and self._common(own, other) == own
        return self.w.value_of(key, own.dtype) if same and _fits(key) else None

    def require_known(self, *tables: Table) -> None:
        """Check of two tables of keys alone that nan are known where both have some."""
        own, g = tables[0].type.key, self.w.graph
        if type(own) is WordType:
            if is_float(own.number.type):
                self.require_no_nans(*(table.columns[0] for table in tables))
            return
        self._require_known(*(nans_of(g, own, table.columns) for table in tables))

    def _require_known(self, *nans: list[tuple[Value, Value]]) -> None:
        """Check that of no two nans it is unknown whether they are one object.

        Args:
            nans: What `nans_of` gives of some keys, and of others.
        """
        g = self.w.graph
        for (one, unknown), (other, unsure) in zip(*nans, strict=True):
            either = (self._both(unknown, other), self._both(one, unsure))
            self.w.check(self.w.scalar(bool, g.Not(g.Or(*either))), ValueError, NAN_AMONG_KEYS)

    def _both(self, *truths: Value) -> Value:
        """Return whether there is one that holds among each of some."""
        g = self.w.graph
        some = [
            g.Cast(g.ReduceSum(g.Cast(one, to=np.int32), None, keepdims=0), to=np.bool_)
            for one in truths
        ]
        return g.And(*some)

    def _common(self, own: Any, other: Any) -> Any:
        """Return the type of keys that others are looked for in, which are perhaps of that type."""
        if own.parts and other.parts:
            return own.with_parts(tuple(map(self._common, own.parts, other.parts)))
        wide = getattr(own, "type", None) in (int, np.int64)  # any other would wrap
        return own if wide and self.kind_of(other) is int else joined_keys(own, other)

    def _values(self, type_: Any, part: Any) -> list[Value]:
        """Return the graph values of a part of a key."""
        if type(type_) is ScalarType and type(part) is not Choice:
            return [self.w.value_of(part, type_.dtype)]
        return carried(self.w, type_, part)

    def require_no_nans(self, *numbers: Value) -> None:
        """Check that there is a nan in one of some tensors at most: two may be one object."""
        g = self.w.graph
        both = self._both(*map(g.IsNaN, numbers))
        self.w.check(self.w.scalar(bool, g.Not(both)), ValueError, NAN_AMONG_KEYS)

    def alongside(self, *tables: Table) -> list[Table]:
        """Return tables of keys alone whose tuples of any length are as wide as one another."""
        if type(tables[0].type.key) is not WordType:
            return list(tables)
        rows = aligned(self.w.graph, *(one.columns[0] for one in tables))
        return [
            replace(one, columns=(row, one.columns[1]))
            for one, row in zip(tables, rows, strict=True)
        ]

    def _found_word(self, table: Table, own: WordType, key: Any) -> tuple[list[Value], Value]:
        g = self.w.graph
        words, lengths = own.columns_of(g, table)
        row, length = carried(self.w, own, key)
        if is_float(own.number.type):
            self.require_no_nans(words, row)
        words, sought = aligned(g, words, g.Unsqueeze(row, [0]))
        words = g.Concat(words, sought, axis=0)
        lengths = g.Concat(lengths, g.Unsqueeze(length, [0]), axis=0)
        alike = g.Equal(comparable(g, words), comparable(g, sought))
        unlike = g.ReduceSum(g.Cast(g.Not(alike), to=np.int32), [1], keepdims=0)
        same = g.And(g.Equal(lengths, length), g.Equal(unlike, g.constant(np.array(0, np.int32))))
        same = _with_end(g, same) if is_float(own.number.type) else same
        return [words, lengths], _first(g, same)


def _with_end(g: ONNXGraph, truths: Value) -> Value:
    """Return truths of which the last one holds: a key is there behind all others, nan or not."""
    return g.Concat(g.Slice(truths, [0], [-1], [0]), g.constant(np.array([True])), axis=0)


def _first(g: ONNXGraph, truths: Value) -> Value:
    """Return where the first of some truths stands, one of which holds."""
    return surely(g.ArgMax(g.Cast(truths, to=np.int32), axis=0, keepdims=0))


def _may_equal(one: Type, other: Type) -> bool:
    """Tell whether keys of two types may be equal: as many parts, texts where there are texts."""
    if FormsType in (type(one), type(other)):
        return bool((forms_of(one) or {}).keys() & (forms_of(other) or {}).keys())
    if len(one.parts) != len(other.parts):
        return False
    pairs = zip(one.parts or (one,), other.parts or (other,), strict=True)
    kinds = [{type(a), type(b)} for a, b in pairs]
    return not any(two == {TextsType, ScalarType} for two in kinds)


def _is_empty(key: Any) -> bool:
    return type(key) is tuple and not key


def _fits(key: Any) -> bool:
    """Tell whether the ints of a key are ones that the model holds; there are no others in it."""
    parts = key if type(key) is tuple else (key,)
    return all(type(part) is not int or -(2**63) <= part < 2**63 for part in parts)


def names(key: Any) -> bool:
    """Tell whether a key is one of several texts, or a tuple with such, texts and numbers."""
    parts = as_tuple(key)
    chosen = [part for part in parts if type(part) is Choice]
    texts = all(type(one) is str for part in chosen for one in part.alternatives)
    return bool(chosen) and texts and {*map(type, parts)} <= _PARTS


def as_tuple(key: Any) -> tuple[Any, ...]:
    """Return the parts of a key that may be a tuple."""
    return key if type(key) is tuple else (key,)


def is_text(type_: Any) -> bool:
    """Tell whether keys of a type are texts, or tuples with texts."""
    return TextsType in (type(type_), *map(type, type_.parts))


def common_key(held: list[Any]) -> Any:
    """Return the type of the keys of some dicts or sets, one of which is of the run."""
    first, *others = [items.type.key for items in held if type(items) is Table]
    for other in others:
        first = joined_keys(first, other) or first
    known = [key for items in held if type(items) is not Table for key in items]
    return functools.reduce(with_known, known, first)
