"""Functions that call themselves or each other, as a loop over explicit stacks of frames.

    def count(i):                         def count(i):
        n = 1                                 result = None
        while i > 0:                          n = None
            i = i // 2                        i_stack = []
            n += count(i)                     n_stack = []
        return n                              depth = 0
                                              block = 1
                                              while (depth >= 0) & (depth < 1000):
                                                  if block == 1:
                                                      n = 1
                                                      block = 2
                                                  elif block == 2:
                                                      if i > 0:
                                                          i = i // 2
                                                          i_stack.append(i)
                                                          n_stack.append(n)
                                                          depth += 1
                                                          block = 1
                                                      else:
                                                          result = n
                                                          depth -= 1
                                                          block = 3
                                                  else:
                                                      i = i_stack.pop()
                                                      n = n_stack.pop()
                                                      n += result
                                                      block = 2
                                              if depth >= 1000:
                                                  raise RecursionError(...)
                                              return result

`blocks.py` cuts the bodies where a call is made, a loop has calls in it, and where ways meet after
a call; a turn of the loop runs one block.  A frame holds what the block after the call may read,
one stack for each name.  A parameter that every call passes on as it is needs no place in a frame.
Where a function does nothing but call itself or return, `descents.py` writes loops without a
question which block is next.
"""

from __future__ import annotations

from typing import Any

import gast

from .asked import read
from .captures import take_along
from .copies import copied
from .descents import Descents, descends
from .ends import Block
from .errors import Unset
from .frame_names import invariants, renamed
from .frame_writing import Group, Writer
from .group import Member, members_of
from .inlining import inlined, pooled
from .managed import Managing, managed
from .names import Names
from .owned import owned
from .passing import passed_on
from .scopes import kind_of
from .template import template
from .unset import flagged

__all__ = ["LIMIT", "framed"]

Tree = Any
#: How deep calls may be nested, unless asked for: as in Python.
LIMIT = 1000


def framed(
    entry: Member,
    limit: int = LIMIT,
    *,
    boxed: bool = False,
    sole: bool = False,
    managing: Managing | None = None,
) -> gast.FunctionDef:
    """Return a function without recursion that does what a member of a group does.

    Args:
        entry: The member that is called from outside.  Its tree is canonical, and left as it is.
        limit: How deep calls may be nested.
        boxed: Let the result of a call wait in a list: it is an object of its own then, as what a
            frame holds is, and not one of the many that calls may have given.
        sole: Write one loop, with none inside that has calls: the way back through it is another.
        managing: What enters and leaves a `with` around calls; nothing: its methods themselves.

    Returns:
        A canonical function with the parameters of the entry.  Where its handlers stand elsewhere
        than the program's, it has an attribute `moves_handlers` that is True.

    Raises:
        Unframed: A call stands where it cannot be made with frames.
    """
    unset: list[str] = []
    while True:
        try:
            return _framed(entry, limit, unset, boxed=boxed, sole=sole, managing=managing)
        except Unset as error:
            if error.name in unset:
                raise
            unset.append(error.name)


def _framed(
    entry: Member,
    limit: int,
    unset: list[str],
    *,
    boxed: bool,
    sole: bool,
    managing: Managing | None,
) -> gast.FunctionDef:
    """Write the loop; flags say whether the names of `unset` are set."""
    members = members_of(entry)
    module = gast.Module(body=[member.tree for member in members], type_ignores=[])
    names = Names(module)
    made = copied(entry.tree)
    made.body, made.decorator_list = [], []
    with names.scope(made):
        for member in members:
            made.generated_names |= set(getattr(member.tree, "generated_names", ()))
        same = invariants(members, entry, names)
        trees = renamed(members, same, names)
        for tree in trees.values():
            read(tree)
            managed(tree, names, managing)
        closed = passed_on(trees.values(), names)
        boxed = boxed and not closed
        pools = [n for m, tree in trees.items() for n in inlined(tree, names, m.builtin)]
        for tree in trees.values():
            pools += pooled(tree, names) if hasattr(tree, "collects") else []
        for name in unset:
            for tree in trees.values():
                if name in kind_of(tree).locals:
                    flagged(tree, name, unset, names)
        kept = [name for (member, _), name in same.items() if member is entry]
        for tree in trees.values():
            take_along(tree, frozenset([*same.values(), *pools]), names)
        made.args = trees[entry].args
        sole_names = set[str]()
        for member, tree in trees.items() if not sole else ():
            sole_names |= owned(tree, member.makes, member.builtin)
        parts = (entry, members, trees, kept, pools, names, limit, boxed, sole_names, closed)
        group = Group(*parts, marks=managing is not None)
        down = descends(group) and not (sole or closed or group.calls.pending)
        writer = Descents(group) if down else Dispatcher(group)
        made.body = writer.body()
        made.moves_handlers = bool(group.calls.pending)
    made.generated_names = frozenset(made.generated_names)
    return made


class Dispatcher(Writer):
    """Writes one loop: each turn runs the block whose number is next."""

    def loop(self) -> list[Any]:
        """Return the loop, and what fails where it ended too deep."""
        test = f"({'depth >= 0' if self.counted else 'block > 0'}) & ({self.fits})"
        if self.group.closed:
            test += " & (not closed)"
        first = template("block = 1", at=self.at, block=self.pc)
        turn, calls = self.dispatched(self.group.order), self.group.calls
        if calls.pending:
            turn = calls.catching(turn, self.left(self.group.order[0], self.at), self.at)
        loop = self.turns(test, turn)
        if self.deep is None:
            return [*first, *loop]
        told = self.counted or bool(self.group.closed)  # a generator that is closed is left early
        return [*first, *loop, *self.failing(self.too_deep if told else "block > 0")]

    def left(self, here: Block, at: Any) -> list[Any]:
        """Return what finds the block that goes on after a return."""
        single = self.group.single
        if single is None:
            return super().left(here, at)
        return [
            *template("depth -= 1", at=at, depth=self.group.depth),
            *self.jump(single, here, at),
        ]
