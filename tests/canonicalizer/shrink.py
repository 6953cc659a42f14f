"""Makes a failing program small."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any

__all__ = ["shrunk"]

BLOCKS = ("body", "orelse", "finalbody", "handlers")
Change = Callable[[ast.AST, int], bool]


def shrunk(source: str, fails: Callable[[str], bool], expressions: bool = False) -> str:
    """The smallest program that still fails.

    Statements are left out and unwrapped; with `expressions`, these are replaced by their parts
    as well.
    """
    while True:
        before = source
        source = _pass(source, fails, (_leave_out, _unwrap), _count_statements)
        if expressions:
            source = _pass(source, fails, (_to_part, _to_other_part), _count_expressions)
        if source == before or not expressions:
            return source


def _pass(
    source: str,
    fails: Callable[[str], bool],
    changes: tuple[Change, ...],
    count: Callable[[ast.AST], int],
) -> str:
    """Try each change at each place, going on from where one helped, until none does."""
    index = quiet = 0
    while quiet < (size := count(ast.parse(source))):
        for change in changes:
            candidate = _changed(source, change, index % size)
            if candidate is not None and fails(candidate):
                source, quiet = candidate, -1
                break
        else:
            index += 1
        quiet += 1
    return source


def _changed(source: str, change: Change, index: int) -> str | None:
    """The program after a change, or None where that gives no smaller program."""
    tree = ast.parse(source)
    if not change(tree, index):
        return None
    text = ast.unparse(ast.fix_missing_locations(tree))
    try:
        compile(text, "<shrunk>", "exec")
    except SyntaxError:
        return None
    return text if len(text) < len(source) else None


def _blocks(tree: ast.AST) -> list[list[Any]]:
    return [
        block
        for node in ast.walk(tree)
        for name in BLOCKS
        if isinstance(block := getattr(node, name, None), list) and block
    ]


def _count_statements(tree: ast.AST) -> int:
    return sum(len(block) for block in _blocks(tree))


def _find(tree: ast.AST, index: int) -> tuple[list[Any], int]:
    for block in _blocks(tree):
        if index < len(block):
            return block, index
        index -= len(block)
    raise IndexError(index)


def _leave_out(tree: ast.AST, index: int) -> bool:
    block, place = _find(tree, index)
    if isinstance(block[place], ast.Pass):
        return False
    removed = block.pop(place)
    if not block and isinstance(removed, ast.stmt):
        block.append(ast.Pass())
    return True


def _unwrap(tree: ast.AST, index: int) -> bool:
    block, place = _find(tree, index)
    inner = [line for name in BLOCKS[:3] for line in getattr(block[place], name, ())]
    kept = isinstance(block[place], ast.excepthandler | ast.FunctionDef)
    if not inner or kept:
        return False
    block[place : place + 1] = inner
    return True


def _places(tree: ast.AST) -> list[tuple[Any, str, int | None]]:
    """Where expressions stand: a node, its field, and the place in a list of expressions."""
    found: list[tuple[Any, str, int | None]] = []
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                found.append((node, name, None))
            elif isinstance(value, list) and value and isinstance(value[0], ast.expr):
                found += [(node, name, index) for index in range(len(value))]
    return found


def _count_expressions(tree: ast.AST) -> int:
    return len(_places(tree))


def _to_part(tree: ast.AST, index: int) -> bool:
    """Leave an item of a tuple or list out, or put the first part of an expression in its place."""
    node, name, place = _places(tree)[index]
    if place is not None and isinstance(node, ast.Tuple | ast.List) and len(node.elts) > 1:
        del node.elts[place]
        return True
    return _replace(node, name, place, 0)


def _to_other_part(tree: ast.AST, index: int) -> bool:
    """Put the last part of an expression in its place."""
    node, name, place = _places(tree)[index]
    return _replace(node, name, place, -1)


def _replace(node: Any, name: str, place: int | None, which: int) -> bool:
    value = getattr(node, name)
    old = value if place is None else value[place]
    parts = [part for part in ast.iter_child_nodes(old) if isinstance(part, ast.expr)]
    if not parts:
        return False
    new = copy.deepcopy(parts[which])
    if place is None:
        setattr(node, name, new)
    else:
        value[place] = new
    return True
