"""Trees of programs: the places of their nodes, and trees with other nodes there."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any

__all__ = [
    "FUNCTIONS",
    "Edit",
    "Path",
    "Step",
    "at",
    "called_name",
    "is_method",
    "places",
    "put",
    "size",
]

Path = tuple[tuple[str, int | None], ...]
Step = Callable[[], ast.Module]
Edit = Callable[[ast.Module], Iterator[Step]]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def size(tree: ast.AST) -> int:
    """Return how many nodes a tree has."""
    return sum(1 for _ in ast.walk(tree))


def places(node: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield each node with the way to it, outer ones first."""
    yield path, node
    for name, value in ast.iter_fields(node):
        for index, item in enumerate(value) if type(value) is list else [(None, value)]:
            if hasattr(item, "_fields"):
                yield from places(item, (*path, (name, index)))


def at(tree: Any, path: Path) -> Any:
    """Return the node at a place."""
    for name, index in path:
        tree = getattr(tree, name)
        tree = tree if index is None else tree[index]
    return tree


def put(tree: ast.Module, path: Path, *made: Any) -> ast.Module:
    """Return a tree with other nodes in the place of one: several, or none, of a list."""
    changed = copy.deepcopy(tree)
    *way, (name, index) = path
    owner = at(changed, tuple(way))
    if index is None:
        setattr(owner, name, made[0] if made else None)
    else:
        getattr(owner, name)[index : index + 1] = copy.deepcopy(list(made))
    for _, node in places(changed):
        if "body" in node._fields and getattr(node, "body", None) == []:
            node.body = [] if type(node) is ast.Module else [ast.Pass()]
    return ast.fix_missing_locations(changed)


def is_method(tree: ast.Module, path: Path) -> bool:
    """Tell whether what is at a place stands in a class."""
    return type(at(tree, path[:-1])) is ast.ClassDef


def called_name(call: ast.Call) -> str | None:
    """Return the name of what is called: a function, or an attribute of whatever object."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return None
