"""What the passes share: a transformer that knows scopes and may put statements before others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any

import gast

from .copies import LEAVES
from .forms import is_constant, is_declaration, is_docstring, is_name
from .names import Names
from .scopes import kind_of
from .walking import ByType, by_type, replace_children, replaced

__all__ = ["Rewrite", "prologue"]

COMPOUND = (gast.If, gast.For, gast.While, gast.With, gast.Try)


class Rewrite:
    """One pass over a tree, children first.

    Visiting a statement gives a list of statements; what a method appends to `before` meanwhile is
    put in front of it. Decorators, defaults and base classes belong to the scope around a
    definition; annotations are left alone.

    Attributes:
        in_expressions: whether the pass changes expressions; if not, it does not visit them.
        makes_work: whether a later pass may be concerned with what this one makes.
    """

    in_expressions = False
    makes_work = False

    def __init__(self, names: Names) -> None:
        """Take new names from `names`."""
        self.names = names
        self.methods: dict[type[gast.AST], Any] = {}  # by type of node
        self.before: list[gast.stmt] = []
        self.depth = 0  # of compound statements in the function
        self.module: gast.AST | None = None
        self.locals: set[str] = set()  # the local names of the function

    @classmethod
    def concerns(cls, nodes: ByType) -> bool:
        """Whether there is anything to do for this pass in a program with these nodes."""
        raise NotImplementedError

    def visit(self, node: gast.AST) -> Any:
        """The replacement of a node; for a statement, a list."""
        kind = type(node)
        if kind not in self.methods:
            self.methods[kind] = self.method_for(kind)
        return self.methods[kind](node)

    def method_for(self, kind: type[gast.AST]) -> Callable[[Any], Any]:
        """What replaces nodes of one type."""
        if issubclass(kind, LEAVES if self.in_expressions else (*LEAVES, gast.expr)):
            return _as_it_is
        method = getattr(self, f"visit_{kind.__name__}", self.generic_visit)
        if not issubclass(kind, gast.stmt):
            return method
        return partial(self.statement, method, issubclass(kind, COMPOUND))

    def statement(
        self, method: Callable[[Any], Any], deeper: bool, node: gast.stmt
    ) -> list[gast.stmt]:
        """The replacement of a statement by a method, and before it what that puts there."""
        outer, self.before = self.before, []
        self.depth += deeper
        result = method(node)
        self.depth -= deeper
        before, self.before = self.before, outer
        return before + (result if type(result) is list else [result])

    def generic_visit(self, node: gast.AST) -> Any:
        """Replace what a node holds."""
        replace_children(node, self.visit)
        return node

    def visit_all(self, nodes: list[Any]) -> list[Any]:
        """The replacements of some nodes, such as the statements of a block."""
        return replaced(nodes, self.visit)

    def visit_Module(self, node: gast.Module) -> Any:
        self.module = node
        with self.names.scope(node):
            node.body = self.visit_all(node.body)
        return node

    def visit_FunctionDef(self, node: gast.FunctionDef) -> Any:
        node.decorator_list = self.visit_all(node.decorator_list)
        self.visit_defaults(node.args)
        with self.inside(node):
            node.body = self.visit_all(node.body)
            self.function(node)
        return node

    def visit_Lambda(self, node: gast.Lambda) -> Any:
        self.visit_defaults(node.args)
        with self.inside(node):
            node.body = self.visit(node.body)
        return node

    def visit_ClassDef(self, node: gast.ClassDef) -> Any:
        node.decorator_list = self.visit_all(node.decorator_list)
        node.bases = self.visit_all(node.bases)
        node.keywords = self.visit_all(node.keywords)
        with self.inside(node):
            self.locals = set()  # attributes
            node.body = self.visit_all(node.body)
        return node

    @contextmanager
    def inside(self, node: Any) -> Iterator[None]:
        """While in this context, the pass works in the scope of `node`."""
        outer = self.depth, self.locals
        self.depth = 0
        if not hasattr(node, "kind"):
            node.kind = kind_of(node)
        self.locals = node.kind.locals
        with self.names.scope(node):
            yield
        self.depth, self.locals = outer

    @cached_property
    def shared(self) -> set[str]:
        """The names that nested functions may rebind."""
        assert self.module is not None
        return {name for node in by_type(self.module)[gast.Nonlocal] for name in node.names}

    def is_stable(self, node: gast.expr, rebound: set[str]) -> bool:
        """Whether an expression can be evaluated again: a constant, or a local name.

        A name that a nested function may rebind is no such name, nor is one in `rebound`.
        """
        if is_name(node):
            return node.id in self.locals and node.id not in self.shared | rebound
        return is_constant(node)

    def is_bound(self, node: gast.expr) -> bool:
        """Whether an expression is a constant or a parameter, which is there for good."""
        if is_name(node):
            return node.id in self.names.scopes[-1].kind.sure
        return is_constant(node)

    def visit_defaults(self, arguments: gast.arguments) -> None:
        """Replace the defaults of a function's parameters."""
        arguments.defaults = self.visit_all(arguments.defaults)
        arguments.kw_defaults = self.visit_all(arguments.kw_defaults)

    def function(self, node: gast.FunctionDef) -> None:
        """Work on a function whose body is done; names are made in its scope."""


def _as_it_is(node: gast.AST) -> gast.AST:
    return node


def prologue(body: list[gast.stmt]) -> int:
    """How many statements come before the first that does something: docstring, `global`."""
    for index, statement in enumerate(body):
        if not is_declaration(statement) and not (index == 0 and is_docstring(statement)):
            return index
    return len(body)
