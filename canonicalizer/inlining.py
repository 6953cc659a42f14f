"""Comprehensions with calls of a group's members in them, to be written out where they stand.

    def listcomp(iterable):               result = []
        result = []                       for x in xs:
        for x in iterable:                    result.append(member(x))
            result.append(member(x))      y = result
        return result
    y = listcomp(xs)

A generator expression is written out as the list of its items where all of them are asked for
before anything else happens, as by `sum`; for `any` and `all` its loops end at the item that
decides.  The call says in an attribute `inlined` what it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gast

from .forms import blocks_of, is_constant
from .frame_names import rename
from .names import Names
from .scopes import kind_of, own_nodes
from .template import template
from .walking import replace_children, replaced, walk

__all__ = ["Inlined", "inlined", "pooled", "without_flags"]

Tree = Any
#: What asks a generator for all its items before anything else happens.
TAKERS = {"dict", "list", "max", "min", "set", "sorted", "sum", "tuple"}
#: What ends at the first item of this truth.
DECIDERS = {"all": False, "any": True}


@dataclass(eq=False)
class Inlined:
    """What a call runs that is written out.

    Attributes:
        body: Its statements.
        result: The name that holds its result then.
        written: What the program calls the names of the comprehension.
    """

    body: list[Tree]
    result: str
    written: dict[str, str]


def inlined(scope: Tree, names: Names, builtin: Callable[[str], bool]) -> list[str]:
    """Note on calls of comprehensions what they run; the functions of these go.

    Calls that wait would hold the lists that they are about to fill.  Such a list is the end of one
    that all calls share, its pool: calls that began later have taken their items off by then.

    Args:
        scope: A function; calls of members in it have an attribute `member`.
        names: Gives new names for those of the comprehensions.
        builtin: Tells whether a name stands for Python's own builtin.

    Returns:
        The names of the pools: empty lists at first.
    """
    pools: list[str] = []
    for function in _comprehensions(scope, names):
        called = list(_calls(scope, function, builtin))
        reads = [node for node in walk(scope) if getattr(node, "id", None) == function.name]
        if len(called) == len(reads) == 1:
            ((call, iterable, decides),) = called
            table = {name: names.fresh(name) for name in sorted(kind_of(function).locals)}
            body = _written(function, decides, names, table)
            pools += pooled(body, names)
            pools += inlined(body, names, builtin)
            first = next(node for node in body.body if type(node) is gast.For)
            first.iter = iterable
            *statements, end = body.body
            written = {new: old for old, new in table.items()}
            call.inlined = Inlined(statements, end.value.id, written)
            _without(scope, function)
    return pools


def pooled(module: Tree, names: Names) -> list[str]:
    """Collect items at the end of a pool, if a list is all that is collected; return its name."""
    first, end = module.body[0], module.body[-1]
    found = end.value.id
    match first:
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.List(elts=[])) if name == found:
            pass
        case _:
            return []
    appended = [
        node.value.func.value
        for node in walk(module)
        if type(node) is gast.Expr and _appends(node.value, found)
    ]
    if len(appended) + 2 != sum(getattr(node, "id", None) == found for node in walk(module)):
        return []
    pool, start = names.fresh("pool"), names.fresh("start")
    for node in appended:
        node.id = pool
    module.body[:1] = template("start = len(pool)", at=first, start=start, pool=pool)
    code = "result = pool[start:]\ndel pool[start:]"
    module.body[-1:-1] = template(code, at=end, result=found, pool=pool, start=start)
    return [pool]


def _appends(node: Tree, name: str) -> bool:
    match node:
        case gast.Call(func=gast.Attribute(value=gast.Name(id=found), attr="append")):
            return bool(found == name)
    return False


def _comprehensions(scope: Tree, names: Names) -> Iterator[Tree]:
    """Yield the functions of a scope that stand for comprehensions and call members."""
    made = names.scopes[-1].generated_names | set(getattr(scope, "generated_names", ()))
    for node in list(own_nodes(scope)):
        mine = type(node) is gast.FunctionDef and node.name in made
        if mine and any(hasattr(one, "member") for one in walk(node)):
            yield node


def _calls(
    scope: Tree, function: Tree, builtin: Callable[[str], bool]
) -> Iterator[tuple[Tree, Tree, bool | None]]:
    """Yield the call that runs a comprehension, what it goes through, and what ends it."""
    generator = kind_of(function).generator
    takers = set(filter(builtin, {*TAKERS, *DECIDERS}))
    inside = (node for node in walk(scope) if type(node) is gast.Nonlocal)
    stable = kind_of(scope).locals.difference(*(node.names for node in inside))
    for node in own_nodes(scope):
        match node:
            case gast.Call(func=gast.Name(id=name), args=[first]) if (
                name == function.name and not generator
            ):
                yield node, first, None
            case gast.Call(
                func=gast.Name(id=taker),
                args=[
                    gast.Call(func=gast.Name(id=name), args=[gast.Call(args=[first])]) as made,
                    *others,
                ],
                keywords=named,
            ) if (
                name == function.name
                and generator
                and taker in takers
                and all(map(is_constant, others))
                and all(_waits(one, taker, stable) for one in named)
            ):
                decides = DECIDERS.get(taker)
                yield (made if decides is None else node), first, decides


def _waits(given: Tree, taker: str, stable: set[str]) -> bool:
    """Tell whether an argument of a taker does nothing before it has all items.

    Args:
        given: The argument, by its name.
        taker: What it is given to.
        stable: The names that calls leave as they are.
    """
    match given:
        case gast.keyword(arg="key", value=gast.Lambda()):
            return taker == "sorted"
        case gast.keyword(arg=str(arg), value=gast.Name(id=name)):
            return name in stable and (arg != "key" or taker == "sorted")
        case gast.keyword(arg=str(), value=gast.Constant()):
            return True
    return False


def _written(function: Tree, decides: bool | None, names: Names, table: dict[str, str]) -> Tree:
    """Return a comprehension's statements, with names of their own, that end in a return."""
    body = [node for node in function.body if type(node) is not gast.Nonlocal]
    module = gast.Module(body=body, type_ignores=[])
    rename(module, table)
    if kind_of(function).generator:
        closed = next(table[node.closed] for node in own_nodes(module) if type(node) is gast.Yield)
        _collect(module, names.fresh("found"), closed, decides, function)
    return module


