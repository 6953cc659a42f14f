"""What the passes share: a transformer that knows scopes and may put statements before others."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gast

from .flow import is_docstring
from .names import Names
from .scopes import LEAVES, is_generator, local_names
from .template import template

__all__ = ["Rewrite", "prologue"]

COMPOUND = (gast.If, gast.For, gast.While, gast.With, gast.Try)


class Rewrite(ast.NodeTransformer):
    """One pass over a tree, children first.

    Visiting a statement gives a list of statements; what a method appends to `before` meanwhile is
    put in front of it. Decorators, defaults and base classes belong to the scope around a
    definition; annotations are left alone.

    Attributes:
        in_expressions: whether the pass changes expressions; if not, it does not visit them.
    """

    in_expressions = False

    def __init__(self, names: Names) -> None:
        """Take new names from `names`."""
        self.names = names
        self.before: list[gast.stmt] = []
        self.depth = 0  # of compound statements in the function
        self.shared: set[str] = set()  # the names that nested functions may rebind
        self.locals: set[str] = set()  # the local names of the function

    def visit(self, node: gast.AST) -> Any:
        """The replacement of a node; for a statement, a list."""
        if isinstance(node, gast.expr) and not self.in_expressions:
            return node
        if not isinstance(node, gast.stmt):
            return node if isinstance(node, LEAVES) else super().visit(node)
        outer, self.before = self.before, []
        self.depth += isinstance(node, COMPOUND)
        result = super().visit(node)
        self.depth -= isinstance(node, COMPOUND)
        before, self.before = self.before, outer
        return before + (result if isinstance(result, list) else [result])

    def block(self, body: list[gast.stmt]) -> list[gast.stmt]:
        """The replacement of a list of statements."""
        return [new for statement in body for new in self.visit(statement)]

    def expressions(self, nodes: list[Any]) -> list[Any]:
        """The replacements of expressions, some of which may be absent."""
        return [node if node is None else self.visit(node) for node in nodes]

    def visit_Module(self, node: gast.Module) -> Any:
        nonlocals = [inner for inner in gast.walk(node) if isinstance(inner, gast.Nonlocal)]
        self.shared = {name for inner in nonlocals for name in inner.names}
        with self.names.scope(node):
            node.body = self.block(node.body)
        return node

    def visit_FunctionDef(self, node: gast.FunctionDef) -> Any:
        node.decorator_list = self.expressions(node.decorator_list)
        self.visit_defaults(node.args)
        generator = is_generator(node)
        with self.inside(node):
            node.body = self.block(node.body)
            self.function(node)
            keep_kind(node, self.locals - node.generated_names, generator)
        return node

    def visit_Lambda(self, node: gast.Lambda) -> Any:
        self.visit_defaults(node.args)
        with self.inside(node):
            node.body = self.visit(node.body)
        return node

    def visit_ClassDef(self, node: gast.ClassDef) -> Any:
        node.decorator_list = self.expressions(node.decorator_list)
        node.bases = self.expressions(node.bases)
        node.keywords = self.expressions(node.keywords)
        with self.inside(node):
            node.body = self.block(node.body)
        return node

    @contextmanager
    def inside(self, node: Any) -> Iterator[None]:
        """While in this context, the pass works in the scope of `node`."""
        outer = self.depth, self.locals
        self.depth = 0
        self.locals = set() if isinstance(node, gast.ClassDef) else local_names(node)
        with self.names.scope(node):
            yield
        self.depth, self.locals = outer

    def is_stable(self, node: gast.expr, rebound: set[str]) -> bool:
        """Whether an expression can be evaluated again: a constant, or a local name.

        A name that a nested function may rebind is no such name, nor is one in `rebound`.
        """
        if isinstance(node, gast.Name):
            return node.id in self.locals and node.id not in self.shared | rebound
        return isinstance(node, gast.Constant)

    def visit_defaults(self, arguments: gast.arguments) -> None:
        """Replace the defaults of a function's parameters."""
        arguments.defaults = self.expressions(arguments.defaults)
        arguments.kw_defaults = self.expressions(arguments.kw_defaults)

    def function(self, node: gast.FunctionDef) -> None:
        """Work on a function whose body is done; names are made in its scope."""


def keep_kind(node: gast.FunctionDef, names: set[str], generator: bool) -> None:
    """Keep what was local to a function local, and a generator function a generator function.

        return                        if False:
        yield                             yield
                                      return None

    Code that binds a name, or yields, may have been dropped because it never runs.
    """
    lost = sorted(names - local_names(node))
    keep = [line for name in lost for line in template("x = None", at=node, x=name)]
    if generator and not is_generator(node):
        keep += template("yield", at=node)
    if keep:
        comment = "never runs: only tells Python what kind of name or function this is"
        start = prologue(node.body)
        node.body[start:start] = template(
            "if False:\n    keep", at=node, keep=keep, comment=comment
        )


def prologue(body: list[gast.stmt]) -> int:
    """How many statements come before the first that does something: docstring, `global` …"""
    for index, statement in enumerate(body):
        declares = isinstance(statement, gast.Global | gast.Nonlocal)
        if not declares and not (index == 0 and is_docstring(statement)):
            return index
    return len(body)
