"""Says what met where two ways join without a common type."""

from __future__ import annotations

from typing import Any

from elichika.state.joins import (
    ArrayType,
    ChoiceType,
    ConflictType,
    ContentsType,
    HeapType,
    ItemsType,
    KeysType,
    ScalarType,
    SeqType,
    Static,
    TupleType,
    Type,
    VarType,
    ViewType,
)
from elichika.values.symbolic import UNORDERED, UNSET

#: How many parts of a tuple, list or choice are named.
MOST_SHOWN = 3
BRANCH = ("if the condition holds", "else")
LOOP = ("before the loop", "after a turn")


def explained(joined: Type, met: tuple[Type, Type], places: Any, ways: tuple[str, str]) -> Type:
    """Add both types, and where each was written, to the reason of a conflict.

    Args:
        joined: What came of the join.
        met: The two types.
        places: Where each location was written, as `(program, node)` or None.
        ways: `BRANCH` or `LOOP`.
    """
    if not isinstance(joined, ConflictType) or any(isinstance(t, ConflictType) for t in met):
        return joined
    sides = [
        f"{shown(type_)}{_at(place)} {way}"
        for type_, place, way in zip(met, places, ways, strict=True)
    ]
    return ConflictType(f"{joined.reason}; it is {sides[0]}, {sides[1]}")


def _at(place: Any) -> str:
    if place is None:
        return ""
    program, node = place
    file = program.file.replace("\\", "/").rsplit("/", 1)[-1]
    return f" ({file}:{node.lineno})"


def shown(type_: Type, depth: int = 2) -> str:
    """Name a type for the author of the model: `float32[batch, 8]`, `an int`, `None`."""
    if isinstance(type_, Static):
        return _value(type_.value)
    if isinstance(type_, ScalarType):
        return f"a {type_.type.__name__}"
    if isinstance(type_, (ArrayType, ViewType, ContentsType)):
        sizes = ", ".join("?" if size is None else str(size) for size in type_.dims)
        return f"{type_.dtype}[{sizes}]"
    if isinstance(type_, VarType):
        return f"a Variable of {shown(type_.array)}"
    if isinstance(type_, KeysType):
        own = (key for key in type_.keys if key is not UNORDERED)
        return f"a dict with the keys {', '.join(map(repr, own))}"
    if isinstance(type_, HeapType):
        return f"a {type_.cls.__name__}"
    if isinstance(type_, TupleType):
        return f"({_listed(type_.items, depth)})"
    if isinstance(type_, ItemsType):
        return f"[{_listed(type_.items, depth)}]"
    if isinstance(type_, SeqType):
        return f"a list of {_listed((type_.element,), depth)}"
    if isinstance(type_, ChoiceType):
        return f"one of {_listed(type_.alternatives, depth)}"
    return "something without a common type" if isinstance(type_, ConflictType) else "an object"


def _listed(parts: tuple[Type, ...], depth: int) -> str:
    """Name some types; those that nest deep or come late are left out."""
    if depth == 0 and parts:
        return "..."
    names = [shown(part, depth - 1) for part in parts[:MOST_SHOWN]]
    return ", ".join([*names, "..."] if len(parts) > MOST_SHOWN else names)


def _value(value: Any) -> str:
    if value is UNSET:
        return "not set"
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value)
    name = getattr(value, "__name__", None)
    return f"a {type(value).__name__}" if name is None else f"`{name}`"
