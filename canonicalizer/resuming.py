"""Generators that are sent values, thrown exceptions or closed, as functions that go on.

    def total(t):                         def total(t):
        while True:                           block = 1
            v = yield t                       def resume(sent, thrown):
            t += v                                nonlocal block, t, v
                                                  ended = None
                                                  while ended is None:
                                                      if block == 1:
                                                          item = t
                                                          block = 2
                                                          ended = False
                                                      else:
                                                          if thrown is not None:
                                                              raise thrown
                                                          v = sent
                                                          t += v
                                                          block = 1
                                                  return ended, item, value
                                              return resume

A call of `resume` runs the blocks up to the next `yield` or the end.  What stands in a `try` with a
`yield` is a `try` in each of its blocks, whose handlers are blocks as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast

from .blocks import Follow
from .copies import copied
from .ends import Block, Goto, Leave
from .errors import Unframed
from .forms import YIELDS, is_head
from .group import Member
from .guards import GuardedBlocks
from .names import Names
from .scopes import kind_of, own_nodes
from .template import expression, template
from .walking import walk

__all__ = ["resumed"]

Tree = Any
#: The names of the function that resumes a generator that are its own.
LOCAL = ("sent", "thrown", "going", "ended", "item", "value", "error")
KEPT = ("block", "begun")


def resumed(tree: gast.FunctionDef, delegate: Any, asker: Any) -> gast.FunctionDef:
    """Return a function that gives, for the arguments of a generator, what resumes it.

    Args:
        tree: The generator in canonical form, which is left as it is.
        delegate: What hands on to another iterator what is sent and thrown: it returns whether
            that has ended, and what it gives.
        asker: What asks an iterator: it returns whether there is one more item, and that.

    Raises:
        Unframed: A `yield` stands where a generator cannot be cut.
    """
    made, inside = copied(tree), copied(tree)
    names = Names(tree)
    made.decorator_list = []
    start = next((i for i, s in enumerate(inside.body) if not is_head(s)), len(inside.body))
    head, inside.body = inside.body[:start], inside.body[start:]
    for node in own_nodes(inside):
        match node:
            case gast.Yield() | gast.YieldFrom():
                node.member = None
            case gast.Name(id="super" | "__class__"):
                raise Unframed(node, "it reads the class that it is written in")
    with names.scope(made):
        made.body = _Resumption(inside, head, names, delegate, asker).body()
    made.generated_names = frozenset(made.generated_names)
    return made


@dataclass(eq=False)
class _Suspend(Goto):
    """The generator gives an item; the next call goes on with a block."""


class _Resumption(GuardedBlocks):
    """Cuts a generator at its `yield`s."""

    takes_dicts = True

    def __init__(
        self, tree: Tree, head: list[Tree], names: Names, delegate: Any, asker: Any
    ) -> None:
        words = (*LOCAL, *KEPT, "resume")
        self.of = {word: names.fresh(word) for word in words}
        member = Member(tree)
        super().__init__([member], {member: tree}, names, self.of["sent"], self.of["error"])
        self.inside, self.head, self.delegate, self.asker = tree, head, delegate, asker
        self.numbers: dict[Block, int] = {}

    def body(self) -> list[Tree]:
        """Return the statements of the function that gives what resumes the generator."""
        order = self.build(self.members[0])
        self.numbers = {block: number for number, block in enumerate(order, 1)}
        written = [self.written(block) for block in order]
        turn, later = (
            written[-1],
            [one for block in written[1:] for part in block for one in walk(part)],
        )
        for number, here in reversed([*enumerate(written[:-1], 1)]):
            code = f"if block == {number}:\n    here\nelse:\n    others"
            if number == 1 and not any(map(self.begins, later)):  # it runs once, at the start
                code = "if begun:\n    others\nelse:\n    begun = True\n    here"
            turn = self.quoted(code, here=here, others=turn)
        kept = self.kept_names()
        body = [
            *(one for one in self.head if hasattr(one, "names")),
            *self.declared(kept),
            *self.quoted("going = True\nended = False"),
            *self.undefined(self.of["item"]),
            *self.undefined(self.of["value"]),
            *self.quoted("while going:\n    turn", turn=turn),
            *self.quoted("return (ended, item, value)"),
        ]
        made = self.quoted("def resume(sent, thrown):\n    body\nreturn resume", body=body)
        made[0].generated_names = frozenset(self.of[word] for word in LOCAL)
        return [*self.begun(kept), *made]

    def begins(self, node: Tree) -> bool:
        """Tell whether a statement lets the first block run again."""
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Constant(value=1)):
                return bool(name == self.of["block"])
        return False

    def kept_names(self) -> list[str]:
        """Return the names that outlive a `yield`."""
        declared = {name for one in self.head for name in getattr(one, "names", ())}
        local = {self.of[word] for word in self.of if word not in KEPT}
        own = kind_of(self.inside).locals | self.names.scopes[-1].generated_names
        return sorted(own - declared - local)

    def declared(self, names: list[str]) -> list[Tree]:
        """Return what lets the function inside write names of the one around it."""
        made = gast.Nonlocal(names=names)
        made.lineno, made.col_offset = self.inside.lineno, self.inside.col_offset
        made.end_lineno, made.end_col_offset = made.lineno, made.col_offset
        return [made]

    def begun(self, kept: list[str]) -> list[Tree]:
        """Return what makes the names that outlive a `yield`: those of the program are not set."""
        made: list[Tree] = []
        for name in kept:
            if name in self.parameters_of(self.members[0]):
                continue
            if name == self.of["block"]:
                made += self.quoted("block = 1")
            elif name == self.of["begun"]:
                made += self.quoted("begun = False")
            elif name in self.raised:
                made += self.quoted("x = None", x=name)
            elif name in self.names.scopes[-1].generated_names:
                made += self.undefined(name)
            else:
                made += self.quoted("x = None\ndel x", x=name)
        return made

    def undefined(self, name: str) -> list[Tree]:
        """Return what makes a name that has no value yet."""
        made = self.quoted("name = None", name=name)
        made[0].value.undef = True
        return made

    def quoted(self, code: str, at: Tree = None, **holes: Any) -> list[Tree]:
        """Return statements; what resumes a generator is named as in the picture above."""
        used = {word: name for word, name in self.of.items() if word in code}
        return template(code, at=self.inside if at is None else at, **{**used, **holes})

    # -- cutting ------------------------------------------------------------------------------

    def refuse(self, node: Tree, rest: Any = None) -> Any:
        """Refuse a `yield` where it stands."""
        found = next((one for one in walk(node) if type(one) in YIELDS), node)
        where = "in a `with`" if type(node) is gast.With else "where none can be cut out"
        raise Unframed(found, f"this `yield` stands {where}")

    def enter_last(self, node: Tree, value: Tree) -> bool:
        """Return False: what a generator gives last is no `yield`."""
        return False

    def called(self, call: Tree) -> Tree:
        """Give an item, and go on in a block of its own with what is sent."""
        if type(call) is gast.YieldFrom:
            return self.delegated(call)
        value = expression("None", at=call) if call.value is None else self.value(call.value)
        resume = self.block(call)
        self.current += [*self.quoted("item = x", call, x=value), _Suspend(call, resume)]
        self.current = resume.body
        self.current += self.quoted("if thrown is not None:\n    raise thrown", call)
        return expression("sent", at=call, sent=self.of["sent"])

    def delegated(self, call: Tree) -> Tree:
        """Hand what is sent and thrown on to another iterator, until that has ended."""
        source, got = self.names.fresh("source"), self.names.fresh("got")
        begin = "source = iter(x)\nsent = None\nthrown = None"
        self.current += self.quoted(begin, call, source=source, x=self.value(call.value))
        head, rest = self.block(call), self.block(call)
        self.current.append(Goto(call, head))
        self.current = head.body
        step = "got = delegate(source, sent, thrown)"
        called = expression("None", at=call)
        called.value = self.delegate
        self.current += self.quoted(step, call, got=got, source=source, delegate=called)
        arms = self.quoted("if got[0]:\n    pass\nelse:\n    item = got[1]", call, got=got)[0]
        arms.body = [Goto(call, rest)]
        arms.orelse.append(_Suspend(call, head))
        self.current.append(arms)
        self.current = rest.body
        return expression("got[1]", at=call, got=got)

    def visit_For(self, node: Any, rest: Follow) -> bool:
        """Write a `yield from` as one again, since it hands on what is sent."""
        match getattr(node, "comment", None):
            case gast.Expr(value=gast.YieldFrom()):
                marked = gast.YieldFrom(value=node.iter)
                marked.__dict__.update(self.quoted("x", node, x=node.iter)[0].__dict__)
                self.delegated(marked)
                return False
        return super().visit_For(node, rest)

    # -- writing ------------------------------------------------------------------------------

    def written(self, block: Block) -> list[Tree]:
        """Return the statements of a block in its `try`s."""
        body = self.ended(block.body) or self.quoted("pass")
        return self.in_guards(block, body, self.numbers, self.of["block"])

    def ended(self, body: list[Tree]) -> list[Tree]:
        """Return statements with their jumps, items and returns written out."""
        found: list[Tree] = []
        for node in body:
            match node:
                case Goto(block=block):
                    found += self.quoted(f"block = {self.numbers[block]}", node.at)
                    if type(node) is _Suspend:
                        found += self.quoted("going = False", node.at)
                case Leave():
                    code = "value = x\nended = True\ngoing = False"
                    found += self.quoted(code, node.at, x=copied(node.value))
                case gast.If():
                    node.body = self.ended(node.body) or self.quoted("pass", node)
                    node.orelse = self.ended(node.orelse)
                    found.append(node)
                case _:
                    found.append(node)
        return found
