"""Recursive functions whose calls stand in a `try`: what a call raises comes back to its caller.

    def f(n):                             while depth >= 0:
        if n == 0:                            try:
            raise ValueError                      if block == 1:
        try:                                          if n == 0:
            return f(n - 1)                               raise ValueError
        except ValueError:                            depth += 1
            return n                                  n = n - 1
                                                  elif block == 2:
                                                      try:
                                                          n = n_stack.pop()
                                                          if pending is not None:
                                                              raise pending
                                                          …
                                                      except ValueError:
                                                          pending = None
                                                          block = 3
                                              except ValueError as error:
                                                  pending = error
                                                  depth -= 1
                                                  block = 2

What no handler of the functions catches needs no way back: it leaves all calls at once.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

import gast

from .copies import copied
from .ends import Block, Throw
from .errors import Unframed
from .forms import walruses_in
from .group import Member
from .guards import ANYTHING, Guard, GuardedBlocks, named
from .names import Names
from .scopes import kind_of
from .template import expression, template
from .walking import by_type

__all__ = ["Calls"]

Tree = Any


class Calls(GuardedBlocks):
    """Cuts functions at calls, which may stand in a `try`.

    Attributes:
        pending: What holds an exception on its way to a caller; nothing, where no call stands in a
            `try`.
        pools: The names of the lists in which comprehensions of all calls collect their items.
        handled: The names of what handlers catch; the empty one where some catch everything.
    """

    def __init__(
        self,
        members: list[Member],
        trees: dict[Member, Tree],
        names: Names,
        result: str,
        pools: list[str],
    ) -> None:
        super().__init__(members, trees, names, result, "")
        self.pending, self.pools = "", pools
        guards = [one for tree in trees.values() for one in by_type(tree)[gast.Try]]
        handlers = [handler.type for guard in guards for handler in guard.handlers]
        self.handled = {
            getattr(one, "id", "") for type_ in handlers for one in getattr(type_, "elts", [type_])
        }
        if any(guard.finalbody for guard in guards):
            self.handled.add("")
        if any(map(self.has_call, guards)):
            self.pending, self.error = names.fresh("pending"), names.fresh("error")

    def guarded(self, body: list[Tree], guard: Guard, after: Block) -> None:
        """Cut statements that stand in a `try`: what they left in pools is gone behind it."""
        for pool in self.pools:
            mark = self.names.fresh("mark")
            self.current += template("mark = len(pool)", at=guard.at, mark=mark, pool=pool)
            for handled in guard.handlers:
                code = "del pool[mark:]"
                handled.block.body += template(code, at=guard.at, mark=mark, pool=pool)
        super().guarded(body, guard, after)

    def called(self, call: Tree) -> Tree:
        """Make a call and go on after it, or raise what it has raised."""
        result = super().called(call)
        if self.pending:
            test = expression("pending is not None", at=call, pending=self.pending)
            self.thrown_if(test, call, [Throw(call, self.pending)])
        return result

    def thrown_if(self, test: Tree, at: Tree, body: list[Tree]) -> None:
        """Let something be raised under a condition; what follows stands in the other arm."""
        made = template("if test:\n    pass\nelse:\n    pass", at=at, test=test)[0]
        made.body, made.orelse = body, []
        self.current.append(made)
        self.current = made.orelse

    def asked(self, handler: Tree) -> str:
        """Return a name for what a handler catches, if it asks for that."""
        name = super().asked(handler)
        self.raised.update(filter(None, [name]))
        return name

    def uncut(self, node: Tree, rest: Any) -> bool:
        """Raise nothing where a jump does it."""
        match node:
            case gast.Raise(cause=None) if self.pending and self.is_exception(node.exc):
                name = getattr(node.exc, "id", None)
                if name not in self.raised:
                    name = self.kept(self.instance(node.exc)).id
                self.current.append(Throw(node, name))
                return True
            case gast.If(body=[*before, gast.Raise(cause=None) as last], orelse=[]) if self.pending:
                if self.is_exception(last.exc):
                    self.thrown_if(node.test, node, before)
                    rest_of, self.current = self.current, before
                    self.uncut(last, rest)
                    self.current = rest_of
                    return False
        return super().uncut(node, rest)

    def is_exception(self, node: Tree) -> bool:
        """Whether a `raise` is of what was caught, or of an exception that Python itself has."""
        match node:
            case gast.Call(func=gast.Name(id=name)) | gast.Name(id=name):
                if name in self.raised:
                    return type(node) is gast.Name
                return _may_be_caught(name, self.handled) and self.is_builtin(name)
        return False

    def instance(self, node: Tree) -> Tree:
        """Return an exception for its class."""
        if type(node) is gast.Call:
            return node
        return expression("kind()", at=node, kind=node)

    def thrown(
        self, node: Throw, here: Block, back: list[Tree], numbers: Mapping[Block, int], pc: str
    ) -> list[Tree]:
        """Return what hands an exception to the handler that catches it, or to the caller.

        Args:
            node: What raises it.
            here: The block in which that is.
            back: What goes back to the caller.
            numbers: The numbers of the blocks.
            pc: What holds the number of the next one.
        """
        at, name = node.at, node.name
        made = back
        if name != self.pending:
            made = [*self.told(self.pending, name, at), *back]
        for guard in self.guards.get(here, ()):
            for handled in reversed(guard.handlers):
                caught: list[Tree] = []
                if handled.name and handled.name != name:
                    caught = self.told(handled.name, name, at)
                if name == self.pending:
                    caught += template("x = None", at=at, x=name)
                caught += template(f"x = {numbers[handled.block]}", at=at, x=pc)
                kind = handled.handler.type
                if kind is None or getattr(kind, "id", "") == "BaseException":
                    made = caught
                    continue
                code = "if isinstance(x, kind):\n    caught\nelse:\n    others"
                holes = {"kind": copied(kind), "caught": caught, "others": made}
                made = template(code, at=at, x=name, **holes)
        return made

    def at_once(self, arguments: list[tuple[str, Tree]]) -> list[tuple[str, Tree]]:
        """Evaluate arguments before there is a frame: they may raise."""
        if not self.pending:
            return super().at_once(arguments)
        held: list[tuple[str, Tree]] = []
        for index, (name, value) in enumerate(arguments):
            later = {one for _, other in arguments[index + 1 :] for one in walruses_in(other)}
            held.append((name, value if self.is_stable(value, later) else self.kept(value)))
        return super().at_once(held)

    def told(self, name: str, held: str, at: Tree) -> list[Tree]:
        """Return the assignment of an exception whose class is known better than before."""
        made = template("x = y", at=at, x=name, y=held)
        made[0].value.tested = True
        return made

    def visit_Try(self, node: Any, rest: Any) -> bool:
        """Guard the blocks of a `try` whose handlers name what they catch."""
        local = {name for tree in self.trees.values() for name in kind_of(tree).locals}
        for handler in node.handlers:
            for one in getattr(handler.type, "elts", [handler.type]):
                if type(one) not in (gast.Name, type(None)) or getattr(one, "id", "") in local:
                    raise Unframed(handler, "what a `try` around a call catches is computed")
        return super().visit_Try(node, rest)

    def catching(self, turn: list[Tree], back: list[Tree], at: Tree) -> list[Tree]:
        """Return a turn of the loop that hands what is raised on to the caller.

        Args:
            turn: Its statements.
            back: What goes back to the block after the call.
            at: The function.
        """
        guards = dict.fromkeys(one for guards in self.guards.values() for one in guards)
        managed = [one for one in guards if hasattr(one.at, "managed")]
        for some in (one for one in guards if one not in managed), managed:
            turn = self.handing_on(list(some), turn, back, at)
        for guard in managed:
            turn[0].managed = (*getattr(turn[0], "managed", ()), *guard.at.managed)
        return turn

    def handing_on(
        self, guards: list[Guard], turn: list[Tree], back: list[Tree], at: Tree
    ) -> list[Tree]:
        """Return a turn that hands on what handlers of some guards catch."""
        if not guards:
            return turn
        made = template(f"try:\n    turn\n{ANYTHING}", at=at, turn=turn)
        (handler,) = made[0].handlers
        types = self.types(guards)
        handler.type = handler.type if types is None else types
        handler.name = named(self.error, at)
        handler.body = template("x = y", at=at, x=self.pending, y=self.error)
        handler.body += list(map(copied, back))
        return made

    @staticmethod
    def types(guards: list[Guard]) -> Tree:
        """Return what any handler catches, None for everything."""
        found: dict[str, Tree] = {}
        for handled in (one for guard in guards for one in guard.handlers):
            if handled.handler.type is None:
                return None
            for one in getattr(handled.handler.type, "elts", [handled.handler.type]):
                found[one.id] = one
        first, *others = found.values()
        if not others:
            return first
        code = f"({', '.join(f'x{index}' for index in range(len(found)))})"
        holes = {f"x{index}": one for index, one in enumerate(found.values())}
        return expression(code, at=first, **holes)

    def raised_again(self, at: Tree) -> list[Tree]:
        """Return what raises, after the loop, what nobody has caught."""
        if not self.pending:
            return []
        return template("if x is not None:\n    raise x", at=at, x=self.pending)

    def starts(self, block: Block, body: list[Tree], other: list[Tree]) -> list[Tree]:
        """Return what a block begins with only if its call has not raised, or `other` if it has."""
        if not self.pending or not body:
            return body
        code = "if x is None:\n    body\nelse:\n    other"
        return template(code, at=block.at, x=self.pending, body=body, other=other)


def _may_be_caught(name: str, handled: set[str]) -> bool:
    """Whether an exception class of Python is caught by handlers of some names."""
    classes = vars(builtins)
    match classes.get(name):
        case type() as kind if issubclass(kind, BaseException):
            return any(issubclass(kind, classes.get(one, kind)) for one in handled)
    return False
