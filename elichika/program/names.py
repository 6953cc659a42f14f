"""Which names a function reads, and which of them are live where."""

from __future__ import annotations

from typing import Any

import gast

from canonicalizer.forms import body_of
from canonicalizer.scopes import parameters_of as arguments_of
from canonicalizer.walking import by_type

__all__ = ["Liveness", "arguments_of", "reads"]

Tree = Any
INNER = (gast.FunctionDef, gast.Lambda, gast.ClassDef)


class _Reads(gast.NodeVisitor):  # type: ignore[misc]
    """All names read anywhere inside, nested functions included."""

    def __init__(self) -> None:
        self.read: set[str] = set()

    def visit_Name(self, node: Tree) -> None:
        if not isinstance(node.ctx, gast.Store):
            self.read.add(node.id)

    def visit_AugAssign(self, node: Tree) -> None:
        self.read.add(node.target.id)
        self.generic_visit(node)

    def visit_Nonlocal(self, node: Tree) -> None:
        self.read.update(node.names)

    visit_Global = visit_Nonlocal


def reads(*nodes: Tree) -> frozenset[str]:
    """Return all names read inside the nodes, by nested functions too."""
    visitor = _Reads()
    for node in nodes:
        visitor.visit(node)
    return frozenset(visitor.read)


class Liveness:
    """For each loop of a function, the names live at its head or after it.

    A name that is dead at the head of a loop and after it need not be carried.  The analysis is on
    the canonical tree: no break inside, one return at the end.
    """

    def __init__(self, tree: Tree) -> None:
        self.at_loop: dict[int, frozenset[str]] = {}
        self._captured = _captured(tree)
        #: What is read where an exception leaves the present place, of handlers around it.
        self._handled = frozenset[str]()
        self._block(body_of(tree), frozenset())

    def carried(self, loop: Tree) -> frozenset[str]:
        """Return the names live at the head of `loop` or after it."""
        return self.at_loop[id(loop)]

    def _block(self, body: list[Tree], after: frozenset[str]) -> frozenset[str]:
        live = after
        for node in reversed(body):
            live = self._statement(node, live) | self._handled
        return live

    def _statement(self, node: Tree, after: frozenset[str]) -> frozenset[str]:
        match node:
            case gast.Assign(targets=[gast.Name(id=name)]):
                return (after - {name}) | reads(node.value)
            case gast.If():
                arms = self._block(node.body, after) | self._block(node.orelse, after)
                return arms | reads(node.test)
            case gast.While():
                return self._loop(node, reads(node.test), frozenset(), after)
            case gast.For():
                return self._loop(node, reads(node.iter), frozenset({node.target.id}), after)
            case gast.With():  # which may swallow an exception
                before, self._handled = self._handled, self._handled | after
                inside = self._block(node.body, after)
                self._handled = before
                return inside | reads(*node.items)
            case gast.Try():
                return self._try(node, after)
        return after | reads(node)

    def _try(self, node: Tree, after: frozenset[str]) -> frozenset[str]:
        last = self._block(node.finalbody, after)
        before = self._handled
        self._handled = before | last
        handled = last.union(*(self._block(h.body, last) | reads(h) for h in node.handlers))
        tail = self._block(node.orelse, last)
        self._handled = before | handled
        live = self._block(node.body, tail | handled)
        self._handled = before
        return live | handled

    def _loop(
        self, node: Tree, head: frozenset[str], target: frozenset[str], after: frozenset[str]
    ) -> frozenset[str]:
        live = after | head | self._captured
        while True:
            before = (self._block(node.body, live) - target) | live
            if before == live:
                break
            live = before
        self.at_loop[id(node)] = live
        return live | head


def _captured(tree: Tree) -> frozenset[str]:
    nodes = by_type(tree)
    return reads(*(node for kind in INNER for node in nodes[kind] if node is not tree))
