"""Fresh names: readable, deterministic, and never one that the program uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gast

from .errors import UnsupportedSyntax
from .walking import ByType, by_type

__all__ = ["Names", "bound_by"]

STRING_FIELDS = {
    gast.FunctionDef: "name",
    gast.AsyncFunctionDef: "name",
    gast.ClassDef: "name",
    gast.MatchAs: "name",
    gast.MatchStar: "name",
    gast.MatchMapping: "rest",
}


def identifiers(nodes: ByType) -> set[str]:
    """Every name that the nodes of a program read, bind or declare, in any scope."""
    found = {node.id for node in nodes[gast.Name]} | bound_in(nodes)
    for node in nodes[gast.Global] + nodes[gast.Nonlocal]:
        found.update(node.names)
    return found


def bound_in(nodes: ByType) -> set[str]:
    """The names that the nodes of a program bind."""
    kinds = (gast.Name, gast.alias, *STRING_FIELDS)
    return {name for kind in kinds for node in nodes[kind] for name in bound_by(node)}


def bound_by(node: Any) -> list[str]:
    """The names that one node binds."""
    kind = type(node)
    if kind is gast.Name:
        return [] if isinstance(node.ctx, gast.Load) else [node.id]
    if kind is gast.alias:
        return [(node.asname or node.name).split(".")[0]]
    if kind not in STRING_FIELDS:
        return []
    name = getattr(node, STRING_FIELDS[kind])
    return [] if name is None else [name]


class Names:
    """Hands out names; remembers on each scope's node, as `generated_names`, which it gave."""

    def __init__(self, tree: gast.AST) -> None:
        """Take the names that `tree` uses as taken."""
        nodes = by_type(tree)
        self.taken = identifiers(nodes)
        self.bound = bound_in(nodes)
        self.scopes: list[Any] = []

    @contextmanager
    def scope(self, node: gast.AST) -> Iterator[None]:
        """While in this context, names are made for the scope of `node`."""
        node.generated_names = set(getattr(node, "generated_names", ()))
        self.scopes.append(node)
        try:
            yield
        finally:
            self.scopes.pop()

    def builtin(self, name: str, at: gast.AST) -> None:
        """Make sure that a builtin which a pass uses is not another thing in this program.

        Raises:
            UnsupportedSyntax: the program binds the name.
        """
        if name in self.bound:
            why = f"needs Python's own `{name}`, and this program gives the name another meaning"
            raise UnsupportedSyntax(at, why)

    def fresh(self, base: str) -> str:
        """A new name in the current scope: `base`, or `base_1`, `base_2`, ..."""
        name, count = base, 0
        while name in self.taken or any(name in scope.generated_names for scope in self.scopes):
            count += 1
            name = f"{base}_{count}"
        self.scopes[-1].generated_names.add(name)
        return name
