"""Help that cuts nothing off, and on narrow terminals writes what an option does below its name.

    -o, --output <path>
        The .onnx file to write; - is
        standard output.

The two columns that click writes need fifty characters at least, and break words in half there.
"""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

__all__ = ["Narrow"]

#: The columns of a terminal that two columns of help are readable in.
ENOUGH = 60
#: No first sentence of a command is longer.
LONGEST = 1000


class Narrow(typer.Typer):
    """An application whose help cuts nothing off, and fits narrow terminals."""

    def __init__(self, **settings: Any) -> None:
        """Begin without commands."""
        super().__init__(cls=_Group, **settings)

    def command(self, *args: Any, **settings: Any) -> Callable[[Any], Any]:
        """Add a command."""
        return super().command(*args, cls=_Command, **settings)


class _Command(TyperCommand):
    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, fitting(formatter))


class _Group(TyperGroup):
    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, fitting(formatter))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, one.get_short_help_str(LONGEST)) for name, one in commands if one]
            )


def fitting(formatter: Any) -> Any:
    """Let a formatter of help write below one another what has no room side by side."""
    columns = shutil.get_terminal_size().columns
    if columns < ENOUGH:
        formatter.width = columns - 1
        formatter.write_dl = partial(_below, formatter)
    return formatter


def _below(formatter: Any, rows: Sequence[tuple[str, str]], *_: Any, **__: Any) -> None:
    """Write names, and what each means, below one another."""
    near, far = (" " * (formatter.current_indent + more) for more in (0, 4))
    for name, meaning in rows:
        for text, indent in ((name, near), (meaning, far)):
            lines = textwrap.wrap(
                text,
                formatter.width,
                initial_indent=indent,
                subsequent_indent=far,
                break_on_hyphens=False,
            )
            formatter.write("".join(f"{line}\n" for line in lines))
