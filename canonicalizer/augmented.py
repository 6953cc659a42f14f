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

from functools import partial
from typing import Any

import gast

from .copies import copied
from .forms import is_name, is_starred, walruses_in
from .rewrite import Rewrite
from .template import expression, template
from .walking import ByType, replace_children

__all__ = ["Augmented"]


class Augmented(Rewrite):
    """Splits `+=` on attributes and subscripts."""

    @classmethod
    def concerns(cls, nodes: ByType) -> bool:
        return not all(is_name(node.target) for node in nodes[gast.AugAssign])

    def visit_AugAssign(self, node: gast.AugAssign) -> Any:
        self.generic_visit(node)
        if is_name(node.target):
            return node
        names, statements = self.once(node)
        target = _replaced(node.target, names)
        load = copied(target)
        load.ctx = gast.Load()
        value = self.names.fresh("value")
        step = template("value += more", at=node, value=value, more=node.value)
        step[0].op = node.op
        statements += template("value = load", at=node, value=value, load=load)
        statements += step
        statements += template("target = value", at=node, target=target, value=value)
        statements[0].comment = node.origin
        return statements

    def once(self, node: gast.AugAssign) -> tuple[dict[int, gast.expr], list[gast.stmt]]:
        """Evaluate those parts of a target into names that could change, or come too late.

        Returns:
            the names, by the `id` of what they stand for, and the statements that assign them.
        """
        parts = [(node.target.value, "base"), *_index_parts(getattr(node.target, "slice", None))]
        rebound = walruses_in(node)
        stable = [self.is_stable(part, rebound) for part, _ in parts]
        while stable and stable[-1]:
            stable.pop()
        names: dict[int, gast.expr] = {}
        statements: list[gast.stmt] = []
        for (part, base), is_stable in zip(parts, stable, strict=False):
            if is_stable and self.is_bound(part):
                continue
            name = self.names.fresh(base)
            value = expression("[*x]", at=part, x=part.value) if base == "rest" else part
            statements += template("name = value", at=part, name=name, value=value)
            names[id(part)] = expression("name", at=part, name=name)
            if base == "rest":
                names[id(part)] = expression("[*name]", at=part, name=name).elts[0]
        return names, statements


def _index_parts(index: Any) -> list[tuple[Any, str]]:
    """The parts of an index that are evaluated, in order, and names for them."""
    match index:
        case None:
            return []
        case gast.Slice():
            parts = [(index.lower, "start"), (index.upper, "stop"), (index.step, "step")]
            return [(part, name) for part, name in parts if part is not None]
        case gast.Tuple() if gast.Slice in map(type, index.elts):
            return [part for inner in index.elts for part in _index_parts(inner)]
    return [(index, "rest" if is_starred(index) else "index")]


def _replaced(node: Any, names: dict[int, gast.expr]) -> Any:
    """A target with names for some of its parts."""
    if id(node) in names:
        return names[id(node)]
    replace_children(node, partial(_replaced, names=names))
    return node
