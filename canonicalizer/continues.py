"""`continue` becomes an `if` around the rest of the loop's body.

for x in xs:                      for x in xs:
    a()                               a()
    if x > 0:                         if not x > 0:
        continue                          b()
    b()

for x in xs:                      for x in xs:
    if x > 0:                         skip = False
        a()                           if x > 0:
        if x > 1:                         a()
            continue                      if x > 1:
    b()                                       skip = True
                                      if not skip:
                                          b()
"""

from __future__ import annotations

from typing import Any

import gast

from .flow import own_jumps
from .jumps import Jumps, Surroundings
from .rewrite import Rewrite
from .template import template
from .walking import ByType

__all__ = ["Continues"]


class ContinueJumps(Jumps):
    """Writes away the continues of one loop."""

    kind = gast.Continue
    word = "continue"


class Continues(Rewrite):
    """Removes every `continue`, inner loops first."""

    @classmethod
    def concerns(cls, nodes: ByType) -> bool:
        return bool(nodes[gast.Continue])

    def visit_For(self, node: gast.For) -> Any:
        self.generic_visit(node)
        if any(own_jumps(node.body, gast.Continue)):
            jumps = ContinueJumps(self.names, node, "skip")
            body = jumps.block(node.body, Surroundings(depth=self.depth))
            start = []
            if jumps.name is not None:
                start = template(
                    "flag = False", at=node, flag=jumps.name, comment="no continue yet"
                )
            node.body = start + body or template("pass", at=node)
        return node

    visit_While = visit_For
