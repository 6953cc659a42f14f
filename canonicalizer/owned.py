"""Arrays that only one name of a recursive function holds: a frame keeps a copy of such a one.

    out = np.zeros(n)                     out_stack.append(out.copy())
    out[:h] = sorted_half(xs[:h])         ...
                                          out = out_stack.pop().copy()
                                          out[:h] = result

What waits in a frame is in a list, and a list that holds an array sees what is written to it later.
Here nothing is written while it waits, and after that nobody else has the array.  So the copies are
the array itself, for all that the program can tell, and may be written to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import gast

from .forms import blocks_of
from .names import bound_by
from .scopes import own_nodes, parameters_of
from .walking import walk

__all__ = ["owned"]

Tree = Any
#: What an array may be asked for that holds nothing of it.
SIZES = {"dtype", "ndim", "shape", "size"}
METHODS = {"all", "any", "argmax", "argmin", "copy", "item", "max", "mean", "min", "sum", "tolist"}
NUMBERS = {"bool", "float", "int", "len"}


def owned(tree: Tree, makes: Callable[[Tree], bool], builtin: Callable[[str], bool]) -> set[str]:
    """Return the names that hold new arrays, of which nothing else ever holds one or a view.

    Args:
        tree: A function.
        makes: Tells whether a call is of a function of numpy whose result is a new array.
        builtin: Tells whether a name stands for Python's own builtin.
    """
    made: set[str] = set()
    fine: Counter[str] = Counter()
    numbers = set(filter(builtin, NUMBERS))
    for node in own_nodes(tree):
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if _calls(value, makes):
                made.add(name)
                fine[name] += 1
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name))]):
                fine[name] += 1
            case gast.AugAssign(target=gast.Name(id=name)) | gast.Return(value=gast.Name(id=name)):
                fine[name] += 1
        fine.update(_read(node, makes, numbers))
    fine.update(_augmented(tree))
    fine.update(_returned(tree))
    count = Counter(name for node in walk(tree) for name in _named(node))
    return {name for name in made if fine[name] == count[name]} - set(parameters_of(tree.args))


def _read(node: Tree, makes: Callable[[Tree], bool], numbers: set[str]) -> Iterator[str]:
    """Yield the names of arrays that a node reads, and keeps nothing of."""
    parts: list[Tree] = []
    match node:
        case gast.BinOp(left=left, right=right):
            parts = [left, right]
        case gast.Compare(left=left, comparators=others):
            parts = [left, *others]
        case gast.UnaryOp(operand=operand):
            parts = [operand]
        case gast.Call(func=gast.Name(id=name), args=[one], keywords=[]) if name in numbers:
            parts = [one]
        case gast.Call(func=gast.Attribute(value=held, attr=name)) if name in METHODS:
            parts = [held]
        case gast.Attribute(value=held, attr=name, ctx=gast.Load()) if name in SIZES:
            parts = [held]
    if _calls(node, makes):
        for one in node.args:
            parts += getattr(one, "elts", [one])
    for part in parts:
        while type(part) is gast.Subscript:
            part = part.value
        if type(part) is gast.Name:
            yield part.id


def _calls(node: Tree, makes: Callable[[Tree], bool]) -> bool:
    return type(node) is gast.Call and makes(node)


def _augmented(tree: Tree) -> Iterator[str]:
    """Yield the arrays whose items change in place: `x = a[i]`, `x += 1`, `a[i] = x`."""
    todo = [tree]
    while todo:
        for block in blocks_of(todo.pop()):
            todo += block
            for three in zip(block, block[1:], block[2:], strict=False):
                match three:
                    case (
                        gast.Assign(
                            targets=[gast.Name(id=held)],
                            value=gast.Subscript(value=gast.Name(id=name)),
                        ),
                        gast.AugAssign(target=gast.Name(id=changed)),
                        gast.Assign(
                            targets=[gast.Subscript(value=gast.Name(id=other))],
                            value=gast.Name(id=last),
                        ),
                    ) if held == changed == last and name == other:
                        if held in getattr(tree, "generated_names", ()):
                            yield name


def _returned(tree: Tree) -> Iterator[str]:
    """Yield what is assigned to a name that nothing reads but the return at the end."""
    nodes = list(own_nodes(tree))
    if any(type(node) is gast.Try and node.finalbody for node in nodes):
        return  # it runs in between
    ends = {id(node.value) for node in nodes if type(node) is gast.Return}
    names = [node for node in walk(tree) if type(node) is gast.Name]
    read = {n.id for n in names if type(n.ctx) is not gast.Store and id(n) not in ends}
    last = set(getattr(tree, "generated_names", ())) - read
    for node in nodes:
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Name(id=held)):
                if name in last:
                    yield held


def _named(node: Tree) -> list[str]:
    """Return the names that a node is, binds or declares."""
    match node:
        case gast.Name(id=name):
            return [name]
        case gast.Global(names=names) | gast.Nonlocal(names=names):
            return names  # type: ignore[no-any-return]
    return bound_by(node)
