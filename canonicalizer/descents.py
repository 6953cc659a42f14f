"""A function that calls itself until it need not: down by one loop, up by another.

    def fact(n):                          def fact(n):
        if n <= 0:                            result = None
            return 1                          n_stack = []
        return n * fact(n - 1)                depth = 0
                                              while (not n <= 0) & (depth < 1000):
                                                  n_stack.append(n)
                                                  depth += 1
                                                  n = n - 1
                                              if depth >= 1000:
                                                  raise RecursionError(...)
                                              result = 1
                                              while depth > 0:
                                                  depth -= 1
                                                  n = n_stack.pop()
                                                  result = n * result
                                              return result

What a call does before it calls again is a turn of the loop *down*, and a block that returns
whatever happens a turn of the loop *up*.  A block that calls again, as in the middle of
`fib(n - 1) + fib(n - 2)`, stands at the head of a third loop, around another way down and up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import gast

from .copies import copied
from .ends import Block, End, Enter, Leave, ends
from .frame_writing import Group, Writer
from .template import expression, template

__all__ = ["Descents", "descends"]


class Split(NamedTuple):
    """The first block of a function, taken apart.

    Attributes:
        before: What it does first.
        choice: The `if` that it ends in.
        calls: Whether the call that goes on is in the first arm.
    """

    before: list[Any]
    choice: Any
    calls: bool

    @property
    def down(self) -> list[Any]:
        """The arm that calls again."""
        return self.choice.body if self.calls else self.choice.orelse  # type: ignore[no-any-return]

    @property
    def base(self) -> list[Any]:
        """The arm that returns."""
        return self.choice.orelse if self.calls else self.choice.body  # type: ignore[no-any-return]


def descends(group: Group) -> bool:
    """Whether a group is one function that calls itself in one arm of a choice, or returns."""
    first, *others = group.order
    found = [end for block in group.order for end in ends(block.body)]
    if any(not _calls(end, first) and type(end) is not Leave for end in found):
        return False
    return all(block.result for block in others) and _split(first) is not None


def _calls(end: End, first: Block) -> bool:
    return type(end) is Enter and end.first is first


def _split(first: Block) -> Split | None:
    """Take a function's first block apart, if it ends in a choice between a call and a return."""
    match first.body:
        case [*before, gast.If() as choice]:
            for calls in (True, False):
                found = Split(before, choice, calls)
                down = {type(end) for end in ends(found.down)}
                if down == {Enter} and {type(end) for end in ends(found.base)} == {Leave}:
                    return found
    return None


class Descents(Writer):
    """Writes a loop down and one up, and around both the one that calls again."""

    def __init__(self, group: Group) -> None:
        super().__init__(group)
        first, *others = group.order
        self.first = first
        self.up = [b for b in others if all(type(end) is Leave for end in ends(b.body))]
        self.again = [block for block in others if block not in self.up]
        found = [end for block in self.again for end in ends(block.body)]
        #: Whether a block may call again or return.
        self.mixed = any(type(end) is Leave for end in found)
        order = [*([first] if self.mixed else []), *self.again, *self.up]
        self.numbers = {block: number for number, block in enumerate(order, 1)}

    @property
    def counted(self) -> bool:
        """Whether a counter says what waits: frames of one kind."""
        return self.group.single is not None and not self.mixed

    def loop(self) -> list[Any]:
        """Return the way down and up, and the loop that goes on from there."""
        made = [*self.descent(), *self.ascent()]
        if not self.again:
            return made
        turn = self.dispatched(self.again)
        down = self.descent()
        if self.mixed:
            code = f"if block == {self.numbers[self.first]}:\n    down"
            down = template(code, at=self.at, block=self.pc, down=down)
        return made + self.turns(self.waiting, [*turn, *down, *self.ascent()])

    @property
    def waiting(self) -> str:
        """The test for a call that waits."""
        return "depth > 0" if self.counted else "block > 0"

    def descent(self) -> list[Any]:
        """Return what calls again and again, and then returns."""
        split = _split(self.first)
        assert split is not None
        before = self.statements([copied(one) for one in split.before], self.first)
        arm = self.statements([copied(one) for one in split.down], self.first)
        base = self.statements([copied(one) for one in split.base], self.first)
        truth = _truth(split.choice.test, negated=not split.calls)
        if self.deep is None:
            return [*before, *self.turns("x", [*arm, *map(copied, before)], x=truth), *base]
        loop = self.turns(f"x & ({self.fits})", [*arm, *map(copied, before)], x=truth)
        return [*before, *loop, *self.failing(self.too_deep), *base]

    def ascent(self) -> list[Any]:
        """Return what goes on with blocks that return, until one waits that calls again."""
        if not self.up:
            return []
        test = self.waiting
        if self.again:
            test = f"block >= {self.numbers[self.up[0]]}"
        return self.turns(test, self.dispatched(self.up))

    def written(self, block: Block) -> list[Any]:
        """Return a block: what a frame gives back, and its statements."""
        if not self.counted:
            return super().written(block)
        count = template("depth -= 1", at=block.at, depth=self.group.depth)
        return [*count, *super().written(block)]

    def left(self, here: Block, at: Any) -> list[Any]:
        """Return what finds the block that goes on after a return."""
        return [] if self.counted else super().left(here, at)

    def entered(self, node: Any, here: Block) -> list[Any]:
        """Return what lets the first block be the next one, where that is a question."""
        return super().entered(node, here) if self.mixed else []


def _truth(test: Any, *, negated: bool) -> Any:
    """Return an expression for whether a test holds, or for whether it does not."""
    match test:
        case gast.UnaryOp(op=gast.Not(), operand=inner):
            return _truth(inner, negated=not negated)
    return expression("not x" if negated else "not not x", at=test, x=test)
