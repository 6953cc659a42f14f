"""Blocks of a recursive function, and where they end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from .walking import walk

__all__ = [
    "Block",
    "End",
    "Enter",
    "Goto",
    "Leave",
    "Throw",
    "ends",
    "following",
    "inside",
    "trees",
]

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


@dataclass(eq=False)
class Throw:
    """What is raised goes to a handler around the block, or to the caller; a name holds it."""

    at: Tree
    name: str


End = Goto | Enter | Leave | Throw


def ends(body: list[Tree]) -> Iterator[End]:
    """Yield where a list of statements goes on: its last statement, or the ends of its arms."""
    for node in body:
        match node:
            case Goto() | Enter() | Leave() | Throw():
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


def trees(body: Iterable[Tree]) -> Iterator[Tree]:
    """Yield the nodes of statements, of which some are ends of blocks."""
    for node in body:
        match node:
            case Goto() | Enter() | Leave() | Throw():
                pass
            case gast.If():
                yield node.test
                yield from trees(node.body)
                yield from trees(node.orelse)
            case _:
                yield node


def inside(body: Iterable[Tree]) -> Iterator[Tree]:
    """Yield all nodes in statements."""
    for node in trees(body):
        yield from walk(node)
