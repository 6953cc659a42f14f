"""Source locations: every node has one, generated nodes that of what they stand for."""

from __future__ import annotations

from typing import Any

import gast

from .walking import children

__all__ = ["ATTRIBUTES", "complete", "location_of"]

ATTRIBUTES = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def location_of(node: gast.AST) -> dict[str, int]:
    """The location of a node, as attributes."""
    return {name: node.__dict__.get(name, 0) for name in ATTRIBUTES}


def complete(node: Any, at: gast.AST | None = None) -> None:
    """Give every node without a location that of the node around it, as for `except E as name`."""
    if "lineno" in node._attributes:
        if getattr(node, "lineno", None) is None and at is not None:
            node.__dict__.update(location_of(at))
        at = node
    for inner in children(node):
        complete(inner, at)
