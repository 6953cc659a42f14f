"""Which names a function binds, and which of them nobody else can rebind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from .names import bound_by

__all__ = ["COMPREHENSIONS", "is_generator", "local_names", "own_nodes", "parameters", "stable_names", "walrus_targets"]

COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
Scope = Any  # a FunctionDef, Lambda, ClassDef or Module


def own_nodes(scope: Scope) -> Iterator[gast.AST]:
    """The nodes that run in the scope itself, in the order of the source.

    Of a nested definition these are the node, its decorators, defaults and bases; of a
    comprehension, its first iterable and the names that a walrus in it binds.
    """
    todo = list(reversed(scope.body)) if isinstance(scope.body, list) else [scope.body]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(reversed(_own_children(node)))


def _own_children(node: gast.AST) -> list[gast.AST]:
    if isinstance(node, gast.FunctionDef | gast.AsyncFunctionDef):
        return [*node.decorator_list, *_defaults(node.args)]
    if isinstance(node, gast.Lambda):
        return _defaults(node.args)
    if isinstance(node, gast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    if isinstance(node, COMPREHENSIONS):
        return [node.generators[0].iter, *walrus_targets(node)]
    return list(gast.iter_child_nodes(node))


def _defaults(arguments: gast.arguments) -> list[gast.AST]:
    return [node for node in [*arguments.defaults, *arguments.kw_defaults] if node is not None]


def walrus_targets(node: gast.AST) -> list[gast.AST]:
    """The names that walruses in a comprehension bind, those of its lambdas left out."""
    found: list[gast.AST] = []
    for child in gast.iter_child_nodes(node):
        if isinstance(child, gast.NamedExpr):
            found.append(child.target)
        if not isinstance(child, gast.Lambda):
            found.extend(walrus_targets(child))
    return found


def parameters(scope: Scope) -> set[str]:
    """The names of a function's parameters."""
    if not isinstance(scope, gast.FunctionDef | gast.Lambda):
        return set()
    return {node.id for node in gast.iter_child_nodes(scope.args) if _is_parameter(node)}


def _is_parameter(node: gast.AST) -> bool:
    return isinstance(node, gast.Name) and isinstance(node.ctx, gast.Param)


def local_names(scope: Scope) -> set[str]:
    """The names that are local to a function: parameters and what it binds undeclared."""
    bound, declared = parameters(scope), set()
    for node in own_nodes(scope):
        bound.update(bound_by(node))
        if isinstance(node, gast.Global | gast.Nonlocal):
            declared.update(node.names)
    return bound - declared


def stable_names(scope: Scope) -> set[str]:
    """The local names of a function that no nested function can rebind."""
    if not isinstance(scope, gast.FunctionDef | gast.Lambda):
        return set()
    shared = {
        name for node in gast.walk(scope) if isinstance(node, gast.Nonlocal) for name in node.names
    }
    return local_names(scope) - shared


def is_generator(function: gast.FunctionDef) -> bool:
    """Whether the function has a `yield` of its own."""
    return any(isinstance(node, gast.Yield | gast.YieldFrom) for node in own_nodes(function))
