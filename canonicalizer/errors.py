"""The exceptions of this package."""

from __future__ import annotations

import gast

__all__ = ["Unframed", "Unset", "UnsupportedSyntax"]


class UnsupportedSyntax(Exception):
    """Syntax that has no canonical form.

    Attributes:
        node: the offending gast node, with its line and column.
        why: what is wrong, in words for the author of the program.
    """

    def __init__(self, node: gast.AST, why: str) -> None:
        """Remember the node and the reason."""
        self.node = node
        self.why = why
        self.lineno: int | None = getattr(node, "lineno", None)
        self.col_offset: int | None = getattr(node, "col_offset", None)
        super().__init__(node, why)

    def __str__(self) -> str:
        """Say where and why: `line 3, column 4: ...`."""
        if self.lineno is None:
            return self.why
        return f"line {self.lineno}, column {self.col_offset}: {self.why}"


class Unframed(UnsupportedSyntax):
    """A recursion that cannot be done with frames; `why` is a clause about the node."""


class Unset(Unframed):
    """A name is read where the call may not have set it."""

    def __init__(self, node: gast.AST, name: str) -> None:
        """Remember the name."""
        self.name = name
        super().__init__(node, f"`{name}` may not be set here")
