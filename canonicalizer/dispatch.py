"""A method of an object whose class the data decide, as a function that asks for the class.

    shape.area(n)                    def area(receiver, given):
                                         if type(receiver) is Square:
                                             return receiver.area(given)
                                         elif type(receiver) is Disk:
                                             return receiver.area(given)
                                         else:
                                             return receiver.area(given)

The calls under a test are those of members of a group; the last one is of anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gast

from .group import Member
from .template import expression, template

__all__ = ["dispatching"]

Tree = Any


def dispatching(
    call: Tree, method: str, options: Mapping[type, Member], own: Callable[[Tree], Tree]
) -> Member:
    """Return a function that makes a call for what the method is of, its first argument.

    Args:
        call: The call, without a star: of a method by its name, of an object, or `len(...)`.
        method: The name of the method.
        options: The member that it is, by the class of the object.
        own: Returns an expression of the object that fails where it hides the method of its class.
    """
    named = {one.arg: one.arg for one in call.keywords}
    given = [f"given_{index}" for index in range(len(call.args))]
    names = {name: name for name in ("receiver", *given, *named)}
    passed = ", ".join([*given, *(f"{name}={name}" for name in named)])
    other = f"receiver.{method}({passed})"
    if method == "__len__":
        other, passed, names = "len(receiver)", "", {"receiver": "receiver"}
    elif method == "__call__":
        other = f"receiver({passed})"
    body = template(f"return {other}", at=call, **names)
    called: dict[int, Member] = {}
    for cls, member in reversed(options.items()):
        made = expression(f"receiver.{method}({passed})", at=call, **names)
        called[id(made)] = member
        body = template(
            "if type(receiver) is cls:\n    return made\nelse:\n    other",
            at=call,
            receiver="receiver",
            cls=_constant(cls, call),
            made=made,
            other=body,
        )
    parameters = ", ".join(names)
    (tree,) = template(
        f"def name({parameters}):\n    body", at=call, **names, name=method, body=body
    )

    def callee(node: gast.Call) -> tuple[Member, list[Tree]] | None:
        member = called.get(id(node))
        return None if member is None else (member, [own(expression("x", at=call, x="receiver"))])

    return Member(tree, callee=callee)


def _constant(value: Any, at: Tree) -> Tree:
    made = expression("None", at=at)
    made.value = value
    return made
