"""Writes `docs/language.md`: Python's and numpy's own lists of names, and what is shown of each.

A name is *compiled* if a program of the tables applies it to values known only when the model runs,
*static* if only to values known before, *refused* if a test holds the message. The suite compiles
and compares every program of the tables, so that a row cannot claim what does not hold.
"""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import inspect
import itertools
import math
import operator
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tests.language import tables
from tests.lowerings.numpy import test_functions, test_indexing, test_walked_functions

PATH = Path(__file__).parents[2] / "docs" / "language.md"
INPUTS = frozenset("xncfl")

HEAD = """# Python and numpy in models

Written by `make docs` from the tables of `tests/language` and `tests/lowerings/numpy`; a test
keeps it up to date.

- *compiled*: works on values that are known only when the model runs; it becomes operators of the
  model.
- *static*: works only if all its operands are known while compiling; Python itself runs it then.
- *refused*: compiling ends with an error that names it and your line.
- A dash: no test uses it, so nothing is claimed.

An int that is known only when the model runs is an int64. Where Python's would grow beyond that,
the model fails. It also fails at `2 ** n` with a negative `n`, and at `d[k] = v` where `k` is a
number known only when the model runs, the keys of the dict that are known while compiling are
not all of its type, and `k` is none of them.

An object of the program that changes itself while it gives its items is refused where `zip`,
`enumerate`, `map`, `any`, `all` or `next` ask it. A `try` of the program never catches a
limit of the compiler.

`np.linalg.svd`, `eig`, `eigh`, `qr`, `lstsq` and the functions that use them (`pinv`,
`matrix_rank`, `cond`, norms by singular values) are refused: the signs and the order of their
vectors depend on the LAPACK that computes them, not on the values alone. Compute the factors
outside and pass them as inputs.
"""


# Which names a program applies, and to what


#: Statements that only say where to go, or which name is meant.
_WITHOUT_OPERANDS = (
    ast.Break,
    ast.Continue,
    ast.Global,
    ast.Import,
    ast.ImportFrom,
    ast.Nonlocal,
    ast.Pass,
    ast.Raise,
)


class _Uses(ast.NodeVisitor):
    """Finds the names that a program uses, told apart by whether an input reaches them."""

    def __init__(self, tree: ast.AST) -> None:
        self.found: set[tuple[str, bool]] = set()
        self._reached = set(INPUTS)
        for _ in range(3):
            for node in ast.walk(tree):
                self._spread(node)
        self.visit(tree)

    def _spread(self, node: ast.AST) -> None:
        """Mark the targets that an input reaches."""
        source = getattr(node, "iter", None) or getattr(node, "value", None)
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        if not isinstance(source, ast.AST) or not self._is_reached(source):
            return
        for target in filter(None, targets):
            self._reached.update(n.id for n in ast.walk(target) if isinstance(n, ast.Name))

    def _is_reached(self, node: ast.AST) -> bool:
        return any(isinstance(n, ast.Name) and n.id in self._reached for n in ast.walk(node))

    def generic_visit(self, node: ast.AST) -> None:
        reached = self._is_reached(node) or isinstance(node, _WITHOUT_OPERANDS)
        self.found.add((type(node).__name__, reached))
        for part in (getattr(node, "op", None), *getattr(node, "ops", ())):
            if isinstance(part, ast.AST):
                self.found.add((type(part).__name__, reached))
        if isinstance(node, ast.Call):
            self.found.add((ast.unparse(node.func), self._is_reached(node)))
            if isinstance(node.func, ast.Attribute):
                self.found.add((f".{node.func.attr}", self._is_reached(node)))
        elif isinstance(node, (ast.Attribute, ast.Name)):
            self.found.add((ast.unparse(node), False))
        super().generic_visit(node)


def uses(code: str) -> set[tuple[str, bool]]:
    """Return `(name, whether an input reaches it)` of node types, functions and methods."""
    return _Uses(ast.parse("def program():\n" + textwrap.indent(code, "    "))).found


class Shown:
    """What the programs of the tables show."""

    def __init__(self) -> None:
        self.compiled: Counter[str] = Counter()
        self.static: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        for row, code in tables.COMPILED:
            self._add(row, code)
        for row, _ in tables.NOT_COMPILED:
            self.refused[row] += 1
        for code in tables.REFUSED:
            self.refused.update({name for name, _ in uses(code)})

    def _add(self, row: str, code: str) -> None:
        last = row.rsplit(".", 1)[-1]
        found = uses(code)
        for name, reached in found:
            (self.compiled if reached else self.static)[name] += 1
        reached = any(r for n, r in found if n.split("(")[0].rsplit(".", 1)[-1] == last)
        (self.compiled if reached else self.static)[row] += 1

    def state(self, *names: str) -> str:
        """Return the cell of a row that goes by any of these names."""
        compiled, static, refused = (
            max(counts[name] for name in names)
            for counts in (self.compiled, self.static, self.refused)
        )
        if compiled:
            return f"compiled ({compiled})"
        if static:
            return f"static ({static})"
        return f"refused ({refused})" if refused else "—"


