"""Attributes that a class computes, as calls: their functions may be members of a group.

    x.height                              x.height()        # with an attribute `asked`

What turns out to call no member is an attribute again.
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


def ask(tree: Tree, computed: Callable[[str], bool]) -> Tree:
    """Return a function that calls what it reads by names that may stand for what is computed."""

    def each(node: Tree) -> Tree:
        replace_children(node, each)
        match node:
            case gast.Attribute(attr=attr, ctx=gast.Load()) if computed(attr):
                made = expression("f()", at=node, f=node)
                made.asked = True
                return made
        return node

    made = copied(tree)
    for index, statement in enumerate(made.body):
        made.body[index] = each(statement)
    return made


def read(tree: Tree) -> None:
    """Write attributes again where no member is called."""

    def each(node: Tree) -> Tree:
        replace_children(node, each)
        called = hasattr(node, "asked") and not hasattr(node, "member")
        return node.func if called else node

    replace_children(tree, each)
