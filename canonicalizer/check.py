"""The canonical grammar: the node types that remain, and what holds of each.

`STATEMENTS` and `EXPRESSIONS` are the whole of it. A rule gives the reason why a node is not
canonical, or None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from .breaks import is_exit
from .errors import UnsupportedSyntax
from .forms import is_name
from .negatives import is_negative
from .walking import children

__all__ = ["EXPRESSIONS", "REFUSED", "STATEMENTS", "check"]

Rule = Callable[[Any], str | None]
STORES = gast.Name | gast.Attribute | gast.Subscript


def anything(node: Any) -> str | None:
    """No rule."""
    return None


def no_type_parameters(node: Any) -> str | None:
    """Type parameters (`def f[T]`) open a scope of their own."""
    return "a list of type parameters" if getattr(node, "type_params", None) else None


def one_target(node: Any) -> str | None:
    """One target, not a tuple."""
    fits = len(node.targets) == 1 and isinstance(node.targets[0], STORES)
    return None if fits else "an assignment to more than one target"


def name_target(node: Any) -> str | None:
    """A name as the target."""
    return None if is_name(node.target) else "a target that is not a name"


def plain_for(node: Any) -> str | None:
    """A `for` over a name, without `else`, with at most `if done: break` at its end."""
    return name_target(node) or plain_loop(node)


def plain_loop(node: Any) -> str | None:
    """A loop without `else`."""
    return "the `else` of a loop" if node.orelse else None


def one_item(node: Any) -> str | None:
    """One context manager, kept in a name if at all."""
    target = node.items[0].optional_vars
    named = target is None or is_name(target)
    return None if len(node.items) == 1 and named else "more than one context manager"


def one_operator(node: Any) -> str | None:
    """A comparison of two."""
    return None if len(node.ops) == 1 else "a chained comparison"


def folded(node: Any) -> str | None:
    """No minus before a number."""
    return "a minus before a number" if is_negative(node) else None


STATEMENTS: dict[str, Rule] = {
    "AnnAssign": anything,  # in class bodies and modules only
    "Assign": one_target,
    "AugAssign": name_target,
    "Break": anything,  # in `if done: break` only
    "ClassDef": no_type_parameters,
    "Delete": one_target,
    "Expr": anything,
    "For": plain_for,
    "FunctionDef": no_type_parameters,
    "Global": anything,
    "If": anything,
    "Import": anything,
    "ImportFrom": anything,
    "Nonlocal": anything,
    "Pass": anything,
    "Raise": anything,
    "Return": anything,  # as the last statement of a function only
    "Try": anything,
    "While": plain_loop,
    "With": one_item,
}

EXPRESSIONS: dict[str, Rule] = {
    "Attribute": anything,
    "BinOp": anything,
    "BoolOp": anything,
    "Call": anything,
    "Compare": one_operator,
    "Constant": anything,
    "Dict": anything,
    "FormattedValue": anything,
    "IfExp": anything,
    "JoinedStr": anything,
    "Lambda": anything,
    "List": anything,
    "Name": anything,
    "NamedExpr": anything,
    "Set": anything,
    "Slice": anything,
    "Starred": anything,
    "Subscript": anything,
    "Tuple": anything,
    "UnaryOp": folded,
    "Yield": anything,
    "YieldFrom": anything,
}

REFUSED: dict[str, str] = {
    "AsyncFor": "`async for`",
    "AsyncFunctionDef": "`async def`",
    "AsyncWith": "`async with`",
    "Await": "`await`",
    "Interpolation": "a template string",
    "TemplateStr": "a template string",
    "TryStar": "`except*`",
    "TypeAlias": "a `type` statement",
}


def check(tree: gast.AST) -> None:
    """Hold a tree against the canonical grammar.

    Raises:
        UnsupportedSyntax: a node is not canonical.
    """
    _Check().visit(tree)


class _Check(gast.NodeVisitor):  # type: ignore[misc]
    """Visits every node that runs; annotations do not."""

    def __init__(self) -> None:
        self.ends: list[gast.AST] = []  # the statements where a return or break may stand

    def visit(self, node: Any) -> None:
        kind = type(node).__name__
        if isinstance(node, gast.stmt | gast.expr | gast.slice):
            why = REFUSED.get(kind)
            rule = STATEMENTS.get(kind) or EXPRESSIONS.get(kind)
            why = why or (rule(node) if rule else f"`{kind}`")
            if why:
                raise UnsupportedSyntax(node, f"{why} is not supported")
        visit = getattr(self, f"visit_{kind}", None) or self.generic_visit
        visit(node)

    def generic_visit(self, node: gast.AST) -> None:
        for child in children(node):
            self.visit(child)

    def visit_Name(self, node: gast.Name) -> None:
        """Annotations of parameters are not looked at."""

    def visit_FunctionDef(self, node: gast.FunctionDef) -> None:
        self.ends.append(node.body[-1])
        for part in [*node.decorator_list, node.args, *node.body]:
            self.visit(part)

    def visit_AnnAssign(self, node: gast.AnnAssign) -> None:
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_For(self, node: gast.For) -> None:
        if is_exit(node.body[-1]):
            self.ends.append(node.body[-1].body[0])
        self.generic_visit(node)

    def visit_Break(self, node: gast.Break) -> None:
        self.in_place(node, "break", "`if done: break` at the end of a `for`")

    def visit_Return(self, node: gast.Return) -> None:
        self.in_place(node, "return", "the end of a function")
        self.generic_visit(node)

    def in_place(self, node: gast.stmt, word: str, where: str) -> None:
        """Make sure that a jump stands where one may."""
        if not any(node is one for one in self.ends):
            raise UnsupportedSyntax(node, f"a `{word}` that is not {where}")