# The rows


def node_types() -> Iterator[str]:
    """Yield the statements, expressions and operators of Python's grammar."""
    old = {"Num", "Str", "Bytes", "NameConstant", "Ellipsis", "Index", "ExtSlice"}
    for base in (ast.stmt, ast.expr, ast.operator, ast.unaryop, ast.cmpop, ast.boolop, ast.pattern):
        kinds = {c.__name__ for c in base.__subclasses__() if getattr(ast, c.__name__, None) is c}
        yield from sorted(kinds - old)


def public(module: Any) -> list[str]:
    """Return the public functions of a module, or methods of a type."""
    return sorted(
        name
        for name in dir(module)
        if not name.startswith("_")
        and callable(value := getattr(module, name))
        and not isinstance(value, ModuleType)
        and not (inspect.isclass(value) and issubclass(value, BaseException))
    )


def numpy_uses() -> tuple[Counter[str], Counter[str]]:
    """Return how many cases of the numpy tables use each function, and each method."""
    functions: Counter[str] = Counter()
    methods: Counter[str] = Counter()
    cases = [
        *test_functions.every(),
        *test_indexing.READS,
        *test_indexing.WRITES,
        *test_walked_functions.CASES,
        *test_walked_functions.MATRICES,
    ]
    named = [one.code for one in cases]
    for code in named + [code for _, code in tables.COMPILED]:
        functions.update(set(re.findall(r"\bnp\.((?:linalg\.)?\w+)", code)))
    for code in named:
        methods.update(set(re.findall(r"(?<!\bnp)(?<!linalg)\.(\w+)\(", code)))
    return functions, methods


def numpy_names() -> list[str]:
    """Return numpy's functions, those of `numpy.linalg` too; not its types."""
    own = [n for n in public(np) if not inspect.isclass(getattr(np, n))]
    return own + [f"linalg.{name}" for name in public(np.linalg)]


def table(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """Return a section, the names of one state together."""
    cells: dict[str, list[str]] = {"compiled": [], "static": [], "refused": [], "—": []}
    for name, state in rows:
        cells[state.split(" ")[0]].append(f"`{name}`")
    lines = [f"\n## {title}\n", "| | |", "|---|---|"]
    lines += [
        f"| {state} ({len(names)}) | {' '.join(names)} |" for state, names in cells.items() if names
    ]
    return "\n".join(lines) + "\n"


def text() -> str:
    """Return the document."""
    shown = Shown()
    parts = [HEAD]
    parts.append(table("Syntax", ((name, shown.state(name)) for name in node_types())))
    rows = [(n, shown.state(f"builtins.{n}", n)) for n in public(builtins)]
    parts.append(table("Builtins", rows))
    for kind in (str, list, tuple, dict, set):
        names = public(kind)
        rows = [(n, shown.state(f"{kind.__name__}.{n}")) for n in names]
        parts.append(table(f"Methods of `{kind.__name__}`", rows))
    for module in (math, operator, itertools, functools, copy):
        name = module.__name__
        rows = [(n, shown.state(f"{name}.{n}")) for n in public(module)]
        parts.append(table(f"`{name}`", rows))
    functions, methods = numpy_uses()
    rows = [(n, "compiled" if functions[n] else "—") for n in numpy_names()]
    parts.append(table("numpy", rows))
    rows = [(n, "compiled" if methods[n] else "—") for n in public(np.ndarray)]
    parts.append(table("Methods of `numpy.ndarray`", rows))
    kinds = sorted({row for row, _ in tables.COMPILED if "." not in row})
    counts = Counter(row for row, _ in tables.COMPILED)
    rows_of = "\n".join(f"| {kind} | {counts[kind]} |" for kind in kinds)
    parts.append(f"\n## Programs by kind\n\n| | |\n|---|---|\n{rows_of}\n")
    lines = (f"| `{_one_line(code)}` | {message} |" for code, message in tables.REFUSED.items())
    parts.append("\n## Refused programs\n\n| | |\n|---|---|\n" + "\n".join(lines) + "\n")
    return "".join(parts)


def _one_line(code: str) -> str:
    return code.replace("\n", "⏎").replace("|", "\\|")


if __name__ == "__main__":
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(text())
