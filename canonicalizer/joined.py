"""Blocks that one jump alone leads to, as the end of the block that jumps.

    elif block == 4:                      elif block == 4:
        found = pool[start:]                  found = pool[start:]
        block = 5                             result = found
    elif block == 5:                          depth -= 1
        result = found                        block = 3
        depth -= 1
        block = 3

A turn of the loop does more, and what goes from one block to the next is no name of the loop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import gast

from .ends import Block, Goto
from .group import Member

__all__ = ["joined"]

Tree = Any


class Ways(Protocol):
    """Which blocks follow one another."""

    @property
    def firsts(self) -> Mapping[Member, Block]:
        """The first block of each function."""

    def reached(self, block: Block) -> Iterator[Block]:
        """Yield the blocks that may follow one."""

    def handling(self, block: Block) -> Iterator[Block]:
        """Yield the blocks that go on where one raises."""

    def fits(self, block: Block, around: Block) -> bool:
        """Whether a block may run as a part of another one."""


def joined(order: list[Block], ways: Ways) -> list[Block]:
    """Return blocks without those that one jump alone leads to.

    Args:
        order: All blocks; those that remain are changed.
        ways: Which blocks follow one another.
    """
    reached = Counter(one for block in order for one in ways.reached(block))
    fixed = {*ways.firsts.values(), *(one for block in order for one in ways.handling(block))}
    for block in order:
        for body in _last(block.body):
            while (end := _goto(body)) is not None:
                other = end.block
                if reached[other] != 1 or other.result or other in (block, *fixed):
                    break
                if not ways.fits(other, block):
                    break
                body[-1:], reached[other] = other.body, 0
    return [block for block in order if block in fixed or reached[block]]


def _goto(body: list[Tree]) -> Goto | None:
    """Return the jump that statements end in."""
    return body[-1] if body and type(body[-1]) is Goto else None


def _last(body: list[Tree]) -> Iterator[list[Tree]]:
    """Yield statements, and those of the arms that they end in, as they are by then."""
    yield body
    match body:
        case [*_, gast.If() as last]:
            yield from _last(last.body)
            yield from _last(last.orelse)
