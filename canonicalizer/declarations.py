"""`global` and `nonlocal` come first in their function, and nothing is annotated.

    def f():                          def f():
        n: int = 0                        global g
        if n:                             n = 0
            global g                      if n:
            g = 1                             g = 1

A declaration holds for the whole function wherever it stands. Python evaluates no annotation of a
local name. Class bodies and modules keep theirs, where they are data (of a dataclass, say).
"""

from __future__ import annotations

from typing import Any

import gast

from .forms import blocks_of, is_declaration, is_name
from .rewrite import Rewrite, prologue
from .scopes import own_nodes
from .template import template
from .walking import ByType

__all__ = ["Declarations"]


class Declarations(Rewrite):
    """Hoists declarations and drops annotations."""

    @classmethod
    def concerns(cls, nodes: ByType) -> bool:
        return any(nodes[kind] for kind in (gast.Global, gast.Nonlocal, gast.AnnAssign))

    def function(self, node: gast.FunctionDef) -> None:
        """Put the declarations of a function after its docstring."""
        early = node.body[: prologue(node.body)]
        late = [inner for inner in own_nodes(node) if is_declaration(inner) and inner not in early]
        if late:
            _drop(node, late)
            start = prologue(node.body)
            node.body[start:start] = late

    def visit_AnnAssign(self, node: gast.AnnAssign) -> Any:
        self.generic_visit(node)
        if isinstance(self.names.scopes[-1], gast.ClassDef | gast.Module):
            return node
        if node.value is not None:
            return template("x = value", at=node, x=node.target, value=node.value)
        if is_name(node.target):
            return template("pass", at=node, comment=node)
        parts = [node.target.value]
        if isinstance(node.target, gast.Subscript):
            parts.append(node.target.slice)
        return [line for part in parts for line in template("(part)", at=node, part=part)]


def _drop(node: Any, gone: list[Any]) -> None:
    """Take statements out of all blocks below a node."""
    for block in filter(None, blocks_of(node)):
        block[:] = [one for one in block if one not in gone] or template("pass", at=block[0])
        for inner in block:
            _drop(inner, gone)
