"""A name that a call may read before it has set it: a flag says whether it has.

    def f(n):                             def f(n):
        for i in range(n):                    found = None
            found = f(n - 1 - i)              found_is_set = False
        return found                          for i in range(n):
                                                  found = f(n - 1 - i)
                                                  found_is_set = True
                                              if not found_is_set:
                                                  raise UnboundLocalError(...)
                                              return found

All calls of a group share the names of one function: what one call leaves unset would have the
value of another one.  Where something is evaluated before the name is read, the test stands
between the two: the name is marked, and `linear.py` writes the test.
"""

from __future__ import annotations

import builtins
import sys
from typing import Any

import gast

from .forms import blocks_of, body_of, caught_as, names_in, walruses_in
from .names import Names
from .scopes import kind_of, own_nodes
from .template import expression, template
from .walking import children, walk

__all__ = ["flagged", "tested"]

Tree = Any
SCOPES = (gast.FunctionDef, gast.Lambda, gast.ClassDef)
#: Where a marked name may stand.
CUT = (
    *(gast.Assign, gast.AugAssign, gast.Expr, gast.For),
    *(gast.If, gast.Raise, gast.Return, gast.While),
)
#: What holds expressions, and does nothing itself but to evaluate them in turn.
DISPLAYS = (gast.Tuple, gast.List, gast.keyword)
#: What Python says of a name that is not set.
WORDS = (
    "cannot access local variable '{}' where it is not associated with a value"
    if sys.version_info >= (3, 11)
    else "local variable '{}' referenced before assignment"
)


def flagged(tree: Tree, name: str, unset: list[str], names: Names) -> bool:
    """Let a flag of a function say whether a name is set; tell whether that can be.

    Args:
        tree: The function.
        name: The name.
        unset: All such names; of two that a statement reads, the first one is told.
        names: Hands out names.
    """
    if not all(_is_plain(node, name) for node in own_nodes(tree)):
        return False
    inner = (node for node in own_nodes(tree) if type(node) in SCOPES)
    if any(name in names_in(*body_of(node)) for node in inner):
        return False
    flags = _Flags(tree, name, names.fresh(f"{name}_is_set"), set(unset))
    body = flags.block(tree.body, known=False)[0]
    if flags.refused:
        return False
    code = "x = None\nflag = False"
    start = template(code, at=tree, x=name, flag=flags.flag)
    start[0].value.undef = True
    tree.body = [*start, *body]
    return True


def tested(node: Tree) -> list[Tree]:
    """Return what raises where a marked name is not set; it is marked no more."""
    made = _test(node.unset, node)
    del node.unset
    return made


def _test(unset: tuple[str, str], at: Tree) -> list[Tree]:
    flag, told = unset
    code = f"if not flag:\n    raise UnboundLocalError({WORDS.format(told)!r})"
    return template(code, at=at, flag=expression("flag", at=at, flag=flag))


def _is_plain(node: Tree, name: str) -> bool:
    """Whether a node binds a name by an assignment or a loop, if at all."""
    match node:
        case gast.NamedExpr(target=gast.Name(id=bound)):
            return bool(bound != name)
        case gast.Name(id=bound, ctx=gast.Del()):
            return bool(bound != name)
        case gast.With(items=items):
            return all(name not in names_in(i.optional_vars) for i in items if i.optional_vars)
        case gast.ExceptHandler():
            return name not in caught_as(node)
        case gast.FunctionDef() | gast.ClassDef():
            return bool(node.name != name)
        case gast.Global() | gast.Nonlocal():
            return name not in node.names
        case gast.Import() | gast.ImportFrom():
            return all((one.asname or one.name).split(".")[0] != name for one in node.names)
    return True


