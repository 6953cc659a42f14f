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
    if isinstance(node, LEAVES):
        return node
    kind = type(node)
    new = gast.AST.__new__(kind)  # without the fields that `__init__` would set
    for name, value in node.__dict__.items():
        if name == "origin":
            new.origin = value
        elif isinstance(value, gast.AST):
            new.__dict__[name] = copied(value, with_origin=with_origin)
        elif isinstance(value, list):
            new.__dict__[name] = [
                copied(item, with_origin=with_origin) if isinstance(item, gast.AST) else item
                for item in value
            ]
        else:
            new.__dict__[name] = value
    if with_origin and isinstance(node, gast.stmt | gast.expr) and not hasattr(new, "origin"):
        new.origin = node
    return new
