"""Functions that call themselves or each other, as a loop over explicit stacks of frames.

    def fact(n):                          def fact(n):
        if n <= 0:                            result = None
            return_value = 1                  n_stack = []
        else:                                 depth = 0
            return_value = n * fact(n - 1)    block = 1
        return return_value                   while (depth >= 0) & (depth < 1000):
                                                  if block == 1:
                                                      if n <= 0:
                                                          result = 1
                                                          depth -= 1
                                                          block = 2
                                                      else:
                                                          n_stack.append(n)
                                                          depth += 1
                                                          n = n - 1
                                                  else:
                                                      n = n_stack.pop()
                                                      result = n * result
                                                      depth -= 1
                                              if depth >= 1000:
                                                  raise RecursionError(...)
                                              return result

`blocks.py` cuts the bodies where a call is made, a loop has calls in it, and where ways meet after
a call; a turn of the loop runs one block.  A frame holds what the block after the call may read,
one stack for each name.  A parameter that every call passes on as it is needs no place in a frame.
"""

from __future__ import annotations

from typing import Any

import gast

from .blocks import Blocks
from .copies import copied
from .ends import Block
from .frame_names import invariants, renamed
from .group import Member, members_of
from .inlining import inlined
from .liveness import Flow, settle
from .names import Names
from .scopes import parameters_of
from .template import expression, template

__all__ = ["LIMIT", "framed"]

Tree = Any
#: How deep calls may be nested, unless asked for: as in Python.
LIMIT = 1000


def framed(entry: Member, limit: int = LIMIT) -> gast.FunctionDef:
    """Return a function without recursion that does what a member of a group does.

    Args:
        entry: The member that is called from outside.  Its tree is canonical, and left as it is.
        limit: How deep calls may be nested.

    Returns:
        A canonical function with the parameters of the entry.

    Raises:
        Unframed: A call stands where it cannot be made with frames.
    """
    members = members_of(entry)
    module = gast.Module(body=[member.tree for member in members], type_ignores=[])
    names = Names(module)
    made = copied(entry.tree)
    made.body, made.decorator_list = [], []
    with names.scope(made):
        for member in members:
            made.generated_names |= set(getattr(member.tree, "generated_names", ()))
        same = invariants(members, entry)
        trees = renamed(members, same, names)
        pools = [n for m, tree in trees.items() for n in inlined(tree, names, m.builtin)]
        kept = [name for (member, _), name in same.items() if member is entry]
        made.args = trees[entry].args
        made.body = _Writer(entry, members, trees, kept, pools, names, limit).body()
    made.generated_names = frozenset(made.generated_names)
    return made


