"""Blocks of a recursive function, and where they end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

__all__ = ["Block", "End", "Enter", "Goto", "Leave", "ends", "following"]

Tree = Any


@dataclass(eq=False)
class Block:
    """Statements that run in one turn.

    Attributes:
        at: What of the program it is.
        result: Whether a call has just returned: its first statements may read the result.
    """

    at: Tree
    result: bool = False
    body: list[Tree] = field(default_factory=list)


@dataclass(eq=False)
class Goto:
    """The next turn runs another block of the same call."""

    at: Tree
    block: Block


@dataclass(eq=False)
class Enter:
    """A call; without a block to go on it is the last thing that the function does."""

    at: Tree
    first: Block
    arguments: list[tuple[str, Tree]]
    resume: Block | None


@dataclass(eq=False)
class Leave:
    """A return; `shown` is what of the program it stands for."""

    at: Tree
    value: Tree
    shown: Tree


End = Goto | Enter | Leave


def ends(body: list[Tree]) -> Iterator[End]:
    """Yield where a list of statements goes on: its last statement, or the ends of its arms."""
    for node in body:
        match node:
            case Goto() | Enter() | Leave():
                yield node
            case gast.If():
                yield from ends(node.body)
                yield from ends(node.orelse)


def following(end: End) -> list[Block]:
    """Return the blocks that may run after an end."""
    match end:
        case Goto():
            return [end.block]
        case Enter(resume=None):
            return [end.first]
        case Enter(resume=Block() as resume):
            return [end.first, resume]
    return []
