"""Blocks that stand in a `try`: each stands in one of its own, whose handlers are blocks as well.

    try:                                  if block == 1:
        a = f(n)                              try:
    except ValueError:                            (call f)
        a = 0                                     block = 2
                                              except ValueError:
                                                  block = 3
                                          elif block == 2:
                                              try:
                                                  a = result
                                                  block = 4
                                              except ValueError:
                                                  block = 3
                                          elif block == 3:
                                              a = 0
                                              block = 4

A `finally` is written twice: for what goes on, and for what was raised, which it raises again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

import gast

from .blocks import Blocks, Follow
from .copies import copied
from .ends import Block, Goto
from .group import Member
from .names import Names
from .template import expression, template
from .walking import children, walk

__all__ = ["ANYTHING", "Guard", "GuardedBlocks", "named"]

Tree = Any
#: A handler, to be filled.
ANYTHING = "except BaseException:\n    pass"


@dataclass(frozen=True, eq=False)
class Handled:
    """A handler of a `try`.

    Attributes:
        handler: What it catches.
        name: What holds the exception; nothing, where nobody asks for it.
        block: The block that is next.
    """

    handler: Tree
    name: str
    block: Block


@dataclass(frozen=True, eq=False)
class Guard:
    """A `try` around blocks."""

    at: Tree
    handlers: list[Handled]


class GuardedBlocks(Blocks):
    """Cuts functions where blocks may stand in a `try`.

    Attributes:
        guards: The `try`s around each block, the outermost first.
        raised: The names of what was raised before a `finally`.
        error: What a handler calls what it catches.
    """

    def __init__(
        self,
        members: list[Member],
        trees: dict[Member, Tree],
        names: Names,
        result: str,
        error: str,
    ) -> None:
        super().__init__(members, trees, names, result)
        self.error = error
        self.guards: dict[Block, tuple[Guard, ...]] = {}
        self.around: tuple[Guard, ...] = ()
        self.raised: set[str] = set()

    def block(self, at: Tree, *, result: bool = False) -> Block:
        """Return a new block, which stands in the `try`s that are cut now."""
        made = Block(at, result)
        self.guards[made] = self.around
        return made

    def reached(self, block: Block) -> Iterator[Block]:
        """Yield the blocks that may follow one."""
        yield from super().reached(block)
        yield from self.handling(block)

    def handling(self, block: Block) -> Iterator[Block]:
        """Yield the blocks that go on where one raises."""
        return (handled.block for handled in self.caught(block))

    def fits(self, block: Block, around: Block) -> bool:
        """Whether a block stands in the same `try`s as another one."""
        return self.guards.get(block, ()) == self.guards.get(around, ())

    def caught(self, block: Block) -> Iterator[Handled]:
        """Yield the handlers of what a block raises."""
        for guard in self.guards.get(block, ()):
            yield from guard.handlers

    def visit_Try(self, node: Any, rest: Follow) -> bool:
        """Guard the blocks of a `try`; its handlers are blocks outside."""
        if node.finalbody:
            return self.finally_(node)
        done = self.block(node)
        after = self.block(node) if node.orelse else done
        handlers = [Handled(one, self.asked(one), self.block(one)) for one in node.handlers]
        self.guarded(node.body, Guard(node, handlers), after)
        if node.orelse:
            self.current = after.body
            self.statements(node.orelse, done)
        for handled in handlers:
            handler, self.current = handled.handler, handled.block.body
            body = [_reraised(one, handled.name) for one in handler.body]
            if handler.name is not None:
                name = getattr(handler.name, "id", handler.name)
                self.current += template("x = caught", at=handler, x=name, caught=handled.name)
                body += template("x = None\ndel x", at=handler, x=name)  # as Python does
            self.statements(body, done)
        self.current = done.body
        return False

    def asked(self, handler: Tree) -> str:
        """Return a name for what a handler catches, if it asks for that."""
        again = any(type(one) is gast.Raise and one.exc is None for one in walk(handler))
        return self.names.fresh("caught") if again or handler.name is not None else ""

    def guarded(self, body: list[Tree], guard: Guard, after: Block) -> None:
        """Cut statements that stand in a `try`."""
        outer = self.around
        self.around = (*outer, guard)
        first = self.block(guard.at)
        self.current.append(Goto(guard.at, first))
        self.current = first.body
        self.statements(body, after)
        self.around = outer

    def finally_(self, node: Any) -> bool:
        """Run a `finally` after what it guards, or with what that raised, which goes on then."""
        raised = self.names.fresh("raised")
        self.raised.add(raised)
        inner, last = copy(node), node.finalbody  # the function keeps what it defines in there
        inner.finalbody = []
        final, normal, done = self.block(node), self.block(node), self.block(node)
        anything = template(f"try:\n    pass\n{ANYTHING}", at=node)[0]
        guard = Guard(node, [Handled(anything.handlers[0], raised, final)])
        self.guarded([inner] if node.handlers else node.body, guard, normal)
        self.current = final.body
        again = template("raise x", at=node, x=raised)
        self.statements([*map(copied, last), *again], None)
        self.current = normal.body
        self.statements(last, done)
        self.current = done.body
        return False

    def in_guards(
        self,
        block: Block,
        body: list[Tree],
        numbers: Mapping[Block, int],
        pc: str,
        before: str = "",
    ) -> list[Tree]:
        """Return the statements of a block in its `try`s.

        Args:
            block: The block.
            body: Its statements.
            numbers: The numbers of all blocks.
            pc: What holds the number of the next one.
            before: A name that is None again as soon as something is caught.
        """
        for guard in reversed(self.guards.get(block, ())):
            made = template(f"try:\n    body\n{ANYTHING}", at=guard.at, body=body)
            anything, made[0].handlers = made[0].handlers[0], []
            if hasattr(guard.at, "managed"):
                made[0].managed = guard.at.managed
            for handled in guard.handlers:
                new, handler = copied(anything), handled.handler
                new.type = copied(handler.type) if handler.type is not None else new.type
                new.body = template("x = None", at=handler, x=before) if before else []
                if handled.name:
                    new.name = named(self.error, handler)
                    new.body += template("x = y", at=handler, x=handled.name, y=self.error)
                new.body += template(f"x = {numbers[handled.block]}", at=handler, x=pc)
                made[0].handlers.append(new)
            body = made
        return body


def named(name: str, at: Tree) -> Tree:
    """Return the name that a handler gives to what it catches."""
    made = gast.Name(name, gast.Store(), None, None)
    made.__dict__.update(lineno=at.lineno, col_offset=at.col_offset)
    return made


def _reraised(node: Tree, caught: str) -> Tree:
    """Return a statement of a handler whose `raise` names the exception."""
    match node:
        case gast.Raise(exc=None):
            node.exc = expression("caught", at=node, caught=caught)
        case gast.ExceptHandler() | gast.FunctionDef() | gast.ClassDef():
            return node
    for child in children(node):
        _reraised(child, caught)
    return node
