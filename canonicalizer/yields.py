"""A generator returns where its consumer wants no more items.

    def pairs(xs):                    def pairs(xs):
        for x in xs:                      closed = False
            yield x                       for x in xs:
            count(x)                          yield x
                                              if closed:
                                                  return
                                              count(x)

Python closes a generator from outside, and the flag stays False. Where it is decided at run time
whether there is a next item, who interprets the program sets the flag, whose name is an attribute
`closed` of the `yield`. A `yield` within an expression, a `try` or a `with` has no such place to
return from.
"""

from __future__ import annotations

from typing import Any

import gast

from .forms import is_yield
from .rewrite import Rewrite, prologue
from .template import template
from .walking import ByType

__all__ = ["Yields"]


class Yields(Rewrite):
    """Puts a `return` behind each statement that only yields."""

    makes_work = True

    def __init__(self, *args: Any) -> None:
        """Begin outside of any function."""
        super().__init__(*args)
        self.flag: str | None = None
        self.guarded = False

    @classmethod
    def concerns(cls, nodes: ByType) -> bool:
        return any(is_yield(node.value) for node in nodes[gast.Expr])

    def visit_FunctionDef(self, node: gast.FunctionDef) -> Any:
        outer, self.flag, self.guarded = (self.flag, self.guarded), None, False
        super().visit_FunctionDef(node)
        self.flag, self.guarded = outer
        return node

    def function(self, node: gast.FunctionDef) -> None:
        """Begin with the flag."""
        if self.flag is not None:
            start = prologue(node.body)
            comment = "set where the consumer wants no more"
            flag = template("flag = False", at=node, flag=self.flag, comment=comment)
            node.body[start:start] = flag

    def visit_Try(self, node: Any) -> Any:
        outer, self.guarded = self.guarded, True
        self.generic_visit(node)
        self.guarded = outer
        return node

    visit_With = visit_Try

    def visit_If(self, node: gast.If) -> Any:
        match node:
            case gast.If(test=gast.Constant(value=value), orelse=[]) if not value:
                return node  # never runs: only tells that the function is a generator
        return self.generic_visit(node)

    def visit_Expr(self, node: gast.Expr) -> Any:
        if self.guarded or not is_yield(node.value):
            return node
        if hasattr(node.value, "closed"):  # it has its `return`
            return node
        if isinstance(node.value, gast.YieldFrom):
            return self.each(node)
        if self.flag is None:
            self.flag = self.names.fresh("closed")
        node.value.closed = self.flag
        return [node, *template("if flag:\n    return", at=node, flag=self.flag)]

    def each(self, node: gast.Expr) -> list[gast.stmt]:
        """A `yield from` whose value is not used, as a loop."""
        return [
            statement
            for loop in template(
                "for item in items:\n    yield item",
                at=node,
                item=self.names.fresh("item"),
                items=node.value.value,
                comment=node,
            )
            for statement in self.visit(loop)
        ]
