"""Ways to make a program smaller, one idiom a function.

Each takes a tree and yields steps, largest first; a step makes another tree and leaves the given
one as it is. Whether the result still means anything is for the caller to find out, by running it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from functools import partial
from typing import Any

from elichika.reduction.calls import (
    inlined_functions,
    inlined_objects,
    known_parameters,
    promoted_classes,
    renamed_classes,
    without_parameters,
)
from elichika.reduction.trees import FUNCTIONS, Edit, Path, Step, at, places, put

__all__ = ["COARSE", "FINE"]

BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try)
BODIES = ("body", "orelse", "finalbody")
LISTS = ("decorator_list", "args", "keywords", "elts", "generators", "bases", "values")
"""Fields whose items may be absent, one by one."""


def without_statements(tree: ast.Module) -> Iterator[Step]:
    """Drop runs of statements: all of a body but its half, its quarters, each one."""
    for path, node in places(tree):
        for field in BODIES:
            body = getattr(node, field, None)
            if type(body) is not list or not body or _is_empty(body):
                continue
            length = len(body)
            while length:
                for start in range(0, len(body), length):
                    yield partial(_cut, tree, path, field, start, start + length)
                length //= 2


def _is_empty(body: list[ast.stmt]) -> bool:
    return len(body) == 1 and type(body[0]) is ast.Pass


def _cut(tree: ast.Module, path: Path, field: str, start: int, stop: int) -> ast.Module:
    changed = copy.deepcopy(tree)
    owner = at(changed, path)
    body = getattr(owner, field)
    del body[start:stop]
    if not body and field == "body" and type(owner) is not ast.Module:
        body.append(ast.Pass())
    if not body and field == "finalbody" and not owner.handlers:
        body.append(ast.Pass())
    return ast.fix_missing_locations(changed)


def without_blocks(tree: ast.Module) -> Iterator[Step]:
    """Put the statements of a block in the place of the `if`, `for`, `while`, `with` or `try`."""
    for path, node in places(tree):
        if type(node) not in BLOCKS:
            continue
        for field in BODIES:
            if body := getattr(node, field, None):
                yield partial(put, tree, path, *body)
        for handler in getattr(node, "handlers", ()):
            yield partial(put, tree, path, *handler.body)


def without_parts(tree: ast.Module) -> Iterator[Step]:
    """Drop what may be absent: decorators, annotations, defaults, arguments, elements, bases."""
    for path, node in places(tree):
        name, index = path[-1] if path else ("", None)
        if index is not None and name in LISTS:
            owner = at(tree, path[:-1])
            if type(owner) not in (ast.arguments, ast.Dict) and not _is_last(owner, name):
                yield partial(put, tree, path)
        elif name == "returns" or (name == "annotation" and "arg" in at(tree, path[:-1])._fields):
            yield partial(put, tree, path)
        elif type(node) is ast.Dict:
            yield from _shorter_dicts(tree, path, node)
        elif type(node) is ast.withitem and node.optional_vars is not None:
            yield partial(put, tree, (*path, ("optional_vars", None)))
        elif type(node) is ast.alias and len(at(tree, path[:-1]).names) > 1:
            yield partial(put, tree, path)


def _is_last(owner: Any, name: str) -> bool:
    return name in ("generators", "values") and len(getattr(owner, name)) == 1


def _shorter_dicts(tree: ast.Module, path: Path, node: ast.Dict) -> Iterator[Step]:
    for index in range(len(node.keys)):
        keys, values = list(node.keys), list(node.values)
        del keys[index], values[index]
        yield partial(put, tree, path, ast.Dict(keys, values))


def smaller_expressions(tree: ast.Module) -> Iterator[Step]:
    """Put a part of an expression, or a parameter of the function, in the place of the whole."""
    for path, node in places(tree):
        parts = list(_parts(node)) if _is_value(node) else []
        if not parts:
            continue
        for name in _parameters(tree, path):
            yield partial(put, tree, path, ast.Name(name, ast.Load()))
        for part in parts:
            yield partial(put, tree, path, part)


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the operands of an expression; of a call of a method its object, no function."""
    for part in ast.iter_child_nodes(node):
        match node, part:
            case ast.Call(func=ast.Attribute(value=value) as called), _ if part is called:
                yield value
            case ast.Call(func=called), _ if part is called:
                pass
            case _, ast.keyword(value=value) | ast.Starred(value=value):
                yield value
            case _, ast.expr() if _is_value(part):
                yield part


def _is_value(node: ast.AST) -> bool:
    match node:
        case ast.expr():
            return type(getattr(node, "ctx", None)) in (type(None), ast.Load)
    return False


def _parameters(tree: ast.Module, path: Path) -> list[str]:
    """Return the parameters of the function around a place, without that of the object."""
    found: list[str] = []
    for end in range(len(path)):
        node = at(tree, path[: end + 1])
        if type(node) in FUNCTIONS and path[end + 1 : end + 2] != (("args", None),):
            found = [one.arg for one in node.args.args if one.arg != "self"]
    return found


def inlined_names(tree: ast.Module) -> Iterator[Step]:
    """Put what a name is set to in the place of its next use, and drop the name."""
    for path, node in places(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case _:
                continue
        field, index = path[-1]
        assert index is not None
        after = getattr(at(tree, path[:-1]), field)[index + 1 :]
        for number, statement in enumerate(after, index + 1):
            use = _first_use(statement, name)
            if use is not None:
                yield partial(_inlined, tree, path, (*path[:-1], (field, number), *use), value)
                break


def _first_use(statement: ast.stmt, name: str) -> Path | None:
    for place, one in places(statement):
        if type(one) is ast.Name and one.id == name and type(one.ctx) is ast.Load:
            return place
    return None


def _inlined(tree: ast.Module, path: Path, use: Path, value: ast.expr) -> ast.Module:
    return put(put(tree, use, value), path)


def plain_variables(tree: ast.Module) -> Iterator[Step]:
    """Let a name be a Variable of a parameter, in the place of what computes it."""
    for path, node in places(tree):
        if type(node) not in (ast.Assign, ast.For, ast.While, ast.With):
            continue
        stored = [one.id for one in ast.walk(node) if type(one) is ast.Name and not _is_value(one)]
        for name in dict.fromkeys(stored):
            for parameter in _parameters(tree, path):
                made = ast.parse(f"{name} = chainer.Variable({parameter})").body
                yield partial(put, tree, path, *made)


def without_methods(tree: ast.Module) -> Iterator[Step]:
    """Let a name be what a method of it was given: `xs = x` for `xs.append(x)`."""
    for path, node in places(tree):
        match node:
            case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name(id=name)), args=[value])):
                yield partial(put, tree, path, ast.Assign([ast.Name(name, ast.Store())], value))


COARSE: tuple[Edit, ...] = (
    promoted_classes,
    without_statements,
    without_blocks,
    inlined_functions,
    inlined_objects,
    known_parameters,
    without_parameters,
    renamed_classes,
)
FINE: tuple[Edit, ...] = (
    smaller_expressions,
    without_parts,
    without_methods,
    plain_variables,
    inlined_names,
)
"""What is tried where the others have no more to take away."""
