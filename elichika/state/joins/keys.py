"""What keys of dicts and sets are by their types, and what keys of two types are together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import NoneType
from typing import Any

import numpy as np

from elichika.state.joins.containers import TupleType
from elichika.state.joins.key_forms import NO_TUPLE, FormsType, joined_forms
from elichika.state.joins.mixed_keys import (
    FLOATS,
    GROUPS,
    MixedType,
    is_float,
    mixed_of,
    nothing,
    of_numbers,
    of_texts,
)
from elichika.state.joins.plain import ScalarType
from elichika.state.joins.texts import TextsType, texts_of
from elichika.state.joins.types import carriers
from elichika.values.kinds import is_number, type_of_number
from onnx_graph import ONNXGraph, Value
from onnx_graph.failing import surely

__all__ = [
    "compared",
    "forgotten",
    "is_whole",
    "joined_keys",
    "key_type_of",
    "nans_of",
    "parts_of",
    "recast",
    "with_known",
]

_NANS = 3


def forgotten(g: ONNXGraph, key: Any, columns: Iterable[Value]) -> tuple[Any, list[Value]]:
    """Return keys that come of another call, and their type: which nan is which is not known."""
    columns = list(columns)
    if type(key) is MixedType:
        code, whole, rest = columns
        whole = g.Where(g.IsNaN(rest), np.int64(0), whole) if key.elsewhere else whole
        return replace(key, elsewhere=False), [code, whole, rest]
    if type(key) not in (TupleType, FormsType):
        return key, columns
    found = [forgotten(g, part, held) for part, held in parts_of(key, columns)]
    made = [one for _, values in found for one in values]
    if type(key) is FormsType:
        return key.seen(elsewhere=False), made
    return key.with_parts(tuple(type_ for type_, _ in found)), made


def parts_of(key: Any, columns: Iterable[Value]) -> list[tuple[Any, list[Value]]]:
    """Return the types of the parts of a key, or that of itself, each with its columns."""
    columns = list(columns)
    held = []
    for part in (ScalarType(int), *key.places) if type(key) is FormsType else key.parts or (key,):
        count = len(carriers(part))
        held.append((part, columns[:count]))
        columns = columns[count:]
    return held


def nans_of(g: ONNXGraph, key: Any, columns: Iterable[Value]) -> list[tuple[Value, Value]]:
    """Return for each part that may be a nan which keys are nan, and of which it is not known."""
    held = [values for part, values in parts_of(key, columns) if _may_be_nan(part)]
    nans = [(g.IsNaN(rest), whole) for _, whole, rest in held]
    return [(nan, g.And(nan, g.Equal(whole, np.int64(0)))) for nan, whole in nans]


def _may_be_nan(part: Any) -> bool:
    """Tell whether keys of a type may be nan."""
    return type(part) is MixedType and any(map(is_float, part.kinds))


# -- what keys of two types are together ----------------------------------------------------------


def key_type_of(key: Any) -> Any:
    """Return the type of a known key: a number, a text, None or a tuple of these; else None."""
    if type(key) is str:
        return texts_of((key,))
    if key is None:
        return MixedType((NoneType,))
    if is_number(key):
        kind = type_of_number(key)
        return MixedType((kind,)) if kind in FLOATS else ScalarType(kind, kind is int)
    parts = tuple(map(key_type_of, key)) if type(key) is tuple and key else (None,)
    return None if None in parts else TupleType(tuple, parts)


def is_whole(key: Any) -> bool:
    """Tell whether a type is one of numbers that int64 holds."""
    number = getattr(key, "type", None)
    whole = number is not None and issubclass(number, (int, np.integer))
    return whole and number is not np.uint64


def joined_keys(one: Any, other: Any) -> Any:
    """Return the type of keys of two types; None where no key is of both."""
    if one == other:
        return one
    if type(one) is type(other) is TextsType:
        return texts_of((*one.texts, *other.texts))
    if type(one) is type(other) is TupleType:
        if len(one.parts) != len(other.parts):
            return None
        joined = tuple(map(joined_keys, one.parts, other.parts))
        return None if None in joined else one.with_parts(joined)
    return mixed_of((one, other)) or _of_forms(one, other)


def _of_forms(one: Any, other: Any) -> FormsType | None:
    """Return the type of keys of which some are tuples and some are not, or are so already."""
    tuples = {type(one) is TupleType, type(other) is TupleType}
    forms = FormsType in (type(one), type(other)) or tuples == {False, True}
    return joined_forms(one, other) if forms else None


def with_known(type_: Any, key: Any) -> Any:
    """Return the type of keys, with a known one that is perhaps of another kind."""
    known = key_type_of(key)
    return type_ if None in (type_, known) else joined_keys(type_, known) or type_


def recast(g: ONNXGraph, own: Any, columns: Iterable[Value], wanted: Any) -> list[Value]:
    """Return columns of keys as those of a type that takes these keys, too."""
    columns = list(columns)
    if own.same_form(wanted):
        return columns
    if type(wanted) is FormsType:
        return _in_forms(g, own, columns, wanted.width)
    if type(wanted) is not MixedType:
        pairs = zip(parts_of(own, columns), wanted.parts, strict=True)
        return [one for (part, held), into in pairs for one in recast(g, part, held, into)]
    (column,) = columns
    return [*of_numbers(g, own.type, column)] if type(own) is ScalarType else of_texts(g, column)


def _in_forms(g: ONNXGraph, own: Any, columns: list[Value], width: int) -> list[Value]:
    """Return columns of keys as those of tuples of several lengths, and of what is no tuple."""
    if type(own) is FormsType:
        lengths, *held = columns
    else:
        length = len(own.parts) if type(own) is TupleType else NO_TUPLE
        lengths = g.Expand(g.constant(np.array(length)), g.Shape(columns[0]))
        anything = MixedType(())
        parts = parts_of(own, columns)
        held = [one for part, of in parts for one in recast(g, part, of, anything)]
    rest = width - len(held) // len(nothing(g))
    return [lengths, *held, *nothing(g, lengths) * rest]


def compared(g: ONNXGraph, key: Any, columns: Iterable[Value]) -> list[Value]:
    """Return columns of keys as ones that are equal, number by number, where the keys are."""
    columns = list(columns)
    if type(key) in (TupleType, FormsType):
        return [one for part, held in parts_of(key, columns) for one in compared(g, part, held)]
    if type(key) is not MixedType:
        return columns
    code, whole, rest = columns
    group = surely(g.Gather(g.constant(GROUPS), code, axis=0))
    if not _may_be_nan(key):
        return [group, whole, rest]
    nan = g.IsNaN(rest)
    return [g.Where(nan, np.int64(_NANS), group), whole, g.Where(nan, np.float64(0), rest)]
