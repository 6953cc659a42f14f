"""Functions that call themselves or each other, printed as the loop that they become."""

from __future__ import annotations

import builtins
import sys
import types
from typing import Any

import gast

import canonicalizer
from canonicalizer.comprehensions import function_of
from canonicalizer.frames import framed
from canonicalizer.group import Member, calls_of, members_of
from canonicalizer.names import bound_by
from canonicalizer.scopes import kind_of, own_nodes
from canonicalizer.walking import by_type
from elichika.program.source import SourceUnavailable, read_source

__all__ = ["framed_tree"]

Tree = Any
PLAIN = (type(None), bool, int, float, complex, str)


def framed_tree(function: types.FunctionType, limit: int) -> Tree:
    """Return a function in canonical form, with a loop where it, or one inside of it, recurses.

    What its calls lead to is read off its names as they are now: functions of its module, and
    methods of its class that are called on its first parameter.

    Raises:
        canonicalizer.UnsupportedSyntax: It is not compiled, or a call stands where it cannot be
            made with frames.
    """
    known: dict[Any, Member] = {}
    member = _member(function, _class_of(function), known)
    _frame_inner(member.tree, limit)
    return framed(member, limit) if _recurs(member) else member.tree


def _recurs(member: Member) -> bool:
    """Whether calls of a function lead back to it."""
    group = members_of(member)
    return any(call.member in group for call in calls_of(member))


def _class_of(function: types.FunctionType) -> Any:
    """Return the class that a method is written in, None for a function."""
    *outer, _ = function.__qualname__.split(".")
    found: Any = sys.modules.get(function.__module__)
    for name in outer:
        found = getattr(found, name, None)
    return found if outer and found is not None else None


def _member(function: types.FunctionType, cls: Any, known: dict[Any, Member]) -> Member:
    """Return a function of a module, or a method, with what its calls lead to."""
    if (function, cls) in known:
        return known[function, cls]
    tree = canonicalizer.canonicalize(read_source(function.__code__).tree)
    if type(tree) is gast.Lambda:
        tree = function_of(tree, "function")
    spec = [node.id for node in (*tree.args.posonlyargs, *tree.args.args)]
    given = dict(zip(spec[::-1], (function.__defaults__ or ())[::-1], strict=False))
    defaults = given | (function.__kwdefaults__ or {})
    plain = {name: value for name, value in defaults.items() if type(value) in PLAIN}
    member = known[function, cls] = Member(tree, plain)
    bound = {name for node in own_nodes(tree) for name in bound_by(node)}

    def callee(call: Any) -> tuple[Member, list[Tree]] | None:
        match call.func:
            case gast.Name(id=name) if name not in kind_of(tree).locals:
                return reached(function.__globals__.get(name), None, [])
            case gast.Attribute(value=gast.Name(id=name) as receiver, attr=attr):
                if cls is not None and spec[:1] == [name] and name not in bound:
                    return reached(getattr(cls, attr, None), cls, [receiver])
        return None

    def reached(found: Any, of: Any, receiver: list[Tree]) -> tuple[Member, list[Tree]] | None:
        match found:
            case types.FunctionType(__module__=module) if module == function.__module__:
                pass
            case _:
                return None
        try:
            return _member(found, of, known), receiver
        except (SourceUnavailable, canonicalizer.UnsupportedSyntax):
            return None

    member.callee = callee
    member.builtin = lambda name: hasattr(builtins, name) and name not in function.__globals__
    return member


def _frame_inner(scope: Tree, limit: int) -> None:
    """Write loops where functions inside of a scope call themselves or each other."""
    own = {id(node) for node in own_nodes(scope)}
    inner = {node.name: node for node in by_type(scope)[gast.FunctionDef] if id(node) in own}
    members: dict[str, Member] = {}

    def callee(call: Any) -> tuple[Member, list[Tree]] | None:
        match call.func:
            case gast.Name(id=name) if name in members:
                return members[name], []
        return None

    for name, node in inner.items():
        members[name] = Member(node, _constants(node), callee)
        node.generated_names = frozenset(getattr(node, "generated_names", ()))
    recursive = {name: member for name, member in members.items() if _recurs(member)}
    made = {name: framed(member, limit) for name, member in recursive.items()}
    for name, loop in made.items():
        inner[name].body = loop.body
    for name in inner.keys() - made.keys():
        _frame_inner(inner[name], limit)


def _constants(node: Tree) -> dict[str, Any]:
    """Return the plain values that parameters of a function inside have by default."""
    names = [one.id for one in (*node.args.posonlyargs, *node.args.args)]
    found = {}
    for name, default in zip(names[::-1], node.args.defaults[::-1], strict=False):
        match default:
            case gast.Constant(value=value):
                found[name] = value
    return found