class _Flags:
    """Goes through the statements of a function, and knows where the name is surely set."""

    def __init__(self, tree: Tree, name: str, flag: str, unset: set[str]) -> None:
        self.name, self.flag = name, flag
        self.unset = flag, getattr(tree, "written", {}).get(name, name)
        self.locals = kind_of(tree).locals - unset
        self.refused = False

    def block(self, body: list[Tree], *, known: bool) -> tuple[list[Tree], bool]:
        """Return statements with tests, and whether the name is set behind them."""
        made: list[Tree] = []
        for node in body:
            before, known = self.read(node, known=known)
            inside = self.within(node, known=known)
            made += [*before, node]
            if self.is_set_by(node):
                made += self.told(node)
            known = known or inside or self.is_set_by(node)
        return made, known

    def told(self, at: Tree) -> list[Tree]:
        """Return what notes that the name is set."""
        return template("flag = True", at=at, flag=self.flag)

    def is_set_by(self, node: Tree) -> bool:
        """Whether a statement is an assignment to the name."""
        match node:
            case gast.Assign(targets=[gast.Name(id=name)]):
                return bool(name == self.name)
        return False

    def within(self, node: Tree, *, known: bool) -> bool:
        """Go through the blocks of a statement; tell whether the name is set behind them."""
        match node:
            case gast.If():
                node.body, one = self.block(node.body, known=known)
                node.orelse, other = self.block(node.orelse, known=known)
                return one and other
            case gast.For(target=gast.Name(id=name)) if name == self.name:
                node.body = self.told(node) + self.block(node.body, known=True)[0]
                return False
            case gast.Try():
                node.body, inside = self.block(node.body, known=known)
                node.orelse = self.block(node.orelse, known=inside)[0]
                for handler in node.handlers:
                    handler.body = self.block(handler.body, known=known)[0]
                node.finalbody = self.block(node.finalbody, known=known)[0]
                return False
            case gast.For() | gast.While() | gast.With():
                node.body = self.block(node.body, known=known)[0]
                return False
        self.refused |= bool(blocks_of(node)) and type(node) not in SCOPES
        return False

    def read(self, node: Tree, *, known: bool) -> tuple[list[Tree], bool]:
        """Return what stands before a statement that reads the name, or mark it where it does."""
        if type(node) in SCOPES or known:
            return [], known
        parts = self.parts(node)
        found = [one for part in parts for one in self.reads(part)]
        changed = type(node) is gast.AugAssign and node.target.id == self.name
        if not found and not changed:
            return [], False
        if changed or (type(node) is not gast.While and self.leads(parts)):
            return _test(self.unset, node), True
        self.refused |= type(node) not in CUT
        for one in found:
            one.unset = self.unset
        return [], type(node) is not gast.While and len(parts) == 1 and _always(parts[0], found)

    def parts(self, node: Tree) -> list[Tree]:
        """Return the expressions of a statement in the order in which they are evaluated."""
        match node:
            case gast.Assign(targets=[target], value=value):
                return [value, *children(target)]
            case gast.For():
                return [node.iter]
        blocks = {id(one) for block in blocks_of(node) for one in block}
        handlers = {id(one) for one in getattr(node, "handlers", ())}
        return [one for one in children(node) if id(one) not in blocks | handlers]

    def reads(self, part: Tree) -> list[Tree]:
        """Return where an expression reads the name."""
        found = []
        for node in walk(part):
            match node:
                case gast.Name(id=name, ctx=gast.Load()) if name == self.name:
                    found.append(node)
            if hasattr(node, "inlined"):  # it is another error there
                self.refused |= self.name in names_in(*node.inlined.body)
        self.refused |= self.name in walruses_in(part)
        return found

    def leads(self, parts: list[Tree]) -> bool:
        """Whether nothing that could be noticed is evaluated before the name is read."""
        for part in parts:
            found = self.first(part)
            if found is not None:
                return found
        return False

    def first(self, node: Tree) -> bool | None:
        """Whether a read of the name comes first here; None if nothing happens at all."""
        match node:
            case gast.Name(id=name):
                return True if name == self.name else self.nothing(name)
            case gast.Constant():
                return None
            case gast.Dict():
                return False  # its keys and values are evaluated in turn
            case gast.BoolOp(values=[one, *_]) | gast.IfExp(test=one):
                return bool(self.first(one))
            case gast.Lambda() | gast.NamedExpr():
                return False
        if hasattr(node, "inlined"):
            return False
        for one in children(node):
            found = self.first(one)
            if found is not None:
                return found
        return None if type(node) in DISPLAYS else False

    def nothing(self, name: str) -> bool | None:
        """None where a name is read without fail, else False."""
        return None if name in self.locals or hasattr(builtins, name) else False


def _always(part: Tree, found: list[Tree]) -> bool:
    """Whether one of some reads is evaluated whenever an expression is."""
    todo, reads = [part], set(map(id, found))
    while todo:
        node = todo.pop()
        if id(node) in reads:
            return True
        match node:
            case gast.BoolOp(values=[one, *_]) | gast.IfExp(test=one):
                todo.append(one)
            case gast.Lambda():
                pass
            case _:
                todo += children(node)
    return False
