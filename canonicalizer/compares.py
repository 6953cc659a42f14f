"""One operator for each comparison.

    a < f() <= c                      a < (value := f()) and value <= c

Each operand is evaluated at most once, and the right ones not at all where the chain has failed.
"""

from __future__ import annotations

from typing import Any

import gast

from .forms import walruses_in
from .rewrite import Rewrite
from .template import expression
from .walking import ByType

__all__ = ["Compares"]


class Compares(Rewrite):
    """Splits chained comparisons."""

    in_expressions = True

    @classmethod
    def concerns(cls, nodes: ByType) -> bool:
        return any(len(node.ops) > 1 for node in nodes[gast.Compare])

    def visit_Compare(self, node: gast.Compare) -> Any:
        self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        rebound = walruses_in(node)
        links, left = [], node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            again = right
            is_last = right is node.comparators[-1]
            if not is_last and not self.is_stable(right, rebound):
                name = self.names.fresh("value")
                again = expression("name", at=right, name=name)
                right = expression("(name := right)", at=right, name=name, right=right)
            link = expression("left < right", at=node, left=left, right=right)
            link.ops = [op]
            links.append(link)
            left = again
        chain = expression("a and b", at=node)
        chain.values = links
        return chain
