"""Parsing that several threads may do at once."""

from __future__ import annotations

import ast

__all__ = ["parse"]


def parse(source: str) -> ast.Module:
    """Parse Python source.

    Until 3.11.7 and 3.12.1 CPython counts the depth of a tree that it builds in one place for all
    threads, and raises SystemError when two of them build one at once (gh-106905). The next
    attempt is as good as the first.

    Raises:
        SyntaxError: as `ast.parse` does.
    """
    while True:
        try:
            return ast.parse(source)
        except SystemError:
            continue