def _collect(module: Tree, result: str, closed: str, decides: bool | None, at: Tree) -> None:
    """Write something else in the place of each `yield` of a generator, and return it."""
    start = "result = []" if decides is None else f"result = {not decides}"
    code = "result.append(value)"
    if decides is not None:
        test = "value" if decides else "not value"
        code = f"if {test}:\n    result = {decides}\n    closed = True"

    def each(node: Tree) -> Any:
        if type(node) is gast.FunctionDef:
            return node
        if type(node) is gast.Expr and type(node.value) is gast.Yield:
            return template(code, at=node, result=result, closed=closed, value=node.value.value)
        replace_children(node, each)
        return node

    replace_children(module, each)
    if decides is None:
        without_flags(module)
    module.body[:0] = template(start, at=at, result=result)
    module.body[-1:] = template("return result", at=at, result=result)


def without_flags(module: Tree) -> None:
    """Drop names that are False wherever they are assigned, and what is done where they are not."""
    while flags := _flags(module):

        def each(node: Tree, flags: set[str] = flags) -> Any:
            match node:
                case gast.FunctionDef():
                    return node
                case gast.Assign(targets=[gast.Name(id=name)]) if name in flags:
                    return []
                case gast.If(test=gast.Name(id=name)) if name in flags:
                    return replaced(node.orelse, each)
                case gast.If(test=gast.UnaryOp(op=gast.Not(), operand=gast.Name(id=name))) if (
                    name in flags
                ):
                    return replaced(node.body, each)
            replace_children(node, each)
            return node

        replace_children(module, each)


def _flags(module: Tree) -> set[str]:
    """Return the names that are False wherever they are assigned, and read as a test alone."""
    found: dict[str, bool] = {}
    tests: set[int] = set()
    for node in own_nodes(module):
        match node:
            case (
                gast.If(test=gast.Name() as test)
                | gast.If(test=gast.UnaryOp(op=gast.Not(), operand=gast.Name() as test))
            ):
                tests.add(id(test))
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                false = getattr(value, "value", None) is False
                found[name] = found.get(name, True) and false
            case gast.Name(id=name, ctx=gast.Load()) if id(node) not in tests:
                found[name] = False
    return {name for name, false in found.items() if false}


def _without(scope: Tree, function: Tree) -> None:
    """Take a function away from where it is defined."""
    todo = [scope]
    while todo:
        node = todo.pop()
        for block in blocks_of(node):
            block[:] = [one for one in block if one is not function]
            if not block and block is getattr(node, "body", None):
                block += template("pass", at=function)
            todo += block
