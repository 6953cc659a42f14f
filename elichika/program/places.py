"""Canonical functions, and places in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from elichika.errors import SourceFrame
from elichika.program.names import Liveness

Tree = Any


@dataclass(frozen=True)
class Program:
    """A canonical function, ready to be walked."""

    tree: Tree
    file: str
    name: str
    locals: frozenset[str]
    generated: frozenset[str]
    liveness: Liveness
    is_generator: bool
    library: bool


@dataclass(frozen=True)
class Place:
    """A node of a program and the calls that lead to it; the frames are made when asked for.

    Attributes:
        programs: Of each call, outermost first.
        nodes: Where each of them is.
    """

    programs: tuple[Program, ...]
    nodes: tuple[Tree, ...]

    @property
    def frames(self) -> tuple[SourceFrame, ...]:
        """The places of the program, outermost first."""
        return tuple(map(frame_at, self.programs, self.nodes))

    @property
    def innermost(self) -> SourceFrame | None:
        """The innermost place in the user's own code, or else the innermost."""
        for program, node in zip(reversed(self.programs), reversed(self.nodes), strict=True):
            if not program.library:
                return frame_at(program, node)
        return frame_at(self.programs[-1], self.nodes[-1]) if self.nodes else None


def frame_at(program: Program, node: Tree) -> SourceFrame:
    """Return the place of a node of a program."""
    return frame_of(node, program.file, program.name, library=program.library)


def frame_of(node: Tree, file: str, function: str, *, library: bool = False) -> SourceFrame:
    """Return the place of a node in a file."""
    names = ("col_offset", "end_lineno", "end_col_offset")
    column, end_line, end_column = (getattr(node, name, None) for name in names)
    line = getattr(node, "lineno", 0)
    return SourceFrame(file, line, function, column, end_line, end_column, library)
