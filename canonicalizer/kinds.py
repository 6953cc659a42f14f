"""What was local to a function stays local, and a generator function stays one.

    def f():                          def f():
        return                            if False:
        yield g()                             yield
                                          return None

Code that binds a name, or yields, may have been dropped because it never runs, and so may
annotations; a walrus in a comprehension has become a `nonlocal` name, which must be somebody's.
"""

from __future__ import annotations

import gast

from .rewrite import Rewrite, prologue
from .scopes import kind_of
from .template import template

__all__ = ["Kinds", "keep_kind"]


class Kinds(Rewrite):
    """Says again what nothing in a function says any more."""

    def function(self, node: gast.FunctionDef) -> None:
        keep_kind(node)


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
