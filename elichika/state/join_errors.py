"""Says what met where two ways join without a common type."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from elichika.state.joins import ConflictType, Type

BRANCH = ("if the condition holds", "else")
LOOP = ("before the loop", "after an iteration")


def explained(joined: Type, met: tuple[Type, Type], places: Any, ways: tuple[str, str]) -> Type:
    """Add both types, and where each was written, to the reason of a conflict.

    Args:
        joined: What came of the join.
        met: The two types.
        places: Where each location was written, as `(program, node)` or None.
        ways: `BRANCH` or `LOOP`.
    """
    if not isinstance(joined, ConflictType) or any(type_.is_conflict for type_ in met):
        return joined
    sides = [
        f"{type_.shown()}{_at(place)} {way}"
        for type_, place, way in zip(met, places, ways, strict=True)
    ]
    return replace(joined, reason=f"{joined.reason}; it is {sides[0]}, {sides[1]}")


def _at(place: Any) -> str:
    if place is None:
        return ""
    program, node = place
    file = program.file.replace("\\", "/").rsplit("/", 1)[-1]
    return f" ({file}:{node.lineno})"
