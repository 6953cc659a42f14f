"""Functions that say, while Python runs them, what they are given and which way they go.

def f(x):                     def f(x):
if x > 0:          →          _.called(0, (x,))
return x                  if _.test(1, x > 0):
return x
"""

from __future__ import annotations

import ast
import functools
import itertools
import linecache
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from elichika.errors import SourceFrame
from elichika.program.compiled import MARK, is_compiled_from

__all__ = ["Marked", "Place", "marked_functions"]

WATCHES = itertools.count()
"""The global that marked functions of a file tell is named after it; no program can have that."""
FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
"""A notebook's cell may have it."""
TURNS = f"{MARK}_turns"
"""The local name of what a `while` counts with."""


@dataclass(frozen=True)
class Place:
    """What tells.

    Attributes:
        kind: `function`, `branch` or `loop`.
        frame: Where it is.
        names: Of a function's parameters, with their stars.
    """

    kind: str
    frame: SourceFrame
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Marked:
    """The functions of a file, with marks.

    Attributes:
        places: What tells, by its number.
        watch: The name of the global that they tell.
        codes: By their names and first lines.
    """

    places: tuple[Place, ...]
    watch: str
    codes: dict[tuple[str, int], list[types.CodeType]]

    def code_for(self, function: types.FunctionType) -> types.CodeType | None:
        """Return what may stand in the place of a function's code."""
        code = function.__code__
        found = self.codes.get((code.co_name, code.co_firstlineno), [])
        alike = [one for one in found if one.co_freevars == code.co_freevars]
        return alike[0] if len(found) == 1 and alike else None


def _of_file(code: types.CodeType) -> Marked | None:
    """Return the functions of the file of one; None where its text cannot be read."""
    text = "".join(linecache.getlines(code.co_filename))
    return _marked(text, code.co_filename) if text and is_compiled_from(code, text) else None


@functools.lru_cache(maxsize=16)
def _marked(text: str, file: str) -> Marked | None:
    try:
        tree = compile(text, file, "exec", FLAGS | ast.PyCF_ONLY_AST, dont_inherit=True)
        marks = _Marks(file)
        made = ast.fix_missing_locations(marks.visit(tree))
        module = compile(made, file, "exec", FLAGS, dont_inherit=True)
    except (RecursionError, SyntaxError, ValueError):
        return None
    codes: dict[tuple[str, int], list[types.CodeType]] = {}
    for code in _inside(module):
        codes.setdefault((code.co_name, code.co_firstlineno), []).append(code)
    return Marked(tuple(marks.places), marks.watch, codes)


def _inside(code: types.CodeType) -> Iterator[types.CodeType]:
    for held in code.co_consts:
        if isinstance(held, types.CodeType):
            yield held
            yield from _inside(held)


@contextmanager
def marked_functions(
    functions: Iterable[types.FunctionType], watch_of: Callable[[tuple[Place, ...]], Any]
) -> Iterator[None]:
    """Let functions tell for a while; those whose text cannot be read stay silent.

    Args:
        functions: Whose code is replaced; what other threads run of them tells, too.
        watch_of: Gives what those of a file tell: it has `called`, `test`, `begin`, `turn` and
            `turns`, which take the number of a place and pass on what they are told of.
    """
    codes, spaces = [], []
    try:
        for function in functions:
            file = _of_file(function.__code__)
            code = None if file is None else file.code_for(function)
            if file is None or code is None:
                continue
            function.__globals__[file.watch] = watch_of(file.places)
            spaces.append((function.__globals__, file.watch))
            codes.append((function, function.__code__))
            function.__code__ = code
        yield
    finally:
        for function, before in codes:
            function.__code__ = before
        for space, name in spaces:
            space.pop(name, None)


class _Marks(ast.NodeTransformer):
    """Puts marks into the functions of a module; the text of a class is not run again."""

    def __init__(self, file: str) -> None:
        self.places: list[Place] = []
        self.watch = f"{MARK}_watch_{next(WATCHES)}"
        self._file = file
        self._within: list[str] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Let a function say what it is given."""
        self._within.append(node.name)
        self.generic_visit(node)
        names = _parameters(node.args)
        values = ast.Tuple([ast.Name(name.lstrip("*"), ast.Load()) for name in names], ast.Load())
        told = ast.Expr(self._telling(self._place("function", node, names), "called", node, values))
        documented = ast.get_docstring(node, clean=False) is not None
        node.body.insert(int(documented), ast.copy_location(told, node.body[0]))
        self._within.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Go on in the methods alone: names of its body are its attributes."""
        within, self._within = self._within, []
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                self.visit(statement)
        self._within = within
        return node

    def visit_If(self, node: ast.If) -> Any:
        """Let a test say how it goes."""
        return self._tested(node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """Let a test say how it goes."""
        return self._tested(node)

    def visit_While(self, node: ast.While) -> Any:
        """Let a loop count its iterations."""
        self.generic_visit(node)
        if not self._within:
            return node
        name = f"{TURNS}_{len(self.places)}"
        begun = self._telling(self._place("loop", node), "begin", node)
        node.test = self._call("turn", node.test, ast.Name(name, ast.Load()), node.test)
        first = ast.Assign([ast.Name(name, ast.Store())], begun)
        return [ast.copy_location(first, node), node]

    def visit_For(self, node: ast.For) -> Any:
        """Let a loop count its iterations."""
        return self._counted(node, node)

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        """Let a comprehension count its iterations, and its conditions say how they go."""
        if node.is_async:
            return node
        self._counted(node, node.iter)
        if self._within:
            places = [self._place("branch", test) for test in node.ifs]
            pairs = zip(places, node.ifs, strict=True)
            node.ifs = [self._telling(place, "test", test, test) for place, test in pairs]
        return node

    def _tested(self, node: Any) -> Any:
        self.generic_visit(node)
        if self._within:
            node.test = self._telling(self._place("branch", node), "test", node, node.test)
        return node

    def _counted(self, node: Any, where: ast.AST) -> Any:
        self.generic_visit(node)
        if self._within:
            node.iter = self._telling(self._place("loop", where), "turns", node.iter, node.iter)
        return node

    def _telling(self, place: Place, method: str, where: Any, *values: ast.expr) -> ast.expr:
        self.places.append(place)
        return self._call(method, where, ast.Constant(len(self.places) - 1), *values)

    def _call(self, method: str, where: Any, *values: ast.expr) -> ast.expr:
        watch = ast.Attribute(ast.Name(self.watch, ast.Load()), method, ast.Load())
        return ast.copy_location(ast.Call(watch, list(values), []), where)

    def _place(self, kind: str, node: Any, names: tuple[str, ...] = ()) -> Place:
        frame = SourceFrame(self._file, node.lineno, self._within[-1], node.col_offset)
        return Place(kind, frame, names)


def _parameters(given: ast.arguments) -> tuple[str, ...]:
    plain = [one.arg for one in (*given.posonlyargs, *given.args)]
    starred = [] if given.vararg is None else [f"*{given.vararg.arg}"]
    named = [one.arg for one in given.kwonlyargs]
    rest = [] if given.kwarg is None else [f"**{given.kwarg.arg}"]
    return (*plain, *starred, *named, *rest)
