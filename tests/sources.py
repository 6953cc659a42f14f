"""Modules that are texts: their source can be read as that of a file can."""

from __future__ import annotations

import linecache
import textwrap
from collections.abc import Mapping
from typing import Any

__all__ = ["dedented", "module_of"]


def module_of(
    source: str, file: str, names: Mapping[str, Any] | None = None, *, known: bool = True
) -> dict[str, Any]:
    """Run the text of a module; return its names.

    Args:
        source: The text.
        file: What errors call it.
        names: What it finds around it, `__name__` among them; else the file's own name alone.
        known: Whether `linecache` has the text; a compiler finds no source otherwise.
    """
    # An entry without lines: `linecache` looks for a file that it does not know along `sys.path`.
    lines = source.splitlines(keepends=True) if known else []
    linecache.cache[file] = (len(source), None, lines, file)
    space = {"__name__": file.removesuffix(".py")} if names is None else dict(names)
    exec(compile(source, file, "exec", dont_inherit=True), space)
    return space


def dedented(code: str) -> str:
    """Return a program as it stands in a file; in a table it may begin on a line of its own."""
    return textwrap.dedent(code).strip("\n") if code.startswith("\n") else code
