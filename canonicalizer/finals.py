"""A `finally` that jumps runs after what is not caught, which it may swallow, or else.

    try:                              try:
        f()                               f()
    finally:                          except:
        if done:                          if done:
            break                             break
                                          raise
                                      else:
                                          if done:
                                              break

Where the body itself jumps out of the `try`, this stays: `jumps.py` refuses it.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import gast

from .copies import copied
from .flow import own_jumps
from .rewrite import Rewrite
from .template import template
from .walking import ByType

__all__ = ["Finals"]

JUMPS = (gast.Return, gast.Continue, gast.Break)


class Finals(Rewrite):
    """Writes what such a `finally` holds twice."""

    @classmethod
    def concerns(cls, nodes: ByType) -> bool:
        return any(_jump(node.finalbody) for node in nodes[gast.Try])

    def visit_Try(self, node: gast.Try) -> Any:
        self.generic_visit(node)
        inner, last = copy(node), node.finalbody
        inner.finalbody = []
        if not _jump(last) or _jump([inner]):
            return node
        return template(
            "try:\n    body\nexcept:\n    last\n    raise\nelse:\n    again",
            at=node,
            body=[inner] if inner.handlers else inner.body,
            last=last,
            again=[copied(one) for one in last],
            comment=node,
        )


def _jump(body: list[gast.stmt]) -> bool:
    """Whether a block makes a jump that leaves it."""
    return any(next(own_jumps(body, kind), None) is not None for kind in JUMPS)
