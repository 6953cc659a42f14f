"""Source locations: every node has one, generated nodes that of what they stand for."""

from __future__ import annotations

from typing import Any

import gast

__all__ = ["ATTRIBUTES", "complete", "place"]

ATTRIBUTES = ("lineno", "col_offset", "end_lineno", "end_col_offset")


def place(node: Any, at: gast.AST) -> Any:
    """Give `node`, and all below it that has no location yet, the location of `at`."""
    location = {name: getattr(at, name, None) for name in ATTRIBUTES}
    for inner in gast.walk(node):
        if "lineno" in inner._attributes and getattr(inner, "lineno", None) is None:
            inner.__dict__.update(location)
    return node


def complete(node: Any, at: gast.AST | None = None) -> None:
    """Give every node without a location that of the node around it, as for `except E as name`."""
    if "lineno" in node._attributes:
        if getattr(node, "lineno", None) is None and at is not None:
            place(node, at)
        at = node
    for inner in gast.iter_child_nodes(node):
        complete(inner, at)
