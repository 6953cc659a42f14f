"""The source of the functions that a model was made of, line by line."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import dedent

from elichika.errors import SourceFrame

__all__ = ["Line", "Listing", "listings"]

MOST_INDENT = 12

Place = tuple[str, int]
"""A file and a line of it."""


@dataclass
class Line:
    """A line of a source.

    Attributes:
        index: Of all lines on the page.
        number: In its file.
        notes: `(kind, text)`: what became of a loop or branch, what no input reached.
        nodes: How many operators it became, those of what it calls included.
        seconds: What these took in a run that was measured.
    """

    index: int
    number: int
    text: str
    notes: list[tuple[str, str]] = field(default_factory=list)
    nodes: int = 0
    seconds: float = 0.0

    @property
    def indent(self) -> int:
        """How many characters stand before what continues it where it is too wide."""
        return min(len(self.text) - len(self.text.lstrip()), MOST_INDENT) + 4


@dataclass
class Listing:
    """A function, or a line that is in none.

    Attributes:
        file: As the frames have it.
        function: Its name.
        lines: All of it.
    """

    file: str
    function: str
    lines: list[Line]

    @property
    def heading(self) -> str:
        """What it is called, and where it is."""
        short = self.file.replace("\\", "/").rsplit("/", 1)[-1]
        return f"{self.function} — {short}" if self.function else short


def listings(frames: Iterable[SourceFrame]) -> list[Listing]:
    """Return the functions that frames are in, in their order, each line of each once."""
    wanted: dict[str, dict[int, str]] = {}
    for frame in frames:
        wanted.setdefault(frame.file, {}).setdefault(frame.line, frame.function)
    found: list[Listing] = []
    count = 0
    for file, functions in wanted.items():
        texts = linecache.getlines(file)
        for name, first, last in _spans(texts, functions):
            numbers = range(first, last + 1)
            shown = dedent("".join(texts[first - 1 : last])).removesuffix("\n").split("\n")
            shown += [""] * (len(numbers) - len(shown))  # the file is not here, or is another one
            lines = [
                Line(count + at, number, text)
                for at, (number, text) in enumerate(zip(numbers, shown, strict=False))
            ]
            count += len(lines)
            found.append(Listing(file, name, lines))
    return found


def by_place(found: Sequence[Listing]) -> dict[Place, Line]:
    """Return the lines of listings by file and number."""
    return {(one.file, line.number): line for one in found for line in one.lines}


def _spans(texts: Sequence[str], wanted: Mapping[int, str]) -> list[tuple[str, int, int]]:
    """Return name, first and last line of what holds lines: the outermost function, or the line."""
    try:
        tree = ast.parse("".join(texts))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = ast.Module([], [])
    functions = _outermost(tree)
    spans: dict[tuple[int, int], str] = {}
    for number, function in wanted.items():
        around = [(a, b) for a, b in functions if a <= number <= b]
        span = around[0] if around else (number, number)
        spans.setdefault(span, functions.get(span, function))
    return [(name, first, last) for (first, last), name in spans.items()]


def _outermost(tree: ast.AST) -> dict[tuple[int, int], str]:
    """Return the functions of a module and its classes; what is within one belongs to it."""
    found: dict[tuple[int, int], str] = {}
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    for node, prefix in pending:
        for child in ast.iter_child_nodes(node):
            match child:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    first = min([child.lineno, *(one.lineno for one in child.decorator_list)])
                    found[first, child.end_lineno or child.lineno] = prefix + child.name
                case ast.ClassDef():
                    pending.append((child, f"{prefix}{child.name}."))
                case ast.stmt():
                    pending.append((child, prefix))
    return found
