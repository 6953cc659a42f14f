"""Counts what is canonical of packages' code: `python -m tests.canonicalizer.real_code FOLDER…`."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gast

from canonicalizer import UnsupportedSyntax, canonical_source_of, canonicalize

from .form import broken_rule

__all__ = ["Function", "folder_of", "functions_of", "main", "problem_of"]

INSTALLED = ("chainer/functions", "chainer/links", "chainercv2")


@dataclass(frozen=True)
class Function:
    """A function or method of a package, with all that is in it."""

    file: Path
    node: Any

    def __str__(self) -> str:
        """The place in the package, and the name."""
        return f"{self.file}:{self.node.lineno} {self.node.name}"


def folder_of(package: str) -> Path:
    """Where an installed package or a part of one lies: `chainer/functions`."""
    folders = (Path(entry, package) for entry in sys.path)
    return next(folder for folder in folders if folder.is_dir())


def functions_of(folder: Path) -> list[Function]:
    """Every function and method below a folder, those in other functions too."""
    found = []
    for file in sorted(folder.rglob("*.py")):
        tree = gast.parse(file.read_text(encoding="utf-8"))
        kinds = gast.FunctionDef | gast.AsyncFunctionDef
        place = Path(folder.name, file.relative_to(folder))
        found += [Function(place, node) for node in gast.walk(tree) if isinstance(node, kinds)]
    return found


def problem_of(function: Function) -> UnsupportedSyntax | None:
    """Why a function is refused, or None.

    Raises:
        AssertionError: it is neither refused with its place nor written in canonical form.
    """
    try:
        canonical = canonicalize(function.node)
    except UnsupportedSyntax as error:
        assert error.lineno is not None and error.col_offset is not None, function
        return error
    assert broken_rule(canonical) is None, function
    assert gast.dump(canonicalize(canonical)) == gast.dump(canonical), function
    compile(canonical_source_of(canonical), str(function.file), "exec")
    return None


def main(folders: list[Path]) -> None:
    """Print the counts of each folder, and the refusals."""
    for folder in folders:
        began = time.monotonic()
        functions = functions_of(folder)
        problems = {function: problem_of(function) for function in functions}
        refused = {function: problem for function, problem in problems.items() if problem}
        forwards = [function for function in functions if function.node.name == "forward"]
        print(
            f"{folder.parent.name}/{folder.name}: {len(functions)} functions, of them "
            f"{len(forwards)} forward: {len(functions) - len(refused)} canonical, "
            f"{len(refused)} refused, {time.monotonic() - began:.0f} s"
        )
        for function, problem in refused.items():
            print(f"  {function}: {problem}")


if __name__ == "__main__":
    main([*map(folder_of, INSTALLED), *map(Path, sys.argv[1:])])
