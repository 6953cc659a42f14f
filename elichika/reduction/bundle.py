"""One file of several: what a program imports from files beside it becomes part of it."""

from __future__ import annotations

import ast
from pathlib import Path

__all__ = ["bundled"]


def bundled(source: str, folder: Path) -> str:
    """Return a program with `from neighbour import …` replaced by what the neighbour says.

    What it imports by another name, or as a whole module, stays an import.
    """
    body: list[ast.stmt] = []
    _add(ast.parse(source).body, folder, body, set())
    first = [node for node in body if _is_future(node)][:1]
    rest = [node for node in body if not _is_future(node)]
    return ast.unparse(ast.Module([*first, *rest], [])) + "\n"


def _add(found: list[ast.stmt], folder: Path, body: list[ast.stmt], seen: set[Path]) -> None:
    for node in found:
        path = _neighbour(node, folder)
        if path is None:
            body.append(node)
        elif path not in seen:
            seen.add(path)
            _add(ast.parse(path.read_bytes()).body, path.parent, body, seen)


def _neighbour(node: ast.stmt, folder: Path) -> Path | None:
    """Return the file that an import takes names from, if it lies beside the program."""
    match node:
        case ast.ImportFrom(module=str(module), names=names) if not any(n.asname for n in names):
            path = folder.joinpath(*module.split(".")).with_suffix(".py")
            return path if path.is_file() else None
    return None


def _is_future(node: ast.stmt) -> bool:
    return type(node) is ast.ImportFrom and node.module == "__future__"
