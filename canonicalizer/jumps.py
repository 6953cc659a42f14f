"""The common part of the passes that remove `return`, `continue` and `break`.

A jump is written away within the block that it leaves. Where the rest of the block can become the
other branch of an `if` it does, and no flag is needed:

    if c:                     if c:
        continue                  pass
    rest                      else:
                                  rest

A statement that can both jump and go on sets a flag, and one guard holds the rest of the block:

    if c:                     if c:
        a()                       a()
        if d:                     if d:
            continue                  skip = True
    rest                      if not skip:
                                  rest

From a nesting of `MAX_DEPTH` on nothing is nested any further: each part of the block up to the
next jump gets its guard, one after the other, so that forty early returns stay flat.

A jump out of a `with` or a `try … finally` can still be cancelled, by an exception on the way out
that something further out swallows. There the jump is made in two steps:

    with suppress():          with suppress():
        with f:                   left = False
            continue              with f:
        rest                          left = True
    rest                          if left:
                                      continue
                                  rest
                              rest
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import gast

from .errors import UnsupportedSyntax
from .flow import falls_through, has_jump, own_jumps
from .names import Names
from .template import expression, template

__all__ = ["MAX_DEPTH", "Jumps", "Surroundings", "can_cancel", "negated", "tidy"]

MAX_DEPTH = 6


@dataclass(frozen=True)
class Surroundings:
    """Where a block stands: how deep, who asks the flag after it, who might catch on the way."""

    depth: int = 0
    observed: bool = False
    caught: bool = False
    looped: bool = False

    def below(self, *, observed: bool = False, caught: bool = False) -> Surroundings:
        """The surroundings of a block inside a statement that has these."""
        return replace(
            self,
            depth=self.depth + 1,
            observed=self.observed or observed,
            caught=self.caught or caught,
        )


class Jumps:
    """Writes away the jumps of one kind that leave one block."""

    kind: Any
    word: str
    reason = ""  # what the flag tells of, if not of these jumps

    def __init__(self, names: Names, at: gast.stmt, flag: str) -> None:
        """Work in the current scope of `names`; `flag` is what a new flag is called."""
        self.names = names
        self.at = at
        self.base = flag
        self.name: str | None = None

    def flag(self) -> str:
        """The flag's name, made when it is first needed."""
        if self.name is None:
            self.name = self.names.fresh(self.base)
        return self.name

    def leave(self, jump: gast.stmt, around: Surroundings) -> list[gast.stmt]:
        """What stands for a jump: the flag is set if something asks it."""
        if not around.observed:
            return []
        return template("flag = True", at=jump, flag=self.flag(), comment=self.word)

    def again(self, jump: gast.stmt) -> gast.stmt:
        """The jump that is still to be made, once a `with` or `try` has been left."""
        (statement,) = template(self.word, at=jump)
        return statement

    def inner(self, at: gast.stmt) -> Jumps:
        """The same for the jumps out of a statement that can cancel them."""
        return type(self)(self.names, at, "left")

    def block(self, body: list[gast.stmt], around: Surroundings) -> list[gast.stmt]:
        """The block without its jumps; what can never run is dropped."""
        done: list[gast.stmt] = []
        for index, statement in enumerate(body):
            rest = body[index + 1 :]
            if isinstance(statement, self.kind):
                return done + self.leave(statement, around)
            if not has_jump(statement, self.kind):
                done.append(statement)
                if not falls_through([statement]):
                    return done
            elif around.caught and can_cancel(statement):
                return done + self.block(self.in_two_steps(statement, around) + rest, around)
            else:
                return done + self.jumping(statement, rest, around)
        return done

    def jumping(
        self, statement: gast.stmt, rest: list[gast.stmt], around: Surroundings
    ) -> list[gast.stmt]:
        """A statement with a jump in it, and the rest of its block."""
        if rest and isinstance(statement, gast.If) and around.depth < MAX_DEPTH:
            if not falls_through(statement.body):
                statement.orelse, rest = statement.orelse + rest, []
            elif not falls_through(statement.orelse):
                statement.body, rest = statement.body + rest, []
        if not falls_through([statement]):
            rest = []
        inside = replace(around, observed=around.observed or bool(rest))
        return self.statement(statement, inside) + self.guarded(rest, around)

    def guarded(self, rest: list[gast.stmt], around: Surroundings) -> list[gast.stmt]:
        """The rest of a block after a statement that sets the flag."""
        guards: list[gast.stmt] = []
        while rest:
            size = len(rest) if around.depth < MAX_DEPTH else self.up_to_jump(rest)
            part, rest = rest[:size], rest[size:]
            if not falls_through(part):
                rest = []
            body = self.block(part, around.below(observed=bool(rest)))
            guards += self.unless_flag(body, part[0])
        return guards

    def up_to_jump(self, body: list[gast.stmt]) -> int:
        """How many statements there are up to the first one that can jump, itself included."""
        jumping = (i for i, statement in enumerate(body, 1) if has_jump(statement, self.kind))
        return next(jumping, len(body))

    def unless_flag(self, body: list[gast.stmt], at: gast.stmt) -> list[gast.stmt]:
        """The guard around what a jump leaves out."""
        if not body:
            return []
        comment = f"unless a {self.reason or self.word} came before"
        return template(
            "if not flag:\n    body", at=at, flag=self.flag(), body=body, comment=comment
        )

    def in_two_steps(self, statement: gast.stmt, around: Surroundings) -> list[gast.stmt]:
        """Leave a `with` or `try` first, and jump when that has worked."""
        jump = next(own_jumps([statement], self.kind))
        inner = self.inner(statement)
        inside = Surroundings(depth=around.depth, observed=True)
        return [
            *template("left = False", at=statement, left=inner.flag()),
            *inner.statement(statement, inside),
            *template(
                "if left:\n    jump",
                at=statement,
                left=inner.flag(),
                jump=[self.again(jump)],
                comment=f"the {self.word} in the statement above",
            ),
        ]

    def statement(self, node: gast.stmt, around: Surroundings) -> list[gast.stmt]:
        """A statement with its jumps written away inside it."""
        method = getattr(self, f"in_{type(node).__name__}", self.in_other)
        statements: list[gast.stmt] = method(node, around)
        return statements

    def in_other(self, node: gast.stmt, around: Surroundings) -> list[gast.stmt]:
        """What is not canonical with or without jumps: `async with`, `except*`."""
        return [node]

    def in_If(self, node: gast.If, around: Surroundings) -> list[gast.stmt]:
        node.body = self.block(node.body, around.below())
        node.orelse = self.block(node.orelse, around.below())
        return [tidy(node)]

    def in_With(self, node: gast.With, around: Surroundings) -> list[gast.stmt]:
        node.body = self.block(node.body, around.below(caught=True)) or _nothing(node)
        return [node]

    def in_Try(self, node: gast.Try, around: Surroundings) -> list[gast.stmt]:
        jump = next(own_jumps(node.finalbody, self.kind), None)
        if jump is not None:
            why = f"`{self.word}` in a `finally` is not supported where its `try` leaves, too"
            raise UnsupportedSyntax(jump, why)
        follows = node.orelse if falls_through(node.body) else []
        jumps = any(own_jumps(node.body, self.kind))
        inside = around.below(observed=jumps and bool(follows), caught=bool(node.handlers))
        node.body = self.block(node.body, inside) or _nothing(node)
        node.orelse = self.after(follows, jumps, around)
        for handler in node.handlers:
            handler.body = self.block(handler.body, around.below()) or _nothing(handler)
        return [node]

    def after(self, follows: list[gast.stmt], jumps: bool, around: Surroundings) -> list[gast.stmt]:
        """The `else` of a `try`, whose body may have jumped."""
        if follows and jumps:
            return self.unless_flag(self.block(follows, around.below().below()), follows[0])
        return self.block(follows, around.below())

    def in_For(self, node: gast.For | gast.While, around: Surroundings) -> list[gast.stmt]:
        node.orelse = self.block(node.orelse, around.below())
        return [node]

    in_While = in_For


def can_cancel(statement: gast.stmt) -> bool:
    """Whether a jump that leaves this statement may be stopped by an exception on its way."""
    return isinstance(statement, gast.With) or bool(getattr(statement, "finalbody", None))


def _nothing(at: gast.AST) -> list[gast.stmt]:
    return template("pass", at=at)


def negated(test: gast.expr) -> gast.expr:
    """`not test`, or what a `not` stands before."""
    match test:
        case gast.UnaryOp(op=gast.Not(), operand=operand):
            return operand
    return expression("not test", at=test, test=test)


def tidy(node: gast.If) -> gast.If:
    """An `if` with something in its first branch."""
    if _is_nothing(node.orelse):
        node.orelse = []
    if node.orelse and _is_nothing(node.body):
        node.test, node.body, node.orelse = negated(node.test), node.orelse, []
    node.body = node.body or _nothing(node)
    return node


def _is_nothing(body: list[gast.stmt]) -> bool:
    return all(isinstance(statement, gast.Pass) for statement in body)