class _Writer:
    """Writes the loop of one group."""

    def __init__(
        self,
        entry: Member,
        members: list[Member],
        trees: dict[Member, Tree],
        same: list[str],
        pools: list[str],
        names: Names,
        limit: int,
    ) -> None:
        self.entry, self.limit, self.at = entry, limit, entry.tree
        self.members = members
        self.called = {new: old for tree in trees.values() for new, old in tree.written.items()}
        self.result = names.fresh("result")
        self.pc, self.depth = names.fresh("block"), names.fresh("depth")
        blocks = Blocks(members, trees, names, self.result)
        self.order = blocks.build(entry)
        self.pools = pools
        self.flow: Flow = settle(self.order, blocks, frozenset([*same, *pools]))
        self.numbers = {block: number for number, block in enumerate(self.order, 1)}
        returns = {enter.resume for enter in blocks.enters(self.order) if enter.resume is not None}
        self.single = returns.pop() if len(returns) == 1 else None
        self.returns = names.fresh("returns")
        self.stacks = {name: names.fresh(f"{name}_stack") for name in self.flow.saved}
        self.parameters = parameters_of(trees[entry].args)
        self.deep: Any = None

    def body(self) -> list[Any]:
        """Return the statements of the function."""
        start: list[Any] = []
        for name in (self.result, *self.flow.carried):
            if name not in self.parameters and name not in self.pools:
                start += template("name = None", at=self.at, name=name)
                start[-1].value.undef = True
        for name in (*self.pools, *self.stacks.values()):
            start += template("stack = []", at=self.at, stack=name)
        if self.single is None:
            start += template("returns = [0]", at=self.at, returns=self.returns)
            code = f"(block > 0) & (len(returns) <= {self.limit})"
            test = expression(code, at=self.at, block=self.pc, returns=self.returns)
        else:
            start += template("depth = 0", at=self.at, depth=self.depth)
            code = f"(depth >= 0) & (depth < {self.limit})"
            test = expression(code, at=self.at, depth=self.depth)
        start += template("block = 1", at=self.at, block=self.pc)
        loop = template("while test:\n    turn", at=self.at, test=test, turn=self.dispatched())
        loop[0].recursion = self.described()
        end = template("return result", at=self.at, result=self.result)
        return [*start, *loop, *self.required(), *end]

    def described(self) -> str:
        """Say which functions these are and what a frame holds, for the report."""
        names = [member.tree.name for member in self.members]
        calls = "calls itself" if len(names) == 1 else "call each other"
        found = [self.called[name] for name in self.flow.saved if name in self.called]
        held = [f"`{name}`" for name in dict.fromkeys(found)]
        if between := len(self.flow.saved) - len(found):
            held.append("a value in between" if between == 1 else f"{between} values in between")
        if self.single is None:
            held.append("where to go on")
        return f"{_listed([f'`{n}`' for n in names])} {calls}; a frame holds {_listed(held)}"

    def dispatched(self) -> list[Any]:
        """Return one turn: the block whose number it is."""
        turn = self.written(self.order[-1])
        for block in reversed(self.order[:-1]):
            turn = template(
                f"if block == {self.numbers[block]}:\n    here\nelse:\n    others",
                at=self.at,
                block=self.pc,
                here=self.written(block),
                others=turn,
            )
        return turn

    def written(self, block: Block) -> list[Any]:
        """Return a block: what a frame gives back, and its statements."""
        at = block.at
        start: list[Any] = []
        for name in self.flow.kept(block):
            start += template("x = stack.pop()", at=at, x=name, stack=self.stacks[name])
            start[-1].value.surely = True
        start += [copied(one) for one in self.flow.defined(block)]
        return start + self.statements(block.body, block) or template("pass", at=at)

    def statements(self, body: list[Any], here: Block) -> list[Any]:
        """Return statements of a block with its calls, jumps and returns written out."""
        found: list[Any] = []
        for node in body:
            kind = type(node).__name__
            visit = getattr(self, f"visit_{kind}", None)
            found += [node] if visit is None else visit(node, here)
        return found

    def visit_If(self, node: Any, here: Block) -> list[Any]:
        """Write an `if`, whose arms may end the block."""
        node.body = self.statements(node.body, here) or template("pass", at=node)
        node.orelse = self.statements(node.orelse, here)
        return [node]

    def visit_Goto(self, node: Any, here: Block) -> list[Any]:
        """Write a jump to another block."""
        return self.jump(node.block, here, node.at)

    def jump(self, block: Block, here: Block, at: Any) -> list[Any]:
        """Let the next turn run a block."""
        if block is here:
            return []
        number = self.numbers[block]
        return template(f"block = {number}", at=at, block=self.pc)

    def visit_Leave(self, node: Any, here: Block) -> list[Any]:
        """Write a return: the result, and the block that waits for it."""
        value, at = node.value, node.at
        made: list[Any] = []
        if getattr(value, "id", None) != self.result:
            made = template("result = value", at=at, result=self.result, value=value)
            made[0].comment = getattr(node.shown, "origin", node.shown)
        if self.single is None:
            pop = "block = returns.pop()"
            made += template(pop, at=at, block=self.pc, returns=self.returns)
            made[-1].value.surely = True
            return made
        made += template("depth -= 1", at=at, depth=self.depth)
        return made + ([] if self.single is here else self.jump(self.single, here, at))

    def visit_Enter(self, node: Any, here: Block) -> list[Any]:
        """Write a call: a frame, the arguments, and the first block of what is called."""
        made: list[Any] = []
        at = node.at
        if node.resume is not None:
            made += self.pushed(node)
        made += self.passed(node, made)
        return made + self.jump(node.first, here, at)

    def required(self) -> list[Any]:
        """Return what fails after a loop that ended because calls nest too deeply."""
        if self.deep is None:
            return []
        deep = f"depth >= {self.limit}" if self.single else "block > 0"
        why = f"'maximum recursion depth exceeded in {self.entry.tree.name}'"
        code = f"if {deep}:\n    raise RecursionError({why})"
        return template(code, at=self.deep, block=self.pc, depth=self.depth)

    def pushed(self, node: Any) -> list[Any]:
        """Return what puts a frame on the stacks."""
        at, made = node.at, list[Any]()
        for name in self.flow.kept(node.resume):
            made += template("stack.append(x)", at=at, stack=self.stacks[name], x=_name(name, at))
        if self.single is None:
            push = f"returns.append({self.numbers[node.resume]})"
            made += template(push, at=at, returns=self.returns)
        else:
            made += template("depth += 1", at=at, depth=self.depth)
        made[0].comment = getattr(at, "origin", "")
        self.deep = self.deep or at
        return made

    def passed(self, node: Any, before: list[Any]) -> list[Any]:
        """Return the assignments of arguments to parameters, as if all were made at once."""
        made = []
        for name, value in node.arguments:
            if getattr(value, "id", None) != name:
                made += template("x = value", at=node.at, x=name, value=value)
        if made and not before:
            made[0].comment = getattr(node.at, "origin", "")
        return made


def _listed(words: list[str]) -> str:
    *first, last = words or ["nothing"]
    return f"{', '.join(first)} and {last}" if first else last


def _name(name: str, at: Any) -> Any:
    return expression("x", at=at, x=name)
