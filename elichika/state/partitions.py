"""Which parts of a state hold one object, as told by the types of its locations.

In the types that one reader finds, an object has one number (its *ident*) wherever it is held.  A
join makes a new number for each pair of objects that meet.  What holds an object of one side only,
as an alternative of a choice, must come to hold the joined object: that is `resolved`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elichika.state.joins.types import Type


def numbered(types: Iterable[Type]) -> list[int]:
    """Return, for each part of some types that holds an object, the first part that holds it."""
    first: dict[int, int] = {}
    found: list[int] = []
    todo = list(types)[::-1]
    while todo:
        type_ = todo.pop()
        if type_.node is not None:
            found.append(first.setdefault(type_.node, len(found)))
            if found[-1] != len(found) - 1:
                continue
        todo += type_.own_parts[::-1]
    return found


def references(types: Iterable[Type]) -> Counter[int]:
    """Return how many parts hold each object."""
    times: Counter[int] = Counter()
    todo = list(types)
    while todo:
        type_ = todo.pop()
        if type_.node is not None:
            times[type_.node] += 1
            if times[type_.node] > 1:
                continue
        todo += type_.own_parts
    return times


def resolved(types: Iterable[Type], pairs: dict[tuple[int, int], Type]) -> list[Type]:
    """Replace objects of one side by the joined ones that they are part of, where that is clear."""
    partners: dict[int, list[Type]] = {}
    for pair, joined in pairs.items():
        for ident in {*pair}:
            partners.setdefault(ident, []).append(joined)
    done: dict[int, Type] = {}

    def visit(type_: Type) -> Type:
        if type_.node is None:
            return visit_parts(type_)
        found = partners.get(type_.node, ())
        if len(found) == 1:
            (type_,) = found
        assert type_.node is not None
        if type_.node not in done:
            done[type_.node] = visit_parts(type_)
        return done[type_.node]

    def visit_parts(type_: Type) -> Type:
        return type_.with_parts(tuple(map(visit, type_.parts))) if type_.parts else type_

    return list(map(visit, types))
