"""What a node is: the questions that many passes ask.

Where the answer is of one pass only, a `match` in that pass asks.
"""

from __future__ import annotations

from typing import Any

import gast

from .walking import by_type

__all__ = [
    "YIELDS",
    "blocks_of",
    "body_of",
    "caught_as",
    "is_constant",
    "is_declaration",
    "is_docstring",
    "is_head",
    "is_name",
    "is_number",
    "is_sequence",
    "is_starred",
    "is_yield",
    "names_in",
    "walruses_in",
]

#: What a generator gives items by.
YIELDS = (gast.Yield, gast.YieldFrom)
BLOCKS = ("body", "orelse", "finalbody")


def is_name(node: Any) -> bool:
    """Whether a node is a name."""
    return isinstance(node, gast.Name)


def is_constant(node: Any) -> bool:
    """Whether a node is a constant."""
    return isinstance(node, gast.Constant)


def is_number(value: object) -> bool:
    """Whether what a constant holds is a number: no bool."""
    return type(value) in (int, float, complex)


def is_sequence(node: Any) -> bool:
    """Whether a node is a tuple or a list, as a display or as a target."""
    return isinstance(node, gast.Tuple | gast.List)


def is_starred(node: Any) -> bool:
    """Whether a node is `*x`, in a display, a target or a call."""
    return isinstance(node, gast.Starred)


def is_yield(node: Any) -> bool:
    """Whether a node is a `yield` or a `yield from`."""
    return isinstance(node, YIELDS)


def is_declaration(node: Any) -> bool:
    """Whether a statement is a `global` or a `nonlocal`."""
    return isinstance(node, gast.Global | gast.Nonlocal)


def is_docstring(statement: Any) -> bool:
    """Whether a statement is a string standing alone."""
    match statement:
        case gast.Expr(value=gast.Constant(value=str())):
            return True
    return False


def is_head(statement: Any) -> bool:
    """Whether a statement has to stay at the top of a function: declarations and texts."""
    return is_declaration(statement) or is_docstring(statement)


def names_in(*trees: gast.AST) -> set[str]:
    """The names that are anywhere in some expressions or targets."""
    return {node.id for tree in trees for node in by_type(tree)[gast.Name]}


def walruses_in(tree: gast.AST) -> set[str]:
    """The names that walruses anywhere in an expression or statement bind."""
    return {node.target.id for node in by_type(tree)[gast.NamedExpr]}


def body_of(scope: Any) -> list[Any]:
    """The statements of a function, class or module; of a lambda, the expression that it gives."""
    return scope.body if isinstance(scope.body, list) else [scope.body]


def blocks_of(statement: Any) -> list[list[Any]]:
    """The blocks of a statement, those of its handlers and cases too; an expression has none."""
    parts = [statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
    held = [getattr(part, name, None) for part in parts for name in BLOCKS]
    return [block for block in held if isinstance(block, list)]


def caught_as(handler: Any) -> frozenset[str]:
    """The name that a handler gives to what it catches, if any."""
    return frozenset({getattr(handler.name, "id", handler.name)} - {None})
