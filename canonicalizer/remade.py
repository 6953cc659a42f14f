"""Functions inside a recursive one that may be made again: each is, just before it is read.

    def listcomp(iterable): …             if len(l) < 2:
    if len(l) < 2:                            (return l)
        (return l)                        else:
    else:                                     def listcomp(iterable): …
        kept = listcomp(l[1:])                kept = listcomp(l[1:])

So none goes from block to block, or from one turn of a loop to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import gast

from .captures import everything, taken_again
from .copies import copied
from .errors import Unframed
from .forms import body_of
from .names import Names, bound_by
from .scopes import kind_of, own_nodes
from .walking import children

__all__ = ["AT_ONCE", "Inner", "in_order", "sunk"]

Tree = Any
Set = frozenset[str]
#: Returns the names that nodes read.
Reads = Callable[..., frozenset[str]]
SCOPES = (gast.FunctionDef, gast.Lambda, gast.ClassDef)
#: What goes through all items of a generator before anything else happens.
AT_ONCE = {"all", "any", "dict", "list", "max", "min", "set", "sorted", "sum", "tuple"}


class Inner:
    """The functions inside those of a group, before these are cut into blocks.

    Attributes:
        functions: Those that may be made again wherever they are read.
        comprehensions: Of these, the ones that stand for comprehensions: they run where they are
            written.
    """

    def __init__(self, trees: list[Tree], unchanging: Set, made: Names, result: str) -> None:
        """Look at the functions inside.

        Args:
            trees: The functions.
            unchanging: The names that nobody assigns.
            made: Has the names that are made for all of them, now and later.
            result: The name that holds the result of a call.

        Raises:
            Unframed: One reads names of the call that it is made in, later on.
        """
        self.own = frozenset(name for tree in trees for name in kind_of(tree).locals)
        self.made, self.result = made, result
        again = (taken_again(tree, unchanging) for tree in trees)
        self.comprehensions = {
            name: node for tree in trees for name, node in self._comprehensions(tree).items()
        }
        found = {name: node for one in again for name, node in one.items()}
        self.functions = {**found, **self.comprehensions}
        self._captured = {name: self._captured_by(node) for name, node in self.functions.items()}
        for tree in trees:
            self._refuse_captured(tree, unchanging)

    @property
    def names(self) -> Set:
        """The names of the functions, and those that are made for them."""
        return self.own.union(self.made.scopes[-1].generated_names, {self.result})

    def reads(self, *nodes: Tree) -> Set:
        """Return the names that are read inside of nodes."""
        found = todo = self._own_reads(nodes, self.names)
        while todo := todo & self.functions.keys():
            todo = frozenset[str]().union(*(self._captured[name] for name in todo)) - found
            found |= todo
        return found

    def _captured_by(self, function: Tree) -> Set:
        inside = self._own_reads(body_of(function), self.names) - kind_of(function).locals
        if not hasattr(function, "args"):
            return inside
        return inside | self._own_reads([function.args], self.names)

    def _own_reads(self, nodes: Iterable[Tree], names: Set) -> Set:
        found: set[str] = set()
        for node in nodes:
            match node:
                case gast.Name(ctx=gast.Load() | gast.Del(), id=name):
                    found.add(name)
                case gast.AugAssign(target=gast.Name(id=name)):
                    found.add(name)
                case gast.Lambda():
                    found |= self._captured_by(node)
                    continue
            found |= self._own_reads(children(node), names)
        return frozenset(found & names)

    def _comprehensions(self, tree: Tree) -> dict[str, Tree]:
        """Return the functions inside that stand for comprehensions, which run at once."""
        made = self.made.scopes[-1].generated_names
        return {
            node.name: node
            for node in _own_and_inlined(tree)
            if type(node) is gast.FunctionDef
            and node.name in made
            and (not kind_of(node).generator or _runs_at_once(node.name, tree))
        }

    def _refuse_captured(self, tree: Tree, unchanging: Set) -> None:
        """Refuse a function inside that reads names of the call it is made in, later on."""
        nodes = list(_own_and_inlined(tree))
        own = kind_of(tree).locals.union(*map(bound_by, nodes)) - unchanging
        inlined = (node.inlined.written for node in nodes if hasattr(node, "inlined"))
        written = {new: old for table in inlined for new, old in table.items()}
        at_once = {id(one) for node in nodes for one in _keys(node)}
        for node in nodes:
            if type(node) not in SCOPES or id(node) in at_once:
                continue
            if self.functions.get(getattr(node, "name", "")) is node:
                continue
            inside = (self._own_reads(body_of(node), self.names) - kind_of(node).locals) & own
            if inside:
                name = written.get(min(inside), min(inside))
                why = f"this function reads `{name}` of the call around it"
                raise Unframed(node, why)


def _own_and_inlined(scope: Tree) -> Iterator[Tree]:
    """Yield the nodes of a scope, and those of comprehensions that are written out in it."""
    for node in own_nodes(scope):
        yield node
        if hasattr(node, "inlined"):
            yield from _own_and_inlined(gast.Module(body=node.inlined.body, type_ignores=[]))


def _keys(call: Tree) -> list[Tree]:
    """Return the function that a call asks for the keys of items, and forgets."""
    match call:
        case gast.Call(func=gast.Name(id=taker), keywords=[gast.keyword(arg="key", value=key)]) if (
            taker in AT_ONCE
        ):
            return [key]
    return []


def _runs_at_once(name: str, tree: Tree) -> bool:
    """Whether a generator is made for what goes through all of it."""
    for node in everything(tree):
        match node:
            case gast.Call(
                func=gast.Name(id=taker), args=[gast.Call(func=gast.Name(id=called))]
            ) if called == name:
                return taker in AT_ONCE
    return False


def sunk(body: list[Tree], functions: dict[str, Tree], reads: Reads) -> list[Tree]:
    """Return statements in which functions are made as late as may be, or not at all.

    Args:
        body: The statements of a block; the last one may be an end.
        functions: The functions that may be made again.
        reads: Returns the names that expressions and statements read.
    """
    made: list[Tree] = []
    for node in reversed(body):
        name = getattr(node, "name", "")
        if type(node) is gast.FunctionDef and functions.get(name) is not None:
            made = _put(node, made, reads)
            continue
        if type(node) is gast.If:
            node.body = sunk(node.body, functions, reads)
            node.orelse = sunk(node.orelse, functions, reads)
        made.insert(0, node)
    return made


def _put(function: Tree, body: list[Tree], reads: Reads) -> list[Tree]:
    """Return statements with a function put before the first one that reads it."""
    readers = [i for i, node in enumerate(body) if function.name in reads(node)]
    if not readers:
        return body
    first = body[readers[0]]
    if type(first) is gast.If and len(readers) == 1 and function.name not in reads(first.test):
        first.body = _put(copied(function), first.body, reads)
        first.orelse = _put(copied(function), first.orelse, reads)
        return body
    return [*body[: readers[0]], function, *body[readers[0] :]]


def in_order(names: frozenset[str], functions: dict[str, Tree], reads: Reads) -> list[Tree]:
    """Return functions by their names, each behind those that it reads."""
    found: dict[str, Tree] = {}

    def put(name: str, around: frozenset[str]) -> None:
        inside = reads(functions[name]) & functions.keys()
        for one in sorted(inside - around - {name}):
            put(one, around | {name})
        found.setdefault(name, functions[name])

    for name in sorted(names):
        put(name, frozenset())
    return list(found.values())
