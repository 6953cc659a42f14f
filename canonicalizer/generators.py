"""What a generator does besides giving items one by one."""

from __future__ import annotations

from typing import Any

import gast

from .forms import YIELDS, blocks_of
from .scopes import kind_of, own_nodes
from .walking import walk

__all__ = ["closes_itself", "goes_on"]

Tree = Any
#: What runs other code.
CALLING = (gast.Call, gast.Attribute, gast.Subscript, gast.BinOp, gast.Compare, gast.Yield)
#: What catches that a generator is closed.
CLOSING = {"BaseException", "GeneratorExit"}


def closes_itself(tree: gast.FunctionDef) -> bool:
    """Whether a generator does something where Python closes it.

    It yields in a `with`, or in a `try` for that.
    """
    local = kind_of(tree).locals
    for node in own_nodes(tree):
        if type(node) is gast.With:
            inside = own_nodes(gast.Module(body=node.body, type_ignores=[]))
            if any(type(one) in YIELDS for one in inside):
                return True
        if type(node) is gast.Try:
            inside = own_nodes(gast.Module(body=node.body, type_ignores=[]))
            closing = [*node.finalbody]
            for handler in filter(_catches_closing, node.handlers):
                closing += handler.body
            if any(type(one) in YIELDS for one in inside) and not all(
                _is_unseen(one, local) for one in closing
            ):
                return True
    return False


def _catches_closing(handler: Any) -> bool:
    match handler.type:
        case gast.Name(id=name):
            return name in CLOSING
        case gast.Tuple(elts=kinds):
            return any(getattr(kind, "id", "BaseException") in CLOSING for kind in kinds)
    return True


def _is_unseen(node: Tree, local: set[str]) -> bool:
    """Whether a statement changes nothing but what names of the generator hold."""
    match node:
        case gast.Pass() | gast.Raise(exc=None) | gast.Expr(value=gast.Constant()):
            return True
        case gast.Assign(targets=[gast.Name(id=name)], value=value):
            return name in local and not any(type(one) in CALLING for one in walk(value))
        case gast.AugAssign(target=gast.Name(id=name), value=gast.Constant(value=value)):
            return name in local and type(value) in (int, float)
    return False


def goes_on(tree: gast.FunctionDef) -> bool:
    """Whether a list of its items is not all there is to a generator.

    It is sent values, gives one in the end, or has a loop that never ends by itself.
    """
    nodes = list(own_nodes(tree))
    alone = {id(node.value) for node in nodes if type(node) is gast.Expr}
    closing = {node.closed for node in nodes if hasattr(node, "closed")}
    given = {node.value.id for node in nodes if _gives_name(node)}
    for node in nodes:
        match node:
            case gast.Return(value=gast.Name() | gast.Constant(value=None)):
                pass  # what the name is given tells
            case gast.Return():
                return True
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if name in given:
                if getattr(value, "value", value) is not None:
                    return True
            case gast.While(test=gast.Constant(value=value)) if value:
                return True
            case gast.While(test=gast.UnaryOp(op=gast.Not(), operand=gast.Name(id=flag))):
                if flag in getattr(tree, "generated_names", ()) and not _ends(
                    node.body, flag, closing
                ):
                    return True
            case gast.Yield() | gast.YieldFrom() if id(node) not in alone:
                return True
    return False


def _gives_name(node: Tree) -> bool:
    return type(node) is gast.Return and type(node.value) is gast.Name


def _ends(body: list[Tree], flag: str, closing: set[str]) -> bool:
    """Whether statements set the flag that ends a loop, but for where the consumer has enough."""
    for node in body:
        blocks: list[list[Tree]] = []
        match node:
            case gast.Assign(targets=[gast.Name(id=name)]) if name == flag:
                return True
            case gast.If(test=gast.Name(id=name)) if name in closing:
                blocks = [node.orelse]
            case _:
                blocks = blocks_of(node)
        if any(_ends(block, flag, closing) for block in blocks):
            return True
    return False
