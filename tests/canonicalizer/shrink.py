"""Makes a failing program small."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["shrunk"]

BLOCKS = ("body", "orelse", "finalbody", "handlers")


def shrunk(source: str, fails: Callable[[str], bool]) -> str:
    """The smallest program that still fails, found by leaving out and unwrapping statements."""
    progress = True
    while progress:
        progress = False
        for candidate in _smaller(source):
            if fails(candidate):
                source, progress = candidate, True
                break
    return source


def _smaller(source: str) -> Iterator[str]:
    tree = ast.parse(source)
    size = sum(len(block) for block in _blocks(tree))
    for index in range(size):
        for change in (_leave_out, _unwrap):
            candidate = copy.deepcopy(tree)
            if change(candidate, index):
                text = ast.unparse(ast.fix_missing_locations(candidate))
                try:
                    compile(text, "<shrunk>", "exec")
                except SyntaxError:
                    continue
                if len(text) < len(source):
                    yield text


def _blocks(tree: ast.AST) -> list[list[Any]]:
    return [
        block
        for node in ast.walk(tree)
        for name in BLOCKS
        if isinstance(block := getattr(node, name, None), list) and block
    ]


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
