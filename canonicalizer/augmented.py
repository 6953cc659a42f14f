"""An augmented assignment changes a name; objects and indices are evaluated once.

    f().x += g()                      base = f()
                                      value = base.x
                                      value += g()
                                      base.x = value

    a[i, j:k()] += 1                  stop = k()
                                      value = a[i, j:stop]
                                      value += 1
                                      a[i, j:stop] = value
"""

from __future__ import annotations

import copy
from typing import Any

import gast

from .rewrite import Rewrite
from .template import expression, template
from .text import source_line

__all__ = ["Augmented"]


class Augmented(Rewrite):
    """Splits `+=` on attributes and subscripts."""

    def visit_AugAssign(self, node: gast.AugAssign) -> Any:
        self.generic_visit(node)
        target = node.target
        if isinstance(target, gast.Name):
            return node
        rebound = {n.target.id for n in gast.walk(node) if isinstance(n, gast.NamedExpr)}
        start: list[gast.stmt] = []
        target.value = self.once(target.value, "base", rebound, start)
        if isinstance(target, gast.Subscript):
            target.slice = self.index_once(target.slice, rebound, start)
        load = copy.deepcopy(target)
        load.ctx = gast.Load()
        value = self.names.fresh("value", node)
        step = template("value += more", at=node, value=value, more=node.value)
        step[0].op = node.op
        statements = [
            *start,
            *template("value = load", at=node, value=value, load=load),
            *step,
            *template("target = value", at=node, target=target, value=value),
        ]
        statements[0].comment = source_line(node)
        return statements

    def index_once(self, index: Any, rebound: set[str], start: list[gast.stmt]) -> gast.expr:
        """An index whose parts are names and constants, evaluated in `start`."""
        if isinstance(index, gast.Slice):
            for part in ("lower", "upper", "step"):
                if getattr(index, part) is not None:
                    name = {"lower": "start", "upper": "stop"}.get(part, part)
                    setattr(index, part, self.once(getattr(index, part), name, rebound, start))
            return index
        if isinstance(index, gast.Tuple) and any(isinstance(i, gast.Slice) for i in index.elts):
            index.elts = [self.index_once(part, rebound, start) for part in index.elts]
            return index
        return self.once(index, "index", rebound, start)

    def once(
        self, node: gast.expr, base: str, rebound: set[str], start: list[gast.stmt]
    ) -> gast.expr:
        """A name for a value that is evaluated in `start`, unless it cannot change."""
        if self.is_stable(node, rebound):
            return node
        if isinstance(node, gast.Starred):
            node.value = self.once(expression("[*x]", at=node, x=node.value), base, rebound, start)
            return node
        name = self.names.fresh(base, node)
        start += template("name = value", at=node, name=name, value=node)
        return expression("name", at=node, name=name)
