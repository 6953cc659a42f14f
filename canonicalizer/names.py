"""Fresh names: readable, deterministic, and never one that the program uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gast

from .errors import UnsupportedSyntax

__all__ = ["Names", "bound_by", "identifiers"]

STRING_FIELDS = {
    gast.FunctionDef: "name",
    gast.AsyncFunctionDef: "name",
    gast.ClassDef: "name",
    gast.MatchAs: "name",
    gast.MatchStar: "name",
    gast.MatchMapping: "rest",
}


def identifiers(tree: gast.AST) -> set[str]:
    """Every name that the program reads, binds or declares, in any of its scopes."""
    return {name for node in gast.walk(tree) for name in identifiers_of(node)}


def identifiers_of(node: gast.AST) -> list[str]:
    """The names that one node reads, binds or declares."""
    if isinstance(node, gast.Name):
        return [node.id]
    if isinstance(node, gast.Global | gast.Nonlocal):
        return list(node.names)
    return bound_by(node)


def bound_by(node: gast.AST) -> list[str]:
    """The names that one node binds."""
    if isinstance(node, gast.Name):
        return [] if isinstance(node.ctx, gast.Load) else [node.id]
    if isinstance(node, gast.alias):
        return [(node.asname or node.name).split(".")[0]]
    name = getattr(node, STRING_FIELDS.get(type(node), ""), None)
    return [] if name is None else [name]


class Names:
    """Hands out names; remembers on each scope's node, as `generated_names`, which it gave."""

    def __init__(self, tree: gast.AST) -> None:
        """Take the names that `tree` uses as taken."""
        self.taken = identifiers(tree)
        self.bound = {name for node in gast.walk(tree) for name in bound_by(node)}
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
