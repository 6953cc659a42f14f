"""What was local to a function stays local, and a generator function stays one.

    def f():                          def f():
        return                            if False:
        yield g()                             yield
                                          return None

    class A:                          class A:
        x, y = f()                        items = None
                                          items = [*f()]
                                          …
                                          del items

Code that binds a name, or yields, may have been dropped because it never runs, and so may
annotations; a walrus in a comprehension has become a `nonlocal` name, which must be somebody's.
The names of a class body are attributes, so it gives back those that were made for it.
"""

from __future__ import annotations

from typing import Any

import gast

from .names import bound_by
from .rewrite import Rewrite, prologue
from .scopes import kind_of
from .template import template
from .walking import ByType

__all__ = ["Kinds", "keep_kind"]


class Kinds(Rewrite):
    """Says again what nothing in a function says any more."""

    @classmethod
    def concerns(cls, nodes: ByType) -> bool:
        """Only where another pass has been."""
        return any(hasattr(node, "kind") for kind in DEFINITIONS for node in nodes[kind])

    def function(self, node: gast.FunctionDef) -> None:
        keep_kind(node)

    def visit_ClassDef(self, node: gast.ClassDef) -> Any:
        super().visit_ClassDef(node)
        keep_kind(node)
        deletes = [line for line in node.body if isinstance(line, gast.Delete)]
        deleted = {name for line in deletes for name in bound_by(line.targets[0])}
        start = prologue(node.body)
        for name in sorted(node.generated_names - deleted):
            node.body[start:start] = template("x = None", at=node, x=name, comment=START)
            node.body += template("del x", at=node, x=name)
        return node


DEFINITIONS = (gast.FunctionDef, gast.ClassDef)
START = "so that it can be deleted below"


def keep_kind(node: gast.FunctionDef) -> None:
    """Put what keeps a function's kind at its start, where anything has been lost."""
    now = kind_of(node)
    lost = sorted(node.kind.locals - now.locals - node.generated_names)
    keep = [line for name in lost for line in template("x = None", at=node, x=name)]
    if node.kind.generator and not now.generator:
        keep += template("yield", at=node)
    if keep:
        comment = "never runs: only tells Python what kind of name or function this is"
        start = prologue(node.body)
        node.body[start:start] = template(
            "if False:\n    keep", at=node, keep=keep, comment=comment
        )
