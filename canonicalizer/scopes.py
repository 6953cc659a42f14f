"""What runs in a scope itself, and which names are local to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gast

from .names import bound_by
from .walking import children

__all__ = ["COMPREHENSIONS", "Kind", "kind_of", "own_nodes", "walrus_targets"]

COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
Scope = Any  # a FunctionDef, Lambda, ClassDef or Module


def own_nodes(scope: Scope) -> Iterator[gast.AST]:
    """The statements and expressions that run in the scope itself, in the order of the source.

    Of a nested definition these are the node, its decorators, defaults and bases; of a
    comprehension, its first iterable and the names that a walrus in it binds.
    """
    todo = list(reversed(scope.body)) if isinstance(scope.body, list) else [scope.body]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(reversed((CHILDREN.get(type(node)) or children)(node)))


def _of_function(node: Any) -> list[gast.AST]:
    return [*node.decorator_list, *_defaults(node.args)]


def _of_comprehension(node: Any) -> list[gast.AST]:
    return [node.generators[0].iter, *walrus_targets(node)]


CHILDREN: dict[Any, Callable[[Any], list[gast.AST]]] = {
    gast.FunctionDef: _of_function,
    gast.AsyncFunctionDef: _of_function,
    gast.Lambda: lambda node: _defaults(node.args),
    gast.ClassDef: lambda node: [*node.decorator_list, *node.bases, *node.keywords],
    **dict.fromkeys(COMPREHENSIONS, _of_comprehension),
}


def _defaults(arguments: gast.arguments) -> list[gast.AST]:
    return [node for node in [*arguments.defaults, *arguments.kw_defaults] if node is not None]


def walrus_targets(node: gast.AST) -> list[gast.AST]:
    """The names that walruses in a comprehension bind, those of its lambdas left out."""
    found: list[gast.AST] = []
    for child in children(node):
        if isinstance(child, gast.NamedExpr):
            found.append(child.target)
        if not isinstance(child, gast.Lambda):
            found.extend(walrus_targets(child))
    return found


def _parameters(scope: Scope) -> set[str]:
    """The names of a function's parameters."""
    if not isinstance(scope, gast.FunctionDef | gast.Lambda):
        return set()
    return {node.id for node in children(scope.args) if _is_parameter(node)}


def _is_parameter(node: gast.AST) -> bool:
    return isinstance(node, gast.Name) and isinstance(node.ctx, gast.Param)


@dataclass(frozen=True)
class Kind:
    """What kind of scope this is.

    Attributes:
        locals: its local names: parameters, and what it binds undeclared.
        sure: the parameters that it never deletes.
        generator: whether it yields.
    """

    locals: set[str]
    sure: set[str]
    generator: bool


def kind_of(scope: Scope) -> Kind:
    """What kind of scope this is."""
    parameters = _parameters(scope)
    bound, declared, deleted, generator = set(parameters), set(), set(), False
    for node in own_nodes(scope):
        bound.update(bound_by(node))
        if isinstance(node, gast.Global | gast.Nonlocal):
            declared.update(node.names)
        elif isinstance(node, gast.Yield | gast.YieldFrom):
            generator = True
        elif isinstance(getattr(node, "ctx", None), gast.Del):
            deleted.update(bound_by(node))
        elif isinstance(node, gast.ExceptHandler):
            deleted.update(bound_by(node.name) if node.name else ())
    return Kind(bound - declared, parameters - deleted, generator)
