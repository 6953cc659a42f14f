"""A negative number is a constant, one node.

The tree before and after:

    UnaryOp(USub(), Constant(1))      Constant(-1)
"""

from __future__ import annotations

from typing import Any

import gast

from .rewrite import Rewrite
from .template import expression

__all__ = ["Negatives"]


class Negatives(Rewrite):
    """Folds the minus of a number into it."""

    in_expressions = True

    def visit_UnaryOp(self, node: gast.UnaryOp) -> Any:
        self.generic_visit(node)
        number = node.operand
        if not isinstance(node.op, gast.USub) or not isinstance(number, gast.Constant):
            return node
        if type(number.value) not in (int, float, complex):
            return node
        folded = expression("0", at=node)
        folded.value = -number.value
        return folded
