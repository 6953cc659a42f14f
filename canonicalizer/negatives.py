"""A negative number is a constant, one node.

The tree before and after:

    UnaryOp(USub(), Constant(1))      Constant(-1)
"""

from __future__ import annotations

from typing import Any

import gast

from .forms import is_number
from .rewrite import Rewrite
from .template import expression
from .walking import ByType

__all__ = ["Negatives", "is_negative"]


class Negatives(Rewrite):
    """Folds the minus of a number into it."""

    in_expressions = True

    @classmethod
    def concerns(cls, nodes: ByType) -> bool:
        return any(is_negative(node) for node in nodes[gast.UnaryOp])

    def visit_UnaryOp(self, node: gast.UnaryOp) -> Any:
        self.generic_visit(node)
        if not is_negative(node):
            return node
        folded = expression("0", at=node)
        folded.value = -node.operand.value
        return folded


def is_negative(node: gast.UnaryOp) -> bool:
    """Whether a node is a minus before a number."""
    match node:
        case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=number)):
            return is_number(number)
    return False
