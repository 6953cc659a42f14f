"""`break` becomes a flag, and a loop's `else` an `if` after it.

    while a():                        done = False
        if b():                       while not done and a():
            break                         if b():
        c()                                   done = True
    else:                                 else:
        d()                                   c()
                                      if not done:
                                          d()

A `for` has no test to hold the flag; it is left by `if done: break`, its last statement:

    for x in xs:                      done = False
        if b(x):                      for x in xs:
            break                         if b(x):
        c(x)                                  done = True
                                          else:
                                              c(x)
                                          if done:
                                              break

Where each `break` of a loop stands for a `return`, whose flag is set already, that flag serves.
"""

from __future__ import annotations

from typing import Any

import gast

from .flow import is_endless, own_jumps
from .jumps import Jumps, Surroundings
from .rewrite import Rewrite
from .template import expression, template
from .walking import ByType

__all__ = ["Breaks", "is_exit"]


class BreakJumps(Jumps):
    """Writes away the breaks of one loop."""

    kind = gast.Break
    word = "break"
    shared = False  # the flag is set before each break

    def leave(self, jump: gast.stmt, around: Surroundings) -> list[gast.stmt]:
        if self.shared:
            return []
        return template("flag = True", at=jump, flag=self.flag(), comment="break")


class Breaks(Rewrite):
    """Leaves no `break` but the last statement of a `for`, and no `else` of a loop."""

    @classmethod
    def concerns(cls, nodes: ByType) -> bool:
        loops = nodes[gast.For] + nodes[gast.While]
        return bool(nodes[gast.Break]) or any(loop.orelse for loop in loops)

    def visit_While(self, node: gast.While) -> Any:
        self.generic_visit(node)
        breaks = list(own_jumps(node.body, gast.Break))
        if not breaks:
            return without_else(node)
        jumps, start = self.remove(node, breaks)
        code = "not flag" if is_endless(node) else "not flag and test"
        node.test = expression(code, at=node.test, flag=jumps.flag(), test=node.test)
        return [*start, *without_else(node, jumps)]

    def visit_For(self, node: gast.For) -> Any:
        self.generic_visit(node)
        breaks = list(own_jumps(node.body, gast.Break))
        if not breaks or (len(breaks) == 1 and is_exit(node.body[-1]) and not node.orelse):
            return without_else(node)
        jumps, start = self.remove(node, breaks)
        node.body += template("if flag:\n    break", at=breaks[-1], flag=jumps.flag())
        return [*start, *without_else(node, jumps)]

    def remove(
        self, node: gast.For | gast.While, breaks: list[gast.stmt]
    ) -> tuple[Jumps, list[gast.stmt]]:
        """Write away the breaks in a loop's body; the flag is set to False before the loop."""
        jumps = BreakJumps(self.names, node, "done")
        flags = {getattr(jump, "flag", None) for jump in breaks}
        if len(flags) == 1 and None not in flags:
            jumps.shared, jumps.name, jumps.reason = True, flags.pop(), "return"
        body = jumps.block(node.body, Surroundings(depth=self.depth))
        node.body = body or template("pass", at=node)
        if jumps.shared:
            return jumps, []
        return jumps, template("flag = False", at=node, flag=jumps.flag(), comment="no break yet")


def is_exit(statement: gast.stmt) -> bool:
    """Whether a statement is `if name: break`."""
    match statement:
        case gast.If(test=gast.Name(), body=[gast.Break()], orelse=[]):
            return True
    return False


def without_else(node: gast.For | gast.While, jumps: Jumps | None = None) -> list[gast.stmt]:
    """The loop, and its `else` after it."""
    orelse, node.orelse = node.orelse, []
    if not orelse or jumps is None:
        return [node, *orelse]
    return [node, *jumps.unless_flag(orelse, orelse[0])]
