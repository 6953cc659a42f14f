"""What runs in a scope itself, and which names are local to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gast

from .forms import body_of, is_yield
from .names import bound_by
from .walking import children

__all__ = ["COMPREHENSIONS", "Kind", "kind_of", "own_nodes", "parameters_of", "walrus_targets"]

COMPREHENSIONS = (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)
Scope = Any  # a FunctionDef, Lambda, ClassDef or Module


def own_nodes(scope: Scope) -> Iterator[gast.AST]:
    """The statements and expressions that run in the scope itself, in the order of the source.

    Of a nested definition these are the node, its decorators, defaults and bases; of a
    comprehension, its first iterable and the names that a walrus in it binds.
    """
    todo = body_of(scope)[::-1]
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


def parameters_of(arguments: gast.arguments) -> list[str]:
    """The names of a function's parameters: those without a star first."""
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    starred = [arguments.vararg, arguments.kwarg]
    return [node.id for node in (*plain, *starred) if node is not None]


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
    parameters = set(parameters_of(scope.args) if hasattr(scope, "args") else ())
    bound, declared, deleted, generator = set(parameters), set(), set(), False
    for node in own_nodes(scope):
        bound.update(bound_by(node))
        generator |= is_yield(node)
        match node:
            case gast.Global() | gast.Nonlocal():
                declared.update(node.names)
            case gast.Name(id=name, ctx=gast.Del()) | gast.ExceptHandler(name=gast.Name(id=name)):
                deleted.add(name)
    return Kind(bound - declared, parameters - deleted, generator)
