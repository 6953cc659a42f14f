"""Nodes of a canonical program are visited by their types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from elichika.errors import UnsupportedSyntax
from elichika.values.symbolic import Scalar
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

    def truth(self, node: Any) -> Any:
        """Visit a test; return its truth, a bool or a bool of the run.

        In a test, Python asks what stands in `and`, `or` and `not` for its truth once.
        """
        match node:
            case gast.BoolOp(op=op, values=values):
                return self._at(node, lambda: self._lazy(type(op) is gast.And, values))
            case gast.UnaryOp(op=gast.Not(), operand=operand):
                return self._at(node, lambda: self.w.not_(self.truth(operand)))
        return self.w.truth(self.visit(node))

    def _lazy(self, conjunction: bool, nodes: list[Any]) -> Any:
        test, rest = self.truth(nodes[0]), nodes[1:]
        if not rest:
            return test
        if type(test) is not Scalar:
            return self._lazy(conjunction, rest) if bool(test) == conjunction else test

        def others() -> Any:
            return self._lazy(conjunction, rest)

        if conjunction:
            return self.w.truth(self.w.branch(test, others, lambda: False))
        return self.w.truth(self.w.branch(test, lambda: True, others))

    def _at(self, node: Any, thunk: Callable[[], Any]) -> Any:
        """Do something at a node of the program."""
        before = self.w.node_stack[-1]
        self.w.node_stack[-1] = node
        try:
            return thunk()
        finally:
            self.w.node_stack[-1] = before

    def block(self, body: list[Any]) -> None:
        """Visit statements in order."""
        for statement in body:
            self.w.plan.step()
            self.visit(statement)
