"""The canonical form, written down once more and apart from the canonicalizer's own checker."""

from __future__ import annotations

from typing import Any

import gast

__all__ = ["broken_rule"]


def broken_rule(tree: gast.AST) -> str | None:
    """The first rule of the canonical form that a tree breaks, or None."""
    for node in gast.walk(tree):
        for attribute in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            if attribute in node._attributes and getattr(node, attribute, None) is None:
                return f"no {attribute} on {gast.dump(node)}"
        if isinstance(node, gast.Continue):
            return "a continue"
        if isinstance(node, gast.Assign) and (
            len(node.targets) != 1 or isinstance(node.targets[0], gast.Tuple | gast.List)
        ):
            return "an assignment that is not split"
        if isinstance(node, gast.While | gast.For):
            rule = _loop_rule(node)
            if rule:
                return rule
        if isinstance(node, gast.FunctionDef):
            returns = [inner for inner in _own(node.body) if isinstance(inner, gast.Return)]
            if returns and (len(returns) > 1 or node.body[-1] is not returns[0]):
                return "a return that is not at the end"
        if isinstance(node, gast.Compare) and len(node.ops) > 1:
            return "a chained comparison"
        if type(node).__name__ in REMOVED:
            return f"a {type(node).__name__}"
    return None


REMOVED = {"ListComp", "SetComp", "DictComp", "GeneratorExp", "Assert", "Match"}


def _loop_rule(node: Any) -> str | None:
    if node.orelse:
        return "a loop with else"
    breaks = [inner for inner in _own(node.body, loops=False) if isinstance(inner, gast.Break)]
    if isinstance(node, gast.While):
        return "a break in a while" if breaks else None
    if not isinstance(node.target, gast.Name):
        return "a for over several names"
    if not breaks:
        return None
    last = node.body[-1]
    if not isinstance(last, gast.If) or not isinstance(last.test, gast.Name):
        return "a break that is not at the end of its for"
    if len(breaks) > 1 or last.body != breaks or last.orelse:
        return "more than one break in a for"
    return None


def _own(body: Any, loops: bool = True) -> list[gast.AST]:
    """The statements of a block, those of inner functions (and loops) left out."""
    found: list[gast.AST] = []
    for node in body:
        found.append(node)
        skip = (gast.FunctionDef, gast.ClassDef) + (() if loops else (gast.For, gast.While))
        if not isinstance(node, skip):
            found += _own(gast.iter_child_nodes(node), loops)
    return found
