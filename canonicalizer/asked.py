"""What asks methods without a call, as calls: their functions may be members of a group.

    x.height                              x.height()        # with an attribute `asked`
    key in x                              x.__contains__(key)
    yield from x                          yield from x.__iter__()
    x + y                                 x.__add__(y)
    x[i]                                  x.__getitem__(i)

What turns out to call no member is again what it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from .copies import copied
from .template import expression
from .walking import replace_children, walk

__all__ = ["OPERATORS", "ask", "read"]

Tree = Any
#: The methods that operators ask, by their nodes, and how these are written.
BINARY: dict[type, tuple[str, str]] = {
    gast.Add: ("__add__", "+"),
    gast.Sub: ("__sub__", "-"),
    gast.Mult: ("__mul__", "*"),
    gast.MatMult: ("__matmul__", "@"),
    gast.Div: ("__truediv__", "/"),
    gast.FloorDiv: ("__floordiv__", "//"),
    gast.Mod: ("__mod__", "%"),
    gast.Pow: ("__pow__", "**"),
    gast.BitAnd: ("__and__", "&"),
    gast.BitOr: ("__or__", "|"),
    gast.BitXor: ("__xor__", "^"),
}
UNARY: dict[type, tuple[str, str]] = {
    gast.USub: ("__neg__", "-"),
    gast.UAdd: ("__pos__", "+"),
    gast.Invert: ("__invert__", "~"),
}
COMPARED: dict[type, tuple[str, str]] = {
    gast.Eq: ("__eq__", "=="),
    gast.Lt: ("__lt__", "<"),
    gast.LtE: ("__le__", "<="),
    gast.Gt: ("__gt__", ">"),
    gast.GtE: ("__ge__", ">="),
}
#: All of these, each with the one that is asked of the other operand, if there is one.
OPERATORS: dict[str, str | None] = {
    **{name: f"__r{name[2:]}" for name, _ in BINARY.values()},
    **{name: None for name, _ in UNARY.values()},
    **{"__eq__": "__eq__", "__lt__": "__gt__", "__gt__": "__lt__"},
    **{"__le__": "__ge__", "__ge__": "__le__", "__getitem__": None},
}


def ask(
    tree: Tree,
    computed: Callable[[str], bool],
    has: Callable[[str], bool],
    makes: Callable[[Tree], bool],
    plain: Callable[[str], bool],
) -> Tree:
    """Return a function that calls what it asks methods for.

    Args:
        tree: The function.
        computed: Tells whether a name may stand for what a class computes.
        has: Tells whether a class of the program has a special method.
        makes: Tells whether a call makes an object of a class of the program.
        plain: Tells whether what objects have by a name is a number or an array, as it seems.
    """

    def may_be(operand: Tree) -> bool:
        match operand:
            case gast.Attribute(attr=attr):
                return not plain(attr)
            case gast.Name() | gast.Subscript():
                return True
        return _is_made(operand, makes)

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
        return _operated(node, has, may_be)

    made = copied(tree)
    for index, statement in enumerate(made.body):
        made.body[index] = each(statement)
    return made


def _operated(node: Tree, has: Callable[[str], bool], may_be: Callable[[Tree], bool]) -> Tree:
    """Return the call of a method that an operator is, or the node itself.

    What is computed mostly is a number.
    """
    match node:
        case gast.BinOp(left=x, op=op, right=y):
            name, sign = BINARY.get(type(op), ("", ""))
        case gast.Compare(left=x, ops=[op], comparators=[y]):
            name, sign = COMPARED.get(type(op), ("", ""))
        case gast.UnaryOp(op=op, operand=x):
            name, sign = UNARY.get(type(op), ("", ""))
            if has(name) and may_be(x):
                made = expression("x.f()", at=node, x=x, f=name)
                made.written = f"{sign}receiver"
                return made
            return node
        case gast.Subscript(value=x, slice=y, ctx=gast.Load()):
            name, sign = "__getitem__", ""
            if any(type(one) is gast.Slice for one in walk(y)):
                return node
        case _:
            return node
    if not has(name) or not may_be(x):
        return node
    made = expression("x.f(y)", at=node, x=x, f=name, y=y)
    made.written = f"receiver {sign} given_0" if sign else "receiver[given_0]"
    return made


def _is_made(operand: Tree, makes: Callable[[Tree], bool]) -> bool:
    """Tell whether an operand is an object of the program that is made there, or such a sum."""
    if hasattr(operand, "written"):
        return _is_made(operand.func.value, makes)
    return type(operand) is gast.Call and makes(operand)


def read(tree: Tree) -> None:
    """Write what is asked again as it was where no member is called."""

    def each(node: Tree) -> Tree:
        replace_children(node, each)
        if hasattr(node, "member"):
            member, receiver = node.member
            node.member = member, list(map(each, receiver))
            return node
        if not (hasattr(node, "asked") or hasattr(node, "written")):
            return node
        if hasattr(node, "asked"):
            return node.func
        given = {f"given_{index}": value for index, value in enumerate(node.args)}
        return expression(node.written, at=node, receiver=node.func.value, **given)

    replace_children(tree, each)
