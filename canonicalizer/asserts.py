"""`assert` becomes an `if` that raises.

assert x > 0, message()           if not x > 0:
                                      raise AssertionError(message())
"""

from __future__ import annotations

from typing import Any

import gast

from .jumps import negated
from .rewrite import Rewrite
from .template import template
from .walking import ByType

__all__ = ["Asserts"]


class Asserts(Rewrite):
    """Writes asserts as conditions."""

    @classmethod
    def concerns(cls, nodes: ByType) -> bool:
        return bool(nodes[gast.Assert])

    def visit_Assert(self, node: gast.Assert) -> Any:
        self.generic_visit(node)
        self.names.builtin("AssertionError", node)
        error = "AssertionError" if node.msg is None else "AssertionError(message)"
        return template(
            f"if test:\n    raise {error}",
            at=node,
            test=negated(node.test),
            message=node.msg,
            comment=node,
        )
