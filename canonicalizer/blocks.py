"""The bodies of a group's functions, cut into blocks at the calls of its members.

A block has no call of a member inside.  It ends in an `Enter` (a call: it names the block that goes
on after it), a `Leave` (a return) or a `Goto`; so does each arm of an `if` that holds one.  What an
expression evaluates before a call in it is kept in names: Python evaluates from left to right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import gast

from .breaks import is_exit
from .copies import copied
from .ends import Block, Enter, Goto, Leave, ends, following
from .errors import Unframed
from .forms import blocks_of, names_in, walruses_in
from .group import Member, arguments_of
from .joined import joined
from .names import Names
from .numbered import Numbered
from .scopes import own_nodes
from .template import expression, template
from .walking import walk

__all__ = ["Blocks"]

Tree = Any
#: What follows an `if` is written twice where it is not longer.
SHORT = 2


@dataclass
class Follow:
    """What comes after a statement: the rest of its block, then what comes after that."""

    body: list[Tree]
    outer: Follow | Block | None
    block: Block | None = None

    def flat(self) -> list[Tree] | None:
        """Return all statements up to the end of the function, None where a loop goes on."""
        match self.outer:
            case None:
                return self.body
            case Follow():
                rest = self.outer.flat()
                return None if rest is None else self.body + rest
        return None


class Blocks(Numbered):
    """Cuts the functions of a group.

    Attributes:
        firsts: The first block of each function.
    """

    def __init__(
        self, members: list[Member], trees: dict[Member, Tree], names: Names, result: str
    ) -> None:
        super().__init__(list(trees.values()), names, result)
        self.members, self.trees = members, trees
        self.firsts = {member: Block(trees[member]) for member in members}
        self.member = members[0]
        self.silent = {member for member in members if _gives_none(trees[member])}

    def block(self, at: Tree, *, result: bool = False) -> Block:
        """Return a new block."""
        return Block(at, result)

    def build(self, entry: Member) -> list[Block]:
        """Return all blocks that are reached, the first one of the entry first."""
        for member, tree in self.trees.items():
            self.member, self.current = member, self.firsts[member].body
            self.tree(tree)
            self.statements(tree.body, None)
        order: list[Block] = []
        todo = [self.firsts[entry]]
        while todo:
            block = todo.pop(0)
            if block not in order:
                order.append(block)
                for end in ends(block.body):
                    if type(end) is Goto:
                        end.block = _where(end.block)
                todo += self.reached(block)
        return joined(order, self)

    def handling(self, block: Block) -> Iterator[Block]:
        """Yield the blocks that go on where one raises."""
        return iter(())

    def fits(self, block: Block, around: Block) -> bool:
        """Whether a block may run as a part of another one."""
        return True

    def reached(self, block: Block) -> Iterator[Block]:
        """Yield the blocks that may follow one."""
        yield from (one for end in ends(block.body) for one in following(end))

    def enters(self, blocks: list[Block]) -> Iterator[Enter]:
        """Yield the calls of members in some blocks."""
        found = (end for block in blocks for end in ends(block.body))
        yield from (end for end in found if type(end) is Enter)

    # -- statements ---------------------------------------------------------------------------

    def statements(self, body: list[Tree], outer: Follow | Block | None) -> None:
        """Put statements into the present block, and what comes after them."""
        for index, node in enumerate(body):
            rest = Follow(body[index + 1 :], outer)
            if isinstance(node, gast.Return):
                self.leave(node)
                return
            if self.is_last(node, rest):
                return
            cut = self.uncut
            if self.has_call(node):
                cut = getattr(self, f"visit_{type(node).__name__}", self.refuse)
            if cut(node, rest):
                return
        self.go(outer, body[-1] if body else self.tree_of_member())

    def uncut(self, node: Tree, rest: Follow) -> bool:
        """Put a statement without calls of members here; tell whether nothing follows it."""
        self.current.append(node)
        return type(node) is gast.Raise

    def tree_of_member(self) -> Tree:
        """Return the function whose statements are cut."""
        return self.trees[self.member]

    def go(self, outer: Follow | Block | None, at: Tree) -> None:
        """Go on with what comes after a block of statements."""
        match outer:
            case None:
                none = expression("None", at=at)
                self.current.append(Leave(at, none, none))
            case Block():
                self.current.append(Goto(at, outer))
            case Follow():
                self.follow(outer, at)

    def follow(self, follow: Follow, at: Tree) -> None:
        """Go on with the rest of a block: here if it is short, else in a block of its own."""
        flat = follow.flat()
        if flat is not None and len(flat) <= SHORT and not any(map(self.has_block, flat)):
            self.statements([copied(one) for one in flat], None)
            return
        if not follow.body:
            self.go(follow.outer, at)
            return
        if follow.block is None:
            follow.block = self.block(follow.body[0])
            self.current.append(Goto(at, follow.block))
            before, self.current = self.current, follow.block.body
            body = [copied(one) for one in follow.body]  # it may be asked for again, as it is
            self.statements(body, follow.outer)
            self.current = before
        else:
            self.current.append(Goto(at, follow.block))

    def has_block(self, node: Tree) -> bool:
        """Whether a statement holds others, or a call of a member."""
        return bool(blocks_of(node)) or self.has_call(node)

    def leave(self, node: Tree) -> None:
        """Return a value."""
        value = expression("None", at=node) if node.value is None else node.value
        if self.enter_last(node, value):
            return
        if isinstance(value, gast.IfExp) and self.has_call(value):
            code = "if test:\n    return a\nelse:\n    return b"
            holes = {"test": value.test, "a": value.body, "b": value.orelse}
            made = template(code, at=node, **holes)
            made[0].origin = getattr(node, "origin", node)
            self.statements(made, None)
            return
        value = self.value(value)
        self.current.append(Leave(node, value, getattr(node, "comment", "") or node))

    def is_last(self, node: Tree, rest: Follow) -> bool:
        """Return at once what a statement keeps for the return that comes next."""
        match node:
            case gast.Expr(value=gast.Call(member=(called, _))) if called in self.silent:
                match rest.flat():
                    case [] | [gast.Return(value=None | gast.Constant(value=None))]:
                        return self.enter_last(node, node.value)
            case gast.Assign(targets=[gast.Name(id=name)]):
                match rest.flat():
                    case [gast.Return(value=gast.Name(id=returned))] if name == returned:
                        self.leave(node)
                        return True
        return False

    def enter_last(self, node: Tree, value: Tree) -> bool:
        """Make the call that an expression is without a frame; False if it is none."""
        if not hasattr(value, "member"):
            return False
        self.enter(value, None)
        return True

    def enter(self, call: Tree, resume: Block | None) -> None:
        """Evaluate the arguments of a call and make it."""
        member, receiver = call.member
        given = arguments_of(member, receiver, call)
        values = self.operands([value for _, value in given])
        table = dict(zip(member.parameters, self.parameters_of(member), strict=True))
        arguments = [(table[name], value) for (name, _), value in zip(given, values, strict=True)]
        self.current.append(Enter(call, self.firsts[member], self.at_once(arguments), resume))

    def parameters_of(self, member: Member) -> list[str]:
        """Return what the parameters of a member are called here."""
        spec = self.trees[member].args
        return [node.id for node in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]

    def at_once(self, arguments: list[tuple[str, Tree]]) -> list[tuple[str, Tree]]:
        """Return assignments in order that give what all of them made at once would give."""
        clobbered: set[str] = set()
        late = set()
        for index, (name, value) in enumerate(arguments):
            if names_in(value) & clobbered or walruses_in(value):
                late.add(index)
            if getattr(value, "id", None) != name:
                clobbered.add(name)
        made: list[tuple[str, Tree]] = []
        for index, (name, value) in enumerate(arguments):
            before = index < max(late, default=-1) and not self.is_stable(value, set())
            made.append((name, self.kept(value) if index in late or before else value))
        return made

    def inline(self, body: list[Tree]) -> None:
        """Put statements here, and go on after them in a block of its own."""
        join = self.block(body[0])
        self.statements(body, join)
        self.current = join.body

    def called(self, call: Tree) -> Tree:
        """Make a call and go on after it; return its result, to be read at once."""
        resume = self.block(call, result=True)
        self.enter(call, resume)
        self.current = resume.body
        made: Tree = expression("result", at=call, result=self.result)
        made.surely = True  # a call has returned
        return made

    def visit_Raise(self, node: Any, rest: Follow) -> bool:
        node.exc, node.cause = self.operands([node.exc, node.cause])
        return self.uncut(node, rest)

    def visit_Expr(self, node: Any, rest: Follow) -> bool:
        node.value = self.value(node.value)
        match node.value:
            case gast.Name(id=name) if name == self.result:
                return False
        self.current.append(node)
        return False

    def visit_Assign(self, node: Any, rest: Follow) -> bool:
        target = node.targets[0]
        match target:
            case gast.Name():
                node.value = self.value(node.value)
            case gast.Attribute():
                node.value, target.value = self.operands([node.value, target.value])
            case gast.Subscript():
                parts = [node.value, target.value, target.slice]
                node.value, target.value, target.slice = self.operands(parts)
        self.current.append(node)
        return False

    def visit_AugAssign(self, node: Any, rest: Follow) -> bool:
        name = node.target.id
        if self.is_stable(node.target, walruses_in(node.value)):
            node.value = self.value(node.value)
            self.current.append(node)
            return False
        before = self.kept(expression("x", at=node, x=name))
        node.value = self.value(node.value)
        node.target.id = before.id
        self.current += [node, *template("x = y", at=node, x=name, y=before)]
        return False

    def visit_If(self, node: Any, rest: Follow) -> bool:
        node.test = self.value(node.test)
        if not any(self.has_call(one) for one in (*node.body, *node.orelse)):
            self.current.append(node)
            return False
        self.arms(node.test, node, node.body, rest, node.orelse, rest)
        return True

    def arms(
        self, test: Tree, at: Tree, body: list[Tree], after: Any, other: list[Tree], last: Any
    ) -> None:
        """End the block in an `if` with two arms, and what comes after each of them."""
        made = template("if test:\n    pass\nelse:\n    pass", at=at, test=test)[0]
        made.comment = getattr(at, "comment", "")
        made.origin = getattr(at, "origin", at)
        self.current.append(made)
        made.body, made.orelse = [], []
        self.current = made.body
        self.statements(body, after)
        self.current = made.orelse
        self.statements(other, last)

    def visit_While(self, node: Any, rest: Follow) -> bool:
        head = self.block(node)
        self.current.append(Goto(node, head))
        self.current = head.body
        test = self.value(node.test)
        self.arms(test, node, node.body, head, [], rest)
        return True

    def visit_For(self, node: Any, rest: Follow) -> bool:
        if not any(map(self.has_call, node.body)):
            node.iter = self.value(node.iter)
            self.current.append(node)
            return False
        number = self.names.fresh("number")
        loop = self.numbered_loop(node, number)
        head = self.block(node)
        self.current.append(Goto(node, head))
        self.current = head.body
        self.current += loop.changes
        body = [*loop.step, *node.body]
        after: Follow | Block = head
        if is_exit(node.body[-1]):
            after = Follow([_Leaving(body.pop(), head, rest)], None)
        self.arms(loop.test, node, body, after, [], rest)
        return True

    def is_builtin(self, name: str) -> bool:
        """Whether a name stands for Python's own builtin."""
        return name not in self.bound and self.member.builtin(name)

    def visit__Leaving(self, node: Any, rest: Follow) -> bool:
        """Leave a loop where its flag says so, else go on with its head."""
        self.arms(node.test, node.at, [], node.rest, [], node.head)
        return True

    def refuse(self, node: Tree, rest: Any = None) -> Any:
        """Refuse a call where it stands."""
        words = {"Try": "in a `try`"}
        call = next((one for one in walk(node) if hasattr(one, "member")), node)
        where = words.get(type(node).__name__, "where none can be cut out")
        raise Unframed(call, f"this call stands {where}")


def _where(block: Block) -> Block:
    """Return the block that one goes on with, where that is all that it does; else itself."""
    passed = [block]
    while not block.result:
        match block.body:
            case [Goto(block=other)] if other not in passed:
                passed.append(block := other)
            case _:
                break
    return block


def _gives_none(tree: Tree) -> bool:
    """Whether a function returns None alone."""
    for node in own_nodes(tree):
        match node:
            case gast.Return(value=None | gast.Constant(value=None)):
                continue
            case gast.Return():
                return False
    return True


@dataclass(eq=False)
class _Leaving:
    """The end of a turn of a `for` that may leave it."""

    leaving: Tree
    head: Block
    rest: Follow

    @property
    def test(self) -> Tree:
        return self.leaving.test

    @property
    def at(self) -> Tree:
        return self.leaving
