"""Quoted code for the passes: `template("done = False", at=loop, done=name)`."""

from __future__ import annotations

import ast
import copy
from functools import lru_cache
from typing import Any

import gast

from .locations import ATTRIBUTES, place

__all__ = ["expression", "template"]

Hole = Any  # a new name, an expression, or a list of statements


def template(code: str, *, at: gast.AST, comment: str = "", **holes: Hole) -> list[gast.stmt]:
    """Statements written as code, with the names in `holes` filled in.

    A hole that is a string renames, one that is an expression replaces the name where it is read
    or assigned, and one that is a list of statements replaces the name where it stands alone. Any
    other name is Python's builtin of that name; its node says so in an attribute `builtin`.

    Args:
        code: Python statements.
        at: the node whose location the new nodes take.
        comment: what the first statement stands for, for the printed program.
        holes: what to fill in, by name.
    """
    module = _Fill(holes, at).visit(copy.deepcopy(_parsed(code)))
    statements: list[gast.stmt] = place(module, at).body
    if comment:
        statements[0].comment = comment
    return statements


def expression(code: str, *, at: gast.AST, **holes: Hole) -> gast.expr:
    """An expression written as code; see `template`."""
    return template(code, at=at, **holes)[0].value


@lru_cache(maxsize=256)
def _parsed(code: str) -> gast.Module:
    module = gast.parse(code)
    for node in gast.walk(module):
        for name in ATTRIBUTES:
            node.__dict__.pop(name, None)
    return module


class _Fill(ast.NodeTransformer):
    """Fills the holes of one template."""

    def __init__(self, holes: dict[str, Hole], at: gast.AST) -> None:
        self.holes = holes
        self.at = at
        self.used: set[str] = set()

    def visit_Name(self, node: gast.Name) -> gast.expr:
        hole = self.holes.get(node.id)
        if isinstance(hole, str):
            node.id = hole
        elif hole is not None:
            return _with_context(self.take(node.id), node.ctx)
        else:
            node.builtin = True
        return node

    def visit_Expr(self, node: gast.Expr) -> gast.stmt | list[gast.stmt]:
        if isinstance(node.value, gast.Name) and isinstance(self.holes.get(node.value.id), list):
            statements: list[gast.stmt] = self.take(node.value.id)
            return statements
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: gast.FunctionDef) -> gast.AST:
        node.name = self.holes.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_Global(self, node: gast.Global) -> gast.AST:
        node.names = [self.holes.get(name, name) for name in node.names]
        return node

    visit_Nonlocal = visit_Global

    def take(self, name: str) -> Any:
        """The node for a hole: itself at first, a copy from then on."""
        if name in self.used:
            return copy.deepcopy(self.holes[name])
        self.used.add(name)
        return self.holes[name]


def _with_context(node: gast.expr, context: gast.expr_context) -> gast.expr:
    if isinstance(node, gast.Name | gast.Attribute | gast.Subscript) and not isinstance(
        context, type(node.ctx)
    ):
        node = copy.copy(node)
        node.ctx = context
    return node
