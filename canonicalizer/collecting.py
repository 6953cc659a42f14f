"""A generator as a function that returns a list of its items.

    def perms(xs):                        def perms(xs):
        if not xs:                            found = []
            yield []                          if not xs:
        for i in range(len(xs)):                  found.append([])
            for p in perms(rest(xs, i)):      for i in range(len(xs)):
                yield [xs[i]] + p                 for p in perms(rest(xs, i)):
                                                      found.append([xs[i]] + p)
                                              return found

That is the same where nobody can tell when its statements run.  A call has an attribute
`gone_through` where all that it yields is asked for before anything else happens to it.
"""

from __future__ import annotations

from typing import Any

import gast

from .copies import copied
from .errors import Unframed
from .forms import YIELDS, is_head
from .inlining import without_flags
from .names import Names
from .remade import AT_ONCE
from .scopes import own_nodes
from .template import template
from .walking import replace_children, walk

__all__ = ["collected"]

Tree = Any


def collected(tree: gast.FunctionDef) -> gast.FunctionDef:
    """Return a function that returns the items of a generator, which is left as it is.

    Raises:
        Unframed: It yields in an expression, or may catch what is raised between its items.
    """
    _check(tree)
    made, names = copied(tree), Names(tree)
    with names.scope(made):
        found = names.fresh("found")

    def each(node: Tree) -> Any:
        match node:
            case gast.FunctionDef() | gast.Lambda() | gast.ClassDef():
                return node
            case gast.If(test=gast.Constant(value=False)):
                return []
            case gast.Expr(value=gast.Yield(value=value)):
                value = gast.Constant(None, None) if value is None else value
                return template("found.append(value)", at=node, found=found, value=value)
            case gast.Return():
                return template("return found", at=node, found=found)
        replace_children(node, each)
        return node

    replace_children(made, each)
    module = gast.Module(body=made.body, type_ignores=[])
    without_flags(module)
    head = [one for one in module.body if is_head(one)]
    rest = [one for one in module.body if not is_head(one)]
    made.body = [*head, *template("found = []", at=tree, found=found), *rest]
    for node in walk(made):
        match node:
            case gast.For(iter=gast.Call() as call):
                call.gone_through = True
            case gast.Call(func=gast.Name(id=taker), args=[gast.Call() as call], keywords=[]) if (
                taker in AT_ONCE - {"all", "any"}
            ):
                call.gone_through = True
    made.generated_names = frozenset(made.generated_names)
    made.collects = True
    return made


def _check(tree: gast.FunctionDef) -> None:
    """Refuse a generator of which a list of the items is not all."""
    never = [node for node in own_nodes(tree) if _never_runs(node)]
    unseen = {id(one) for node in never for one in walk(node)}
    for node in own_nodes(tree):
        if id(node) in unseen:
            continue
        match node:
            case gast.Yield() | gast.YieldFrom() if not hasattr(node, "closed"):
                raise Unframed(node, "this `yield` stands in an expression, a `try` or a `with`")
            case gast.Try() | gast.With():
                for one in own_nodes(gast.Module(body=[node], type_ignores=[])):
                    if type(one) in (gast.For, *YIELDS):
                        raise Unframed(one, "this stands in a `try` or a `with`")
            case gast.Return(value=value) if getattr(value, "value", value) is not None:
                raise Unframed(node, "this generator returns a value")


def _never_runs(node: Tree) -> bool:
    match node:
        case gast.If(test=gast.Constant(value=False)):
            return True
    return False
