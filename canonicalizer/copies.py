"""Copies of trees, faster than `copy.deepcopy`, that remember what they were made from."""

from __future__ import annotations

from typing import Any

import gast

__all__ = ["LEAVES", "copied"]

#: Nodes that hold nothing, and are shared.
LEAVES = (gast.expr_context, gast.operator, gast.unaryop, gast.boolop, gast.cmpop)


def copied(node: Any, *, with_origin: bool = False) -> Any:
    """A copy of a tree, attributes of ours included.

    Args:
        node: the tree.
        with_origin: set an attribute `origin` on each statement and expression of the copy: the
            node it was made from, or that one's own origin.
    """
    if not isinstance(node, gast.AST) or isinstance(node, LEAVES):
        return node  # the field of a node may hold anything
    new = gast.AST.__new__(type(node))  # without the fields that `__init__` would set
    for name, value in node.__dict__.items():
        if type(value) is list:
            value = [copied(item, with_origin=with_origin) for item in value]
        elif name != "origin":
            value = copied(value, with_origin=with_origin)
        new.__dict__[name] = value
    if with_origin and isinstance(node, gast.stmt | gast.expr) and not hasattr(new, "origin"):
        new.origin = node
    return new
