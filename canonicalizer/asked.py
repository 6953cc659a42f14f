"""What asks methods without a call, as calls: their functions may be members of a group.

    x.height                              x.height()        # with an attribute `asked`
    key in x                              x.__contains__(key)
    yield from x                          yield from x.__iter__()

What turns out to call no member is again what it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from .copies import copied
from .template import expression
from .walking import replace_children

__all__ = ["ask", "read"]

Tree = Any


def ask(tree: Tree, computed: Callable[[str], bool], has: Callable[[str], bool]) -> Tree:
    """Return a function that calls what it asks methods for.

    Args:
        tree: The function.
        computed: Tells whether a name may stand for what a class computes.
        has: Tells whether a class of the program has a special method.
    """

    def each(node: Tree) -> Tree:
        replace_children(node, each)
        match node:
            case gast.Attribute(attr=attr, ctx=gast.Load()) if computed(attr):
                made = expression("f()", at=node, f=node)
                made.asked = True
                return made
            case gast.Compare(
                left=gast.Name() | gast.Constant(),
                ops=[gast.In() | gast.NotIn() as op],
                comparators=[
                    gast.Name()
                    | gast.Attribute()
                    | gast.Subscript(slice=gast.Name() | gast.Constant()) as held
                ],
            ) if has("__contains__"):
                code = "x.f(y)" if type(op) is gast.In else "not x.f(y)"
                made = expression(code, at=node, x=held, f="__contains__", y=node.left)
                getattr(made, "operand", made).written = "given_0 in receiver"
                return made
            case gast.For(
                target=gast.Name(id=item),
                iter=gast.Name() | gast.Attribute(),
                body=[gast.Expr(value=gast.Yield(value=gast.Name(id=given))), *_],
            ) if item == given and has("__iter__"):
                node.iter = expression("x.f()", at=node.iter, x=node.iter, f="__iter__")
                node.iter.written = "receiver"
        return node

    made = copied(tree)
    for index, statement in enumerate(made.body):
        made.body[index] = each(statement)
    return made


def read(tree: Tree) -> None:
    """Write what is asked again as it was where no member is called."""

    def each(node: Tree) -> Tree:
        replace_children(node, each)
        if hasattr(node, "member") or not (hasattr(node, "asked") or hasattr(node, "written")):
            return node
        if hasattr(node, "asked"):
            return node.func
        given = {f"given_{index}": value for index, value in enumerate(node.args)}
        return expression(node.written, at=node, receiver=node.func.value, **given)

    replace_children(tree, each)
