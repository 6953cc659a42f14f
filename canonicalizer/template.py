"""Quoted code for the passes: `template("done = False", at=loop, done=name)`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import gast

from .copies import LEAVES, copied
from .locations import location_of
from .parsing import parse

__all__ = ["expression", "template"]

Hole = Any  # a new name, an expression, or a list of statements


def template(
    code: str, *, at: gast.AST, comment: str | gast.AST = "", **holes: Hole
) -> list[gast.stmt]:
    """Statements written as code, with the names in `holes` filled in.

    A hole that is a string renames, one that is an expression replaces the name where it is read
    or assigned, and one that is a list of statements replaces the name where it stands alone. Any
    other name is Python's builtin of that name; its node says so in an attribute `builtin`.

    Args:
        code: Python statements.
        at: the node whose location the new nodes take.
        comment: what the first statement stands for, for the printed program: words, or a node
            of the program.
        holes: what to fill in, by name.
    """
    statements = _Fill(holes, location_of(at)).block(_parsed(code).body)
    if comment:
        statements[0].comment = getattr(comment, "origin", comment)
    return statements


def expression(code: str, *, at: gast.AST, **holes: Hole) -> gast.expr:
    """An expression written as code; see `template`."""
    return template(code, at=at, **holes)[0].value


@lru_cache(maxsize=256)
def _parsed(code: str) -> gast.Module:
    return gast.ast_to_gast(parse(code))


class _Fill:
    """Copies one template and fills its holes: with names, blocks or expressions."""

    def __init__(self, holes: dict[str, Hole], location: dict[str, int]) -> None:
        self.holes = holes
        self.blocks = {name for name, hole in holes.items() if isinstance(hole, list)}
        self.expressions = {name for name, hole in holes.items() if isinstance(hole, gast.AST)}
        self.location = location
        self.used: set[str] = set()

    def block(self, body: list[Any]) -> list[Any]:
        """A list of nodes; a hole for statements gives any number of them."""
        nodes: list[Any] = []
        for node in body:
            name = _name_alone(node)
            nodes += self.take(name) if name in self.blocks else [self.value(node)]
        return nodes

    def value(self, value: Any) -> Any:
        """The value of a field, or what fills it; a string is a name there."""
        match value:
            case list():
                return self.block(value)
            case str():
                return self.holes.get(value, value)
            case gast.Name():
                return self.name(value)
            case gast.AST() if not isinstance(value, LEAVES):
                return self.node(value)
        return value

    def name(self, node: gast.Name) -> Any:
        """A name, or what fills it."""
        if node.id in self.expressions:
            return _with_context(self.take(node.id), node.ctx)
        new = self.node(node)
        if node.id not in self.holes:
            new.builtin = True
        return new

    def node(self, node: Any) -> Any:
        """A node at the new place, with its fields filled."""
        new = type(node)()
        new.__dict__.update({name: self.value(value) for name, value in node.__dict__.items()})
        if "lineno" in node._attributes:
            new.__dict__.update(self.location)
        return new

    def take(self, name: str) -> Any:
        """What fills a hole: itself at first, a copy from then on."""
        hole = self.holes[name]
        if name not in self.used:
            self.used.add(name)
            return hole
        return list(map(copied, hole)) if name in self.blocks else copied(hole)


def _name_alone(node: Any) -> str:
    match node:
        case gast.Expr(value=gast.Name(id=name)):
            return str(name)
    return ""


def _with_context(node: Any, context: gast.expr_context) -> gast.expr:
    match node:
        case gast.Name(ctx=now) | gast.Attribute(ctx=now) | gast.Subscript(ctx=now):
            if type(now) is not type(context):
                new = type(node)()
                new.__dict__.update(node.__dict__, ctx=context)
                return new
    return node
