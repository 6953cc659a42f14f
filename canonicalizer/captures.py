"""Functions inside a recursive one, which read names of the call that they are made in.

All calls share the names of one function, so that such a function would read what another call has
left there.  Where the name is bound once in a call, outside of loops, it holds the value already
where the function is made, which takes it along:

    def f(n):                              def f(n):
        k = n % 3                              k = n % 3
        key = lambda v: v * k                  key = lambda v, *, k_1=k: v * k_1
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import gast

from .comprehensions import function_of
from .forms import body_of
from .frame_names import rename
from .names import Names, bound_by
from .scopes import kind_of, own_nodes
from .walking import by_type, replace_children, walk

__all__ = ["everything", "take_along", "taken_again"]

Tree = Any
INNER = (gast.FunctionDef, gast.Lambda)
LOOPS = (gast.For, gast.While)


def take_along(tree: Tree, shared: frozenset[str], names: Names) -> None:
    """Let the functions in a function take along what they read of it, where that is possible.

    A lambda that is given a name becomes a function of that name.

    Args:
        tree: The function.
        shared: Its names that hold the same in all calls.
        names: Makes the names of the parameters that take it.
    """
    once = _bound_once(tree)
    within = {node.target.id for node in by_type(tree)[gast.NamedExpr]}

    def defined(node: Tree) -> Tree:
        """Define a function where a lambda gets a name."""
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Lambda()):
                return function_of(node.value, name)
        if type(node) not in (*INNER, gast.ClassDef):
            replace_children(node, defined)
        return node

    replace_children(tree, defined)
    for node in own_nodes(tree):
        if type(node) in INNER:
            read = _read(node) & (kind_of(tree).locals - shared)
            if hasattr(node, "comprehension") and read & within:
                continue  # the statement that it stands in binds some
            if read <= once - {getattr(node, "name", "")}:
                table = {name: names.fresh(name) for name in sorted(read)}
                for name, taken in table.items():
                    node.args.kwonlyargs.append(_name(taken, gast.Param(), node))
                    node.args.kw_defaults.append(_name(name, gast.Load(), node))
                _rename_body(node, table)


def taken_again(tree: Tree, shared: frozenset[str]) -> dict[str, Tree]:
    """Return the functions in a function that may be made again wherever they are read.

    One place defines each.  Either it reads nothing of the call but what it takes along, which is
    bound once, outside of loops, as it is itself; or it is only called, so that it reads in its own
    call what the names hold there, as Python does.
    """
    once, own = _bound_once(tree), kind_of(tree).locals - shared
    bound = Counter(name for node in own_nodes(tree) for name in bound_by(node))
    called = {id(node.func) for node in everything(tree) if type(node) is gast.Call}
    passed = {
        node.id
        for node in everything(tree)
        if type(node) is gast.Name and type(node.ctx) is gast.Load and id(node) not in called
    }
    return {
        node.name: node
        for node in own_nodes(tree)
        if type(node) is gast.FunctionDef
        and bound[node.name] == 1
        and not node.decorator_list
        and _defaults_are(once, node)
        and (
            node.name in once and not _read(node) & own
            if node.name in passed
            else _reads_at_once(node)
        )
    }


def everything(tree: Tree) -> Iterator[Tree]:
    """Yield the nodes of a function, and those of comprehensions that are written out in it."""
    for node in walk(tree):
        yield node
        if hasattr(node, "inlined"):
            for statement in node.inlined.body:
                yield from everything(statement)


def _reads_at_once(node: Tree) -> bool:
    """Tell whether a function reads nothing after its end: it makes no other, and no generator."""
    inside = (one for part in node.body for one in walk(part))
    return not kind_of(node).generator and not any(type(one) in INNER for one in inside)


def _defaults_are(once: set[str], node: Tree) -> bool:
    defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
    return all(
        type(one) is gast.Constant or (type(one) is gast.Name and one.id in once)
        for one in defaults
    )


def _bound_once(tree: Tree) -> set[str]:
    """Return the names of a function that one place binds, in no loop."""
    count = Counter(name for node in own_nodes(tree) for name in bound_by(node))
    count.update(node.id for node in walk(tree.args) if type(node) is gast.Name)
    looped = {
        name
        for loop in own_nodes(tree)
        if type(loop) in LOOPS
        for node in walk(loop)
        for name in bound_by(node)
    }
    declared = {name for node in by_type(tree)[gast.Nonlocal] for name in node.names}
    caught = {
        getattr(node.name, "id", node.name)
        for node in own_nodes(tree)
        if type(node) is gast.ExceptHandler
    }
    return {name for name, times in count.items() if times == 1} - looped - declared - caught


def _read(function: Tree) -> set[str]:
    """Return the names that a function reads of those around it, or may read."""
    inside = (node for part in body_of(function) for node in walk(part))
    found = {node.id for node in inside if type(node) is gast.Name}
    return found - kind_of(function).locals


def _rename_body(function: Tree, table: dict[str, str]) -> None:
    if type(function) is gast.Lambda:
        holder = gast.Expr(function.body)
        rename(holder, table)
        function.body = holder.value
    else:
        rename(gast.Module(body=function.body, type_ignores=[]), table)


def _name(name: str, context: Tree, at: Tree) -> Tree:
    made = gast.Name(name, context, None, None)
    made.__dict__.update(lineno=at.lineno, col_offset=at.col_offset)
    return made
