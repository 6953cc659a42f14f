"""Nodes of a canonical program are visited by their types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from elichika.errors import UnsupportedSyntax
from elichika.walker.core import PLAIN
from elichika.walker.walk import Walk

#: What makes nothing: `self` in an `__init__` is no object that is whole yet.
_READS = (gast.Name, gast.Attribute, gast.Subscript)


class Visits:
    """The visits of all parts."""

    def __init__(self, w: Walk) -> None:
        self.w = w
        self._visits: dict[type, Callable[[Any], Any]] = {}

    def take(self, *parts: Any) -> None:
        """Take the methods `visit_<Node>` of parts."""
        for part in parts:
            for name in dir(part):
                kind = getattr(gast, name.removeprefix("visit_"), None)
                if name.startswith("visit_") and kind is not None:
                    self._visits[kind] = getattr(part, name)

    def visit(self, node: Any) -> Any:
        """Visit one node by its type.

        What it gives is pending, in use without a name, until the node around it is done.
        """
        method = self._visits.get(type(node))
        if method is None:
            raise UnsupportedSyntax(f"{type(node).__name__} is not supported", self.w.here(), None)
        if not hasattr(node, "lineno"):
            return method(node)
        before, pending = self.w.node_stack[-1], len(self.w.pending)
        self.w.node_stack[-1] = node
        try:
            value = method(node)
            if self.w.arenas.plan.at_birth and type(node) not in _READS:
                value = self.w.arenas.made(value)
        finally:
            self.w.node_stack[-1] = before
            del self.w.pending[pending:]
        if type(value) not in PLAIN:
            self.w.pending.append(value)
        return value

    def block(self, body: list[Any]) -> None:
        """Visit statements in order."""
        for statement in body:
            self.w.plan.step()
            self.visit(statement)
