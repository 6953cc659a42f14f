"""One `return`, at the end of the function.

    def f(x):                         def f(x):
        if x > 0:                         if x > 0:
            return 1                          return_value = 1
        return 2                          else:
                                              return_value = 2
                                          return return_value

    def f(xs):                        def f(xs):
        for x in xs:                      returned = False
            if x > 0:                     return_value = None
                return x                  for x in xs:
        return 0                              if x > 0:
                                                  return_value = x
                                                  returned = True
                                                  break
                                          if not returned:
                                              return_value = 0
                                          return return_value

The first `None` is no value of the program; its node says so in an attribute `undef`. A function
that falls off its end returns a real `None`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import gast

from .flow import LOOPS, falls_through, has_jump, own_jumps
from .jumps import Jumps, Surroundings, can_cancel
from .names import Names
from .rewrite import Rewrite, prologue
from .template import template
from .walking import ByType

__all__ = ["Returns"]


@dataclass
class Result:
    """The name that a function's returns assign."""

    name: str | None
    late: bool = False  # it may be read where no return has assigned it, as far as one can see


class Returns(Rewrite):
    """Gives each function that returns one `return`, its last statement."""

    makes_work = True

    @classmethod
    def concerns(cls, nodes: ByType) -> bool:
        last = [node.body[-1] for node in nodes[gast.FunctionDef]]
        return len(nodes[gast.Return]) > sum(isinstance(line, gast.Return) for line in last)

    def function(self, node: gast.FunctionDef) -> None:
        """Write away the returns of one function."""
        returns = list(own_jumps(node.body, gast.Return))
        if not returns or returns == node.body[-1:]:
            return
        start = prologue(node.body)
        head, body = node.body[:start], node.body[start:]
        valued = any(_is_valued(jump) for jump in returns)
        result = Result(self.names.fresh("return_value") if valued else None)
        if valued and falls_through(body):
            body += template("return", at=body[-1])
            body[-1].implicit = True
        jumps = ReturnJumps(self.names, node, "returned", result)
        body = jumps.block(body, Surroundings())
        node.body = head + jumps.start(node) + body + jumps.end(returns[-1])


def _is_valued(jump: gast.Return) -> bool:
    match jump.value:
        case None | gast.Constant(value=None):
            return False
    return True


class ReturnJumps(Jumps):
    """Writes away the returns of one function."""

    kind = gast.Return
    word = "return"

    def __init__(self, names: Names, at: gast.stmt, flag: str, result: Result) -> None:
        """Assign returned values to `result`."""
        super().__init__(names, at, flag)
        self.result = result

    def inner(self, at: gast.stmt) -> Jumps:
        return ReturnJumps(self.names, at, "left", self.result)

    def again(self, jump: gast.stmt) -> gast.stmt:
        statement = super().again(jump)
        statement.stored = True
        return statement

    def start(self, at: gast.stmt) -> list[gast.stmt]:
        """What the function does first."""
        flag = []
        if self.name is not None:
            flag = template("flag = False", at=at, flag=self.name, comment="no return yet")
        if self.result.name is None or not self.result.late:
            return flag
        comment = "no value yet"
        placeholder = template("result = None", at=at, result=self.result.name, comment=comment)
        placeholder[0].value.undef = True
        return flag + placeholder

    def end(self, at: gast.stmt) -> list[gast.stmt]:
        """What the function does last."""
        if self.result.name is None:
            return template("return None", at=at)
        return template("return result", at=at, result=self.result.name)

    def leave(self, jump: gast.stmt, around: Surroundings) -> list[gast.stmt]:
        statements = self.assign(jump)
        if around.observed:
            comment = "" if statements else "return"
            statements += template("flag = True", at=jump, flag=self.flag(), comment=comment)
        if around.looped:
            statements += self.leave_loop(jump, around)
        self.result.late |= around.observed or around.looped
        return statements

    def assign(self, jump: gast.stmt) -> list[gast.stmt]:
        """Keep the returned value, once."""
        if self.result.name is None or getattr(jump, "stored", False):
            return []
        implicit = getattr(jump, "implicit", False)
        comment = "the end of the function" if implicit else jump
        if jump.value is None:
            return template("x = None", at=jump, x=self.result.name, comment=comment)
        return template("x = value", at=jump, x=self.result.name, value=jump.value, comment=comment)

    def leave_loop(self, at: gast.stmt, around: Surroundings) -> list[gast.stmt]:
        """The `break` of a return; where the flag is set before, it names it."""
        statements = template("break", at=at)
        if around.observed:
            statements[0].flag = self.flag()
        return statements

    def block(self, body: list[gast.stmt], around: Surroundings) -> list[gast.stmt]:
        """In a loop, a return is a `break` of every loop around it."""
        if not around.looped:
            return super().block(body, around)
        done: list[gast.stmt] = []
        for index, statement in enumerate(body):
            if isinstance(statement, gast.Return):
                return done + self.leave(statement, around)
            if not has_jump(statement, gast.Return):
                done.append(statement)
            elif around.caught and can_cancel(statement):
                steps = self.in_two_steps(statement, around)
                return done + self.block(steps + body[index + 1 :], around)
            else:
                done += self.statement(statement, around)
                if isinstance(statement, LOOPS):
                    done += self.leave_outer(statement, around)
        return done

    def leave_outer(self, loop: gast.stmt, around: Surroundings) -> list[gast.stmt]:
        """Leave the loop around one in which a return was made."""
        jump = self.leave_loop(loop, replace(around, observed=True))
        comment = "the return in the loop above"
        return template("if flag:\n    jump", at=loop, flag=self.flag(), jump=jump, comment=comment)

    def in_For(self, node: gast.For | gast.While, around: Surroundings) -> list[gast.stmt]:
        inside = around.below(observed=around.looped)
        node.body = self.block(node.body, replace(inside, looped=True))
        node.orelse = self.block(node.orelse, inside)
        return [node]

    in_While = in_For

    def after(self, follows: list[gast.stmt], jumps: bool, around: Surroundings) -> list[gast.stmt]:
        return super().after(follows, jumps and not around.looped, around)
