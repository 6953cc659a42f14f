"""Which names a function binds, and which of them are live where."""

from __future__ import annotations

from typing import Any

import gast

Tree = Any


def bound_names(tree: Tree) -> frozenset[str]:
    """Return the local names of a FunctionDef or Lambda."""
    collector = _Names()
    for argument in arguments_of(tree.args):
        collector.bound.add(argument)
    for node in tree.body if isinstance(tree.body, list) else [tree.body]:
        collector.visit(node)
    return frozenset(collector.bound - collector.outer)


def arguments_of(args: Any) -> list[str]:
    """Return the parameter names of a gast `arguments` node in order."""
    names = [a.id for a in [*args.posonlyargs, *args.args, *args.kwonlyargs]]
    return names + [a.id for a in (args.vararg, args.kwarg) if a is not None]


class _Names(gast.NodeVisitor):  # type: ignore[misc]
    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.outer: set[str] = set()

    def visit_Name(self, node: Tree) -> None:
        if isinstance(node.ctx, (gast.Store, gast.Del, gast.Param)):
            self.bound.add(node.id)

    def visit_FunctionDef(self, node: Tree) -> None:
        self.bound.add(node.name)
        for part in [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]:
            if part is not None:
                self.visit(part)

    def visit_ClassDef(self, node: Tree) -> None:
        self.bound.add(node.name)
        for part in [*node.decorator_list, *node.bases]:
            self.visit(part)

    def visit_Lambda(self, node: Tree) -> None:
        for part in [*node.args.defaults, *node.args.kw_defaults]:
            if part is not None:
                self.visit(part)

    def visit_Import(self, node: Tree) -> None:
        for alias in node.names:
            self.bound.add(alias.asname or alias.name.split(".")[0])

    visit_ImportFrom = visit_Import

    def visit_Global(self, node: Tree) -> None:
        self.outer.update(node.names)

    visit_Nonlocal = visit_Global

    def visit_ExceptHandler(self, node: Tree) -> None:
        if node.name is not None:
            self.bound.add(node.name if isinstance(node.name, str) else node.name.id)
        self.generic_visit(node)


class _Reads(gast.NodeVisitor):  # type: ignore[misc]
    """All names read anywhere inside, nested functions included."""

    def __init__(self) -> None:
        self.read: set[str] = set()

    def visit_Name(self, node: Tree) -> None:
        if not isinstance(node.ctx, gast.Store):
            self.read.add(node.id)

    def visit_AugAssign(self, node: Tree) -> None:
        if isinstance(node.target, gast.Name):
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
        if isinstance(tree.body, list):
            self._block(tree.body, frozenset())

    def carried(self, loop: Tree) -> frozenset[str]:
        """Return the names live at the head of `loop` or after it."""
        return self.at_loop[id(loop)]

    def _block(self, body: list[Tree], after: frozenset[str]) -> frozenset[str]:
        live = after
        for node in reversed(body):
            live = self._statement(node, live)
        return live

    def _statement(self, node: Tree, after: frozenset[str]) -> frozenset[str]:
        if isinstance(node, gast.Assign) and isinstance(node.targets[0], gast.Name):
            return (after - {node.targets[0].id}) | reads(node.value)
        if isinstance(node, gast.If):
            arms = self._block(node.body, after) | self._block(node.orelse, after)
            return arms | reads(node.test)
        if isinstance(node, (gast.While, gast.For)):
            head = reads(node.test) if isinstance(node, gast.While) else reads(node.iter)
            live = after | head | self._captured
            target = {node.target.id} if isinstance(node, gast.For) else set()
            while True:
                before = (self._block(node.body, live) - target) | live
                if before == live:
                    break
                live = before
            self.at_loop[id(node)] = live
            return live | head
        if isinstance(node, gast.With):
            live = self._block(node.body, after)
            return live | reads(*node.items)
        if isinstance(node, gast.Try):
            live = self._block(node.finalbody, after)
            handlers = [self._block(h.body, live) | reads(h) for h in node.handlers]
            every = live.union(*handlers) if handlers else live
            tail = self._block(node.orelse, live)
            inside = reads(*node.body)
            return self._block(node.body, tail | every) | every | inside
        if isinstance(node, gast.Break):
            return after
        return after | reads(node)


def _captured(tree: Tree) -> frozenset[str]:
    inner = [
        child
        for child in gast.walk(tree)
        if child is not tree and isinstance(child, (gast.FunctionDef, gast.Lambda, gast.ClassDef))
    ]
    return reads(*inner) if inner else frozenset()
