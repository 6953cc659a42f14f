"""Generators that pass on what calls of themselves give: their calls are calls like others.

    def walk(node):                       def walk(node):
        if node is not None:                  if node is not None:
            yield from walk(node.left)            walk(node.left)
            yield node.key                        if not closed:
            yield from walk(node.right)               yield node.key
                                                      walk(node.right)

What a call yields goes past its callers, to who asked the first of them.  All calls have one name,
`closed`, that says whether he wants no more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gast

from .errors import Unframed
from .forms import YIELDS, blocks_of, is_yield
from .names import Names
from .scopes import own_nodes
from .template import template
from .walking import children, walk

__all__ = ["passed_on"]

Tree = Any


def passed_on(trees: Iterable[Tree], names: Names) -> str:
    """Write calls for loops over generators that only pass items on.

    Args:
        trees: The functions of a group; calls of members in them have an attribute `member`.
        names: Gives a name for the flag.

    Returns:
        The name that says that no more items are wanted; nothing where no function is a generator.

    Raises:
        Unframed: One does something else with the items of such a call, or yields where it could
            not be closed.
    """
    found = [tree for tree in trees if any(map(is_yield, own_nodes(tree)))]
    if not found:
        return ""
    closed = names.fresh("closed")
    for tree in found:
        _Passing(tree, closed).run()
    return closed


class _Passing:
    """Writes the calls of one generator."""

    def __init__(self, tree: Tree, closed: str) -> None:
        self.tree, self.closed = tree, closed
        self.passed = set[int]()
        yields = [node for node in own_nodes(tree) if type(node) in YIELDS]
        for node in yields:
            if not hasattr(node, "closed"):
                raise Unframed(node, "this `yield` stands in an expression, a `try` or a `with`")
        self.flags = {node.closed for node in yields}
        for node in own_nodes(tree):
            if getattr(node, "id", None) in self.flags:
                node.id = closed
        for node in yields:
            node.closed = closed

    def run(self) -> None:
        """Write them."""
        self.tree.body = self.block(self.tree.body)
        for node in walk(self.tree):
            if hasattr(node, "member") and id(node) not in self.passed:
                raise Unframed(node, "what this call yields is not passed on as it is")

    def block(self, body: list[Tree]) -> list[Tree]:
        """Return the statements of a block with calls for the loops."""
        found: list[Tree] = []
        for node in body:
            match node:
                case gast.Assign(targets=[gast.Name(id=self.closed)]):
                    continue
                case gast.For(iter=gast.Call(member=_)) if self.passes(node):
                    found += self.call(node)
                    continue
            for inner in filter(None, blocks_of(node)):
                inner[:] = self.block(inner) or template("pass", at=node)
            found.append(node)
        return found

    def passes(self, loop: Tree) -> bool:
        """Whether a loop only yields each item, under a name that nobody else reads."""
        match loop:
            case gast.For(
                target=gast.Name(id=item),
                body=[gast.Expr(value=gast.Yield(value=gast.Name(id=given))), *rest],
                orelse=[],
            ) if item == given and all(map(self.ends, rest)):
                return not self.is_read(item, self.tree)
        return False

    def is_read(self, item: str, node: Tree) -> bool:
        """Whether a name is used but in loops that give it their items."""
        match node:
            case gast.For(target=gast.Name(id=target)) if target == item:
                return self.is_read(item, node.iter)
            case gast.Name(id=name):
                return bool(name == item)
        return any(self.is_read(item, child) for child in children(node))

    def ends(self, node: Tree) -> bool:
        """Whether a statement does something only where no more items are wanted."""
        match node:
            case gast.If(test=gast.Name(), orelse=[]):
                return all(_is_exit(one) for one in node.body)
        return False

    def call(self, loop: Tree) -> list[Tree]:
        """Return the call, and what follows where no more items are wanted."""
        made = template("call", at=loop, call=loop.iter)
        self.passed.add(id(made[0].value))
        made[0].comment = getattr(loop, "comment", "")
        for node in loop.body[1:]:
            node.body = [one for one in node.body if type(one) not in (gast.Break, gast.Pass)]
            made += [node] if node.body else []
        return made


def _is_exit(node: Tree) -> bool:
    match node:
        case gast.Break() | gast.Pass():
            return True
        case gast.Assign(targets=[gast.Name()], value=gast.Constant(value=True)):
            return True
    return False
