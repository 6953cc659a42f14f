"""Which parts of a state hold one object, as told by the types of its locations.

In the types that one reader finds, an object has one number (its *ident*) wherever it is held.  A
join makes a new number for each pair of objects that meet.  What holds an object of one side only,
as an alternative of a choice, must come to hold the joined object: that is `resolved`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from elichika.state.joins import ArrayType, HeapType, Type, ViewType

    Node = ArrayType | HeapType | ViewType


def parts(type_: Any) -> tuple[Type, ...]:
    """Return the types that a type is made of."""
    found: tuple[Type, ...] = ()
    for name in ("alternatives", "items"):
        found += getattr(type_, name, ())
    for name in ("element", "base", "array"):
        part = getattr(type_, name, None)
        found += () if part is None else (part,)
    return found


def own_parts(type_: Any) -> tuple[Type, ...]:
    """Return the parts whose objects others may hold: a list of dynamic length holds copies."""
    return () if hasattr(type_, "element") else parts(type_)


def is_node(type_: Any) -> bool:
    """Tell whether a type stands for an object that the walk made."""
    return hasattr(type_, "ident") and not getattr(type_, "existing", False)


def numbered(types: Iterable[Type]) -> list[int]:
    """Return, for each part of some types that holds an object, the first part that holds it."""
    first: dict[int, int] = {}
    found: list[int] = []
    todo = list(types)[::-1]
    while todo:
        type_: Any = todo.pop()
        if is_node(type_):
            found.append(first.setdefault(type_.ident, len(found)))
            if found[-1] != len(found) - 1:
                continue
        todo += own_parts(type_)[::-1]
    return found


def references(types: Iterable[Type]) -> Counter[int]:
    """Return how many parts hold each object."""
    times: Counter[int] = Counter()
    todo = list(types)
    while todo:
        type_: Any = todo.pop()
        if is_node(type_):
            times[type_.ident] += 1
            if times[type_.ident] > 1:
                continue
        todo += own_parts(type_)
    return times


def resolved(types: Iterable[Type], pairs: dict[tuple[int, int], Type]) -> list[Type]:
    """Replace objects of one side by the joined ones that they are part of, where that is clear."""
    partners: dict[int, list[Type]] = {}
    for pair, joined in pairs.items():
        for ident in {*pair}:
            partners.setdefault(ident, []).append(joined)
    done: dict[int, Any] = {}

    def visit(type_: Any) -> Any:
        if is_node(type_):
            return visit_node(type_)
        changed: dict[str, Any] = {}
        for name in ("alternatives", "items"):
            old = getattr(type_, name, None)
            if old:
                changed[name] = tuple(map(visit, old))
        for name in ("element", "array"):
            if hasattr(type_, name):
                changed[name] = visit(getattr(type_, name))
        return replace(type_, **changed) if changed else type_

    def visit_node(type_: Any) -> Any:
        found = partners.get(type_.ident, ())
        if len(found) == 1:
            (type_,) = found
        if type_.ident not in done:
            if hasattr(type_, "items"):
                done[type_.ident] = replace(type_, items=tuple(map(visit, type_.items)))
            elif hasattr(type_, "base"):
                done[type_.ident] = replace(type_, base=visit(type_.base))
            else:
                done[type_.ident] = type_
        return done[type_.ident]

    return list(map(visit, types))
